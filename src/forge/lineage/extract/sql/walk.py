"""Walks an expression from its root, accumulating the transformation that applies to the operands below."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlglot import exp

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.sql import calls
from forge.lineage.extract.sql.columns import column_value, numbered_value
from forge.lineage.extract.sql.kinds import kind_of
from forge.lineage.extract.sql.parts import bracket, dotted, is_same_cast
from forge.lineage.extract.sql.scope import QueryScope, line_of, name_of
from forge.lineage.extract.sql.star import by_pattern, is_star, star_columns
from forge.lineage.extract.sql.text import text_of
from forge.lineage.extract.value import ColumnValue, SourceTrace, add, compose, stronger
from forge.model.names import ColumnName

_IDENTITY, _WINDOW, _AGGREGATION = Transformation.IDENTITY, Transformation.WINDOW, Transformation.AGGREGATION

Waiting = list[tuple[exp.Expr, Transformation, bool]]


class ExpressionWalk:
    """`text`: the expression to display; if None, the root of the walk, rendered on demand."""

    def __init__(self, root: exp.Expr, scope: QueryScope, text: str | None = None) -> None:
        self.root = root
        self.scope = scope
        self.found: dict[ColumnName, SourceTrace] = {}
        self.waiting: Waiting = []
        self._steps: dict[tuple[Transformation, bool], SourceTrace] = {}
        self._text = text

    def run(self) -> ColumnValue:
        waiting = self.waiting
        waiting.append((self.root, _IDENTITY, False))
        while waiting:
            node, step, masked = waiting.pop()
            handler = _HANDLERS.get(type(node))
            if handler is not None:
                handler(self, node, step, masked)
            else:
                self.descend(node, step, masked)
        return ColumnValue(self.found)

    @property
    def text(self) -> str:
        if self._text is None:
            self._text = text_of(self.root, self.scope.around.dialect)
        return self._text

    def descend(self, node: exp.Expr, step: Transformation, masked: bool) -> None:
        kind, masks = kind_of(node)
        self.push(node.iter_expressions(), stronger(step, kind), masked or masks)

    def push(self, nodes: Iterable[exp.Expr | None], step: Transformation, masked: bool) -> None:
        self.waiting.extend((node, step, masked) for node in nodes if node is not None)

    def take(self, value: ColumnValue, step: Transformation, masked: bool) -> None:
        if step is _IDENTITY and not masked:
            for source, trace in value.sources.items():
                add(self.found, source, trace)
            return
        if not value.sources:
            return
        outer = self._steps.get((step, masked))
        if outer is None:
            outer = self._steps[step, masked] = SourceTrace(step, self.text, masked)
        for source, trace in value.sources.items():
            add(self.found, source, compose(trace, outer))


Handler = Callable[[ExpressionWalk, exp.Expr, Transformation, bool], None]


def _leaf(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    """Nothing below it is a column."""


def _column(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    if isinstance(node.this, exp.Star):
        _star(walk, node, step, masked)
    elif (named := by_pattern(node, walk.scope)) is not None:
        for column in named:
            walk.take(column.value, step, masked)
    else:
        walk.take(column_value(node, walk.scope)[1], step, masked)


def _star(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    for column in star_columns(node, walk.scope):
        walk.take(column.value, stronger(step, Transformation.TRANSFORMATION), masked)


def _count(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    """`count(*)` counts rows, whatever is in them."""
    inside = [inner for inner in node.iter_expressions() if not isinstance(inner, exp.Star)]
    walk.push(inside, stronger(step, _AGGREGATION), masked)


def _dot(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    if is_star(node):
        _star(walk, node, step, masked)
        return
    if isinstance(node.expression, exp.Func):
        calls.call(walk, node.expression, step, masked, ".".join((*_names(node.this), node.expression.name)))
        return
    value = dotted(node, walk.scope)
    if value is None:
        walk.descend(node, step, masked)
    else:
        walk.take(value, step, masked)


def _names(node: exp.Expr) -> list[str]:
    return [inner.name for inner in node.find_all(exp.Identifier, bfs=False)]


def _bracketed(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    value = bracket(node, walk.scope)
    if value is None:
        walk.descend(node, step, masked)
    else:
        walk.take(value, step, masked)


def _query(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    """The value of a subquery is what it selects; where tuples are compared, all of its columns."""
    for column in walk.scope.subquery(node).columns:
        walk.take(column.value, step, masked)


def _exists(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    """What an EXISTS selects does not matter, only whether there is a row."""
    if isinstance(node.this, exp.Query):
        walk.scope.subquery(node.this)
    else:
        walk.descend(node, step, masked)


def _cast(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    if is_same_cast(node, walk.scope):
        walk.push((node.this,), step, masked)
    else:
        walk.push((node.this,), stronger(step, Transformation.TRANSFORMATION), masked)


def _filtered(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    """FILTER (WHERE …) and WITHIN GROUP (ORDER BY …) belong to their aggregate."""
    walk.push((node.this,), step, masked)
    walk.push((node.expression,), stronger(step, _AGGREGATION), masked)


def _window(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    if node.args.get("over") == "KEEP":
        _kept(walk, node, step, masked)
        return
    step = stronger(step, _WINDOW)
    function = node.this
    while isinstance(function, exp.IgnoreNulls | exp.RespectNulls | exp.Filter | exp.WithinGroup):
        if isinstance(function, exp.Filter | exp.WithinGroup):
            walk.push((function.expression,), step, masked)
        function = function.this
    # The function itself is not one more step: sum(amount) OVER (…) is a window, no aggregation.
    arguments = [inner for inner in function.iter_expressions() if not isinstance(inner, exp.Star)]
    walk.push(arguments, step, masked)
    keys = window_keys(node, walk.scope)
    walk.scope.shape_by(keys, IndirectType.WINDOW)
    walk.push(keys, step, masked)


def _kept(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    """Oracle's `max(a) KEEP (DENSE_RANK LAST ORDER BY b)` is an aggregate that takes some rows."""
    walk.push((node.this, node.args.get("order")), stronger(step, _AGGREGATION), masked)


def window_keys(window: exp.Expr, scope: QueryScope) -> list[exp.Expr]:
    """PARTITION BY and ORDER BY, also those of the named windows it is built on."""
    keys: list[exp.Expr] = []
    seen: set[str] = set()
    here: exp.Expr | None = window
    while here is not None:
        keys.extend(here.args.get("partition_by") or ())
        order, spec = here.args.get("order"), here.args.get("spec")
        keys.extend(part for part in (order, spec) if part is not None)
        base = here.args.get("alias")
        name = base.name.lower() if base is not None else ""
        if not name or name in seen:
            break
        seen.add(name)
        here = _named_window(name, scope)
        if here is None:
            scope.around.gap(line_of(window), f"window {name} is not defined")
    return keys


def _named_window(name: str, scope: QueryScope) -> exp.Expr | None:
    here: QueryScope | None = scope
    while here is not None:
        if name in here.windows:
            return here.windows[name]
        here = here.outer
    return None


def _lambda(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    """sqlglot writes the parameters in a lambda's body as bare names, so all columns in it are columns."""
    walk.push((node.this,), step, masked)


def _second(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    """`name => value`, `name: value`: the name is no column."""
    walk.push((node.expression,), step, masked)


def _parameter(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    value = walk.scope.around.variable("@" + node.name)
    if value is None and node.name.isdigit() and walk.scope.around.dialect == "snowflake":
        value = numbered_value(int(node.name), (), walk.scope)
    if value is not None:
        walk.take(value, step, masked)


def _comprehension(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    """`[f(x) FOR x IN list IF g(x)]`"""
    scope = walk.scope
    items = scope.value(node.args["iterator"])
    name = node.expression
    inner = QueryScope.over((("", Relation((RelationColumn(name_of(name), items),))),), scope.around, scope)
    for part in (node.this, node.args.get("condition")):
        if part is not None:
            walk.take(inner.value(part), stronger(step, Transformation.TRANSFORMATION), masked)
    walk.take(items, stronger(step, Transformation.TRANSFORMATION), masked)
    scope.take_over(inner)


def _called(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    calls.call(walk, node, step, masked, node.name)


def _listed(walk: ExpressionWalk, node: exp.Expr, step: Transformation, masked: bool) -> None:
    """`ARRAY(SELECT …)` gathers many rows in one value."""
    if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Query):
        walk.push(node.expressions, stronger(step, _AGGREGATION), masked)
    else:
        walk.descend(node, step, masked)


_HANDLERS: dict[type[exp.Expr], Handler] = {
    **dict.fromkeys(
        (
            exp.Literal,
            exp.Identifier,
            exp.DataType,
            exp.Var,
            exp.Null,
            exp.Boolean,
            exp.Placeholder,
            exp.JSONPath,
            exp.Grouping,
            exp.GroupingId,
            exp.NextValueFor,
            exp.SessionParameter,
        ),
        _leaf,
    ),
    exp.Column: _column,
    exp.Star: _star,
    exp.Count: _count,
    exp.Dot: _dot,
    exp.Bracket: _bracketed,
    exp.Select: _query,
    exp.Subquery: _query,
    exp.Union: _query,
    exp.Except: _query,
    exp.Intersect: _query,
    exp.Exists: _exists,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Filter: _filtered,
    exp.WithinGroup: _filtered,
    exp.Window: _window,
    exp.Lambda: _lambda,
    exp.Kwarg: _second,
    exp.PropertyEQ: _second,
    exp.Parameter: _parameter,
    exp.Comprehension: _comprehension,
    exp.Anonymous: _called,
    exp.Array: _listed,
}
