"""Relations and columns as dbt templates see them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from forge.lineage.extract.definition import ColumnDefinition
from forge.lineage.extract.template_undefined import quoted


@dataclass(frozen=True, slots=True)
class DbtTarget:
    """The dbt target. The profile is not part of a project: its name is a guess (`known_name` False), and conditions
    on it are rendered as true and as false."""

    schema: str
    database: str = ""
    type: str = "spark"
    name: str = "default"
    known_name: bool = False


@dataclass(frozen=True, slots=True)
class DbtRelation:
    """The result of `ref`, `source` and `this`: renders as a table name."""

    database: str
    schema: str
    identifier: str
    dialect: str = "spark"
    cte: bool = False  # an ephemeral model, which exists only inside of those that read it

    def __str__(self) -> str:
        return ".".join(quoted(part, self.dialect) for part in self.parts)

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(part for part in (self.database, self.schema, self.identifier) if part)

    @property
    def dotted(self) -> str:
        return ".".join(self.parts)

    @property
    def name(self) -> str:
        return self.identifier

    table = name
    alias = name

    def render(self) -> str:
        return str(self)

    def include(self, database: bool = True, schema: bool = True, identifier: bool = True) -> DbtRelation:
        return replace(
            self,
            database=self.database if database else "",
            schema=self.schema if schema else "",
            identifier=self.identifier if identifier else "",
        )

    def quote(self, *args: object, **kwargs: object) -> DbtRelation:
        return self

    def without_identifier(self) -> DbtRelation:
        return replace(self, identifier="")

    def is_table(self) -> bool:
        return not self.cte


@dataclass(frozen=True, slots=True)
class DbtColumn:
    """A column of `adapter.get_columns_in_relation`."""

    name: str
    data_type: str
    dialect: str

    @property
    def column(self) -> str:
        return self.name

    @property
    def dtype(self) -> str:
        return self.data_type

    @property
    def quoted(self) -> str:
        return quoted(self.name, self.dialect)

    def is_string(self) -> bool:
        return self.data_type.lower() in ("string", "text", "varchar", "char")

    def is_numeric(self) -> bool:
        return self.data_type.lower().startswith(("decimal", "numeric", "number"))


def dbt_columns(columns: tuple[ColumnDefinition, ...], dialect: str) -> list[DbtColumn]:
    return [DbtColumn(column.name, column.type, dialect) for column in columns]
