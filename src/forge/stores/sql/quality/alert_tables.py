"""Tables of alerts, incidents and deliveries. Searchable fields are columns; the rest is a document."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Index, Integer, String, Table, Text

from forge.stores.sql.columns import Code, Id, Json, UtcTime
from forge.stores.sql.tables import metadata

alert_states = Table(
    "forge_alert_states",
    metadata,
    Column("scope", Code, primary_key=True),
    Column("check_id", Code, primary_key=True),
    Column("table_name", Code, nullable=False),
    Column("branch", Code, nullable=False),
    Column("status", String(16), nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Column("document", Json, nullable=False),
    Index("forge_alert_states_by_status", "status", "branch"),
)
alert_mutes = Table(
    "forge_alert_mutes",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("scope", Code),
    Column("check_id", Code),
    Column("table_name", Code),
    Column("until", UtcTime, nullable=False),
    Column("reason", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
)
incidents = Table(
    "forge_incidents",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("scope", Code, nullable=False),
    Column("check_id", Code, nullable=False),
    Column("table_name", Code, nullable=False),
    Column("branch", Code, nullable=False),
    Column("status", String(16), nullable=False),
    Column("opened_at", UtcTime, nullable=False),
    Column("changes", Integer, nullable=False),  # how often it was written
    Column("document", Json, nullable=False),
    Index("forge_incidents_by_check", "scope", "check_id", "opened_at"),
    Index("forge_incidents_by_status", "status", "opened_at"),
    Index("forge_incidents_by_table", "table_name", "opened_at"),
)
incident_entries = Table(
    "forge_incident_entries",
    metadata,
    Column("number", Id, primary_key=True),
    Column("incident_id", String(32), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("document", Json, nullable=False),
    Index("forge_incident_entries_by_incident", "incident_id", "number"),
)
delivery_attempts = Table(
    "forge_delivery_attempts",
    metadata,
    Column("number", Id, primary_key=True),
    Column("delivery_id", String(32), nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("ok", Boolean, nullable=False),
    Column("detail", Text, nullable=False),
    Column("ms", Float, nullable=False),
    Index("forge_delivery_attempts_by_delivery", "delivery_id", "number"),
)
