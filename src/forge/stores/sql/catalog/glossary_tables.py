"""The tables of the glossary. Migration 0016 builds them."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, String, Table, Text

from forge.stores.sql.columns import Code, Id, Json, UtcTime
from forge.stores.sql.tables import metadata

terms = Table(
    "forge_glossary_terms",
    metadata,
    Column("id", String(120), primary_key=True),
    Column("domain", Code, nullable=False),
    Column("name", Code, nullable=False),
    Column("name_key", Code, nullable=False),  # equal for names that people take as the same
    Column("definition", Text, nullable=False),
    Column("synonyms", Json, nullable=False),
    Column("related", Json, nullable=False),
    Column("examples", Json, nullable=False),
    Column("owner", Text),
    Column("state", String(16), nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", UtcTime),
    Column("updated_at", UtcTime),
    Column("updated_by", Text, nullable=False),
    Column("file", Text),
    Index("forge_glossary_terms_by_name", "domain", "name_key", unique=True),
)
revisions = Table(
    "forge_glossary_revisions",
    metadata,
    Column("number", Id, primary_key=True),
    Column("term", String(120), nullable=False),
    Column("version", Integer, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("by", Text, nullable=False, quote=True),
    Column("before", Json),
    Column("after", Json),
    Index("forge_glossary_revisions_by_term", "term"),
)
