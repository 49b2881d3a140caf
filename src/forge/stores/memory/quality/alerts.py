"""Alerts in memory; passes the test suite of the SQL store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from forge.flows.quality.incidents.ports import ENDED, AlertWrite, KnownAlerts, Retime, SendResult, ended_entry
from forge.quality.alerts.alert import AlertScope, AlertState, AlertStatus
from forge.quality.alerts.delivery import Attempt, ChannelMessage, Delivery, DeliveryPlan, DeliveryStatus
from forge.quality.alerts.incident import (
    EntryKind,
    IncidentEntry,
    IncidentStatus,
    IncidentUpdate,
    TrackedIncident,
    join,
)
from forge.quality.alerts.quiet import Mute

_WAITING = DeliveryStatus.WAITING


class MemoryAlerts:
    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._states: dict[tuple[str, str], AlertState] = {}
        self._incidents: dict[str, TrackedIncident] = {}
        self._entries: dict[str, list[IncidentEntry]] = {}
        self._mutes: dict[str, Mute] = {}
        self._deliveries: dict[str, Delivery] = {}
        self._attempts: dict[str, list[Attempt]] = {}
        self._changes = 0

    def observe(self, scope: AlertScope, table: str, decide: Callable[[KnownAlerts], AlertWrite]) -> AlertWrite:
        with self._lock:
            own = [one for one in self._incidents.values() if one.scope == scope and one.table == table]
            known = KnownAlerts(
                {s.check_id: s for s in self._states.values() if s.scope == scope and s.table == table},
                {one.check_id: one for one in sorted(own, key=lambda each: each.opened_at)},
                tuple(self._mutes.values()),
            )
            written = decide(known)
            self._write(written)
            return written

    def _write(self, written: AlertWrite) -> None:
        self._states |= {state.key: state for state in written.states}
        for change in written.incidents:
            self._put(change)
        self.add_deliveries(written.deliveries)

    def _put(self, change: IncidentUpdate) -> None:
        self._changes += 1
        self._incidents[change.incident.id] = change.incident
        self.add_entry_list(change.incident.id, change.entries)

    def add_entry_list(self, incident_id: str, entries: Iterable[IncidentEntry]) -> None:
        lines = self._entries.setdefault(incident_id, [])
        for entry in entries:
            if lines and lines[-1].kind is entry.kind is EntryKind.SEEN:
                lines[-1] = join(lines[-1], entry)
            else:
                lines.append(entry)

    def states(
        self,
        *,
        scope: AlertScope | None = None,
        table: str | None = None,
        branch: str | None = None,
        statuses: Iterable[AlertStatus] | None = None,
        limit: int = 1000,
    ) -> tuple[AlertState, ...]:
        wanted = None if statuses is None else set(statuses)
        with self._lock:
            found = [
                state
                for state in self._states.values()
                if scope in (None, state.scope) and table in (None, state.table) and branch in (None, state.branch)
                if wanted is None or state.status in wanted
            ]
        found.sort(key=lambda state: state.key)
        found.sort(key=lambda state: state.seen_at, reverse=True)
        return tuple(sorted(found, key=lambda state: not state.failing)[:limit])

    def mark(self) -> str:
        return f"{len(self._incidents)}.{self._changes}"

    def incident(self, incident_id: str) -> TrackedIncident | None:
        return self._incidents.get(incident_id)

    def incidents(
        self,
        *,
        statuses: Iterable[IncidentStatus] | None = None,
        scope: AlertScope | None = None,
        table: str | None = None,
        branch: str | None = None,
        check_ids: Iterable[str] | None = None,
        limit: int = 1000,
    ) -> tuple[TrackedIncident, ...]:
        wanted = None if statuses is None else set(statuses)
        checks = None if check_ids is None else set(check_ids)
        with self._lock:
            found = [
                one
                for one in self._incidents.values()
                if scope in (None, one.scope) and table in (None, one.table) and branch in (None, one.branch)
                if (wanted is None or one.status in wanted) and (checks is None or one.check_id in checks)
            ]
        found.sort(key=lambda one: one.id)
        return tuple(sorted(found, key=lambda one: one.opened_at, reverse=True)[:limit])

    def timeline(self, incident_id: str) -> tuple[IncidentEntry, ...]:
        return tuple(self._entries.get(incident_id, ()))

    def change_incident(
        self,
        incident_id: str,
        decide: Callable[[TrackedIncident], tuple[IncidentUpdate, ...]],
        states: Callable[[TrackedIncident, AlertState | None], AlertWrite] = lambda incident, state: AlertWrite(),
    ) -> TrackedIncident | None:
        with self._lock:
            found = self._incidents.get(incident_id)
            if found is None:
                return None
            for change in decide(found):
                self._put(change)
                found = change.incident
            self._write(states(found, self._states.get((str(found.scope), found.check_id))))
            return found

    def put_incident(self, change: IncidentUpdate) -> bool:
        with self._lock:
            if change.incident.id in self._incidents:
                return False
            self._put(change)
            return True

    def add_entry(self, incident_ids: Iterable[str], entry: IncidentEntry) -> None:
        with self._lock:
            for incident_id in incident_ids:
                self.add_entry_list(incident_id, (entry,))

    def mutes(self, now: datetime | None = None) -> tuple[Mute, ...]:
        found = [mute for mute in self._mutes.values() if now is None or mute.until > now]
        found.sort(key=lambda mute: mute.id)
        return tuple(sorted(found, key=lambda mute: mute.until, reverse=True))

    def add_mute(self, mute: Mute, retime: Retime) -> None:
        with self._lock:
            self._mutes[mute.id] = mute
            self._retime(retime, mute.created_at)

    def end_mute(self, mute_id: str, now: datetime, retime: Retime) -> Mute | None:
        with self._lock:
            mute = self._mutes.get(mute_id)
            if mute is None or mute.until <= now:
                return None
            self._mutes[mute_id] = replace(mute, until=now)
            self._retime(retime, now)
            return self._mutes[mute_id]

    def _retime(self, retime: Retime, now: datetime) -> None:
        for one in list(self._deliveries.values()):
            if one.status is _WAITING and one.message_id is None:
                changed = retime(one, self.mutes(now))
                if changed is not None:
                    self._deliveries[one.id] = changed

    def add_deliveries(self, deliveries: Sequence[Delivery]) -> None:
        with self._lock:
            for one in deliveries:
                self._deliveries[one.id] = replace(one, number=len(self._deliveries) + 1)

    def deliveries(
        self,
        *,
        ids: Iterable[str] | None = None,
        channel: str | None = None,
        scope: AlertScope | None = None,
        incident_id: str | None = None,
        statuses: Iterable[DeliveryStatus] | None = None,
        limit: int = 1000,
    ) -> tuple[Delivery, ...]:
        wanted = None if statuses is None else set(statuses)
        named = None if ids is None else set(ids)
        with self._lock:
            found = [
                one
                for one in self._deliveries.values()
                if channel in (None, one.channel) and scope in (None, one.notice.scope)
                if incident_id is None or incident_id in _incidents_of(one)
                if (named is None or one.id in named) and (wanted is None or one.status in wanted)
            ]
        return tuple(sorted(found, key=lambda one: one.number, reverse=True)[:limit])

    def attempts(self, ids: Iterable[str]) -> Mapping[str, tuple[Attempt, ...]]:
        return {key: tuple(self._attempts[key]) for key in ids if key in self._attempts}

    def due(self, now: datetime) -> tuple[str, ...]:
        with self._lock:
            waiting = [one for one in self._deliveries.values() if one.status is _WAITING and one.next_at <= now]
        free = (one for one in waiting if one.claimed_until is None or one.claimed_until <= now)
        return tuple(sorted({one.channel for one in free}))

    def claim(
        self,
        channel: str,
        now: datetime,
        worker: str,
        until: datetime,
        plan: Callable[[Sequence[Delivery]], DeliveryPlan],
    ) -> DeliveryPlan:
        with self._lock:
            waiting = [one for one in self._deliveries.values() if one.status is _WAITING and one.channel == channel]
            planned = plan(sorted(waiting, key=lambda one: one.number))
            for one, reason in planned.dropped:
                self._deliveries[one.id] = replace(one, status=DeliveryStatus.DROPPED, reason=reason)
            return replace(planned, messages=tuple(self._held(m, worker, until) for m in planned.messages))

    def _held(self, message: ChannelMessage, worker: str, until: datetime) -> ChannelMessage:
        taken = [replace(d, message_id=message.id, claimed_by=worker, claimed_until=until) for d in message.deliveries]
        self._deliveries |= {one.id: one for one in taken}
        return replace(message, deliveries=tuple(taken))

    def record(self, message: ChannelMessage, worker: str, result: SendResult) -> bool:
        with self._lock:
            changed = []
            for one in message.deliveries:
                self._attempts.setdefault(one.id, []).append(result.attempt)
                now = self._deliveries[one.id]
                if now.status is _WAITING and (result.attempt.ok or now.claimed_by == worker):
                    self._deliveries[one.id] = _ended(now, result)
                    changed.append(one)
            kind = ENDED.get(result.status)
            if changed and kind is not None:
                for incident in sorted({i for one in message.deliveries for i in _incidents_of(one)}):
                    self.add_entry_list(incident, (ended_entry(message, result, kind),))
            return bool(changed)

    def keys(self, channel: str, threads: Iterable[str]) -> Mapping[str, str]:
        wanted = set(threads)
        with self._lock:
            ordered = sorted(self._deliveries.values(), key=lambda one: one.number)
        return {one.thread: one.key for one in ordered if one.key and one.channel == channel and one.thread in wanted}

    def still_failing(self, channel: str, key: str) -> bool:
        with self._lock:
            sent = [one for one in self._deliveries.values() if one.channel == channel and one.key == key]
            last = self.keys(channel, [one.thread for one in sent])
            scopes = {(one.notice.scope, one.notice.table) for one in sent if last.get(one.thread) == key}
            failing = [state for state in self._states.values() if state.failing and channel in state.notified]
            return any((state.scope, state.table) in scopes for state in failing)

    def queue_again(self, ids: Iterable[str], now: datetime) -> int:
        with self._lock:
            found = [self._deliveries[key] for key in ids if key in self._deliveries]
            ended = [one for one in found if one.status in (DeliveryStatus.GIVEN_UP, DeliveryStatus.REFUSED)]
            for one in ended:
                self._deliveries[one.id] = replace(one, status=_WAITING, reason="queued again", due_at=now, next_at=now)
            return len(ended)


def _incidents_of(one: Delivery) -> set[str]:
    return {check.incident_id for check in one.notice.checks if check.incident_id}


def _ended(one: Delivery, result: SendResult) -> Delivery:
    return replace(
        one,
        status=result.status,
        reason=result.reason,
        claimed_by=None,
        claimed_until=None,
        sent_at=result.attempt.at if result.status is DeliveryStatus.SENT else None,
        attempts=one.attempts + 1,
        next_at=result.next_at or one.next_at,
        key=result.keys.get(one.id, one.key),
    )
