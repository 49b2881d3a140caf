"""A column of one version of a table, identified by an id that is stable across renames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableField:
    """`id` is Iceberg's field id; a Parquet file without ids uses the name. `type` is Spark's name of the type."""

    id: int | str
    name: str
    type: str
    required: bool = False
    doc: str | None = None


Fields = tuple[TableField, ...]


def by_name(fields: Iterable[TableField]) -> dict[str, TableField]:
    return {field.name: field for field in fields}


def by_id(fields: Iterable[TableField]) -> dict[int | str, TableField]:
    return {field.id: field for field in fields}


@dataclass(frozen=True, slots=True)
class AlignedColumn:
    """One column of the merged table and its name on each side; None where that side does not have it."""

    field: TableField  # as it will be
    base: str | None
    ours: str | None
    theirs: str | None


@dataclass(frozen=True, slots=True)
class Layout:
    """The alignment of three versions of a table. `key` are names of the merged table; () is a multiset."""

    columns: tuple[AlignedColumn, ...]
    key: tuple[str, ...] = ()
    dropped: tuple[AlignedColumn, ...] = ()  # columns that one side dropped; the other's changes to them are conflicts

    @property
    def fields(self) -> Fields:
        return tuple(column.field for column in self.columns)

    @property
    def values(self) -> tuple[AlignedColumn, ...]:
        """Columns that are no part of the key."""
        return tuple(column for column in self.columns if column.field.name not in self.key)
