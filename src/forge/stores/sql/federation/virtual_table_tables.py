"""The tables of virtual tables. Migration 0020 builds them."""

from __future__ import annotations

from sqlalchemy import Column, Integer, String, Table, Text

from forge.stores.sql.columns import Code, Json, UtcTime
from forge.stores.sql.tables import metadata

virtual_tables = Table(
    "forge_virtual_tables",
    metadata,
    Column("name", Code, primary_key=True),
    Column("document", Json, nullable=False),  # as in a file
    Column("origin", String(16), nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("updated_by", Text, nullable=False),
)
virtual_columns = Table(
    "forge_virtual_columns",
    metadata,
    Column("name", Code, primary_key=True),
    Column("seen_at", UtcTime, nullable=False),
    Column("tables", Json, nullable=False),  # of the sources: the columns that it reads
)
