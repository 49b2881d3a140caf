"""What is asked of a table or view most often, from the JSON of its metadata file alone: PyIceberg takes longer to load
than a plan takes. Whatever is not plainly as Iceberg's specification has it is left to PyIceberg, which reads it or
says what is wrong with it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from threading import Lock
from typing import Any

from forge.stores.lake.local import local_path

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
class TableGlance:
    uuid: str
    refs: dict[str, int]  # name → snapshot
    schema_id: int


@dataclass(frozen=True, slots=True)
class ViewGlance:
    uuid: str
    schema_id: int
    sql: str


class Glances:
    """At tables, each taken once: a metadata file never changes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: dict[str, TableGlance] = {}
        self._guard = Lock()

    def at(self, location: str) -> TableGlance | None:
        with self._guard:
            seen = self._taken.get(location)
        if seen is None and (seen := glance_at_table(location)) is not None:
            with self._guard:
                self._taken[location] = seen
                while len(self._taken) > self._most:
                    self._taken.pop(next(iter(self._taken)))
        return seen


def glance_at_table(location: str) -> TableGlance | None:
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
    return TableGlance(data["table-uuid"], refs, data["current-schema-id"])


def glance_at_view(location: str) -> ViewGlance | None:
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
    return ViewGlance(data["view-uuid"], schema_id, sql)


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
