"""The table of saved queries. Migration 0021 builds it."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, Integer, String, Table, Text, UniqueConstraint

from forge.stores.sql.columns import Code, Json, UtcTime
from forge.stores.sql.tables import metadata

saved_queries = Table(
    "forge_saved_queries",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", Code, nullable=False),
    Column("name", Code, nullable=False),
    Column("description", Text, nullable=False),
    Column("sql", Text, nullable=False),
    Column("parameters", Json, nullable=False),
    Column("at", Text),
    Column("is_shared", Boolean, nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    UniqueConstraint("owner", "name", name="forge_saved_queries_name"),
    Index("forge_saved_queries_shared", "is_shared"),
)
