"""What a name means at one place of a query."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from forge.lineage.edge import Indirect
from forge.lineage.extract.relation import Column, Relation, copy_of
from forge.lineage.extract.sql.around import Around
from forge.lineage.extract.sql.kinds import PSEUDO_COLUMNS, UNITS, WORDS_WITHOUT_BRACKETS
from forge.lineage.extract.value import Sources, Trace, Value, add
from forge.model.names import ColumnName


def name_of(identifier: exp.Expr) -> str:
    """Unquoted names are the same in upper and lower case."""
    text: str = identifier.name
    return text if identifier.args.get("quoted") else text.lower()


def line_of(node: exp.Expr | None) -> int:
    """The line of the first name in it; 0: not known."""
    if node is None:
        return 0
    for inner in node.walk():
        line = inner.meta.get("line") if inner._meta else None
        if line is not None:
            return int(line)
    return 0


@dataclass(frozen=True, slots=True)
class Several:
    """A name that may mean more than one thing."""

    places: tuple[str, ...]


@dataclass(slots=True, eq=False, kw_only=True)
class Source:
    """One thing in FROM. `names`: what may stand before a column, outermost part first, in lower case. `anything`:
    whatever the column is called, it is this (a generator whose columns are not known). `seen`: names that were taken
    from it without it being known that it has them. `aliased`: `names` are all there is; else more may stand before
    them, the schema or the catalog of a table. `types`: of columns that are no copies."""

    names: tuple[str, ...]
    relation: Relation
    anything: Value | None = None
    seen: set[str] = field(default_factory=set)
    aliased: bool = True
    types: Mapping[str, str] = field(default_factory=dict)
    _index: dict[str, Column | Several] | None = None

    @property
    def label(self) -> str:
        return ".".join(self.names) or " and ".join(self.relation.open) or "a subquery"

    @property
    def is_open(self) -> bool:
        return self.anything is not None or bool(self.relation.open)

    def is_named(self, qualifier: Sequence[str]) -> bool:
        wanted = tuple(part.lower() for part in qualifier)
        size = len(self.names)
        if len(wanted) > size:
            return not self.aliased and size > 0 and wanted[-size:] == self.names
        return self.names[size - len(wanted) :] == wanted

    def known(self, name: str) -> Column | Several | None:
        if self._index is None:
            self._index = index_of(self.relation.columns, self.label)
        return self._index.get(name.lower())

    def unknown(self, name: str) -> Column | Several | None:
        """The column of a relation whose columns are not all known."""
        if name.lower() in self.relation.without:
            return None
        self.seen.add(name.lower())
        if self.anything is not None:
            return Column(name, self.anything)
        if len(self.relation.open) > 1:
            return Several(self.relation.open)
        return Column(name, copy_of(self.relation.open[0], name)) if self.relation.open else None


def index_of(columns: Iterable[Column], label: str) -> dict[str, Column | Several]:
    found: dict[str, Column | Several] = {}
    for column in columns:
        key = column.name.lower()
        found[key] = column if key not in found else Several((column.owner or label,))
    return found


@dataclass(frozen=True, slots=True)
class Environment:
    """The CTEs that can be seen, inner ones first."""

    names: dict[str, Callable[[], Relation]]
    outer: Environment | None = None

    def find(self, name: str) -> Callable[[], Relation] | None:
        here: Environment | None = self
        while here is not None:
            found = here.names.get(name)
            if found is not None:
                return found
            here = here.outer
        return None


Found = tuple[Column, tuple[str, ...]]
"""A column, and the fields to take out of it."""


class Scope:
    """What can be seen at one place, and what is gathered there: `shaped` and `reads` of all that was looked at.

    `alias`: the value of a column of the SELECT list by its alias, where the clause at hand may use it; `alias_first`:
    it wins over columns of FROM. `windows`: named ones."""

    def __init__(self, around: Around, outer: Scope | None = None, environment: Environment | None = None) -> None:
        self.around = around
        self.outer = outer
        self.environment: Environment | None = environment or (outer.environment if outer else None)
        self.sources: list[Source] = []
        self.row: list[Column] = []
        self.open: list[Source] = []
        self.index: dict[str, Column | Several] = {}
        self.shaped: set[tuple[ColumnName, Indirect]] = set()
        self.reads: set[str] = set()
        self.alias: Callable[[str], Column | None] | None = None
        self.alias_first = False
        self.windows: dict[str, exp.Expr] = {}
        self.within: tuple[str, ...] = outer.within if outer else ()  # SQL functions being looked into

    @classmethod
    def of(cls, relation: Relation, around: Around) -> Scope:
        """Over a relation whose columns may have owners, as those of a DataFrame after a join."""
        owners = dict.fromkeys(column.owner for column in relation.columns)
        if len(owners) < 2:
            name = next(iter(owners), "")
            return cls.over(((name, relation),), around)
        scope = cls(around)
        for owner in owners:
            part = Relation(tuple(column for column in relation.columns if column.owner == owner))
            scope.sources.append(Source(names=tuple(owner.lower().split(".")) if owner else (), relation=part))
        scope.row = list(relation.columns)
        scope.index = index_of(relation.columns, "")
        if relation.open:
            rest = Source(names=(), relation=Relation((), relation.open, relation.without))
            scope.sources.append(rest)
            scope.open.append(rest)
        scope.reads |= relation.reads
        return scope

    @classmethod
    def over(
        cls,
        relations: Iterable[tuple[str, Relation]],
        around: Around,
        outer: Scope | None = None,
        environment: Environment | None = None,
    ) -> Scope:
        """Over relations side by side, each under its name (parts joined by dots)."""
        scope = cls(around, outer, environment)
        for name, relation in relations:
            scope.add(Source(names=tuple(name.lower().split(".")) if name else (), relation=relation))
        return scope

    def add(self, source: Source) -> None:
        """One more thing in FROM: its columns are part of `*`, and visible without its name."""
        self.hear(source.relation)
        self.sources.append(source)
        self._show(source.relation.columns, source.label)
        if source.is_open:
            self.open.append(source)

    def join(self, other: Scope) -> None:
        """Side by side with what was in FROM before."""
        self.take_over(other)
        self.sources.extend(other.sources)
        self._show(other.row, " and ".join(source.label for source in other.sources))
        self.open.extend(other.open)

    def _show(self, columns: Sequence[Column], label: str) -> None:
        self.row.extend(columns)
        for column in columns:
            key = column.name.lower()
            before = self.index.get(key)
            self.index[key] = column if before is None else _both(before, label, self.sources)

    def here(self, name: str) -> Column | Several | None:
        """A column of this FROM without the name of its table."""
        known = self.index.get(name.lower())
        if known is not None:
            return known
        found = self._unknown((name,))
        return found[0] if isinstance(found, tuple) else found

    def merge(self, names: Sequence[str], merged: Sequence[Column]) -> None:
        """Columns of USING: one for both sides, before all others."""
        gone = {name.lower() for name in names}
        self.row = [*merged, *(column for column in self.row if column.name.lower() not in gone)]
        self.index.update({column.name.lower(): column for column in merged})

    def hear(self, relation: Relation) -> None:
        """What decides about the rows of something read here decides about the rows here too."""
        self.shaped |= relation.shaped
        self.reads |= relation.reads

    def shape(self, sources: Sources, way: Indirect) -> None:
        self.shaped.update((source, way) for source in sources)

    def value(self, expression: exp.Expr) -> Value:
        """What an expression is made from here."""
        return self.around.reader.value(expression, self)

    def relation(self, query: exp.Expr) -> Relation:
        """What a query gives that may use what can be seen here."""
        return self.around.reader.relation(query, self.around, self)

    def subquery(self, query: exp.Expr) -> Relation:
        """One in an expression: what decides about its rows decides about the rows here. SELECT AS STRUCT is one value
        here; elsewhere its fields are columns."""
        relation = self.relation(query)
        self.hear(relation)
        inner = query.unnest() if isinstance(query, exp.Subquery) else query
        if str(inner.args.get("kind") or "").upper() == "STRUCT":
            return relation.with_columns((Column("", struct_of(relation.columns)),))
        return relation

    def shape_by(self, expressions: Iterable[exp.Expr | None], way: Indirect) -> None:
        """All that is used in conditions, keys and orders shapes the rows."""
        for expression in expressions:
            if expression is not None:
                self.shape(self.around.reader.sources(expression, self), way)

    def take_over(self, inner: Scope) -> None:
        self.shaped |= inner.shaped
        self.reads |= inner.reads

    def resolve(self, parts: tuple[str, ...], node: exp.Expr) -> Found | Several | None:
        """What a name means; known columns of this and then of outer queries win over those that may exist."""
        here: Scope | None = self
        open_before: list[Source] = []
        while here is not None:
            found = here._known(parts, node)
            if found is not None:
                doubtful = open_before and len(parts) == 1 and not isinstance(found, Several)
                return Several(tuple(one.label for one in (*open_before, *here.sources))) if doubtful else found
            open_before.extend(here.open)
            here = here.outer
        if is_outside(parts[-1], node) if len(parts) == 1 else parts[-1].lower() in ("nextval", "currval"):
            return Column(parts[-1], Value()), ()
        if len(parts) > 1 and any(self.find_source(parts[:size]) is not None for size in range(1, len(parts))):
            return None
        here = self
        while here is not None:
            found = here._unknown(parts)
            if found is not None:
                return found
            here = here.outer
        if len(parts) > 1:
            return None
        found = self._row(parts)
        if found is None and parts[0].lower() in WORDS_WITHOUT_BRACKETS:
            return Column(parts[0], Value()), ()
        return found

    def _known(self, parts: tuple[str, ...], node: exp.Expr) -> Found | Several | None:
        for whole in (True, False):  # a name of a table as it is written wins over one with a schema before it
            for size in range(len(parts) - 1, 0, -1):
                column = self._qualified(parts[:size], parts[size], whole=whole)
                if column is not None:
                    return column if isinstance(column, Several) else (column, parts[size + 1 :])
        key = parts[0].lower()
        known = self.index.get(key)
        if self.alias is not None and (known is None or (self.alias_first and not _in_aggregate(node))):
            column = self.alias(key)
            if column is not None and not any(key in source.seen for source in self.open):
                return column, parts[1:]
        if known is None or isinstance(known, Several):
            return known
        return known, parts[1:]

    def _qualified(self, qualifier: tuple[str, ...], name: str, *, whole: bool) -> Column | Several | None:
        for source in self.sources:
            if (len(qualifier) <= len(source.names)) is whole and source.is_named(qualifier):
                column = source.known(name)
                if column is None and source.is_open:
                    column = source.unknown(name)
                if column is not None:
                    return column
        return None

    def _unknown(self, parts: tuple[str, ...]) -> Found | Several | None:
        if any(_calls_table(parts, table) for source in self.open for table in source.relation.open):
            return None  # behind an alias the name of a table says nothing; it is no struct either
        able = [source for source in self.open if parts[0].lower() not in source.relation.without]
        if len(able) > 1:
            return Several(tuple(dict.fromkeys(source.label for source in able)))
        column = able[0].unknown(parts[0]) if able else None
        return (column, parts[1:]) if isinstance(column, Column) else column

    def _row(self, parts: tuple[str, ...]) -> Found | Several | None:
        """The name of a table alone: all of its row as a struct."""
        here: Scope | None = self
        while here is not None:
            for source in here.sources:
                if source.is_named(parts):
                    return Column(parts[0], struct_of(source.relation.columns)), ()
            here = here.outer
        return None

    def type_of(self, column: Column) -> str:
        """The type of a column that is no copy of another, where its source tells."""
        here: Scope | None = self
        while here is not None:
            for source in here.sources:
                if source.types and any(column is one for one in source.relation.columns):
                    return source.types.get(column.name.lower(), "")
            here = here.outer
        return ""

    def find_source(self, qualifier: tuple[str, ...], *, whole: bool = False) -> Source | None:
        """`whole`: by its name as it is written, not with the schema or the catalog that it lies in."""
        here: Scope | None = self
        while here is not None:
            for source in here.sources:
                if source.is_named(qualifier) and not (whole and len(qualifier) > len(source.names)):
                    return source
            here = here.outer
        return None


def struct_of(columns: Iterable[Column]) -> Value:
    members = {column.name: column.value for column in columns}
    found: dict[ColumnName, Trace] = {}
    for value in members.values():
        for source, trace in value.sources.items():
            add(found, source, trace)
    return Value(found, members)


def is_outside(name: str, node: exp.Expr) -> bool:
    key = name.lower()
    if key in PSEUDO_COLUMNS:
        return True
    if key == "level":
        select = node.find_ancestor(exp.Select)
        return select is not None and select.args.get("connect") is not None
    call = node.parent
    return key in UNITS and isinstance(call, exp.Anonymous) and bool(_ABOUT_TIME.search(call.name))


def _calls_table(parts: tuple[str, ...], table: str) -> bool:
    """`db.t.x`, `t.x` of the table db.t"""
    ends = f".{table.lower()}"
    return any(ends.endswith("." + ".".join(parts[:size]).lower()) for size in range(1, len(parts)))


def _both(before: Column | Several, label: str, sources: Sequence[Source]) -> Several:
    if isinstance(before, Several):
        return Several((*before.places, label))
    first = next((one.label for one in sources if any(before is column for column in one.relation.columns)), label)
    return Several((first, label))


def _in_aggregate(node: exp.Expr) -> bool:
    return isinstance(node.find_ancestor(exp.AggFunc, exp.Query), exp.AggFunc)


_ABOUT_TIME = re.compile("date|time|trunc|diff|add|sub|extract|part", re.IGNORECASE)
