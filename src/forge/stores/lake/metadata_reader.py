"""Metadata reader: the most requested facts of a table or view, from the JSON of its metadata file alone, because
PyIceberg takes longer to import than a plan takes. Anything that does not plainly follow Iceberg's specification is
left to PyIceberg, which reads it or reports the error."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from threading import Lock
from typing import Any

from forge.stores.lake.local_path import local_path

_MAIN = "main"
# What every metadata file of a table has in version 2 of the format, and every one of a view.
_TABLE = {
    "table-uuid": str,
    "location": str,
    "last-sequence-number": int,
    "last-updated-ms": int,
    "last-column-id": int,
    "schemas": list,
    "current-schema-id": int,
    "partition-specs": list,
    "default-spec-id": int,
    "last-partition-id": int,
    "sort-orders": list,
    "default-sort-order-id": int,
}
_VIEW = {
    "view-uuid": str,
    "location": str,
    "schemas": list,
    "current-version-id": int,
    "versions": list,
    "version-log": list,
}


@dataclass(frozen=True, slots=True)
class TableInfo:
    uuid: str
    refs: dict[str, int]  # name → snapshot
    schema_id: int


@dataclass(frozen=True, slots=True)
class ViewInfo:
    uuid: str
    schema_id: int
    sql: str


class MetadataReader:
    """Cached by location: a metadata file never changes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: dict[str, TableInfo] = {}
        self._guard = Lock()

    def at(self, location: str) -> TableInfo | None:
        with self._guard:
            seen = self._taken.get(location)
        if seen is None and (seen := read_table_info(location)) is not None:
            with self._guard:
                self._taken[location] = seen
                while len(self._taken) > self._most:
                    self._taken.pop(next(iter(self._taken)))
        return seen


def read_table_info(location: str) -> TableInfo | None:
    """None: PyIceberg has to read it."""
    data = _read(location, 2, _TABLE)
    if data is None:
        return None
    try:
        snapshots = {one["snapshot-id"] for one in data.get("snapshots") or ()}
        refs = {str(name): ref["snapshot-id"] for name, ref in (data.get("refs") or {}).items()}
        current = data.get("current-snapshot-id")
        if current not in (None, -1):
            refs.setdefault(_MAIN, current)  # files of other writers may leave it out
        schemas = {one["schema-id"] for one in data["schemas"]}
    except (AttributeError, KeyError, TypeError):
        return None
    if data["current-schema-id"] not in schemas or not snapshots.issuperset(refs.values()):
        return None
    return TableInfo(data["table-uuid"], refs, data["current-schema-id"])


def read_view_info(location: str) -> ViewInfo | None:
    """None: PyIceberg has to read it."""
    data = _read(location, 1, _VIEW)
    try:
        versions = {one["version-id"]: one for one in (data or {})["versions"]}
        current = versions[(data or {})["current-version-id"]]
        sql = current["representations"][0]["sql"]
        schema_id = current["schema-id"]
    except (IndexError, KeyError, TypeError):
        return None
    if data is None or not isinstance(sql, str) or not isinstance(schema_id, int):
        return None
    return ViewInfo(data["view-uuid"], schema_id, sql)


def _read(location: str, version: int, wanted: dict[str, type]) -> dict[str, Any] | None:
    path = local_path(location)
    if not os.path.isabs(path):
        return None
    try:
        with open(path, "rb") as file:
            data = json.load(file)
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or data.get("format-version") != version:
        return None
    return data if all(isinstance(data.get(key), kind) for key, kind in wanted.items()) else None
