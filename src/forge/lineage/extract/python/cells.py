"""Combines column values; shared by all DataFrame models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.program import MAYBE
from forge.lineage.extract.python.values import Cells
from forge.lineage.extract.relation import Relation, RelationColumn, Shape
from forge.lineage.extract.value import ColumnValue, SourceTrace, add, stronger
from forge.model.names import ColumnName


def combined(values: Iterable[ColumnValue], step: Transformation, text: str, *, masking: bool = False) -> ColumnValue:
    """One value made from others by one step of a program: `a + b`, `sum(a)`. `text` is the code of the step. A copy
    (IDENTITY) keeps its members and its texts."""
    gathered = tuple(values)
    found: dict[ColumnName, SourceTrace] = {}
    for value in gathered:
        for source, trace in value.sources.items():
            written = trace.expression if step is Transformation.IDENTITY else text
            word = stronger(trace.transformation, step)
            add(found, source, SourceTrace(word, written, trace.masking or masking, trace.confidence))
    if step is Transformation.IDENTITY and len(gathered) == 1:
        return ColumnValue(found, gathered[0].members, gathered[0].type)
    return ColumnValue(found)


def one_cell(name: str, value: ColumnValue, *around: Cells) -> Cells:
    """A single column; what shapes the rows in the expressions it is made from stays."""
    return Cells((RelationColumn(name, value),), shape_of(around), reads_of(around))


def values_of(cells: Iterable[Cells]) -> tuple[ColumnValue, ...]:
    return tuple(column.value for one in cells for column in one.columns)


def shape_of(cells: Iterable[Cells]) -> Shape:
    return frozenset().union(*(one.shaped for one in cells))


def reads_of(cells: Iterable[Cells]) -> frozenset[str]:
    return frozenset().union(*(one.reads for one in cells))


def shaped_by(relation: Relation, cells: Iterable[Cells], subtype: IndirectType) -> Relation:
    """Columns of the expressions affect the rows (`subtype`: filter, join, group_by, sort)."""
    gathered = tuple(cells)
    for value in values_of(gathered):
        relation = relation.shaped_by(value.sources, subtype)
    return absorbing(relation, gathered)


def absorbing(relation: Relation, cells: Iterable[Cells]) -> Relation:
    """The relation, with what shapes the rows inside the expressions."""
    gathered = tuple(cells)
    return replace(relation, shaped=relation.shaped | shape_of(gathered), reads=relation.reads | reads_of(gathered))


def with_column(relation: Relation, name: str, value: ColumnValue) -> Relation:
    """Replaces `name` in place, else appends it."""
    wanted = name.lower()
    if any(column.name.lower() == wanted for column in relation.columns):
        return relation.with_columns(
            RelationColumn(column.name, value) if column.name.lower() == wanted else column
            for column in relation.columns
        )
    return replace(
        relation, columns=(*relation.columns, RelationColumn(name, value)), without=relation.without | {wanted}
    )


def without_columns(relation: Relation, names: Iterable[str]) -> Relation:
    gone = frozenset(name.lower() for name in names)
    kept = tuple(column for column in relation.columns if column.name.lower() not in gone)
    return replace(relation, columns=kept, without=relation.without | gone)


def renamed(relation: Relation, names: Sequence[tuple[str, str]]) -> Relation:
    """(old, new) pairs. A column of an open relation that is renamed becomes a known one."""
    new = {old.lower(): name for old, name in names}
    present = {column.name.lower() for column in relation.columns}
    columns = [
        replace(column, name=new[column.name.lower()]) if column.name.lower() in new else column
        for column in relation.columns
    ]
    gone = set(relation.without)
    for old, name in names:
        if old.lower() not in present:
            value = relation.value(old)
            if value is not None:
                columns.append(RelationColumn(name, value))
            gone.add(old.lower())
    return replace(relation, columns=tuple(columns), without=frozenset(gone))


def doubted(value: ColumnValue) -> ColumnValue:
    """A value that may arrive: only one branch writes it."""
    sources = {source: replace(t, confidence=min(t.confidence, MAYBE)) for source, t in value.sources.items()}
    return ColumnValue(sources, {name: doubted(member) for name, member in value.members.items()})
