"""Write targets of statements, and the columns written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.relation import Relation, RelationColumn, Shape
from forge.lineage.extract.value import ColumnValue, add


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TemporaryRelation:
    """A relation that exists only while the program runs, in its current version. `written`: the relation that made
    it."""

    label: str
    relation: Relation
    names: tuple[str, ...] | None
    changes: bool = False  # a table, which INSERT and UPDATE may change, not a view
    query: exp.Expr | None = None  # of a view: expanded whenever it is read
    names_of_query: tuple[str, ...] = ()
    seen: tuple[tuple[str, TemporaryRelation], ...] = ()  # the temporary things it read, as they were


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """The target of a write. `names`: its columns, None if unknown."""

    name: str
    names: tuple[str, ...] | None
    made: OutputKind = OutputKind.TABLE
    temporary: str = ""  # the key of a temporary table


@dataclass(frozen=True, slots=True, eq=False)
class WriteContent:
    """What is written to a target."""

    columns: Mapping[str, ColumnValue]
    shaped: Shape = frozenset()
    reads: frozenset[str] = frozenset()
    open: tuple[str, ...] = ()


@dataclass(slots=True)
class StatementCounts:
    statements: int = 0
    understood: int = 0
    queries: int = 0


def merged(before: Relation, now: Relation) -> Relation:
    """A temporary table after one more write: what was in it, and what arrives."""
    columns: dict[str, RelationColumn] = {column.name.lower(): column for column in before.columns}
    for column in now.columns:
        present = columns.get(column.name.lower())
        value = column.value if present is None else merged_value(present.value, column.value)
        columns[column.name.lower()] = RelationColumn(present.name if present else column.name, value)
    return Relation(
        tuple(columns.values()),
        (*before.open, *(one for one in now.open if one not in before.open)),
        shaped=before.shaped | now.shaped,
        reads=before.reads | now.reads,
    )


def merged_value(one: ColumnValue, other: ColumnValue) -> ColumnValue:
    """A column that is written twice."""
    if not one.sources and not one.members:
        return other
    if not other.sources and not other.members:
        return one
    found = dict(one.sources)
    for source, trace in other.sources.items():
        add(found, source, trace)
    members = dict(one.members)
    for name, member in other.members.items():
        members[name] = merged_value(members[name], member) if name in members else member
    return ColumnValue(found, members if one.members and other.members else {})


def merge_columns(parts: Iterable[Mapping[str, ColumnValue]]) -> dict[str, ColumnValue]:
    found: dict[str, ColumnValue] = {}
    spelled: dict[str, str] = {}
    for columns in parts:
        for name, value in columns.items():
            known = spelled.setdefault(name.lower(), name)
            found[known] = merged_value(found[known], value) if known in found else value
    return found
