"""Actions of people on incidents and alerts: acknowledge, assign, annotate, resolve, mute. Verdicts open and resolve
incidents automatically (`flows/quality/incidents/alerts.py`)."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from forge.flows.quality.incidents.alerts import new_delivery
from forge.flows.quality.incidents.open_incidents import OpenIncident
from forge.flows.quality.incidents.ports import AlertPorts, AlertWrite
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.model.time import as_utc
from forge.quality.alerts import incident as incidents
from forge.quality.alerts.alert import AlertOrigin, AlertScope, AlertState, AlertStatus
from forge.quality.alerts.delivery import Delivery, first_try
from forge.quality.alerts.incident import EntryKind, IncidentEntry, IncidentStatus, IncidentUpdate, TrackedIncident
from forge.quality.alerts.notice import AffectedColumn, CheckNotice, Notice, NoticeKind
from forge.quality.alerts.quiet import Mute, muted_until

UNRESOLVED = (IncidentStatus.OPEN, IncidentStatus.ACKNOWLEDGED)
_SHORTEST_PREFIX = 4


@dataclass(frozen=True, slots=True)
class IncidentRequest:
    """Requested changes; None leaves a field unchanged. `nobody`: unassign."""

    status: IncidentStatus | None = None
    assignee: str | None = None
    nobody: bool = False
    note: str | None = None

    @property
    def is_empty(self) -> bool:
        return self.status is None and self.assignee is None and not self.nobody and self.note is None


def find_incident(ports: AlertPorts, text: str) -> TrackedIncident:
    """By id or a unique prefix of it; E730."""
    found = ports.store.incident(text)
    if found is not None:
        return found
    near = [one for one in ports.store.incidents(limit=10_000) if one.id.startswith(text)]
    if len(text) >= _SHORTEST_PREFIX and len(near) == 1:
        return near[0]
    why = f"{len(near)} begin with it." if len(near) > 1 else did_you_mean(text, (one.id for one in near))
    raise ForgeError(
        "E730", f"There is no incident {text}", why=why, fix="`forge quality incidents list --status all` lists them."
    )


def change_incident(ports: AlertPorts, incident_id: str, request: IncidentRequest, by: str) -> TrackedIncident:
    """E730 where there is none, E734 where nothing is requested. No-ops add no timeline entry."""
    if request.is_empty:
        raise ForgeError(
            "E734", "Nothing is to be changed", fix="Give a status, an assignee or a note: `--note 'looked at it'`."
        )
    if request.note is not None and not request.note.strip():
        raise ForgeError("E734", "The note is empty", fix="Write what you found out.")
    now = ports.clock()
    was_open: list[bool] = []

    def decide(incident: TrackedIncident) -> tuple[IncidentUpdate, ...]:
        was_open.append(incident.is_open)
        return tuple(_changes(incident, request, by, now))

    def states(incident: TrackedIncident, state: AlertState | None) -> AlertWrite:
        if not was_open[-1] or incident.is_open or state is None or not state.failing:
            return AlertWrite()
        return _ended_by_hand(ports, incident, state, by, now)

    changed = ports.store.change_incident(incident_id, decide, states)
    if changed is None:
        raise ForgeError("E730", f"There is no incident {incident_id}", fix="`forge quality incidents` lists them.")
    return changed


def _changes(incident: TrackedIncident, request: IncidentRequest, by: str, now: datetime) -> Iterable[IncidentUpdate]:
    steps: list[Callable[[TrackedIncident], IncidentUpdate | None]] = []
    if request.note is not None:
        text = request.note.strip()
        steps.append(lambda one: incidents.note(one, text, by, now))
    if request.assignee is not None or request.nobody:
        steps.append(lambda one: incidents.assign(one, request.assignee, by, now))
    match request.status:
        case IncidentStatus.ACKNOWLEDGED:
            steps.append(lambda one: incidents.acknowledge(one, by, now))
        case IncidentStatus.RESOLVED:
            steps.append(lambda one: incidents.resolve(one, by, now))
        case IncidentStatus.OPEN:
            steps.append(lambda one: incidents.reopen(one, by, now))
    for step in steps:
        change = step(incident)
        if change is not None:
            incident = change.incident
            yield change


def _ended_by_hand(
    ports: AlertPorts, incident: TrackedIncident, state: AlertState, by: str, now: datetime
) -> AlertWrite:
    """The next failure counts as new, is announced and reopens the incident; triggered pages are resolved."""
    resolved = CheckNotice(
        check_id=state.check_id,
        check_type=state.check_type,
        severity=state.severity,
        message=f"resolved by {by}",
        since=state.since,
        columns=state.columns,
        incident_id=incident.id,
    )
    notice = Notice(
        kind=NoticeKind.RECOVERED,
        scope=state.scope,
        table=state.table,
        branch=state.branch,
        at=now,
        checks=(resolved,),
        commit_id=state.commit_id,
        run_id=state.run_id,
        monitor_run_id=state.monitor_run_id,
        monitor_name=incident.monitor_name,
    )
    ended = replace(state, status=AlertStatus.RECOVERED, since=now, failures=0, notified=(), told_at=None)
    pagers = [channel for channel in state.notified if ports.is_pager(channel)]
    return AlertWrite((ended,), (), tuple(new_delivery(ports, channel, notice, now) for channel in pagers))


def adopt(ports: AlertPorts, opened: OpenIncident) -> TrackedIncident:
    """Tracks a failure known only from run records."""
    verdict, run = opened.incident.verdict, opened.run
    scope = AlertScope(AlertOrigin.RUN, run.branch)
    known = ports.store.incidents(scope=scope, check_ids=[verdict.check_id], limit=1)
    if known and known[0].is_open:
        return known[0]
    commit = opened.incident.commit
    tracked = TrackedIncident(
        id=incidents.incident_id(scope, verdict.check_id, opened.since),
        scope=scope,
        table=verdict.table,
        branch=run.branch,
        check_id=verdict.check_id,
        check_type=verdict.check_type,
        columns=verdict.columns,
        severity=verdict.severity,
        status=IncidentStatus.OPEN,
        message=verdict.message,
        opened_at=opened.since,
        seen_at=run.started_at,
        commit_id=commit.id if commit else None,
        run_id=run.id,
        hit=tuple(AffectedColumn(str(spared.column), spared.owner) for spared in opened.incident.spared),
    )
    entry = IncidentEntry(at=opened.since, kind=EntryKind.OPENED, text=verdict.message, run_id=run.id)
    ports.store.put_incident(IncidentUpdate(tracked, (entry,), is_new=True))
    return ports.store.incident(tracked.id) or tracked


def note_remediation(
    ports: AlertPorts,
    table: TableName | str,
    branch: str,
    check_ids: Sequence[str],
    text: str,
    *,
    by: str,
    commit_id: str | None = None,
    run_id: str | None = None,
    details: Mapping[str, object] | None = None,
) -> int:
    """Adds a timeline entry to the open incidents of these checks, else to the newest; returns how many."""
    found = ports.store.incidents(table=str(table), branch=branch, check_ids=check_ids)
    chosen: dict[tuple[AlertScope, str], TrackedIncident] = {}
    for one in found:  # the newest first
        chosen.setdefault((one.scope, one.check_id), one)
    still_open = [one for one in chosen.values() if one.is_open]
    entry = IncidentEntry(
        at=ports.clock(),
        kind=EntryKind.REMEDIATION,
        text=text,
        by=by,
        commit_id=commit_id,
        run_id=run_id,
        details=details or {},
    )
    ports.store.add_entry([one.id for one in still_open or chosen.values()], entry)
    return len(still_open or chosen)


def mute(
    ports: AlertPorts,
    *,
    until: datetime,
    by: str,
    monitor_id: str | None = None,
    check_id: str | None = None,
    table: str | None = None,
    reason: str = "",
) -> Mute:
    """E732 where it names nothing or its end is past."""
    now, until = ports.clock(), as_utc(until)
    if not (monitor_id or check_id or table):
        fix = "Name a monitor, a check or a dataset: `forge quality alerts mute --dataset core.orders --hours 8`."
        raise ForgeError(
            "E732", "The mute names nothing", why="One of everything would hide what nobody knows.", fix=fix
        )
    if until <= now:
        raise ForgeError("E732", f"The mute ended at {until:%Y-%m-%d %H:%M} UTC", fix="Give an end that is to come.")
    scope = AlertScope(AlertOrigin.MONITOR, monitor_id) if monitor_id else None
    name = str(TableName.parse(table)) if table else None
    made = Mute(
        id=secrets.token_hex(6),
        until=until,
        by=by,
        created_at=now,
        scope=scope,
        check_id=check_id or None,
        table=name,
        reason=reason.strip(),
    )
    ports.store.add_mute(made, lambda one, mutes: _retimed(ports, one, mutes, now))
    fitting = [s for s in ports.store.states(statuses=(AlertStatus.FAILING,), limit=10_000) if _fits(made, s)]
    ids = [state.incident_id for state in fitting if state.incident_id]
    text = f"muted until {until:%Y-%m-%d %H:%M} UTC{f': {made.reason}' if made.reason else ''}"
    ports.store.add_entry(ids, IncidentEntry(at=now, kind=EntryKind.MUTED, text=text, by=by))
    return made


def unmute(ports: AlertPorts, mute_id: str) -> Mute:
    """E733 where none is active. Checks that still fail are announced then."""
    now = ports.clock()
    ended = ports.store.end_mute(mute_id, now, lambda one, mutes: _retimed(ports, one, mutes, now))
    if ended is None:
        known = (one.id for one in ports.store.mutes(now))
        fix = did_you_mean(mute_id, known) or "`forge quality alerts mutes` lists those that hold."
        raise ForgeError("E733", f"There is no mute {mute_id} that holds", fix=fix)
    return ended


def _fits(made: Mute, state: AlertState) -> bool:
    return made.fits(state.scope, state.table, state.check_id)


def _retimed(ports: AlertPorts, one: Delivery, mutes: Sequence[Mute], now: datetime) -> Delivery | None:
    """The send time under the given mutes. It waits for a mute only where everything it announces is muted."""
    checks = one.notice.checks
    ends = [muted_until(mutes, one.notice.scope, one.notice.table, check.check_id, now) for check in checks]
    known = [end for end in ends if end is not None]
    until = max(known) if known and len(known) == len(checks) else None
    if until is None and not one.muted:
        return None
    at, reason = first_try(one.notice, ports.timing_of(one.channel), now, until)
    return replace(one, due_at=at, next_at=at, reason=reason, muted=one.muted or until is not None)
