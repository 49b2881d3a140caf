"""Metadata files of Iceberg as assets, from their JSON alone: PyIceberg's models cost ten times as much, and a first
crawl opens each file of the lake."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from forge.catalog.asset import AssetType, CrawledAsset, CrawledColumn
from forge.flows.catalog.table_words import TableWords

_AS_SPARK = {
    "long": "bigint",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
    "timestamp_ns": "timestamp_ntz",
    "timestamptz_ns": "timestamp",
    "uuid": "string",
}


def table_asset(name: str, data: Mapping[str, Any], words: TableWords) -> CrawledAsset:
    """KeyError, TypeError or ValueError where it is not what Iceberg writes."""
    schema = _schema(data, data.get("current-schema-id", 0))
    current = data.get("current-snapshot-id")
    snapshots = {one["snapshot-id"]: one for one in data.get("snapshots") or ()}
    snapshot = snapshots.get(current, {})
    summary = snapshot.get("summary") or {}
    names = {field["id"]: field["name"] for field in schema["fields"]}
    at = snapshot.get("timestamp-ms") or data.get("last-updated-ms")
    return _asset(
        name,
        AssetType.TABLE,
        str(data["table-uuid"]),
        data,
        schema,
        words,
        primary_key=words.primary_key
        or tuple(names[one] for one in schema.get("identifier-field-ids") or () if one in names),
        row_count=_number(summary.get("total-records")),
        size_bytes=_number(summary.get("total-files-size")),
        updated_at=_time(at),
    )


def view_asset(name: str, data: Mapping[str, Any], words: TableWords) -> CrawledAsset:
    version = next(one for one in data["versions"] if one["version-id"] == data["current-version-id"])
    schema = _schema(data, version["schema-id"])
    changed = _time(version.get("timestamp-ms"))
    return _asset(name, AssetType.VIEW, str(data["view-uuid"]), data, schema, words, updated_at=changed)


def _asset(
    name: str,
    type_: AssetType,
    key: str,
    data: Mapping[str, Any],
    schema: Mapping[str, Any],
    words: TableWords,
    **more: Any,
) -> CrawledAsset:
    """What transforms and contracts say of a table goes before what its metadata says."""
    columns = tuple(
        CrawledColumn(
            str(field["name"]),
            spark_type(field["type"]),
            not field.get("required", False),
            words.columns.get(str(field["name"]).lower()) or str(field.get("doc") or ""),
        )
        for field in schema["fields"]
    )
    comment = (data.get("properties") or {}).get("comment") or ""
    return CrawledAsset(
        qualified_name=name,
        type=type_,
        source="lake",
        key=key,
        system="iceberg",
        location=str(data.get("location") or ""),
        description=words.description or str(comment),
        owner=words.owner,
        domain=words.domain,
        tags=words.tags,
        columns=columns,
        **more,
    )


def spark_type(given: object) -> str:
    """Spark's name of a type in Iceberg's JSON."""
    if isinstance(given, str):
        return _word(given)
    assert isinstance(given, Mapping)
    match given["type"]:
        case "struct":
            return f"struct<{','.join(_field_type(one) for one in given['fields'])}>"
        case "list":
            return f"array<{spark_type(given['element'])}>"
        case "map":
            return f"map<{spark_type(given['key'])},{spark_type(given['value'])}>"
        case other:
            raise ValueError(f"unknown type {other!r}")


@lru_cache(1000)
def _word(given: str) -> str:
    if given.startswith("fixed"):
        return "binary"
    return _AS_SPARK.get(given) or re.sub(r"\s+", "", given)


def _field_type(field: Mapping[str, Any]) -> str:
    return f"{field['name']}:{spark_type(field['type'])}"


def _schema(data: Mapping[str, Any], schema_id: int) -> Mapping[str, Any]:
    schemas = data.get("schemas") or [data["schema"]]
    found: Mapping[str, Any] = next(one for one in schemas if one.get("schema-id", 0) == schema_id)
    return found


def _number(text: object) -> int | None:
    return int(text) if isinstance(text, str | int) else None


def _time(milliseconds: object) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if isinstance(milliseconds, int) else None
