"""Assets and their documentation as JSON objects and back: what stores keep, and what faces show."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from forge.catalog.asset import (
    AssetType,
    ColumnDocumentation,
    CrawledAsset,
    CrawledColumn,
    Documentation,
    FileDocumentation,
)
from forge.model.canonical_json import digest_of
from forge.model.classification import ClassificationLevel

Fields = dict[str, Any]
_TEXTS = ("description", "owner", "team", "domain", "deprecated")
_LISTS = ("stewards", "tags", "terms")


def crawled_json(asset: CrawledAsset) -> Fields:
    """Without what is empty; a column is a list, as there are many of them."""
    content: Fields = {"qualified_name": asset.qualified_name, "type": asset.type.value, "source": asset.source}
    for name in ("key", "system", "location", "description", "owner", "domain", "row_count", "size_bytes"):
        value = getattr(asset, name)
        if value not in ("", None):
            content[name] = value
    for name in ("tags", "primary_key", "backed_by"):
        if value := getattr(asset, name):
            content[name] = list(value)
    if asset.columns:
        content["columns"] = [_column_json(column) for column in asset.columns]
    if asset.updated_at is not None:
        content["updated_at"] = asset.updated_at.isoformat()
    return content


def _column_json(column: CrawledColumn) -> list[Any]:
    short = [column.name, column.type, 1 if column.nullable else 0]
    return [*short, column.description] if column.description else short


def read_crawled(content: Mapping[str, Any]) -> CrawledAsset:
    lists: Fields = {name: tuple(content[name]) for name in ("tags", "primary_key", "backed_by") if name in content}
    known = {name: value for name, value in content.items() if name not in lists}
    known["type"] = AssetType(known["type"])
    if "columns" in known:
        known["columns"] = tuple(
            CrawledColumn(one[0], one[1], bool(one[2]), one[3] if len(one) > 3 else "") for one in known["columns"]
        )
    if "updated_at" in known:
        known["updated_at"] = datetime.fromisoformat(known["updated_at"])
    return CrawledAsset(**known, **lists)


def crawled_digest(document: Mapping[str, Any]) -> str:
    """Of its JSON; the same for what is the same: nothing is written then."""
    return digest_of(document, "surrogatepass")


def documentation_fields(documentation: Documentation) -> Fields:
    """What it says, by path: `description`, `columns.amount.term`. Fields without a value are left out."""
    content: Fields = {name: value for name in _TEXTS if (value := getattr(documentation, name)) is not None}
    content |= {name: list(value) for name in _LISTS if (value := getattr(documentation, name))}
    if documentation.classification is not None:
        content["classification"] = documentation.classification.value
    if documentation.primary_key is not None:
        content["primary_key"] = list(documentation.primary_key)
    for name, column in documentation.columns.items():
        parts = {"description": column.description, "tags": list(column.tags) or None, "term": column.term}
        content |= {f"columns.{name}.{part}": value for part, value in parts.items() if value is not None}
    return content


def read_documentation(content: Mapping[str, Any]) -> Documentation:
    columns: dict[str, Fields] = {}
    plain: Fields = {}
    for path, value in content.items():
        if path.startswith("columns."):
            name, _, part = path.removeprefix("columns.").rpartition(".")
            columns.setdefault(name, {})[part] = tuple(value) if part == "tags" else value
        else:
            plain[path] = tuple(value) if isinstance(value, list | tuple) else value
    if "classification" in plain:
        plain["classification"] = ClassificationLevel(plain["classification"])
    return Documentation(**plain, columns={name: ColumnDocumentation(**parts) for name, parts in columns.items()})


def filed_json(filed: FileDocumentation) -> Fields:
    return {"documentation": documentation_fields(filed.documentation), "places": dict(filed.places)}


def read_filed(content: Mapping[str, Any] | None) -> FileDocumentation:
    return (
        FileDocumentation(read_documentation(content["documentation"]), content["places"])
        if content
        else FileDocumentation()
    )
