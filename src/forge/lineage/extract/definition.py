"""Tables as code and settings define them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    name: str
    type: str = ""  # as Spark writes it where that is known: decimal(12,2), struct<city:string>
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class ForeignKey:
    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """`kind` is physical or view. `inferred`: from a query that makes it, not from a list of columns. `given`: by who
    asks (`--schema`, the catalog); it wins over what code says."""

    name: str
    columns: tuple[ColumnDefinition, ...]
    kind: str = "physical"
    file: str = ""
    line: int = 0
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
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


def definitions_of(schemas: Schemas) -> tuple[Definition, ...]:
    def columns_of(columns: Mapping[str, str]) -> tuple[ColumnDefinition, ...]:
        return tuple(ColumnDefinition(name, str(type_ or "")) for name, type_ in columns.items())

    return tuple(Definition(name=table, columns=columns_of(columns), given=True) for table, columns in schemas.items())
