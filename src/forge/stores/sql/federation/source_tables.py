"""The tables of declared sources. Migration 0019 builds them."""

from __future__ import annotations

from sqlalchemy import Column, Integer, String, Table, Text

from forge.stores.sql.columns import Code, Json, UtcTime
from forge.stores.sql.tables import metadata

sources = Table(
    "forge_sources",
    metadata,
    Column("name", Code, primary_key=True),
    Column("document", Json, nullable=False),  # as in a file; secrets are references
    Column("origin", String(16), nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("updated_by", Text, nullable=False),
)
seen = Table(
    "forge_source_columns",
    metadata,
    Column("source", Code, primary_key=True),
    Column("seen_at", UtcTime, nullable=False),
    Column("tables", Json, nullable=False),
)
