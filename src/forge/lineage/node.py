"""Entities of the lineage graph: types, names, containment.

Names are `[system:]database.schema.table.column[.field]`. The id of data is its qualified name (`core.orders.amount`);
everything else has its type as prefix (`dashboard:revenue`, `schema:core`), so that ids are unique."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class NodeType(StrEnum):
    """The order is part of the stored form of the index: add at the end."""

    SYSTEM = "system"
    DATABASE = "database"
    SCHEMA = "schema"
    TABLE = "table"
    VIEW = "view"
    DATASET = "dataset"
    COLUMN = "column"
    FIELD = "field"
    RECORD = "record"
    TRANSFORM = "transform"
    PIPELINE = "pipeline"
    PROCESS = "process"
    DASHBOARD = "dashboard"
    REPORT = "report"
    MODEL = "model"
    EXTERNAL = "external"


class GraphLevel(StrEnum):
    """The granularity of a graph."""

    FIELD = "field"
    COLUMN = "column"
    TABLE = "table"
    SCHEMA = "schema"
    DATABASE = "database"
    SYSTEM = "system"


NODE_TYPES = tuple(NodeType)
# Of these the id is the qualified name itself. They hold columns, but for the last two.
TABLE_LIKE = frozenset({NodeType.TABLE, NodeType.VIEW, NodeType.DATASET, NodeType.EXTERNAL})
UNPREFIXED = TABLE_LIKE | {NodeType.COLUMN, NodeType.FIELD}
# Nodes of these kinds exist only inside a statement or a program; they are hidden unless asked for.
INTERMEDIATE = frozenset({"cte", "dataframe", "temporary"})


@dataclass(frozen=True, slots=True, order=True)
class Entity:
    """An end of an edge. `owner`: the id of the table of a column, or of the column of a field, else empty."""

    type: NodeType
    name: str
    owner: str = ""

    @property
    def id(self) -> str:
        if self.owner:
            return f"{self.owner}.{self.name}"
        return self.name if self.type in UNPREFIXED else f"{self.type}:{self.name}"

    @property
    def parent(self) -> Entity | None:
        """The table of a column, the column of a field."""
        if self.type is NodeType.COLUMN:
            return Entity(NodeType.TABLE, self.owner)
        if self.type is NodeType.FIELD:
            table, _, column = self.owner.rpartition(".")
            return Entity(NodeType.COLUMN, column, table)
        return None

    def __str__(self) -> str:
        return self.id


def table_of(name: str, type_: NodeType = NodeType.TABLE) -> Entity:
    return Entity(type_, name)


def column_of(table: str, column: str, field: str = "") -> Entity:
    """A column, or a field of it."""
    return Entity(NodeType.FIELD, field, f"{table}.{column}") if field else Entity(NodeType.COLUMN, column, table)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An entity with its metadata. `table`: the id of its table (its own, if it is one), else empty. `details`: from
    producers: data_type and nullable of columns, kind (physical, view, cte, dataframe) and source_file of tables,
    transform_type and code of transforms, and free attributes. `unresolved`: known only from edges."""

    id: str
    type: NodeType
    name: str
    table: str = ""
    parent: str = ""
    details: Mapping[str, object] = field(default_factory=dict)
    created_at: datetime | None = None
    updated_at: datetime | None = None
    unresolved: bool = False

    @property
    def entity(self) -> Entity:
        """What an edge to it ends at."""
        owner = (self.parent or self.table) if self.type in (NodeType.COLUMN, NodeType.FIELD) else ""
        return Entity(self.type, self.id[len(owner) + 1 :] if owner else self.qualified_name, owner)

    @property
    def qualified_name(self) -> str:
        return self.id if self.type in UNPREFIXED else self.id.partition(":")[2]

    @property
    def column(self) -> str | None:
        """The name below the table: of a column its own, of a field column.field."""
        return self.id[len(self.table) + 1 :] if self.table and self.table != self.id else None

    @property
    def hidden(self) -> bool:
        return self.details.get("kind") in INTERMEDIATE

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "type": str(self.type),
            "name": self.name,
            "qualified_name": self.qualified_name,
            "table": self.table or None,
            "attributes": dict(self.details),
            "unresolved": self.unresolved,
            "created_at": self.created_at.isoformat() if self.created_at else None,
            "updated_at": self.updated_at.isoformat() if self.updated_at else None,
        }


@dataclass(frozen=True, slots=True)
class TablePlace:
    """The qualifiers of a table name."""

    system: str
    database: str
    schema: str
    table: str


def place_of(table: str, *, system: str = "lake", database: str = "lake", schema: str = "default") -> TablePlace:
    """The parts of a table's name; what a short name leaves out is given."""
    before, colon, rest = table.partition(":")
    parts = (rest if colon else before).split(".")
    own = before if colon else system
    if len(parts) == 1 or "/" in table:
        return TablePlace(own, database if not colon else own, schema, ".".join(parts))
    if len(parts) == 2:
        return TablePlace(own, database if not colon else own, parts[0], parts[1])
    return TablePlace(own, ".".join(parts[:-2]), parts[-2], parts[-1])


def short_name(entity: Entity) -> str:
    """The label in a diagram."""
    if entity.owner or entity.type not in UNPREFIXED or "/" in entity.name:
        return entity.name
    return entity.name.rpartition(".")[2]
