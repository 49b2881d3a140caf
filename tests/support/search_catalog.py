"""The catalogue of a shop that sells on the web: assets as a company has them, for the suite of relevance."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from forge.catalog.search.document import DocumentColumn, DocumentTerm, DocumentType, SearchDocument

NOW = datetime(2026, 11, 15, tzinfo=UTC)


def load_catalog(path: Path) -> tuple[SearchDocument, ...]:
    """`schema: {table: {columns: a b c, …}}`; what is not said is empty."""
    found = []
    for schema, tables in yaml.safe_load(path.read_text("utf-8")).items():
        found.append(
            SearchDocument(id=f"schema:{schema}", type=DocumentType.SCHEMA, name=schema, qualified_name=schema)
        )
        found += [_document(schema, name, said or {}) for name, said in tables.items()]
    return tuple(found)


def _document(schema: str, name: str, said: dict[str, Any]) -> SearchDocument:
    given = dict(said)
    columns = tuple(DocumentColumn(name=column) for column in str(given.pop("columns", "")).split())
    described = {key: str(text) for key, text in given.pop("column_descriptions", {}).items()}
    columns = tuple(DocumentColumn(name=column.name, description=described.get(column.name, "")) for column in columns)
    return SearchDocument(
        id=f"{schema}.{name}",
        type=DocumentType(given.pop("type", "table")),
        name=name,
        qualified_name=f"{schema}.{name}",
        container=schema,
        columns=columns,
        tags=tuple(str(given.pop("tags", "")).split()),
        terms=tuple(DocumentTerm(one[0], tuple(one[1:])) for one in given.pop("terms", ())),
        pii=tuple(str(given.pop("pii", "")).split()),
        popularity=given.pop("used", 0),
        fresh_at=NOW,
        **given,
    )
