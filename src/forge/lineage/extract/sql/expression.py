"""Sources of an expression."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from forge.lineage.extract.sql import calls
from forge.lineage.extract.sql.columns import column_value
from forge.lineage.extract.sql.nested_type import parsed_type
from forge.lineage.extract.sql.parts import bracket, cast_value, dotted, struct
from forge.lineage.extract.sql.scope import QueryScope
from forge.lineage.extract.sql.walk import ExpressionWalk
from forge.lineage.extract.value import NOTHING, ColumnValue, Sources


def value_of_expression(expression: exp.Expr, scope: QueryScope) -> ColumnValue:
    root = expression
    while type(root) in (exp.Alias, exp.Paren):
        root = root.this
    cls = type(root)
    if cls is exp.Column and not isinstance(root.this, exp.Star):
        return column_value(root, scope)[1]
    if cls is exp.Dot:
        found = dotted(root, scope)
        if found is not None:
            return found
    elif cls is exp.Struct or (cls is exp.Tuple and scope.around.dialect.startswith(("spark", "databricks"))):
        return struct(root, scope)
    elif isinstance(root, exp.Query):
        return _scalar(root, scope)
    elif isinstance(root, exp.Cast):
        found = cast_value(root, scope)
        if found is not None:
            return found
    elif cls is exp.Bracket:
        found = bracket(root, scope)
        if found is not None:
            return found
    elif cls is exp.Anonymous and calls.is_time_window(root):
        return calls.time_window(ExpressionWalk(root, scope).run(), scope)
    elif cls is exp.FromJson and isinstance(root.expression, exp.Literal):
        return replace(ExpressionWalk(root, scope).run(), type=parsed_type(root.expression.name))
    return ExpressionWalk(root, scope).run()


def sources_of_expression(expression: exp.Expr, scope: QueryScope) -> Sources:
    """What is used in a condition, a key or an order, whatever is done to it there."""
    root = expression
    while type(root) in (exp.Where, exp.Having, exp.Qualify, exp.Ordered, exp.Paren):
        root = root.this
    if isinstance(root, exp.Column | exp.Dot | exp.Query | exp.Anonymous):
        return value_of_expression(root, scope).sources
    return ExpressionWalk(root, scope, "").run().sources


def _scalar(root: exp.Expr, scope: QueryScope) -> ColumnValue:
    relation = scope.subquery(root)
    return relation.columns[0].value if relation.columns else NOTHING
