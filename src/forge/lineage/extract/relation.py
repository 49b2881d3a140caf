"""Relations during extraction: what a query selects, what a DataFrame variable holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.program import RESOLVED
from forge.lineage.extract.value import ColumnValue, Sources, SourceTrace, union
from forge.model.names import ColumnName

Shape = frozenset[tuple[ColumnName, IndirectType]]


def ends_with_name(full: str, qualifier: str) -> bool:
    """`orders` and `sales.orders` of `sales.orders`."""
    return bool(full) and f".{full}".lower().endswith(f".{qualifier}".lower())


@dataclass(frozen=True, slots=True, eq=False)
class RelationColumn:
    """`owner`: its qualifier: the alias of a table in a join, or the full or partial name of a table."""

    name: str
    value: ColumnValue
    owner: str = ""

    def is_of(self, qualifier: str) -> bool:
        return ends_with_name(self.owner, qualifier)


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """`open`: relations of which further, unknown columns may arrive under their own names; `without`: names that do
    not (dropped, renamed). `shaped` and `reads`: as of program steps."""

    columns: tuple[RelationColumn, ...] = ()
    open: tuple[str, ...] = ()
    without: frozenset[str] = frozenset()
    shaped: Shape = frozenset()
    reads: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def find(self, name: str, owner: str = "") -> tuple[RelationColumn, ...]:
        """All columns that the name may mean; case does not matter."""
        wanted, before = name.lower(), owner
        return tuple(
            column for column in self.columns if column.name.lower() == wanted and (not before or column.is_of(before))
        )

    def value(self, name: str) -> ColumnValue | None:
        """The first column of that name, else the column of the one open relation; None: there is no such column, or
        more than one relation may have it."""
        found = self.find(name)
        if found:
            return found[0].value
        if len(self.open) == 1 and name.lower() not in self.without:
            return copy_of(self.open[0], name)
        return None

    def shaped_by(self, sources: Sources, subtype: IndirectType) -> Relation:
        return replace(self, shaped=self.shaped | {(source, subtype) for source in sources})

    def with_columns(self, columns: Iterable[RelationColumn]) -> Relation:
        return replace(self, columns=tuple(columns))


def copy_of(table: str, column: str, *, confidence: float = RESOLVED) -> ColumnValue:
    """A column of a relation as it is."""
    return ColumnValue({ColumnName(table, column): SourceTrace(Transformation.IDENTITY, column, confidence=confidence)})


def relation_of(table: str, columns: Sequence[str] | None, owner: str = "") -> Relation:
    """A table, or what an earlier step made; None: its columns are not known."""
    known = tuple(RelationColumn(name, copy_of(table, name), owner) for name in columns or ())
    return Relation(known, (table,) if columns is None else (), reads=frozenset({table}))


def joined(left: Relation, right: Relation) -> Relation:
    """Columns of both sides. The caller adds the condition with `shaped_by`."""
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
        columns.append(RelationColumn(column.name, union(values), ""))
    return _gathered(relations, columns)


def stacked_by_name(relations: Sequence[Relation]) -> Relation:
    names: dict[str, str] = {}
    for one in relations:
        for column in one.columns:
            names.setdefault(column.name.lower(), column.name)
    columns = []
    for name in names.values():
        values = [value for one in relations if (value := one.value(name)) is not None]
        columns.append(RelationColumn(name, union(values), ""))
    return _gathered(relations, columns)


def _gathered(relations: Sequence[Relation], columns: Iterable[RelationColumn]) -> Relation:
    shaped: Shape = frozenset().union(*(one.shaped for one in relations))
    reads: frozenset[str] = frozenset().union(*(one.reads for one in relations))
    open_ = dict.fromkeys(table for one in relations for table in one.open)
    return Relation(tuple(columns), tuple(open_), shaped=shaped, reads=reads)
