"""What is wrong, in one list: what the records of runs tell of, joined with what is tracked of it, and what else is
tracked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from forge.flows.alert_ports import AlertPorts
from forge.flows.incidents import OpenIncident, find_open_incidents
from forge.model.names import BranchName
from forge.quality.alert import RANKS, Origin, Scope
from forge.quality.incident import IncidentStatus, TrackedIncident
from forge.quality.verdict import Severity

MOST = 10_000


@dataclass(frozen=True, slots=True)
class Listed:
    """One of them is there: a failure that holds a publish back, its record, or both."""

    opened: OpenIncident | None
    record: TrackedIncident | None

    @property
    def id(self) -> str:
        if self.opened is not None:
            return self.opened.id
        assert self.record is not None
        return self.record.id

    @property
    def status(self) -> IncidentStatus:
        return self.record.status if self.record else IncidentStatus.OPEN

    @property
    def severity(self) -> Severity:
        if self.opened is not None:
            return self.opened.incident.verdict.severity
        assert self.record is not None
        return self.record.severity

    @property
    def table(self) -> str:
        if self.opened is not None:
            return self.opened.incident.verdict.table
        assert self.record is not None
        return self.record.table

    @property
    def since(self) -> datetime:
        if self.opened is not None:
            return self.opened.since
        assert self.record is not None
        return self.record.opened_at

    @property
    def hit(self) -> int:
        if self.opened is not None:
            return len(self.opened.incident.spared)
        return len(self.record.hit) if self.record else 0


def list_incidents(
    ports: AlertPorts,
    opened: Sequence[OpenIncident],
    statuses: Iterable[IncidentStatus],
    branch: str | None = None,
) -> tuple[Listed, ...]:
    """The worst first, those that are over last. `opened` is what runs tell of; `branch` limits the others."""
    wanted = frozenset(statuses)
    checks = {one.incident.verdict.check_id for one in opened}
    newest: dict[tuple[Scope, str], TrackedIncident] = {}
    for record in ports.store.incidents(check_ids=checks, limit=MOST) if checks else ():
        newest.setdefault((record.scope, record.check_id), record)
    listed = [Listed(one, record_of(one, newest.values())) for one in opened]
    joined = {one.record.id for one in listed if one.record is not None}
    tracked = ports.store.incidents(statuses=wanted, branch=branch, limit=MOST)
    listed += [Listed(None, record) for record in tracked if record.id not in joined]
    return tuple(sorted((one for one in listed if one.status in wanted), key=_badness))


def record_of(opened: OpenIncident, newest: Iterable[TrackedIncident]) -> TrackedIncident | None:
    """What is tracked of this failure, not of one that is over."""
    scope, check_id = Scope(Origin.RUN, opened.run.branch), opened.incident.verdict.check_id
    for one in newest:
        if one.scope == scope and one.check_id == check_id and (one.is_open or one.run_id == opened.run.id):
            return one
    return None


def _badness(one: Listed) -> tuple[bool, float, int, float, str]:
    """Severity, how many are hit, how long; what is over by when, the newest first."""
    since = one.since.timestamp()
    if one.status is IncidentStatus.RESOLVED:
        return True, -since, 0, 0.0, one.id
    return False, -RANKS[one.severity], -one.hit, since, one.id


def opened_on(ports: AlertPorts, branch: BranchName) -> tuple[OpenIncident, ...]:
    """What runs on a branch hold back now."""
    metadata = ports.metadata
    known = metadata.branch(branch)
    head = known.head if known else None
    return find_open_incidents(metadata, branch, head, metadata.tree(head), ports.owner)
