"""Origin of a failure, the same for a result and its incident."""

from __future__ import annotations

from forge.flows.quality.incidents.judge_reference import origin_of
from forge.flows.quality.incidents.listed_incident import FailureOrigin, ListedIncident
from forge.flows.quality.incidents.listing import find_listed, join_records, opened_on
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.incidents.root_cause import cause_now
from forge.flows.quality.monitors.store import MonitorStore
from forge.flows.quality.results import UnknownResultError, find_history, find_result, first_failure
from forge.model.names import BranchName
from forge.quality.alerts.alert import AlertOrigin, AlertScope
from forge.quality.monitors.monitor import CheckResult
from forge.quality.verdict import Outcome


def origin_of_result(
    ports: AlertPorts, store: MonitorStore, result: CheckResult, incident: ListedIncident | None
) -> FailureOrigin | None:
    """Origin of a failed result; `incident`: the one it belongs to (`incident_of`), which has the same origin."""
    return _find_origin(ports, store, incident, result)


def origin_of_incident(ports: AlertPorts, store: MonitorStore, one: ListedIncident) -> FailureOrigin | None:
    return _find_origin(ports, store, one, _newest_failure(ports, store, one))


def incident_of(ports: AlertPorts, result: CheckResult) -> ListedIncident | None:
    """The newest of the same check and judge that was open at the time of the result."""
    if result.verdict is Outcome.PASSED or result.branch is None:
        return None
    scope = _scope_of(result, result.branch)
    found = ports.store.incidents(scope=scope, table=result.dataset, check_ids=[result.check_id], limit=100)
    for record in found:
        if record.opened_at <= result.executed_at:
            is_in = record.resolved_at is None or result.executed_at <= record.resolved_at
            return find_listed(ports, record.id) if is_in else None
    return _untracked(ports, result) if scope.origin is AlertOrigin.RUN else None


def _scope_of(result: CheckResult, branch: str) -> AlertScope:
    origin = origin_of(result)
    return AlertScope(origin, result.monitor_id if origin is AlertOrigin.MONITOR and result.monitor_id else branch)


def _untracked(ports: AlertPorts, result: CheckResult) -> ListedIncident | None:
    """An incident that blocks a publication and is not tracked yet."""
    for one in join_records(ports, opened_on(ports, BranchName(result.branch or ""))):
        assert one.opened is not None
        same = one.opened.incident.verdict.check_id == result.check_id and one.record is None
        if same and one.opened.since <= result.executed_at:
            return one
    return None


def _find_origin(
    ports: AlertPorts, store: MonitorStore, one: ListedIncident | None, result: CheckResult | None
) -> FailureOrigin | None:
    """The first failure upstream; else the origin of the column by lineage; else the commit since which the check
    fails."""
    record = one.record if one else None
    cause = record.cause if record else None
    if cause is None and record is not None and record.is_open:
        cause = cause_now(ports, record.branch, record.upstream)
    if cause is not None:
        return FailureOrigin.of(cause)
    if one is not None and one.origin is not None:
        return one.origin
    first = first_failure(result, find_history(ports.metadata, store, result)) if result else None
    if first is None or first.commit_id is None:
        return None
    column = first.columns[0] if len(first.columns) == 1 else None
    words = f"The check has failed since this commit of {first.dataset}."
    return FailureOrigin(first.dataset, column, first.check_id, first.commit_id, words)


def _newest_failure(ports: AlertPorts, store: MonitorStore, one: ListedIncident) -> CheckResult | None:
    if one.result_id is None:
        return None
    try:
        return find_result(ports.metadata, store, one.result_id)
    except UnknownResultError:  # it has been deleted
        return None
