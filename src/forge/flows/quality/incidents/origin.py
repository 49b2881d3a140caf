"""Where a failure came in: one answer for the result that tells of it and for its incident."""

from __future__ import annotations

from forge.flows.quality.incidents.judge_name import origin_of
from forge.flows.quality.incidents.listed import CameIn, Listed
from forge.flows.quality.incidents.listing import find_listed, join_records, opened_on
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.incidents.root_cause import cause_now
from forge.flows.quality.monitors.store import MonitorStore
from forge.flows.quality.results import UnknownResultError, find_history, find_result, first_failure
from forge.model.names import BranchName
from forge.quality.alerts.alert import Origin, Scope
from forge.quality.monitors.monitor import CheckResult
from forge.quality.verdict import Outcome


def came_in_with_result(
    ports: AlertPorts, store: MonitorStore, result: CheckResult, incident: Listed | None
) -> CameIn | None:
    """Of a result that failed; `incident` is what it stands in (`incident_of`), which says the same."""
    return _came_in(ports, store, incident, result)


def came_in_with_incident(ports: AlertPorts, store: MonitorStore, one: Listed) -> CameIn | None:
    return _came_in(ports, store, one, _newest_failure(ports, store, one))


def incident_of(ports: AlertPorts, result: CheckResult) -> Listed | None:
    """The newest one of the same check and the same judge that was open when the result came."""
    if result.verdict is Outcome.PASSED or result.branch is None:
        return None
    scope = _scope_of(result, result.branch)
    found = ports.store.incidents(scope=scope, table=result.dataset, check_ids=[result.check_id], limit=100)
    for record in found:
        if record.opened_at <= result.executed_at:
            is_in = record.resolved_at is None or result.executed_at <= record.resolved_at
            return find_listed(ports, record.id) if is_in else None
    return _untracked(ports, result) if scope.origin is Origin.RUN else None


def _scope_of(result: CheckResult, branch: str) -> Scope:
    origin = origin_of(result)
    return Scope(origin, result.monitor_id if origin is Origin.MONITOR and result.monitor_id else branch)


def _untracked(ports: AlertPorts, result: CheckResult) -> Listed | None:
    """What holds a publish back, and of which the tracker knows nothing yet."""
    for one in join_records(ports, opened_on(ports, BranchName(result.branch or ""))):
        assert one.opened is not None
        same = one.opened.incident.verdict.check_id == result.check_id and one.record is None
        if same and one.opened.since <= result.executed_at:
            return one
    return None


def _came_in(ports: AlertPorts, store: MonitorStore, one: Listed | None, result: CheckResult | None) -> CameIn | None:
    """What failed first upstream; else where lineage says that the column came in; else the commit since which the
    check fails."""
    record = one.record if one else None
    cause = record.cause if record else None
    if cause is None and record is not None and record.is_open:
        cause = cause_now(ports, record.branch, record.upstream)
    if cause is not None:
        return CameIn.of(cause)
    if one is not None and one.origin is not None:
        return one.origin
    first = first_failure(result, find_history(ports.metadata, store, result)) if result else None
    if first is None or first.commit_id is None:
        return None
    column = first.columns[0] if len(first.columns) == 1 else None
    words = f"The check has failed since this commit of {first.dataset}."
    return CameIn(first.dataset, column, first.check_id, first.commit_id, words)


def _newest_failure(ports: AlertPorts, store: MonitorStore, one: Listed) -> CheckResult | None:
    if one.result_id is None:
        return None
    try:
        return find_result(ports.metadata, store, one.result_id)
    except UnknownResultError:  # it was kept no longer
        return None
