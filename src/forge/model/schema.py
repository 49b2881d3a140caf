"""The schema of a table: columns with Spark's type names (`decimal(12,2)`, `struct<a:int>`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str
    nullable: bool = True
    doc: str | None = None


@dataclass(frozen=True, slots=True)
class Schema:
    columns: tuple[Column, ...]

    def get(self, name: str) -> Column | None:
        return next((c for c in self.columns if c.name.lower() == name.lower()), None)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)
