"""The table of usage: a row for each day, asset, actor and kind. Migration 0016 builds it."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, String, Table

from forge.stores.sql.columns import Code, UtcTime
from forge.stores.sql.tables import metadata

usage = Table(
    "forge_catalog_usage",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("asset", Code, primary_key=True),
    Column("actor", Code, primary_key=True),
    Column("kind", String(8), primary_key=True),
    Column("uses", BigInteger, nullable=False),
    Column("last_at", UtcTime, nullable=False),
    Index("forge_catalog_usage_by_asset", "asset", "day"),
    Index("forge_catalog_usage_by_actor", "actor", "day"),
)
