"""A column of one version of a table, known by an id that follows it through renames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """`id` is Iceberg's field id; a Parquet file without ids uses the name. `type` is Spark's name of the type."""

    id: int | str
    name: str
    type: str
    required: bool = False
    doc: str | None = None


Fields = tuple[Field, ...]


def by_name(fields: Iterable[Field]) -> dict[str, Field]:
    return {field.name: field for field in fields}


def by_id(fields: Iterable[Field]) -> dict[int | str, Field]:
    return {field.id: field for field in fields}


@dataclass(frozen=True, slots=True)
class Aligned:
    """One column of the merged table and what it is called on each side; None where that side does not have it."""

    field: Field  # as it will be
    base: str | None
    ours: str | None
    theirs: str | None


@dataclass(frozen=True, slots=True)
class Layout:
    """How the three versions of a table lie over each other. `key` are names of the merged table; () is a multiset."""

    columns: tuple[Aligned, ...]
    key: tuple[str, ...] = ()
    dropped: tuple[Aligned, ...] = ()  # columns that one side dropped; the other's changes to them are conflicts

    @property
    def fields(self) -> Fields:
        return tuple(column.field for column in self.columns)

    @property
    def values(self) -> tuple[Aligned, ...]:
        """Columns that are no part of the key."""
        return tuple(column for column in self.columns if column.field.name not in self.key)


def names(fields: Sequence[Field]) -> tuple[str, ...]:
    return tuple(field.name for field in fields)
