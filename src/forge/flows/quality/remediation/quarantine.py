"""The side table of a quarantine: its name and columns. It follows the schema of its table: new columns are added,
types widened, dropped columns kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from forge.flows.quality.row_repair import CHECKS, SIDE_RUN, SIDE_TIME
from forge.flows.runs.records import TableLineage
from forge.lineage.edge import Edge
from forge.model.errors import ForgeError
from forge.model.names import ColumnName, TableName
from forge.model.widening import widens
from forge.versioning.field import Fields, TableField, by_name

SUFFIX = "_quarantine"
_OWN = (
    TableField(CHECKS, CHECKS, "array<string>", doc="Ids of the checks that the row failed."),
    TableField(SIDE_RUN, SIDE_RUN, "string", doc="The run that moved it here."),
    TableField(SIDE_TIME, SIDE_TIME, "timestamp", doc="When it was moved here."),
)


@dataclass(frozen=True, slots=True)
class SideTable:
    """`names` maps columns of the table to columns of the side table."""

    fields: Fields
    names: Mapping[str, str]


def side_of(table: TableName) -> TableName:
    return TableName(table.schema, f"{table.name}{SUFFIX}")


def plan_side(table: TableName, fields: Fields, known: Fields) -> SideTable:
    """`known`: existing columns of the side table; empty for a new one. A column of an incompatible type is kept, and a
    new one added for the values."""
    taken = [field.name for field in fields if field.name.lower() in {own.name for own in _OWN}]
    if taken:
        raise ForgeError(
            "E749",
            f"{table} has a column {taken[0]}, which the quarantine table needs for itself",
            fix="Rename the column, or remedy the table in another way.",
        )
    after: dict[str, TableField] = by_name(known)
    names: dict[str, str] = {}
    for field in fields:
        name = _place(field, after)
        old = after.get(name)
        new = replace(field, id=name, name=name, required=False)
        after[name] = new if old is None else replace(old, type=_widest(old.type, field.type) or old.type)
        names[field.name] = name
    for own in _OWN:
        after.setdefault(own.name, own)
    return SideTable(tuple(after.values()), names)


def _place(field: TableField, known: Mapping[str, TableField]) -> str:
    """Its own name, unless a column of that name has an incompatible type."""
    spelled = {name.lower(): name for name in known}  # Spark takes a column of another case for the same
    number, name = 1, spelled.get(field.name.lower(), field.name)
    while name in known and _widest(known[name].type, field.type) is None:
        number += 1
        name = f"{field.name}_{number}"
    return name


def _widest(old: str, new: str) -> str | None:
    """The type to which a column of type `old` may be widened to hold values of type `new`; None where there is
    none."""
    if old == new or widens(new, old, "iceberg"):
        return old
    return new if widens(old, new, "iceberg") else None


def side_lineage(table: TableName, side: SideTable) -> TableLineage:
    """Each column comes from the table's column, as it is."""
    edges = tuple(
        Edge(source=ColumnName(str(table), name), target=ColumnName(str(side_of(table)), kept))
        for name, kept in side.names.items()
    )
    return TableLineage(side_of(table), edges)
