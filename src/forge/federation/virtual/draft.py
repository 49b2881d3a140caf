"""A virtual table out of a SELECT: what of it is kept as data, and why the rest cannot be. All reasons at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from forge.federation.dialects.predicates import conjuncts
from forge.federation.names import resolve_relation
from forge.federation.relation import RelationName
from forge.federation.source import VIRTUAL
from forge.federation.virtual.scalar import NotScalarError, read_scalar
from forge.federation.virtual_table import (
    JoinCondition,
    JoinOperator,
    JoinType,
    VirtualColumn,
    VirtualJoin,
    VirtualSource,
)
from forge.model.errors import ForgeError, raise_errors
from forge.model.file_options import shown
from forge.model.name_suggestions import did_you_mean

CODE = "E889"
Place = Callable[[int], str]  # of a character of the text
_KEPT = frozenset({"kind", "expressions", "from_", "joins", "where"})
_LATER = "Leave it out here, and write it in queries of the virtual table."
_INNER = "Save the inner query as a virtual table, and read that one here."
_CLAUSES: Mapping[str, tuple[str, str]] = {
    "with_": ("WITH", _INNER),
    "distinct": ("DISTINCT", _LATER),
    "group": ("GROUP BY", _LATER),
    "having": ("HAVING", _LATER),
    "qualify": ("QUALIFY", _LATER),
    "order": ("ORDER BY", _LATER),
    "sort": ("SORT BY", _LATER),
    "cluster": ("CLUSTER BY", _LATER),
    "distribute": ("DISTRIBUTE BY", _LATER),
    "limit": ("LIMIT", _LATER),
    "offset": ("OFFSET", _LATER),
}
_TABLE_ARGS = frozenset({"this", "alias", "db", "catalog"})
_JOIN_TYPES: Mapping[str, JoinType] = {"": "inner", "LEFT": "left", "RIGHT": "right", "FULL": "full"}
_OPERATORS: Mapping[type[exp.Expr], tuple[JoinOperator, JoinOperator]] = {
    exp.EQ: ("=", "="),
    exp.NEQ: ("<>", "<>"),
    exp.LT: ("<", ">"),
    exp.LTE: ("<=", ">="),
    exp.GT: (">", "<"),
    exp.GTE: (">=", "<="),
    exp.NullSafeEQ: ("<=>", "<=>"),
}  # fmt: skip  each with what it is when the sides are swapped


@dataclass(frozen=True, slots=True)
class VirtualTableDraft:
    """A virtual table but for its name and who may read it."""

    sources: tuple[VirtualSource, ...]
    columns: tuple[VirtualColumn, ...]
    joins: tuple[VirtualJoin, ...] = ()
    default_filters: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        return {
            "sources": [one.to_dict() for one in self.sources],
            "columns": [one.to_dict() for one in self.columns],
            "joins": [one.to_dict() for one in self.joins],
            "default_filters": list(self.default_filters),
        }


def refuse_unkept(tree: exp.Expr, place: Place = lambda offset: "query") -> None:
    """E889 for what no virtual table has, whatever its relations are."""
    raise_errors(_find_unkept(tree, place))


def draft_virtual_table(
    tree: exp.Expr,
    sources: Collection[str],
    columns: Mapping[RelationName, Sequence[str] | None],
    *,
    types: Mapping[str, str] | None = None,
    place: Place = lambda offset: "query",
) -> VirtualTableDraft:
    """`columns`: of its relations, as far as they are known. `types`: of columns of its result, for those that are
    computed and have no CAST. Whether it fits what a virtual table may be, `read_virtual_table` says."""
    refuse_unkept(tree, place)
    assert isinstance(tree, exp.Select)
    drafting = _Drafting(sources, columns, {name.lower(): type_ for name, type_ in (types or {}).items()}, place)
    found = drafting.draft(tree)
    raise_errors(drafting.errors)
    return found


def _find_unkept(tree: exp.Expr, place: Place) -> Iterator[ForgeError]:
    if not isinstance(tree, exp.Select):
        fix = "Save each SELECT of it as a virtual table, and query them together."
        yield _fault("it is more than one SELECT", place(0), fix)
        return
    for name, value in tree.args.items():
        if value and name not in _KEPT:
            word, fix = _CLAUSES.get(name, (name.strip("_").replace("_", " ").upper(), _LATER))
            yield _fault(f"it has {word}", _place_of(value, place), fix)
    if tree.args.get("kind"):
        yield _fault(f"it is a SELECT AS {tree.args['kind']}", place(0), "Write SELECT and its columns.")
    if not tree.args.get("from_"):
        yield _fault("it reads no table", place(0), "Write FROM and a table.")
        return
    for item in _from_items(tree):
        if not isinstance(item, exp.Table) or not isinstance(item.this, exp.Identifier | exp.Dot):
            yield _fault("what stands in FROM is no table", _place_of(item, place), _INNER)
        elif {name for name, value in item.args.items() if value} - _TABLE_ARGS or _renames(item):
            yield _fault(f"`{item.sql('spark')}` is more than a table", _place_of(item, place), "Write its name alone.")
    for node in tree.find_all(exp.Placeholder, exp.Parameter):
        yield _fault(f"`{node.sql('spark')}` is a parameter", _place_of(node, place), "Write a value in its place.")


def _from_items(select: exp.Select) -> list[exp.Expr]:
    return [select.args["from_"].this, *(join.this for join in select.args.get("joins") or [])]


def _renames(item: exp.Table) -> bool:
    alias = item.args.get("alias")
    return bool(alias is not None and alias.columns)


@dataclass(frozen=True, slots=True)
class _FromTable:
    """`names`: what may stand before its columns, the whole name of the table in small letters, or its alias alone."""

    source: VirtualSource
    names: tuple[str, ...]
    columns: Sequence[str] | None

    def answers_to(self, qualifier: tuple[str, ...]) -> bool:
        return self.names[len(self.names) - len(qualifier) :] == qualifier

    def spelled(self, column: str) -> str | None:
        """As the relation has it; None: it has no such column."""
        if self.columns is None:
            return column
        lower = column.lower()
        return next((one for one in self.columns if one == column), None) or next(
            (one for one in self.columns if one.lower() == lower), None
        )


@dataclass(slots=True)
class _Drafting:
    known: Collection[str]
    columns: Mapping[RelationName, Sequence[str] | None]
    types: Mapping[str, str]
    place: Place
    tables: list[_FromTable] = field(default_factory=list)
    errors: list[ForgeError] = field(default_factory=list)

    def draft(self, select: exp.Select) -> VirtualTableDraft:
        self.tables = [self.table(item) for item in _from_items(select) if isinstance(item, exp.Table)]
        aliases = [one.source.alias.lower() for one in self.tables]
        twice = next((one for one in aliases if aliases.count(one) > 1), None)
        if twice is not None:
            raise _fault(
                f"two tables of FROM are called {twice}", self.place(0), f"Write AS {twice}_2 after one of them."
            )
        joins, filters = self.joins(select.args.get("joins") or [])
        where = select.args.get("where")
        filters += conjuncts(where.this) if where is not None else []
        return VirtualTableDraft(
            tuple(one.source for one in self.tables),
            tuple(column for item in select.expressions for column in self.outputs(item)),
            joins,
            tuple(text for one in filters if (text := self.text(one))),
        )

    def table(self, item: exp.Table) -> _FromTable:
        name = resolve_relation(item, {*self.known, VIRTUAL})
        parts = tuple(part.name for part in item.parts)
        path = ("",) * (3 - len(name.path)) + name.path if len(name.path) <= 3 else name.path[-3:]
        source = VirtualSource(
            alias=item.alias or parts[-1],
            connector_id=name.source,
            database_name=path[0],
            schema_name=path[1],
            table_name=path[2],
        )
        names = (item.alias.lower(),) if item.alias else tuple(part.lower() for part in parts)
        return _FromTable(source, names, self.columns.get(name))

    def joins(self, joins: Sequence[exp.Join]) -> tuple[tuple[VirtualJoin, ...], list[exp.Expr]]:
        """And conditions that hold for all rows: those of an inner join that compare no columns of both sides."""
        found: list[VirtualJoin] = []
        filters: list[exp.Expr] = []
        for index, join in enumerate(joins):
            widened = any((later.side or "").upper() in ("RIGHT", "FULL") for later in joins[index + 1 :])
            made, rest = self.join(join, index)
            if made is None:
                continue
            if rest and (made.join_type != "inner" or widened):
                words = "Only comparisons of columns of two tables are kept of it."
                self.fault(
                    f"`{rest[0].sql('spark')}` stands in ON of an outer join", rest[0], "Put it into WHERE.", words
                )
            found.append(made)
            filters += rest
        return tuple(found), filters

    def join(self, join: exp.Join, index: int) -> tuple[VirtualJoin | None, list[exp.Expr]]:
        right, before = self.tables[index + 1], self.tables[: index + 1]
        kind, on = (join.kind or "").upper(), join.args.get("on")
        type_ = _JOIN_TYPES.get((join.side or "").upper())
        if type_ is None or kind not in ("", "INNER", "OUTER") or join.method or join.args.get("using") or on is None:
            fix = f"Write JOIN … ON a.id = {right.source.alias}.id; inner, left, right and full joins are kept."
            self.fault(f"{right.source.alias} is not joined by ON", join, fix)
            return None, []
        left: _FromTable | None = None
        conditions: list[JoinCondition] = []
        rest: list[exp.Expr] = []
        for one in conjuncts(on):
            compared = self.compared(one, right, before)
            if compared is None or (left is not None and compared[0] is not left):
                rest.append(one)
            else:
                left = compared[0]
                conditions.append(compared[1])
        if left is None:
            fix = f"Write ON a.id = {right.source.alias}.id."
            self.fault(f"ON compares no column of {right.source.alias} with one of a table before it", join, fix)
            return None, []
        return VirtualJoin(left.source.alias, right.source.alias, tuple(conditions), type_), rest

    def compared(
        self, node: exp.Expr, right: _FromTable, before: Sequence[_FromTable]
    ) -> tuple[_FromTable, JoinCondition] | None:
        node = node.unnest()
        operators = _OPERATORS.get(type(node))
        if operators is None:
            return None
        sides = [side.unnest() for side in (node.this, node.expression)]
        if not all(isinstance(side, exp.Column) and not isinstance(side.this, exp.Star) for side in sides):
            return None
        owned = [self.owner(side) for side in sides]
        (one, one_name), (other, other_name) = owned
        if one is right and other is not None and any(other is each for each in before):
            return other, JoinCondition(other_name, one_name, operators[1])
        if other is right and one is not None and any(one is each for each in before):
            return one, JoinCondition(one_name, other_name, operators[0])
        return None

    def outputs(self, item: exp.Expr) -> Iterator[VirtualColumn]:
        node = item.unalias()
        if isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star)):
            yield from self.star(node)
            return
        if not item.alias and not isinstance(node, exp.Column):
            self.fault(f"`{node.sql('spark')}` has no name", node, "Write AS and a name after it.")
            return
        name, type_ = item.alias_or_name, ""
        if isinstance(node, exp.Cast) and not node.args.get("safe"):
            node, type_ = node.this.unnest(), node.to.sql("spark").lower()
        if isinstance(node, exp.Column):
            table, column = self.owner(node)
            if table is not None:
                yield VirtualColumn(name, type_, f"{table.source.alias}.{column}")
            return
        type_ = type_ or self.types.get(name.lower(), "")
        if not type_:
            fix = f"Run the query first, or write its type: CAST({node.sql('spark')} AS string) AS {name}."
            self.fault(f"the type of {name} is not known", item, fix, "It is computed, and the SQL does not say it.")
        text = self.text(node)
        if text and type_:
            yield VirtualColumn(name, type_, expression=text)

    def star(self, node: exp.Expr) -> Iterator[VirtualColumn]:
        star = node.this if isinstance(node, exp.Column) else node
        if any(star.args.values()):
            self.fault("it has a star that leaves columns out", node, "Name the columns.")
            return
        tables = self.tables
        if isinstance(node, exp.Column):
            tables = self.named(tuple(part.name.lower() for part in node.parts[:-1]), node)
        for table in tables:
            if table.columns is None:
                why = "It is a view: which columns it has only the engine knows."
                self.fault(f"which columns {table.source.relation} has is not known here", node, "Name them.", why)
            for column in table.columns or ():
                yield VirtualColumn(column, "", f"{table.source.alias}.{column}")

    def owner(self, column: exp.Column) -> tuple[_FromTable | None, str]:
        """The table whose column it is, and the column as that table spells it."""
        *qualifier, name = (part.name for part in column.parts)
        tables = self.named(tuple(one.lower() for one in qualifier), column) if qualifier else self.tables
        having = [(one, found) for one in tables if (found := one.spelled(name)) is not None]
        if not tables:
            return None, name
        if len(having) == 1:
            return having[0]
        if having:
            fix = f"Write {having[0][0].source.alias}.{name}, or another table before it."
            self.fault(f"which table has {name} is not said", column, fix)
        else:
            names = [one for table in tables for one in table.columns or ()]
            read = " and ".join(str(one.source.relation) for one in tables)
            self.fault(f"{read} has no column {name}", column, did_you_mean(name, names, cutoff=0.5))
        return None, name

    def named(self, qualifier: tuple[str, ...], node: exp.Expr) -> list[_FromTable]:
        found = [one for one in self.tables if one.answers_to(qualifier)]
        if not found:
            text = ".".join(qualifier)
            aliases = [one.source.alias for one in self.tables]
            fix = did_you_mean(text, aliases) or f"Take one of {', '.join(aliases)}."
            self.fault(f"{shown(text)} is no table of FROM", node, fix)
        return found

    def text(self, node: exp.Expr) -> str:
        """As it is kept: every column has the alias of its table. Empty where it cannot be."""
        if node.find(exp.Query) is not None:
            self.fault(f"`{_short(node.sql('spark'))}` has a query in it", node, _INNER)
            return ""
        named = self.with_aliases(node.unnest())
        if named is None:
            return ""
        # A name that SQL takes for a word of its own is read with quotes alone.
        for one in (named, named.transform(_quoted)):
            text = one.sql("spark")
            try:
                if _plain(read_scalar(text)) == _plain(named):
                    return text
                error = "it would be read as something else"
            except NotScalarError as reason:
                error = str(reason)
        fix = "Take columns, values, operators and simple functions; what is more, compute in queries of it."
        what = f"`{_short(named.sql('spark'))}` is no expression of a virtual table"
        self.fault(what, node, fix, f"{error}.")
        return ""

    def with_aliases(self, node: exp.Expr) -> exp.Expr | None:
        wrapped = exp.paren(node.copy(), copy=False)
        for column in list(wrapped.find_all(exp.Column)):
            if not isinstance(column.this, exp.Star):
                table, name = self.owner(column)
                if table is None:
                    return None
                column.replace(exp.Column(this=exp.to_identifier(name), table=exp.to_identifier(table.source.alias)))
        for one in wrapped.walk():
            one.comments = None
        found: exp.Expr = wrapped.this
        return found

    def fault(self, what: str, node: exp.Expr, fix: str | None, why: str | None = None) -> None:
        error = _fault(what, _place_of(node, self.place), fix, why)
        if not any((one.what, one.where) == (error.what, error.where) for one in self.errors):
            self.errors.append(error)


def _plain(node: exp.Expr) -> exp.Expr:
    """Quotes make no difference, and CAST has two nodes that mean the same."""

    def plain(one: exp.Expr) -> exp.Expr:
        if isinstance(one, exp.TryCast) and not one.args.get("safe"):
            return exp.Cast(this=one.this, to=one.args["to"])
        return _quoted(one)

    return node.copy().transform(plain)


def _quoted(node: exp.Expr) -> exp.Expr:
    return exp.to_identifier(node.this, quoted=True) if isinstance(node, exp.Identifier) else node


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


def _place_of(node: object, place: Place) -> str:
    """Of the first name in it that has one."""
    found = node if isinstance(node, exp.Expr) else None
    starts = [one.meta["start"] for one in found.find_all(exp.Identifier) if "start" in one.meta] if found else []
    return place(min(starts, default=0))


def _fault(what: str, where: str, fix: str | None, why: str | None = None) -> ForgeError:
    return ForgeError(CODE, f"this SELECT is no virtual table: {what}", where=where, why=why, fix=fix)
