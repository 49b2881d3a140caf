"""Drift of a source: which of its tables and columns are not as they were when they were last looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from forge.federation.relation import SourceRelation

SeenColumns = tuple[tuple[str, str], ...]
"""Names and types, in the order of the table."""


@dataclass(frozen=True, slots=True)
class SeenSource:
    """The columns of a source's tables as they were. `tables`: by path, its parts joined by points."""

    source: str
    seen_at: datetime
    tables: Mapping[str, SeenColumns]


@dataclass(frozen=True, slots=True)
class SourceChange:
    """`column` is None for a table that was added or removed. `before` and `after` are types."""

    table: str
    column: str | None
    change: Literal["added", "removed", "retyped"]
    before: str | None = None
    after: str | None = None

    def to_dict(self) -> dict[str, str | None]:
        return {
            "table": self.table,
            "column": self.column,
            "change": self.change,
            "before": self.before,
            "after": self.after,
        }


def path_text(path: Iterable[str]) -> str:
    return ".".join(path)


def columns_seen(relation: SourceRelation) -> SeenColumns:
    """Types are those that Spark would see, or the source's own words where they are known."""
    return tuple((column.name, column.native or str(column.type)) for column in relation.columns)


def find_changes(before: Mapping[str, SeenColumns], after: Mapping[str, SeenColumns]) -> Iterator[SourceChange]:
    """By table and column."""
    for table in sorted(before.keys() | after.keys()):
        if table not in after:
            yield SourceChange(table, None, "removed")
        elif table not in before:
            yield SourceChange(table, None, "added")
        else:
            yield from _find_columns(table, dict(before[table]), dict(after[table]))


def _find_columns(table: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[SourceChange]:
    for name in (*before, *(one for one in after if one not in before)):
        was, now = before.get(name), after.get(name)
        if now is None:
            yield SourceChange(table, name, "removed", before=was)
        elif was is None:
            yield SourceChange(table, name, "added", after=now)
        elif was != now:
            yield SourceChange(table, name, "retyped", before=was, after=now)
