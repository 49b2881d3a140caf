"""The outbox in SQL: deliveries, their claims and attempts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, or_, select, update

from forge.flows.quality.incidents.ports import ENDED, SendResult, ended_entry
from forge.quality.alerts.alert import AlertScope, AlertStatus
from forge.quality.alerts.delivery import Attempt, ChannelMessage, Delivery, DeliveryPlan, DeliveryStatus
from forge.quality.alerts.json import state_of
from forge.stores.sql import outbox
from forge.stores.sql.database import reading, writing
from forge.stores.sql.quality import alert_rows as rows
from forge.stores.sql.quality import alert_tables as t
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.statements import batches, only

_MOST_WAITING = 5000  # that are looked at together
_WAITING = DeliveryStatus.WAITING.value


class SqlDeliveries(SqlRecords):
    def add_deliveries(self, deliveries: Sequence[Delivery]) -> None:
        with writing(self._engine) as connection:
            outbox.add_deliveries(connection, deliveries)

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
        d, links = outbox.deliveries, outbox.delivery_incidents
        query = select(d).order_by(d.c.number.desc()).limit(limit)
        query = only(query, (d.c.id, ids), (d.c.channel, channel), (d.c.scope, scope), (d.c.status, statuses))
        if incident_id is not None:
            query = query.join(links, links.c.delivery_id == d.c.id).where(links.c.incident_id == incident_id)
        return tuple(outbox.read_delivery(row) for row in self._all(query))

    def attempts(self, ids: Iterable[str]) -> Mapping[str, tuple[Attempt, ...]]:
        a = t.delivery_attempts
        found: dict[str, list[Attempt]] = {}
        with reading(self._engine) as connection:
            for batch in batches(list(ids)):
                query = select(a).where(a.c.delivery_id.in_(batch)).order_by(a.c.number)
                for row in connection.execute(query).mappings():
                    found.setdefault(row["delivery_id"], []).append(record_of(Attempt, row))
        return {key: tuple(attempts) for key, attempts in found.items()}

    def due(self, now: datetime) -> tuple[str, ...]:
        d = outbox.deliveries.c
        free = or_(d.claimed_until.is_(None), d.claimed_until <= now)
        query = select(d.channel).where(d.status == _WAITING, d.next_at <= now, free).distinct().order_by(d.channel)
        with reading(self._engine) as connection:
            return tuple(connection.execute(query).scalars())

    def claim(
        self,
        channel: str,
        now: datetime,
        worker: str,
        until: datetime,
        plan: Callable[[Sequence[Delivery]], DeliveryPlan],
    ) -> DeliveryPlan:
        d = outbox.deliveries
        query = (
            select(d)
            .where(d.c.status == _WAITING, d.c.channel == channel)
            .order_by(d.c.number)
            .limit(_MOST_WAITING)
            .with_for_update()
        )
        with writing(self._engine) as connection:
            planned = plan([outbox.read_delivery(row) for row in connection.execute(query).mappings()])
            for one, reason in planned.dropped:
                _change(connection, one.id, status=DeliveryStatus.DROPPED.value, reason=reason)
            return replace(planned, messages=tuple(_held(connection, m, worker, until) for m in planned.messages))

    def record(self, message: ChannelMessage, worker: str, result: SendResult) -> bool:
        ids = [one.id for one in message.deliveries]
        d = outbox.deliveries
        attempt = result.attempt
        with writing(self._engine) as connection:
            tries = [{"delivery_id": key, **columns_of(attempt)} for key in ids]
            connection.execute(t.delivery_attempts.insert(), tries)
            values = {
                "status": result.status.value,
                "reason": result.reason,
                "claimed_by": None,
                "claimed_until": None,
                "sent_at": attempt.at if result.status is DeliveryStatus.SENT else None,
                "attempts": d.c.attempts + 1,
            }
            if result.next_at is not None:
                values["next_at"] = result.next_at
            ours = [d.c.status == _WAITING]
            if not attempt.ok:  # an accepted message is final, whoever holds the claim now
                ours.append(d.c.claimed_by == worker)
            changed = 0
            for key in ids:
                own = {**values, "pager_key": result.keys[key]} if key in result.keys else values
                changed += connection.execute(update(d).where(d.c.id == key, *ours).values(**own)).rowcount
            if changed:
                _add_to_timelines(connection, message, result)
            return changed > 0

    def keys(self, channel: str, threads: Iterable[str]) -> Mapping[str, str]:
        with reading(self._engine) as connection:
            return _keys(connection, channel, list(threads))

    def still_failing(self, channel: str, key: str) -> bool:
        d, s = outbox.deliveries.c, t.alert_states
        query = select(d.thread, d.scope, d.table_name).where(d.channel == channel, d.pager_key == key).distinct()
        with reading(self._engine) as connection:
            sent = connection.execute(query).all()
            last = _keys(connection, channel, [thread for thread, _, _ in sent])
            for thread, scope, table in sent:
                if last.get(thread) != key:
                    continue
                failing = select(s.c.document).where(
                    s.c.scope == scope, s.c.table_name == table, s.c.status == AlertStatus.FAILING.value
                )
                if any(channel in state_of(document).notified for document in connection.execute(failing).scalars()):
                    return True
        return False

    def queue_again(self, ids: Iterable[str], now: datetime) -> int:
        d = outbox.deliveries
        ended = d.c.status.in_([DeliveryStatus.GIVEN_UP.value, DeliveryStatus.REFUSED.value])
        change = update(d).where(d.c.id.in_(list(ids)), ended)
        with writing(self._engine) as connection:
            values = {"status": _WAITING, "reason": "queued again", "due_at": now, "next_at": now}
            return connection.execute(change.values(**values)).rowcount


def _change(connection: Connection, delivery_id: str, **values: Any) -> None:
    connection.execute(update(outbox.deliveries).where(outbox.deliveries.c.id == delivery_id).values(**values))


def _held(connection: Connection, message: ChannelMessage, worker: str, until: datetime) -> ChannelMessage:
    held = {"message_id": message.id, "claimed_by": worker, "claimed_until": until}
    for one in message.deliveries:
        _change(connection, one.id, **held)
    taken = (replace(one, message_id=message.id, claimed_by=worker, claimed_until=until) for one in message.deliveries)
    return replace(message, deliveries=tuple(taken))


def _keys(connection: Connection, channel: str, threads: Sequence[str]) -> dict[str, str]:
    d = outbox.deliveries.c
    found: dict[str, str] = {}
    for batch in batches(threads):
        query = select(d.thread, d.pager_key).where(d.channel == channel, d.thread.in_(batch), d.pager_key.is_not(None))
        found |= {row.thread: row.pager_key for row in connection.execute(query.order_by(d.number))}
    return found


def _add_to_timelines(connection: Connection, message: ChannelMessage, result: SendResult) -> None:
    kind = ENDED.get(result.status)
    if kind is None:
        return
    links = outbox.delivery_incidents
    ids = [one.id for one in message.deliveries]
    incidents = connection.execute(select(links.c.incident_id).where(links.c.delivery_id.in_(ids)).distinct()).scalars()
    entry = ended_entry(message, result, kind)
    for incident_id in sorted(incidents):
        rows.add_entries(connection, incident_id, (entry,))
