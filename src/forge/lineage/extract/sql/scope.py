"""Name resolution at one place of a query."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from forge.lineage.edge import IndirectType
from forge.lineage.extract.relation import Relation, RelationColumn, copy_of
from forge.lineage.extract.sql.context import SessionContext
from forge.lineage.extract.sql.kinds import PSEUDO_COLUMNS, UNITS, WORDS_WITHOUT_BRACKETS
from forge.lineage.extract.value import ColumnValue, Sources, SourceTrace, add
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
class AmbiguousName:
    """An ambiguous name."""

    places: tuple[str, ...]


@dataclass(slots=True, eq=False, kw_only=True)
class FromSource:
    """One item of FROM. `names`: qualifiers of its columns, outermost part first, in lower case. `anything`: the
    value of any column (a generator with unknown columns). `seen`: names read from it without knowing that it has
    them. `aliased`: `names` are complete; else a schema or catalog may precede them. `types`: of computed
    columns."""

    names: tuple[str, ...]
    relation: Relation
    anything: ColumnValue | None = None
    seen: set[str] = field(default_factory=set)
    aliased: bool = True
    types: Mapping[str, str] = field(default_factory=dict)
    _index: dict[str, RelationColumn | AmbiguousName] | None = None

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

    def known(self, name: str) -> RelationColumn | AmbiguousName | None:
        if self._index is None:
            self._index = index_of(self.relation.columns, self.label)
        return self._index.get(name.lower())

    def unknown(self, name: str) -> RelationColumn | AmbiguousName | None:
        """The column of a relation whose columns are not all known."""
        if name.lower() in self.relation.without:
            return None
        self.seen.add(name.lower())
        if self.anything is not None:
            return RelationColumn(name, self.anything)
        if len(self.relation.open) > 1:
            return AmbiguousName(self.relation.open)
        return RelationColumn(name, copy_of(self.relation.open[0], name)) if self.relation.open else None


def index_of(columns: Iterable[RelationColumn], label: str) -> dict[str, RelationColumn | AmbiguousName]:
    found: dict[str, RelationColumn | AmbiguousName] = {}
    for column in columns:
        key = column.name.lower()
        found[key] = column if key not in found else AmbiguousName((column.owner or label,))
    return found


@dataclass(frozen=True, slots=True)
class CteEnvironment:
    """The visible CTEs, inner ones first."""

    names: dict[str, Callable[[], Relation]]
    outer: CteEnvironment | None = None

    def find(self, name: str) -> Callable[[], Relation] | None:
        here: CteEnvironment | None = self
        while here is not None:
            found = here.names.get(name)
            if found is not None:
                return found
            here = here.outer
        return None


ResolvedColumn = tuple[RelationColumn, tuple[str, ...]]
"""A column, and the fields to take out of it."""


class QueryScope:
    """The names visible at one place, and what is collected there: `shaped` and `reads` of everything resolved.

    `alias`: the value of a SELECT alias, where the current clause may use it; `alias_first`: it shadows columns
    of FROM. `windows`: named ones."""

    def __init__(
        self, around: SessionContext, outer: QueryScope | None = None, environment: CteEnvironment | None = None
    ) -> None:
        self.around = around
        self.outer = outer
        self.environment: CteEnvironment | None = environment or (outer.environment if outer else None)
        self.sources: list[FromSource] = []
        self.row: list[RelationColumn] = []
        self.open: list[FromSource] = []
        self.index: dict[str, RelationColumn | AmbiguousName] = {}
        self.shaped: set[tuple[ColumnName, IndirectType]] = set()
        self.reads: set[str] = set()
        self.alias: Callable[[str], RelationColumn | None] | None = None
        self.alias_first = False
        self.windows: dict[str, exp.Expr] = {}
        self.within: tuple[str, ...] = outer.within if outer else ()  # SQL functions being looked into

    @classmethod
    def of(cls, relation: Relation, around: SessionContext) -> QueryScope:
        """Over a relation whose columns may have owners, as those of a DataFrame after a join."""
        owners = dict.fromkeys(column.owner for column in relation.columns)
        if len(owners) < 2:
            name = next(iter(owners), "")
            return cls.over(((name, relation),), around)
        scope = cls(around)
        for owner in owners:
            part = Relation(tuple(column for column in relation.columns if column.owner == owner))
            scope.sources.append(FromSource(names=tuple(owner.lower().split(".")) if owner else (), relation=part))
        scope.row = list(relation.columns)
        scope.index = index_of(relation.columns, "")
        if relation.open:
            rest = FromSource(names=(), relation=Relation((), relation.open, relation.without))
            scope.sources.append(rest)
            scope.open.append(rest)
        scope.reads |= relation.reads
        return scope

    @classmethod
    def over(
        cls,
        relations: Iterable[tuple[str, Relation]],
        around: SessionContext,
        outer: QueryScope | None = None,
        environment: CteEnvironment | None = None,
    ) -> QueryScope:
        """Over relations side by side, each under its name (parts joined by dots)."""
        scope = cls(around, outer, environment)
        for name, relation in relations:
            scope.add(FromSource(names=tuple(name.lower().split(".")) if name else (), relation=relation))
        return scope

    def add(self, source: FromSource) -> None:
        """One more thing in FROM: its columns are part of `*`, and visible without its name."""
        self.hear(source.relation)
        self.sources.append(source)
        self._show(source.relation.columns, source.label)
        if source.is_open:
            self.open.append(source)

    def join(self, other: QueryScope) -> None:
        """Side by side with what was in FROM before."""
        self.take_over(other)
        self.sources.extend(other.sources)
        self._show(other.row, " and ".join(source.label for source in other.sources))
        self.open.extend(other.open)

    def _show(self, columns: Sequence[RelationColumn], label: str) -> None:
        self.row.extend(columns)
        for column in columns:
            key = column.name.lower()
            before = self.index.get(key)
            self.index[key] = column if before is None else _both(before, label, self.sources)

    def here(self, name: str) -> RelationColumn | AmbiguousName | None:
        """A column of this FROM without the name of its table."""
        known = self.index.get(name.lower())
        if known is not None:
            return known
        found = self._unknown((name,))
        return found[0] if isinstance(found, tuple) else found

    def merge(self, names: Sequence[str], merged: Sequence[RelationColumn]) -> None:
        """Columns of USING: one for both sides, before all others."""
        gone = {name.lower() for name in names}
        self.row = [*merged, *(column for column in self.row if column.name.lower() not in gone)]
        self.index.update({column.name.lower(): column for column in merged})

    def hear(self, relation: Relation) -> None:
        """What decides about the rows of something read here decides about the rows here too."""
        self.shaped |= relation.shaped
        self.reads |= relation.reads

    def shape(self, sources: Sources, subtype: IndirectType) -> None:
        self.shaped.update((source, subtype) for source in sources)

    def value(self, expression: exp.Expr) -> ColumnValue:
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
            return relation.with_columns((RelationColumn("", struct_of(relation.columns)),))
        return relation

    def shape_by(self, expressions: Iterable[exp.Expr | None], subtype: IndirectType) -> None:
        """All that is used in conditions, keys and orders shapes the rows."""
        for expression in expressions:
            if expression is not None:
                self.shape(self.around.reader.sources(expression, self), subtype)

    def take_over(self, inner: QueryScope) -> None:
        self.shaped |= inner.shaped
        self.reads |= inner.reads

    def resolve(self, parts: tuple[str, ...], node: exp.Expr) -> ResolvedColumn | AmbiguousName | None:
        """What a name means; known columns of this and then of outer queries win over those that may exist."""
        here: QueryScope | None = self
        open_before: list[FromSource] = []
        while here is not None:
            found = here._known(parts, node)
            if found is not None:
                doubtful = open_before and len(parts) == 1 and not isinstance(found, AmbiguousName)
                return AmbiguousName(tuple(one.label for one in (*open_before, *here.sources))) if doubtful else found
            open_before.extend(here.open)
            here = here.outer
        if is_outside(parts[-1], node) if len(parts) == 1 else parts[-1].lower() in ("nextval", "currval"):
            return RelationColumn(parts[-1], ColumnValue()), ()
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
            return RelationColumn(parts[0], ColumnValue()), ()
        return found

    def _known(self, parts: tuple[str, ...], node: exp.Expr) -> ResolvedColumn | AmbiguousName | None:
        for whole in (True, False):  # a name of a table as it is written wins over one with a schema before it
            for size in range(len(parts) - 1, 0, -1):
                column = self._qualified(parts[:size], parts[size], whole=whole)
                if column is not None:
                    return column if isinstance(column, AmbiguousName) else (column, parts[size + 1 :])
        key = parts[0].lower()
        known = self.index.get(key)
        if self.alias is not None and (known is None or (self.alias_first and not _in_aggregate(node))):
            column = self.alias(key)
            if column is not None and not any(key in source.seen for source in self.open):
                return column, parts[1:]
        if known is None or isinstance(known, AmbiguousName):
            return known
        return known, parts[1:]

    def _qualified(
        self, qualifier: tuple[str, ...], name: str, *, whole: bool
    ) -> RelationColumn | AmbiguousName | None:
        for source in self.sources:
            if (len(qualifier) <= len(source.names)) is whole and source.is_named(qualifier):
                column = source.known(name)
                if column is None and source.is_open:
                    column = source.unknown(name)
                if column is not None:
                    return column
        return None

    def _unknown(self, parts: tuple[str, ...]) -> ResolvedColumn | AmbiguousName | None:
        if any(_calls_table(parts, table) for source in self.open for table in source.relation.open):
            return None  # behind an alias the name of a table says nothing; it is no struct either
        able = [source for source in self.open if parts[0].lower() not in source.relation.without]
        if len(able) > 1:
            return AmbiguousName(tuple(dict.fromkeys(source.label for source in able)))
        column = able[0].unknown(parts[0]) if able else None
        return (column, parts[1:]) if isinstance(column, RelationColumn) else column

    def _row(self, parts: tuple[str, ...]) -> ResolvedColumn | AmbiguousName | None:
        """The name of a table alone: all of its row as a struct."""
        here: QueryScope | None = self
        while here is not None:
            for source in here.sources:
                if source.is_named(parts):
                    return RelationColumn(parts[0], struct_of(source.relation.columns)), ()
            here = here.outer
        return None

    def type_of(self, column: RelationColumn) -> str:
        """The type of a computed column, if its source has it."""
        here: QueryScope | None = self
        while here is not None:
            for source in here.sources:
                if source.types and any(column is one for one in source.relation.columns):
                    return source.types.get(column.name.lower(), "")
            here = here.outer
        return ""

    def find_source(self, qualifier: tuple[str, ...], *, whole: bool = False) -> FromSource | None:
        """`whole`: by its name as it is written, not with the schema or the catalog that it lies in."""
        here: QueryScope | None = self
        while here is not None:
            for source in here.sources:
                if source.is_named(qualifier) and not (whole and len(qualifier) > len(source.names)):
                    return source
            here = here.outer
        return None


def struct_of(columns: Iterable[RelationColumn]) -> ColumnValue:
    members = {column.name: column.value for column in columns}
    found: dict[ColumnName, SourceTrace] = {}
    for value in members.values():
        for source, trace in value.sources.items():
            add(found, source, trace)
    return ColumnValue(found, members)


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


def _both(before: RelationColumn | AmbiguousName, label: str, sources: Sequence[FromSource]) -> AmbiguousName:
    if isinstance(before, AmbiguousName):
        return AmbiguousName((*before.places, label))
    first = next((one.label for one in sources if any(before is column for column in one.relation.columns)), label)
    return AmbiguousName((first, label))


def _in_aggregate(node: exp.Expr) -> bool:
    return isinstance(node.find_ancestor(exp.AggFunc, exp.Query), exp.AggFunc)


_ABOUT_TIME = re.compile("date|time|trunc|diff|add|sub|extract|part", re.IGNORECASE)
