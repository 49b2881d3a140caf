"""One list of incidents: open ones from run records joined with tracked ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from forge.flows.quality.incidents.listed_incident import ListedIncident
from forge.flows.quality.incidents.open_incidents import OpenIncident, find_open_incidents, former_id
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.incidents.tracker import adopt, find_incident
from forge.model.names import BranchName, ColumnName
from forge.quality.alerts.alert import RANKS, AlertOrigin, AlertScope
from forge.quality.alerts.incident import IncidentStatus, TrackedIncident

MOST = 10_000


def list_incidents(
    ports: AlertPorts,
    opened: Sequence[OpenIncident],
    statuses: Iterable[IncidentStatus],
    branch: str | None = None,
) -> tuple[ListedIncident, ...]:
    """The worst first, resolved ones last. `opened`: from run records; `branch` limits the others."""
    wanted = frozenset(statuses)
    listed = list(join_records(ports, opened))
    joined = {one.record.id for one in listed if one.record is not None}
    tracked = ports.store.incidents(statuses=wanted, branch=branch, limit=MOST)
    listed += [ListedIncident(None, record) for record in tracked if record.id not in joined]
    return tuple(sorted((one for one in listed if one.status in wanted), key=_badness))


def join_records(ports: AlertPorts, opened: Sequence[OpenIncident]) -> tuple[ListedIncident, ...]:
    """Joins incidents of run records with tracked ones, in the same order. The columns of one check are one incident,
    with the union of their impact."""
    of_check: dict[tuple[str, str], OpenIncident] = {}
    for one in opened:
        key = one.run.branch, one.incident.verdict.check_id
        first = of_check.setdefault(key, one).incident
        spared = tuple(dict.fromkeys((*first.spared, *one.incident.spared)))
        of_check[key] = replace(of_check[key], incident=replace(first, spared=spared))
    checks = {check_id for _, check_id in of_check}
    newest: dict[tuple[AlertScope, str], TrackedIncident] = {}
    for record in ports.store.incidents(check_ids=checks, limit=MOST) if checks else ():
        newest.setdefault((record.scope, record.check_id), record)
    return tuple(ListedIncident(one, record_of(one, newest.values())) for one in of_check.values())


def find_listed(ports: AlertPorts, text: str) -> ListedIncident:
    """By id, by a former id, or by a unique prefix of the id; E730."""
    record = ports.store.incident(text)
    if record is not None:
        return _with_run(ports, record)
    for branch in sorted(ports.metadata.branches(), key=lambda one: one.name != ports.default_branch):
        opened = opened_on(ports, branch.name)
        once = {one.incident.verdict.check_id for one in opened if one.former_id == text}
        for found in join_records(ports, opened):
            assert found.opened is not None
            if found.id == text or found.opened.incident.verdict.check_id in once:
                return found
    return _with_run(ports, _once_called(ports, text) or find_incident(ports, text))


def find_tracked(ports: AlertPorts, text: str) -> TrackedIncident:
    """As `find_listed`. One known only from run records is tracked from now on, under the same id."""
    found = find_listed(ports, text)
    if found.record is not None:
        return found.record
    assert found.opened is not None
    return adopt(ports, found.opened)


def _with_run(ports: AlertPorts, record: TrackedIncident) -> ListedIncident:
    """With its run record, where it still blocks a publication."""
    if record.scope.origin is AlertOrigin.RUN:
        for found in join_records(ports, opened_on(ports, BranchName(record.branch))):
            if found.record is not None and found.record.id == record.id:
                return found
    return ListedIncident(None, record)


def _once_called(ports: AlertPorts, text: str) -> TrackedIncident | None:
    """The newest that had this former id while it was open."""
    for one in ports.store.incidents(limit=MOST):
        columns = (ColumnName(one.table, name) for name in one.columns or ("",))
        if one.scope.origin is AlertOrigin.RUN and text in (former_id(one.branch, one.check_id, c) for c in columns):
            return one
    return None


def record_of(opened: OpenIncident, newest: Iterable[TrackedIncident]) -> TrackedIncident | None:
    """The tracked record of this failure, not of a resolved one."""
    scope, check_id = AlertScope(AlertOrigin.RUN, opened.run.branch), opened.incident.verdict.check_id
    for one in newest:
        same = one.is_open or one.run_id == opened.run.id or one.id == opened.id
        if one.scope == scope and one.check_id == check_id and same:
            return one
    return None


def _badness(one: ListedIncident) -> tuple[bool, float, int, float, str]:
    """By severity, impact, duration; resolved ones by time, newest first."""
    since = one.since.timestamp()
    if one.status is IncidentStatus.RESOLVED:
        return True, -since, 0, 0.0, one.id
    return False, -RANKS[one.severity], -one.hit, since, one.id


def opened_on(ports: AlertPorts, branch: BranchName) -> tuple[OpenIncident, ...]:
    """Failures that currently block publications on a branch."""
    metadata = ports.metadata
    known = metadata.branch(branch)
    head = known.head if known else None
    return find_open_incidents(metadata, branch, head, metadata.tree(head), ports.owner)
