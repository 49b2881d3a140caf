"""An incident: one check failing under one monitor or on one branch, for as long as it fails. Opened and resolved by
verdicts; acknowledged, assigned and annotated by people."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from forge.quality.alerts.alert import AlertMove, AlertScope, MoveKind
from forge.quality.alerts.notice import AffectedColumn, Cause
from forge.quality.verdict import Severity

REOPENED_WITHIN = timedelta(hours=24)
FORGE = "forge"  # who acts where no person did


class IncidentStatus(StrEnum):
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


class EntryKind(StrEnum):
    OPENED = "opened"
    SEEN = "failed again"
    WORSE = "worse"
    REOPENED = "reopened"
    ACKNOWLEDGED = "acknowledged"
    ASSIGNED = "assigned"
    NOTE = "note"
    MUTED = "muted"
    ALERT_QUEUED = "alert queued"
    ALERT_SENT = "alert sent"
    ALERT_FAILED = "alert failed"  # given up
    REMEDIATION = "remediation"
    RECOVERED = "recovered"
    RESOLVED = "resolved"  # by hand


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentEntry:
    """A timeline entry. Consecutive failures are one entry: `count` of them, the last at `until`."""

    at: datetime
    kind: EntryKind
    text: str
    by: str = FORGE
    commit_id: str | None = None
    run_id: str | None = None
    result_id: str | None = None
    count: int = 1
    until: datetime | None = None
    details: Mapping[str, object] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """`by` None: Forge itself."""
        return {
            "time": self.at,
            "kind": str(self.kind),
            "text": self.text,
            "by": None if self.by == FORGE else self.by,
            "commit": self.commit_id,
            "run_id": self.run_id,
            "result_id": self.result_id,
            "count": self.count,
            "until": self.until,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedIncident:
    """`cause`: the first failing dataset upstream, as known when it was opened or last seen."""

    id: str
    scope: AlertScope
    table: str
    branch: str
    check_id: str
    check_type: str
    columns: tuple[str, ...]
    severity: Severity
    status: IncidentStatus
    message: str
    opened_at: datetime  # reopened or not
    seen_at: datetime  # the newest failure
    seen: int = 1  # failures
    commit_id: str | None = None  # of the newest failure
    run_id: str | None = None
    monitor_run_id: str | None = None
    monitor_name: str | None = None
    result_id: str | None = None
    assignee: str | None = None
    acknowledged_at: datetime | None = None
    acknowledged_by: str | None = None
    resolved_at: datetime | None = None
    resolved_by: str | None = None
    reopened: int = 0
    cause: Cause | None = None
    hit: tuple[AffectedColumn, ...] = ()
    upstream: tuple[str, ...] = ()  # tables, nearest first

    @property
    def is_open(self) -> bool:
        return self.status is not IncidentStatus.RESOLVED


@dataclass(frozen=True, slots=True)
class IncidentUpdate:
    """An incident after a change, and the timeline entries it adds."""

    incident: TrackedIncident
    entries: tuple[IncidentEntry, ...]
    is_new: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureContext:
    """What is known of a failure besides its verdict."""

    columns: tuple[str, ...] = ()
    cause: Cause | None = None
    hit: tuple[AffectedColumn, ...] = ()
    upstream: tuple[str, ...] = ()
    monitor_name: str | None = None
    result_id: str | None = None


def incident_id(scope: AlertScope, check_id: str, at: datetime) -> str:
    return hashlib.sha256(f"{scope}\n{check_id}\n{at.isoformat()}".encode()).hexdigest()[:16]


def follow(
    known: TrackedIncident | None,
    move: AlertMove,
    around: FailureContext,
    *,
    worth: bool,
    window: timedelta = REOPENED_WITHIN,
) -> IncidentUpdate | None:
    """Applies a move of the alert state to the newest incident of the check. `worth`: the failure is severe enough to
    open one; an open one continues at any severity."""
    if move.kind is MoveKind.PASSED:
        return None
    if move.kind is MoveKind.RECOVERED:
        return _recovered(known, move) if known is not None and known.is_open else None
    if known is not None and known.is_open:
        return _seen(known, move, around)
    if not worth:
        return None
    if known is not None and known.resolved_at is not None and move.after.seen_at - known.resolved_at <= window:
        return _reopened(known, move, around)
    return _opened(move, around)


def _opened(move: AlertMove, around: FailureContext) -> IncidentUpdate:
    after = move.after
    incident = TrackedIncident(
        id=incident_id(after.scope, after.check_id, after.seen_at),
        scope=after.scope,
        table=after.table,
        branch=after.branch,
        check_id=after.check_id,
        check_type=after.check_type,
        columns=around.columns,
        severity=after.severity,
        status=IncidentStatus.OPEN,
        message=after.message,
        opened_at=after.seen_at,
        seen_at=after.seen_at,
        commit_id=after.commit_id,
        run_id=after.run_id,
        monitor_run_id=after.monitor_run_id,
        monitor_name=around.monitor_name,
        result_id=around.result_id,
        cause=around.cause,
        hit=around.hit,
        upstream=around.upstream,
    )
    return IncidentUpdate(incident, (_entry(EntryKind.OPENED, move, around, after.message),), is_new=True)


def _refreshed(known: TrackedIncident, move: AlertMove, around: FailureContext) -> TrackedIncident:
    after = move.after
    return replace(
        known,
        severity=after.severity,
        message=after.message,
        seen_at=after.seen_at,
        seen=known.seen + 1,
        commit_id=after.commit_id,
        run_id=after.run_id,
        monitor_run_id=after.monitor_run_id,
        monitor_name=around.monitor_name or known.monitor_name,
        result_id=around.result_id or known.result_id,
        cause=around.cause or known.cause,
        hit=around.hit or known.hit,
        upstream=around.upstream or known.upstream,
    )


def _seen(known: TrackedIncident, move: AlertMove, around: FailureContext) -> IncidentUpdate:
    incident = _refreshed(known, move, around)
    if move.kind is MoveKind.WORSE:
        text = f"{known.severity} → {move.after.severity}: {move.after.message}"
        return IncidentUpdate(incident, (_entry(EntryKind.WORSE, move, around, text),))
    return IncidentUpdate(incident, (_entry(EntryKind.SEEN, move, around, move.after.message),))


def _reopened(known: TrackedIncident, move: AlertMove, around: FailureContext) -> IncidentUpdate:
    incident = replace(
        _refreshed(known, move, around),
        status=IncidentStatus.OPEN,
        acknowledged_at=None,
        acknowledged_by=None,
        resolved_at=None,
        resolved_by=None,
        reopened=known.reopened + 1,
    )
    return IncidentUpdate(incident, (_entry(EntryKind.REOPENED, move, around, move.after.message),))


def _recovered(known: TrackedIncident, move: AlertMove) -> IncidentUpdate:
    after = move.after
    incident = replace(known, status=IncidentStatus.RESOLVED, resolved_at=after.seen_at, resolved_by=FORGE)
    return IncidentUpdate(incident, (_entry(EntryKind.RECOVERED, move, FailureContext(), move.verdict.message),))


def _entry(kind: EntryKind, move: AlertMove, around: FailureContext, text: str) -> IncidentEntry:
    after = move.after
    return IncidentEntry(
        at=after.seen_at,
        kind=kind,
        text=text,
        by=FORGE,
        commit_id=after.commit_id,
        run_id=after.run_id,
        result_id=around.result_id,
    )


def acknowledge(incident: TrackedIncident, by: str, at: datetime) -> IncidentUpdate | None:
    """None: it is acknowledged already."""
    if incident.status is IncidentStatus.ACKNOWLEDGED:
        return None
    changed = replace(
        incident,
        status=IncidentStatus.ACKNOWLEDGED,
        acknowledged_at=at,
        acknowledged_by=by,
        assignee=incident.assignee or by,
        resolved_at=None,
        resolved_by=None,
    )
    return IncidentUpdate(
        changed, (IncidentEntry(at=at, kind=EntryKind.ACKNOWLEDGED, text=f"{by} looks after it", by=by),)
    )


def resolve(incident: TrackedIncident, by: str, at: datetime) -> IncidentUpdate | None:
    if not incident.is_open:
        return None
    changed = replace(incident, status=IncidentStatus.RESOLVED, resolved_at=at, resolved_by=by)
    return IncidentUpdate(
        changed, (IncidentEntry(at=at, kind=EntryKind.RESOLVED, text=f"{by} says it is resolved", by=by),)
    )


def reopen(incident: TrackedIncident, by: str, at: datetime) -> IncidentUpdate | None:
    if incident.status is IncidentStatus.OPEN:
        return None
    was_resolved = not incident.is_open
    changed = replace(
        incident,
        status=IncidentStatus.OPEN,
        acknowledged_at=None,
        acknowledged_by=None,
        resolved_at=None,
        resolved_by=None,
        reopened=incident.reopened + was_resolved,
    )
    text = f"{by} opened it again" if was_resolved else f"{by} looks after it no longer"
    return IncidentUpdate(changed, (IncidentEntry(at=at, kind=EntryKind.REOPENED, text=text, by=by),))


def assign(incident: TrackedIncident, assignee: str | None, by: str, at: datetime) -> IncidentUpdate | None:
    if incident.assignee == assignee:
        return None
    text = f"assigned to {assignee}" if assignee else "assigned to nobody"
    return IncidentUpdate(
        replace(incident, assignee=assignee), (IncidentEntry(at=at, kind=EntryKind.ASSIGNED, text=text, by=by),)
    )


def note(incident: TrackedIncident, text: str, by: str, at: datetime) -> IncidentUpdate:
    return IncidentUpdate(incident, (IncidentEntry(at=at, kind=EntryKind.NOTE, text=text, by=by),))


def join(last: IncidentEntry, entry: IncidentEntry) -> IncidentEntry:
    """Merges two failure entries into one, with the text of the newer."""
    return replace(entry, at=last.at, count=last.count + entry.count, until=entry.until or entry.at)
