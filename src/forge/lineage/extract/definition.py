"""Table definitions from code and settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    name: str
    type: str = ""  # as Spark writes it where that is known: decimal(12,2), struct<city:string>
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class ForeignKeyDefinition:
    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDefinition:
    """`kind` is physical or view. `inferred`: from a query, not a column list. `given`: by the caller (`--schema`, the
    catalog); takes precedence over code."""

    name: str
    columns: tuple[ColumnDefinition, ...]
    kind: str = "physical"
    file: str = ""
    line: int = 0
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKeyDefinition, ...] = ()
    inferred: bool = False
    given: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def types(self) -> Mapping[str, str]:
        return {column.name: column.type for column in self.columns}


Schemas = Mapping[str, Mapping[str, str]]
"""What users hand in: table → {column: type}."""


def definitions_of(schemas: Schemas) -> tuple[TableDefinition, ...]:
    def columns_of(columns: Mapping[str, str]) -> tuple[ColumnDefinition, ...]:
        return tuple(ColumnDefinition(name, str(type_ or "")) for name, type_ in columns.items())

    return tuple(
        TableDefinition(name=table, columns=columns_of(columns), given=True) for table, columns in schemas.items()
    )
