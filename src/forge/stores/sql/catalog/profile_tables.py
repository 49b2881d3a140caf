"""The table of profiles. Migration 0017 builds it."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, String, Table

from forge.stores.sql.columns import Json, UtcTime
from forge.stores.sql.tables import metadata

profiles = Table(
    "forge_table_profiles",
    metadata,
    Column("table_name", String(255), primary_key=True),
    Column("state", String(64), primary_key=True),  # a snapshot, or a hash of a view and what it reads
    Column("detail", String(40), primary_key=True),  # exact, approximate, or a sample and its share
    Column("snapshot_id", BigInteger),
    Column("commit_id", String(64)),
    Column("profiled_at", UtcTime, nullable=False),
    Column("profile", Json, nullable=False),
    Index("forge_table_profiles_by_time", "table_name", "profiled_at"),
)
