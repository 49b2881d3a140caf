"""A virtual table: a SELECT over sources, the lake and other virtual tables, kept as data and never as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from forge.federation.relation import RelationName
from forge.federation.source import VIRTUAL, SourceOrigin
from forge.model.errors import ForgeError

JoinType = Literal["inner", "left", "right", "full"]
JoinOperator = Literal["=", "<>", "<", "<=", ">", ">=", "<=>"]
SELECT_ONLY: tuple[Literal["SELECT"], ...] = ("SELECT",)
DEFAULT_TTL = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualSource:
    """What stands in FROM. `connector_id`: a declared source, `lake`, or `virtual` for another virtual table.
    `column_mappings`: a name of this table → the column of the source that it means."""

    alias: str
    connector_id: str
    table_name: str = ""
    schema_name: str = ""
    database_name: str = ""
    column_mappings: Mapping[str, str] = field(default_factory=dict)

    @property
    def relation(self) -> RelationName:
        parts = (self.database_name, self.schema_name, self.table_name)
        return RelationName(self.connector_id, tuple(part for part in parts if part))

    def column(self, name: str) -> str:
        """As the source calls it; case makes no difference."""
        lower = name.lower()
        return next((real for own, real in self.column_mappings.items() if own.lower() == lower), name)

    def to_dict(self) -> dict[str, object]:
        return {
            "alias": self.alias,
            "connector_id": self.connector_id,
            "table_name": self.table_name,
            "schema_name": self.schema_name,
            "database_name": self.database_name,
            "column_mappings": dict(self.column_mappings),
        }


@dataclass(frozen=True, slots=True)
class VirtualColumn:
    """Either `source_column` (`alias.column`, or the column alone where there is one source) or `expression`.
    `data_type` empty: as the source has it."""

    name: str
    data_type: str = ""
    source_column: str = ""
    expression: str = ""
    nullable: bool = True

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "data_type": self.data_type,
            "source_column": self.source_column,
            "expression": self.expression,
            "nullable": self.nullable,
        }


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """`left` is a column of the left source, `right` of the right one."""

    left: str
    right: str
    op: JoinOperator = "="

    def to_dict(self) -> dict[str, object]:
        return {"left": self.left, "right": self.right, "op": self.op}


@dataclass(frozen=True, slots=True)
class VirtualJoin:
    left_alias: str
    right_alias: str
    conditions: tuple[JoinCondition, ...]
    join_type: JoinType = "inner"

    def to_dict(self) -> dict[str, object]:
        return {
            "left_alias": self.left_alias,
            "right_alias": self.right_alias,
            "join_type": self.join_type,
            "conditions": [one.to_dict() for one in self.conditions],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualTable:
    """`default_filters` always hold: no query of it can leave them out. `readers`: who may read it, beside having the
    right on each of its sources; none named: everyone who has. `hidden`: columns, in small letters, that read as
    NULL."""

    name: str
    sources: tuple[VirtualSource, ...]
    columns: tuple[VirtualColumn, ...]
    joins: tuple[VirtualJoin, ...] = ()
    default_filters: tuple[str, ...] = ()
    description: str = ""
    cache_enabled: bool = True
    cache_ttl_seconds: int = DEFAULT_TTL
    allowed_operations: tuple[str, ...] = SELECT_ONLY
    readers: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    origin: SourceOrigin = SourceOrigin.FILE
    file: str = ""
    line: int = 0

    @property
    def where(self) -> str | None:
        return f"{self.file}:{self.line}" if self.file else None

    @property
    def relation(self) -> RelationName:
        return RelationName(VIRTUAL, (self.name,))

    def may_read(self, user: str) -> bool:
        """Whether it names the user, or nobody. The right on each of its sources is asked for, too."""
        return not self.readers or user in self.readers

    def refuse_reader(self, user: str) -> None:
        if not self.may_read(user):
            raise ForgeError(
                "E885",
                f"You may not read the virtual table {self.name}",
                why="It names its readers, and you are not among them.",
                fix="Ask whoever declared it.",
            )

    def column(self, name: str) -> VirtualColumn | None:
        return next((one for one in self.columns if one.name.lower() == name.lower()), None)

    @property
    def definition(self) -> dict[str, object]:
        """What was declared, by the keys of a file."""
        return {
            "name": self.name,
            "description": self.description,
            "sources": [one.to_dict() for one in self.sources],
            "columns": [one.to_dict() for one in self.columns],
            "joins": [one.to_dict() for one in self.joins],
            "default_filters": list(self.default_filters),
            "cache_enabled": self.cache_enabled,
            "cache_ttl_seconds": self.cache_ttl_seconds,
            "allowed_operations": list(self.allowed_operations),
            "readers": list(self.readers),
            "hidden": sorted(self.hidden),
        }


def virtual_table_of(definition: Mapping[str, Any], origin: SourceOrigin) -> VirtualTable:
    """The inverse of `definition`, of what was validated before."""
    given = dict(definition)
    return VirtualTable(
        **{
            **given,
            "sources": tuple(VirtualSource(**one) for one in given["sources"]),
            "columns": tuple(VirtualColumn(**one) for one in given["columns"]),
            "joins": tuple(
                VirtualJoin(**{**one, "conditions": tuple(JoinCondition(**each) for each in one["conditions"])})
                for one in given["joins"]
            ),
            "default_filters": tuple(given["default_filters"]),
            "allowed_operations": tuple(given["allowed_operations"]),
            "readers": tuple(given["readers"]),
            "hidden": frozenset(given["hidden"]),
        },
        origin=origin,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredVirtualTable:
    """A virtual table with its history. `version` counts its changes; of one in a file it is 0."""

    table: VirtualTable
    version: int = 0
    created_at: datetime | None = None
    created_by: str = ""
    updated_at: datetime | None = None
    updated_by: str = ""

    @property
    def name(self) -> str:
        return self.table.name

    def to_dict(self) -> dict[str, object]:
        """`id` is its name. `where`: the file and line of its declaration, if it is in one."""
        return {
            "id": self.name,
            **self.table.definition,
            "origin": self.table.origin.value,
            "where": self.table.where,
            "version": self.version,
            "created_at": self.created_at.isoformat() if self.created_at else None,
            "created_by": self.created_by,
            "updated_at": self.updated_at.isoformat() if self.updated_at else None,
            "updated_by": self.updated_by,
        }
