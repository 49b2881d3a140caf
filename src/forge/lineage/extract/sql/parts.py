"""Composite values: structs, their fields, and access to them."""

from __future__ import annotations

from sqlglot import exp

from forge.lineage.edge import Transformation
from forge.lineage.extract.sql.columns import column_value
from forge.lineage.extract.sql.context import type_of_value
from forge.lineage.extract.sql.fields import field_of
from forge.lineage.extract.sql.nested_type import plain
from forge.lineage.extract.sql.scope import QueryScope, name_of
from forge.lineage.extract.sql.star import is_star, star_columns
from forge.lineage.extract.sql.text import text_of
from forge.lineage.extract.value import NOTHING, ColumnValue, SourceTrace, add, compose, through
from forge.model.names import ColumnName


def dotted(root: exp.Expr, scope: QueryScope) -> ColumnValue | None:
    """A field of something, however deep; None: it is a qualified function name."""
    names: list[str] = []
    node = root
    while type(node) is exp.Dot:
        last = node.expression
        if not isinstance(last, exp.Identifier):
            return None
        names.append(name_of(last))
        node = node.this
    path = tuple(reversed(names))
    while type(node) is exp.Paren:
        node = node.this
    if type(node) is exp.Column:
        return column_value(node, scope, path)[1]
    if isinstance(node, exp.Identifier):
        return NOTHING  # a lambda parameter: its argument is a source already
    return field_of(scope.value(node), path, scope.around)


def bracket(root: exp.Expr, scope: QueryScope) -> ColumnValue | None:
    """`s['a']` of a struct is its field; of an array or a map (None) it is a part of the whole."""
    key = root.expressions[0] if len(root.expressions) == 1 else None
    if not isinstance(key, exp.Literal) or not key.is_string or isinstance(root.this, exp.Identifier):
        return None
    value = scope.value(root.this)
    is_struct = value.members or type_of_value(value, scope.around).lower().startswith(("struct", "row"))
    return field_of(value, (key.name,), scope.around) if is_struct else None


def struct(root: exp.Expr, scope: QueryScope) -> ColumnValue:
    """Duplicate field names are ambiguous, so such a struct has no fields."""
    members: list[tuple[str, ColumnValue]] = []
    for place, inner in enumerate(root.expressions, 1):
        if is_star(inner):
            members.extend((column.name, column.value) for column in star_columns(inner, scope))
        elif isinstance(inner, exp.PropertyEQ):
            members.append((name_of(inner.this), scope.value(inner.expression)))
        elif isinstance(inner, exp.Alias):
            members.append((name_of(inner.args["alias"]), scope.value(inner.this)))
        else:
            name = inner.name if isinstance(inner, exp.Column | exp.Dot) else f"col{place}"
            members.append((name, scope.value(inner)))
    outer = SourceTrace(Transformation.TRANSFORMATION, f"STRUCT({', '.join(name for name, _ in members)})")
    found: dict[ColumnName, SourceTrace] = {}
    for _, member in members:
        for source, trace in member.sources.items():
            add(found, source, compose(trace, outer))
    named = {name.lower() for name, _ in members}
    return ColumnValue(found, dict(members) if len(named) == len(members) else {})


def cast_value(root: exp.Expr, scope: QueryScope) -> ColumnValue | None:
    """A cast that changes nothing, or that gives the fields of a struct other names; None: any other."""
    if is_same_cast(root, scope):
        return scope.value(root.this)
    names = [one.name for one in root.args["to"].expressions if isinstance(one, exp.ColumnDef)]
    if not names or not isinstance(root.this, exp.Struct | exp.Column):
        return None
    value = scope.value(root.this)
    if len(value.members) != len(names):
        return None
    outer = SourceTrace(Transformation.TRANSFORMATION, text_of(root, scope.around.dialect))
    members = {name: through(member, outer) for name, member in zip(names, value.members.values(), strict=True)}
    return ColumnValue(through(value, outer).sources, members)


def is_same_cast(cast: exp.Expr, scope: QueryScope) -> bool:
    """A cast to the type the column has already."""
    inner = cast.this
    if type(inner) is not exp.Column or isinstance(inner.this, exp.Star):
        return False
    type_ = type_of_value(column_value(inner, scope)[1], scope.around)
    to = cast.args["to"]
    return bool(type_) and plain(type_) in (plain(to.sql(scope.around.dialect)), plain(to.sql()))
