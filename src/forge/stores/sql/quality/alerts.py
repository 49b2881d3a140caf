"""The alert store on SQLite and PostgreSQL."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, and_, func, select, text, update

from forge.flows.quality.incidents.ports import AlertWrite, KnownAlerts, Retime
from forge.quality.alerts.alert import AlertScope, AlertState, AlertStatus
from forge.quality.alerts.delivery import DeliveryStatus
from forge.quality.alerts.incident import IncidentEntry, IncidentStatus, IncidentUpdate, TrackedIncident
from forge.quality.alerts.json import entry_of, incident_of, state_of
from forge.quality.alerts.quiet import Mute
from forge.stores.sql import outbox
from forge.stores.sql.database import reading, writing
from forge.stores.sql.quality import alert_rows as rows
from forge.stores.sql.quality import alert_tables as t
from forge.stores.sql.quality.deliveries import SqlDeliveries
from forge.stores.sql.statements import add_new, only, put

_MOST_MUTES = 1000


class SqlAlerts(SqlDeliveries):
    def observe(self, scope: AlertScope, table: str, decide: Callable[[KnownAlerts], AlertWrite]) -> AlertWrite:
        with writing(self._engine) as connection:
            _one_at_a_time(connection, str(scope))
            known = _known(connection, scope, table)
            written = decide(known)
            _write(connection, written)
            return written

    def states(
        self,
        *,
        scope: AlertScope | None = None,
        table: str | None = None,
        branch: str | None = None,
        statuses: Iterable[AlertStatus] | None = None,
        limit: int = 1000,
    ) -> tuple[AlertState, ...]:
        s = t.alert_states.c
        failing_first = (s.status != AlertStatus.FAILING.value).asc()
        query = select(t.alert_states).order_by(failing_first, s.seen_at.desc(), s.scope, s.check_id).limit(limit)
        query = only(query, (s.scope, scope), (s.table_name, table), (s.branch, branch), (s.status, statuses))
        return tuple(state_of(row["document"]) for row in self._all(query))

    # incidents

    def mark(self) -> str:
        query = select(func.count(), func.coalesce(func.sum(t.incidents.c.changes), 0))
        with reading(self._engine) as connection:
            number, changes = connection.execute(query).one()
        return f"{number}.{changes}"

    def incident(self, incident_id: str) -> TrackedIncident | None:
        with reading(self._engine) as connection:
            return _incident(connection, incident_id)

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
        i = t.incidents.c
        query = select(t.incidents).order_by(i.opened_at.desc(), i.id).limit(limit)
        query = only(query, (i.scope, scope), (i.table_name, table), (i.branch, branch))
        query = only(query, (i.status, statuses), (i.check_id, check_ids))
        return tuple(incident_of(row["document"]) for row in self._all(query))

    def timeline(self, incident_id: str) -> tuple[IncidentEntry, ...]:
        e = t.incident_entries
        query = select(e.c.document).where(e.c.incident_id == incident_id).order_by(e.c.number)
        with reading(self._engine) as connection:
            return tuple(entry_of(document) for document in connection.execute(query).scalars())

    def change_incident(
        self,
        incident_id: str,
        decide: Callable[[TrackedIncident], tuple[IncidentUpdate, ...]],
        states: Callable[[TrackedIncident, AlertState | None], AlertWrite] = lambda incident, state: AlertWrite(),
    ) -> TrackedIncident | None:
        with writing(self._engine) as connection:
            found = _incident(connection, incident_id)
            if found is None:
                return None
            _one_at_a_time(connection, str(found.scope))
            found = _incident(connection, incident_id) or found
            for change in decide(found):
                _put_change(connection, change)
                found = change.incident
            _write(connection, states(found, _state(connection, str(found.scope), found.check_id)))
            return found

    def put_incident(self, change: IncidentUpdate) -> bool:
        with writing(self._engine) as connection:
            if _incident(connection, change.incident.id) is not None:
                return False
            _put_change(connection, change)
            return True

    def add_entry(self, incident_ids: Iterable[str], entry: IncidentEntry) -> None:
        with writing(self._engine) as connection:
            for incident_id in incident_ids:
                rows.add_entries(connection, incident_id, (entry,))

    # mutes

    def mutes(self, now: datetime | None = None) -> tuple[Mute, ...]:
        with reading(self._engine) as connection:
            return _mutes(connection, now)

    def add_mute(self, mute: Mute, retime: Retime) -> None:
        with writing(self._engine) as connection:
            connection.execute(t.alert_mutes.insert(), [rows.mute_row(mute)])
            _retime(connection, retime, mute.created_at)

    def end_mute(self, mute_id: str, now: datetime, retime: Retime) -> Mute | None:
        m = t.alert_mutes
        with writing(self._engine) as connection:
            found = connection.execute(select(m).where(m.c.id == mute_id, m.c.until > now)).mappings().first()
            if found is None:
                return None
            connection.execute(update(m).where(m.c.id == mute_id).values(until=now))
            _retime(connection, retime, now)
            return replace(rows.read_mute(found), until=now)


def _one_at_a_time(connection: Connection, name: str) -> None:
    """SQLite has a single writer anyway."""
    if connection.dialect.name == "postgresql":
        key = int.from_bytes(hashlib.sha256(f"forge alerts {name}".encode()).digest()[:8], "big", signed=True)
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


def _known(connection: Connection, scope: AlertScope, table: str) -> KnownAlerts:
    s, i = t.alert_states, t.incidents
    states = connection.execute(select(s).where(s.c.scope == str(scope), s.c.table_name == table)).mappings()
    of_table = and_(i.c.scope == str(scope), i.c.table_name == table)
    newest = (
        select(i.c.check_id, func.max(i.c.opened_at).label("opened_at"))
        .where(of_table)
        .group_by(i.c.check_id)
        .subquery()
    )
    query: Select[Any] = (
        select(i)
        .join(newest, and_(i.c.check_id == newest.c.check_id, i.c.opened_at == newest.c.opened_at))
        .where(of_table)
    )
    return KnownAlerts(
        {row["check_id"]: state_of(row["document"]) for row in states},
        {row["check_id"]: incident_of(row["document"]) for row in connection.execute(query).mappings()},
        _mutes(connection, None),
    )


def _write(connection: Connection, written: AlertWrite) -> None:
    put(connection, t.alert_states, [rows.state_row(state) for state in written.states])
    for change in written.incidents:
        _put_change(connection, change)
    outbox.add_deliveries(connection, written.deliveries)


def _put_change(connection: Connection, change: IncidentUpdate) -> None:
    row = rows.incident_row(change.incident)
    i = t.incidents
    if change.is_new:
        add_new(connection, i, [{**row, "changes": 1}])
    else:
        del row["id"]
        where = i.c.id == change.incident.id
        connection.execute(update(i).where(where).values(**row, changes=i.c.changes + 1))
    rows.add_entries(connection, change.incident.id, change.entries)


def _incident(connection: Connection, incident_id: str) -> TrackedIncident | None:
    found = connection.execute(select(t.incidents).where(t.incidents.c.id == incident_id)).mappings().first()
    return incident_of(found["document"]) if found else None


def _state(connection: Connection, scope: str, check_id: str) -> AlertState | None:
    s = t.alert_states
    found = connection.execute(select(s).where(s.c.scope == scope, s.c.check_id == check_id)).mappings().first()
    return state_of(found["document"]) if found else None


def _mutes(connection: Connection, now: datetime | None) -> tuple[Mute, ...]:
    m = t.alert_mutes
    query = select(m).order_by(m.c.until.desc(), m.c.id).limit(_MOST_MUTES)
    if now is not None:
        query = query.where(m.c.until > now)
    return tuple(rows.read_mute(row) for row in connection.execute(query).mappings())


def _retime(connection: Connection, retime: Retime, now: datetime) -> None:
    """Attempted deliveries are unchanged."""
    d = outbox.deliveries
    query = select(d).where(d.c.status == DeliveryStatus.WAITING.value, d.c.message_id.is_(None)).with_for_update()
    mutes = _mutes(connection, now)
    for row in connection.execute(query).mappings().all():
        changed = retime(outbox.read_delivery(row), mutes)
        if changed is not None:
            values = {
                "due_at": changed.due_at,
                "next_at": changed.next_at,
                "reason": changed.reason,
                "muted": changed.muted,
            }
            connection.execute(update(d).where(d.c.number == row["number"]).values(**values))
