"""Tables of findings of personal data and of scans. Migration 0018 builds them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, String, Table, Text

from forge.stores.sql.columns import Code, Json, UtcTime
from forge.stores.sql.tables import metadata

findings = Table(
    "forge_pii_findings",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("table_name", Code, nullable=False),
    Column("table_key", String(64), nullable=False),
    Column("column_key", Code, nullable=False),  # the name of the column in lower case
    Column("column_name", Text, nullable=False),
    Column("type", String(64)),
    Column("score", Float, nullable=False),
    Column("evidence", Json, nullable=False),
    Column("quasi", Boolean, nullable=False),
    Column("state", String(16), nullable=False),
    Column("origin", String(16), nullable=False),
    Column("source", Text),
    Column("path", Json, nullable=False),
    Column("reviewed_by", Text),
    Column("reviewed_at", UtcTime),
    Column("note", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("snapshot_id", BigInteger),
    Column("first_seen", UtcTime, nullable=False),
    Column("last_seen", UtcTime, nullable=False),
    Column("closed_at", UtcTime),
    Column("version", Integer, nullable=False),
    Index("forge_pii_findings_by_column", "table_name", "column_key", unique=True),
    Index("forge_pii_findings_by_key", "table_key"),
    Index("forge_pii_findings_by_state", "state"),
)
scans = Table(
    "forge_pii_scans",
    metadata,
    Column("table_name", Code, primary_key=True),
    Column("table_key", String(64), nullable=False),
    Column("version", Text, nullable=False),
    Column("snapshot_id", BigInteger),
    Column("rows", BigInteger, nullable=False, quote=True),
    Column("complete", Boolean, nullable=False),
    Column("scanned_at", UtcTime, nullable=False),
    Column("settings", Text, nullable=False),
)
