"""Rows with named columns while code is being read: what a query selects, what a DataFrame variable holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from forge.lineage.edge import Indirect, Transformation
from forge.lineage.extract.program import RESOLVED
from forge.lineage.extract.value import Sources, Trace, Value, union
from forge.model.names import ColumnName

Shape = frozenset[tuple[ColumnName, Indirect]]


def ends_with_name(full: str, qualifier: str) -> bool:
    """`orders` and `sales.orders` of `sales.orders`."""
    return bool(full) and f".{full}".lower().endswith(f".{qualifier}".lower())


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """`owner`: what the code may write before the name, the alias of a table in a join, or all or the last parts of the
    name of a table."""

    name: str
    value: Value
    owner: str = ""

    def is_of(self, qualifier: str) -> bool:
        return ends_with_name(self.owner, qualifier)


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """`open`: relations of which further columns may arrive under their own names, for what they have is not known;
    `without` are names that do not (dropped, renamed). `shaped` and `reads`: as of `Step`."""

    columns: tuple[Column, ...] = ()
    open: tuple[str, ...] = ()
    without: frozenset[str] = frozenset()
    shaped: Shape = frozenset()
    reads: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def find(self, name: str, owner: str = "") -> tuple[Column, ...]:
        """All columns that the name may mean; case does not matter."""
        wanted, before = name.lower(), owner
        return tuple(
            column for column in self.columns if column.name.lower() == wanted and (not before or column.is_of(before))
        )

    def value(self, name: str) -> Value | None:
        """The first column of that name, else the column of the one open relation; None: there is no such column, or
        several relations may have it."""
        found = self.find(name)
        if found:
            return found[0].value
        if len(self.open) == 1 and name.lower() not in self.without:
            return copy_of(self.open[0], name)
        return None

    def shaped_by(self, sources: Sources, way: Indirect) -> Relation:
        return replace(self, shaped=self.shaped | {(source, way) for source in sources})

    def with_columns(self, columns: Iterable[Column]) -> Relation:
        return replace(self, columns=tuple(columns))


def copy_of(table: str, column: str, *, confidence: float = RESOLVED) -> Value:
    """A column of a relation as it is."""
    return Value({ColumnName(table, column): Trace(Transformation.IDENTITY, column, confidence=confidence)})


def relation_of(table: str, columns: Sequence[str] | None, owner: str = "") -> Relation:
    """A table, or what an earlier step made; None: its columns are not known."""
    known = tuple(Column(name, copy_of(table, name), owner) for name in columns or ())
    return Relation(known, (table,) if columns is None else (), reads=frozenset({table}))


def joined(left: Relation, right: Relation) -> Relation:
    """Side by side. The condition is for the caller to tell with `shaped_by`."""
    return Relation(
        (*left.columns, *right.columns),
        (*left.open, *(one for one in right.open if one not in left.open)),
        left.without | right.without,
        left.shaped | right.shaped,
        left.reads | right.reads,
    )


def stacked(relations: Sequence[Relation]) -> Relation:
    """UNION by position; the names are those of the first."""
    first = relations[0]
    columns = []
    for place, column in enumerate(first.columns):
        values = [one.columns[place].value for one in relations if place < len(one.columns)]
        columns.append(Column(column.name, union(values), ""))
    return _gathered(relations, columns)


def stacked_by_name(relations: Sequence[Relation]) -> Relation:
    names: dict[str, str] = {}
    for one in relations:
        for column in one.columns:
            names.setdefault(column.name.lower(), column.name)
    columns = []
    for name in names.values():
        values = [value for one in relations if (value := one.value(name)) is not None]
        columns.append(Column(name, union(values), ""))
    return _gathered(relations, columns)


def _gathered(relations: Sequence[Relation], columns: Iterable[Column]) -> Relation:
    shaped: Shape = frozenset().union(*(one.shaped for one in relations))
    reads: frozenset[str] = frozenset().union(*(one.reads for one in relations))
    open_ = dict.fromkeys(table for one in relations for table in one.open)
    return Relation(tuple(columns), tuple(open_), shaped=shaped, reads=reads)
