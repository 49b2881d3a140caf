"""Queries: CTEs, set operations, and the resulting relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from forge.lineage.edge import IndirectType
from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.relation import Relation, RelationColumn, relation_of
from forge.lineage.extract.sql.context import SessionContext
from forge.lineage.extract.sql.pivot import pivoted
from forge.lineage.extract.sql.scope import CteEnvironment, QueryScope, line_of, name_of
from forge.lineage.extract.sql.select import ordered_by, relation_of_select
from forge.lineage.extract.sql.sources import item_scope, rename
from forge.lineage.extract.sql.union import unioned

_MANY = 100  # CTEs that may be read inside one another


def relation_of_query(
    query: exp.Expr, around: SessionContext, outer: QueryScope | None = None, environment: CteEnvironment | None = None
) -> Relation:
    """What a query gives. `outer`: the query around it, whose columns it may use; `environment`: CTEs defined outside,
    if they are not those of `outer`."""
    scope = QueryScope(around, outer, environment)
    scope.environment = environment_of(query.args.get("with_"), scope)
    if isinstance(query, exp.Select):
        return relation_of_select(query, scope)
    if isinstance(query, exp.SetOperation):
        return ordered_by(query, _set_operation(query, scope), scope)
    if isinstance(query, exp.Subquery):
        return _bracketed(query, scope)
    if isinstance(query, exp.Pivot):
        inner = item_scope(query.this, scope)
        return pivoted(query, inner)
    if isinstance(query, exp.Values | exp.Table | exp.Unnest):
        inner = item_scope(query, scope)
        return _whole(inner)
    if isinstance(query, exp.Paren):
        return relation_of_query(query.this, around, outer, scope.environment)
    around.gap(line_of(query), f"{query.key.upper()} is not understood as a query")
    return Relation()


def _whole(scope: QueryScope) -> Relation:
    opens = tuple(dict.fromkeys(table for source in scope.open for table in source.relation.open))
    return Relation(tuple(scope.row), opens, shaped=frozenset(scope.shaped), reads=frozenset(scope.reads))


def _bracketed(query: exp.Expr, scope: QueryScope) -> Relation:
    """A query in brackets, perhaps with an ORDER BY of its own, or with more joined to it."""
    if query.args.get("joins") or query.args.get("pivots") or not isinstance(query.unnest(), exp.Query):
        return _whole(item_scope(query, scope))
    return relation_in_brackets(query, scope)


def relation_in_brackets(query: exp.Expr, scope: QueryScope) -> Relation:
    """What is in the brackets of a subquery and its own ORDER BY, without what is joined to it or pivoted."""
    scope = QueryScope(scope.around, scope.outer, scope.environment)
    scope.environment = environment_of(query.args.get("with_"), scope)
    relation = relation_of_query(query.this, scope.around, scope.outer, scope.environment)
    return ordered_by(query, relation, scope)


def environment_of(with_: exp.Expr | None, scope: QueryScope) -> CteEnvironment | None:
    """The CTEs of a WITH. Each is read lazily: an unused one leaves nothing."""
    environment = scope.environment
    if with_ is None:
        return environment
    recursive = bool(with_.args.get("recursive")) or scope.around.dialect in ("tsql", "oracle", "bigquery")
    ctes = [cte for cte in with_.expressions if isinstance(cte, exp.CTE)]
    at_once = _read_ctes(with_, ctes) if len(ctes) > _MANY else ()
    for cte in ctes:
        made = _Cte(cte, scope, environment, recursive)
        environment = CteEnvironment({_cte_name(cte).lower(): made}, environment)
        made.itself = environment
        if id(cte) in at_once:
            made()
    return environment


def _read_ctes(with_: exp.Expr, ctes: Sequence[exp.CTE]) -> frozenset[int]:
    """Those that something reads. Of many that build on each other each is read before the next, so that they need not
    be read inside one another."""
    body = with_.parent
    if body is None:
        return frozenset()
    needed = {name_of(node.this).lower() for node in body.walk(prune=lambda node: node is with_) if _is_name(node)}
    found = set()
    for cte in reversed(ctes):
        if _cte_name(cte).lower() in needed:
            found.add(id(cte))
            needed |= {name_of(table.this).lower() for table in cte.this.find_all(exp.Table) if _is_name(table)}
    return frozenset(found)


def _is_name(node: exp.Expr) -> bool:
    return isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier)


def _cte_name(cte: exp.Expr) -> str:
    alias = cte.args.get("alias")
    return name_of(alias.this) if alias is not None and alias.this is not None else ""


class _Cte:
    """One CTE; called by its readers. `itself`: the names visible to it if it is recursive, including its own."""

    def __init__(self, cte: exp.Expr, scope: QueryScope, before: CteEnvironment | None, recursive: bool) -> None:
        self.cte = cte
        self.scope = scope
        self.before = before
        self.recursive = recursive
        self.itself: CteEnvironment | None = None
        self.read: Relation | None = None
        self.reading = False

    def __call__(self) -> Relation:
        if self.read is None:
            self.read = self._make()
        return self.read

    def _make(self) -> Relation:
        name, line = _cte_name(self.cte), line_of(self.cte.args.get("alias"))
        around = self.scope.around
        query = self.cte.this
        if self.recursive and _reads(query, name):
            return self._recursive(query, name, line)
        relation = relation_of_query(query, around, self.scope.outer, self.before)
        relation = rename(relation, self._names(), self.scope, self.cte)
        return relation if name.startswith("__tmp") else around.between(name, OutputKind.CTE, relation, line)

    def _names(self) -> tuple[str, ...]:
        alias = self.cte.args.get("alias")
        return tuple(name_of(one) for one in (alias.args.get("columns") or ())) if alias is not None else ()

    def _recursive(self, query: exp.Expr, name: str, line: int) -> Relation:
        """Each iteration reads from the one before; the first defines the names."""
        around = self.scope.around
        target = around.new_id(name, line)
        names = self._names() or self._first_names(query)
        itself = relation_of(target, names)
        environment = CteEnvironment({name.lower(): lambda: itself}, self.before)
        relation = relation_of_query(query, around, self.scope.outer, environment)
        relation = rename(relation, () if relation.open else names or (), self.scope, self.cte)
        return around.between(name, OutputKind.CTE, relation, line, target)

    def _first_names(self, query: exp.Expr) -> tuple[str, ...] | None:
        """The columns of the branch that starts a recursion; None: they are not known."""
        first = query
        while isinstance(first, exp.SetOperation | exp.Subquery | exp.Paren):
            first = first.this
        quiet = QueryScope(_ProbeContext(self.scope.around), self.scope.outer, self.before)
        relation = relation_of_query(
            first, quiet.around, self.scope.outer, environment_of(query.args.get("with_"), quiet)
        )
        return None if relation.open else relation.names


class _ProbeContext:
    """Reads a query without recording anything."""

    def __init__(self, around: SessionContext) -> None:
        self.around = around
        self.dialect = around.dialect
        self.reader = around.reader
        self.table = around.table
        self.new_id = around.new_id
        self.function = around.function
        self.variable = around.variable
        self.type_of = around.type_of

    def between(self, label: str, made: OutputKind, relation: Relation, line: int, target: str = "") -> Relation:
        return relation

    def gap(self, line: int, reason: str) -> None:
        """Reported when the query is really read."""


def _reads(query: exp.Expr, name: str) -> bool:
    wanted = name.lower()
    return any(table.name.lower() == wanted and not table.args.get("db") for table in query.find_all(exp.Table))


def _set_operation(query: exp.Expr, scope: QueryScope) -> Relation:
    """A chain of set operations leans to the left, and may be long: it is unrolled, not walked by recursion."""
    steps: list[exp.Expr] = []
    first = query
    environment = scope.environment
    while isinstance(first, exp.SetOperation):
        if first is not query and (first.args.get("with_") is not None or _has_order(first)):
            break
        steps.append(first)
        first = first.this
    left = relation_of_query(first, scope.around, scope.outer, environment)
    branches = [left]
    for step in reversed(steps):
        right = relation_of_query(step.expression, scope.around, scope.outer, environment)
        if isinstance(step, exp.Union) and not step.args.get("distinct") and not step.args.get("by_name"):
            branches.append(right)
            continue
        left = _combined(_stacked(branches, scope, step) if len(branches) > 1 else branches[0], right, step, scope)
        branches = [left]
    return _stacked(branches, scope, query) if len(branches) > 1 else branches[0]


def _has_order(node: exp.Expr) -> bool:
    return any(node.args.get(clause) is not None for clause in ("order", "limit", "offset"))


def _combined(left: Relation, right: Relation, step: exp.Expr, scope: QueryScope) -> Relation:
    if isinstance(step, exp.Except):
        gone = {(source, IndirectType.FILTER) for column in right.columns for source in column.value.sources}
        return replace(left, shaped=left.shaped | right.shaped | gone, reads=left.reads | right.reads)
    both = _by_name([left, right], scope) if step.args.get("by_name") else _stacked([left, right], scope, step)
    if isinstance(step, exp.Union) and step.args.get("distinct"):
        keys = {(source, IndirectType.GROUP_BY) for column in both.columns for source in column.value.sources}
        return replace(both, shaped=both.shaped | keys)
    return both


def _stacked(branches: Sequence[Relation], scope: QueryScope, node: exp.Expr) -> Relation:
    first = branches[0]
    opens = dict.fromkeys(table for branch in branches for table in branch.open)
    if opens and any(branch.columns for branch in branches):
        reason = "are not known, so the branches of a UNION cannot be matched by position; give them with --schema"
        scope.around.gap(line_of(node), f"the columns of {' and '.join(opens)} {reason}")
        if first.open:
            return replace(_gathered(branches, first.columns), open=first.open)
        branches = [replace(branch, open=(), columns=() if branch.open else branch.columns) for branch in branches]
        known = [branch for branch in branches if branch.columns]
        return _gathered(branches, _side_by_side(known, scope))
    widths = {len(branch.columns) for branch in branches}
    if len(widths) > 1:
        counts = " and ".join(str(width) for width in sorted(widths))
        scope.around.gap(line_of(node), f"the branches of a set operation have {counts} columns")
    return _gathered(branches, _side_by_side(branches, scope))


def _side_by_side(branches: Sequence[Relation], scope: QueryScope) -> list[RelationColumn]:
    columns = []
    for place, column in enumerate(branches[0].columns):
        values = [branch.columns[place].value for branch in branches if place < len(branch.columns)]
        columns.append(RelationColumn(column.name, unioned(values, scope.around)))
    return columns


def _by_name(branches: Sequence[Relation], scope: QueryScope) -> Relation:
    names: dict[str, str] = {}
    for branch in branches:
        for column in branch.columns:
            names.setdefault(column.name.lower(), column.name)
    columns = []
    for name in names.values():
        values = [value for branch in branches if (value := branch.value(name)) is not None]
        columns.append(RelationColumn(name, unioned(values, scope.around)))
    return _gathered(branches, columns)


def _gathered(branches: Sequence[Relation], columns: Sequence[RelationColumn]) -> Relation:
    opens = dict.fromkeys(table for branch in branches for table in branch.open)
    return Relation(
        tuple(columns),
        tuple(opens),
        frozenset().union(*(branch.without for branch in branches)),
        frozenset().union(*(branch.shaped for branch in branches)),
        frozenset().union(*(branch.reads for branch in branches)),
    )
