"""The tables of the catalog's assets. Values that lists filter by are columns next to the documents, already merged:
files win over edits, edits over what was crawled."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Column, Index, Integer, String, Table, Text
from sqlalchemy.engine import Dialect

from forge.stores.sql.columns import Code, Id, Json, UtcTime
from forge.stores.sql.tables import metadata


class PlainJson(Json):
    """JSON of values that are JSON's own already. A crawl writes thousands of them, and looking through each was a
    fifth of its time."""

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


assets = Table(
    "forge_catalog_assets",
    metadata,
    Column("uid", String(32), primary_key=True),
    Column("name", Code, nullable=False),
    Column("type", String(16), nullable=False),
    Column("source", Code, nullable=False),
    Column("key", Code, nullable=False),
    Column("state", String(16), nullable=False),
    Column("domain", Code),
    Column("owner", Code),
    Column("digest", String(64), nullable=False),
    Column("pointer", Text, nullable=False),
    Column("crawled", PlainJson, nullable=False),
    Column("edited", PlainJson, nullable=False),
    Column("filed", PlainJson),
    Column("version", Integer, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Index("forge_catalog_assets_by_name", "name", unique=True),
    Index("forge_catalog_assets_by_source", "source"),
    Index("forge_catalog_assets_by_domain", "domain"),
    Index("forge_catalog_assets_by_owner", "owner"),
)
labels = Table(  # tags and terms, of an asset or one of its columns ('' is the asset), and what a dashboard reads
    "forge_catalog_labels",
    metadata,
    Column("kind", String(8), primary_key=True),
    Column("value", Code, primary_key=True),
    Column("uid", String(32), primary_key=True),
    Column("column_name", Code, primary_key=True),
    Index("forge_catalog_labels_by_asset", "uid"),
)
former_names = Table(
    "forge_catalog_former_names",
    metadata,
    Column("name", Code, primary_key=True),
    Column("uid", String(32), nullable=False),
    Index("forge_catalog_former_names_by_asset", "uid"),
)
edits = Table(
    "forge_catalog_edits",
    metadata,
    Column("uid", String(32), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcTime, nullable=False),
    Column("by", Text, nullable=False),
    Column("before", Json, nullable=False),
    Column("after", Json, nullable=False),
    Column("undoes", Integer),
    Column("approved_by", Text),
)
proposals = Table(
    "forge_catalog_proposals",
    metadata,
    Column("number", Id, primary_key=True),
    Column("id", String(32), nullable=False),
    Column("uid", String(32), nullable=False),
    Column("asset", Code, nullable=False),
    Column("state", String(16), nullable=False),
    Column("changes", Json, nullable=False),
    Column("base_version", Integer, nullable=False),
    Column("undoes", Integer),
    Column("by", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("decided_by", Text),
    Column("decided_at", UtcTime),
    Column("comment", Text, nullable=False),
    Index("forge_catalog_proposals_by_id", "id", unique=True),
    Index("forge_catalog_proposals_by_state", "state"),
)
