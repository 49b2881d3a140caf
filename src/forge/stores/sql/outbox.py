"""The outbox: pending, retried and past deliveries of all rooms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Boolean, Column, Connection, Index, Integer, String, Table, Text

from forge.quality.alerts.delivery import Delivery, DeliveryStatus
from forge.quality.alerts.notice import notice_of
from forge.stores.sql.columns import Code, Id, Json, UtcTime
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.tables import metadata

Row = Mapping[Any, Any]

deliveries = Table(
    "forge_deliveries",
    metadata,
    Column("number", Id, primary_key=True),
    Column("id", String(32), nullable=False),
    Column("channel", Code, nullable=False),
    Column("thread", String(32), nullable=False),
    Column("scope", Code, nullable=False),
    Column("table_name", Code, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("muted", Boolean, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("due_at", UtcTime, nullable=False),
    Column("next_at", UtcTime, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("message_id", String(32)),
    Column("claimed_by", Text),
    Column("claimed_until", UtcTime),
    Column("sent_at", UtcTime),
    Column("pager_key", String(64)),
    Column("notice", Json, nullable=False),
    Index("forge_deliveries_by_id", "id", unique=True),
    Index("forge_deliveries_by_status", "status", "channel", "next_at"),
    Index("forge_deliveries_by_thread", "channel", "thread", "number"),
)


delivery_incidents = Table(
    "forge_delivery_incidents",
    metadata,
    Column("incident_id", String(32), primary_key=True),
    Column("delivery_id", String(32), primary_key=True),
)


def delivery_row(one: Delivery) -> dict[str, Any]:
    return {
        **columns_of(one, "key", "number"),
        "thread": one.thread,
        "scope": str(one.notice.scope),
        "table_name": one.notice.table,
        "kind": str(one.notice.kind),
        "pager_key": one.key,
        "notice": one.notice.to_dict(),
    }


def read_delivery(row: Row) -> Delivery:
    notice, status = notice_of(row["notice"]), DeliveryStatus(row["status"])
    return record_of(Delivery, row, notice=notice, status=status, key=row["pager_key"])


def add_deliveries(connection: Connection, new: Sequence[Delivery]) -> None:
    if not new:
        return
    connection.execute(deliveries.insert(), [delivery_row(one) for one in new])
    links = [
        {"incident_id": incident, "delivery_id": one.id}
        for one in new
        for incident in dict.fromkeys(check.incident_id for check in one.notice.checks if check.incident_id)
    ]
    if links:
        connection.execute(delivery_incidents.insert(), links)
