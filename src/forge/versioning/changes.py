"""Differences between two versions of a table, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from forge.model.record_json import record_json
from forge.versioning.field import TableField


class ChangeKind(StrEnum):
    INSERTED = "inserted"
    UPDATED = "updated"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class RowChange:
    """`key` maps key columns to values; of a keyless table it is the whole row and `count` its change in
    multiplicity. `before` and `after` are whole rows."""

    kind: ChangeKind
    key: Mapping[str, object]
    before: Mapping[str, object] | None
    after: Mapping[str, object] | None
    columns: tuple[str, ...] = ()  # that changed; of an update
    count: int = 1

    def to_dict(self) -> dict[str, object]:
        return record_json(self)


ColumnChangeKind = Literal["added", "dropped", "renamed", "retyped", "required", "optional", "moved", "sql"]
TableChangeKind = Literal["added", "removed", "changed", "unreadable"]  # its metadata file cannot be read


@dataclass(frozen=True, slots=True)
class TableSchemaChange:
    change: ColumnChangeKind
    column: str
    before: str | None
    after: str | None
    field_id: int | str | None = None

    def to_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in ("change", "column", "before", "after", "field_id")}


@dataclass(frozen=True, slots=True)
class RowDiff:
    """`rows` is one page, ordered by key; the counts are of all."""

    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    rows: tuple[RowChange, ...] = ()
    columns: Mapping[str, int] | None = None  # how many updates touched each column

    @property
    def is_empty(self) -> bool:
        return not (self.inserted or self.updated or self.deleted)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDiff:
    table: str
    change: TableChangeKind
    rows: RowDiff
    schema: tuple[TableSchemaChange, ...] = ()
    key: tuple[str, ...] = ()
    fields: tuple[TableField, ...] = ()
    files_added: int = 0
    files_removed: int = 0
    bytes_read: int = 0  # of the files that were opened to say this

    def to_dict(self) -> dict[str, object]:
        rows = self.rows
        return {
            "table": self.table,
            "change": self.change,
            "key": list(self.key),
            "columns": [{"name": field.name, "type": field.type} for field in self.fields],
            "schema_changes": [change.to_dict() for change in self.schema],
            "inserted": rows.inserted,
            "updated": rows.updated,
            "deleted": rows.deleted,
            "changed_columns": dict(rows.columns or {}),
            "files_added": self.files_added,
            "files_removed": self.files_removed,
            "bytes_read": self.bytes_read,
            "rows": [row.to_dict() for row in rows.rows],
        }
