"""PIVOT and UNPIVOT."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from sqlglot import exp

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.sql.columns import column_value
from forge.lineage.extract.sql.context import type_of_value
from forge.lineage.extract.sql.generate import stepped
from forge.lineage.extract.sql.nested_type import plain
from forge.lineage.extract.sql.output_name import output_name
from forge.lineage.extract.sql.scope import QueryScope, line_of, name_of
from forge.lineage.extract.sql.text import text_of
from forge.lineage.extract.sql.union import unioned
from forge.lineage.extract.value import NOTHING, ColumnValue, SourceTrace


def pivoted(pivot: exp.Expr, scope: QueryScope) -> Relation:
    """The pivoted FROM item. `scope`: over that alone."""
    return _unpivot(pivot, scope) if pivot.args.get("unpivot") else _pivot(pivot, scope)


def _pivot(pivot: exp.Expr, scope: QueryScope) -> Relation:
    if pivot.args.get("using"):
        return _simple(pivot, scope)
    aggregates = list(pivot.expressions)
    fields = [field for field in pivot.args.get("fields") or () if isinstance(field, exp.In)]
    keys = [key for field in fields for key in _members(field.this)]
    used = _used(aggregates, keys)
    rest = [column for column in scope.row if column.name.lower() not in used]
    for column in rest:
        scope.shape(column.value.sources, IndirectType.GROUP_BY)
    key_values = [scope.value(key) for key in keys]
    values = [scope.value(_inner(one)) for one in aggregates]
    if all(_fits(_inner(one), scope) for one in aggregates):
        for value in key_values:
            scope.shape(value.sources, IndirectType.GROUP_BY)
    made: list[RelationColumn] = []
    names = _pivot_names(pivot, fields, aggregates, scope)
    for place, name in enumerate(names):
        aggregate, value = aggregates[place % len(aggregates)], values[place % len(aggregates)]
        text = text_of(_inner(aggregate), scope.around.dialect)
        decided = stepped(key_values, SourceTrace(Transformation.AGGREGATION, text))
        made.append(RelationColumn(name, ColumnValue({**decided.sources, **value.sources})))
    if not names:
        scope.around.gap(line_of(pivot), "the columns that PIVOT makes are not written in it, so they are not known")
    return _relation(scope, (*rest, *made), used)


def _relation(scope: QueryScope, columns: Iterable[RelationColumn], without: Iterable[str]) -> Relation:
    opens = tuple(dict.fromkeys(table for source in scope.open for table in source.relation.open))
    gone = frozenset(without).union(*(source.relation.without for source in scope.open))
    return Relation(tuple(columns), opens, gone, frozenset(scope.shaped), frozenset(scope.reads))


def _used(aggregates: Sequence[exp.Expr], keys: Sequence[exp.Expr]) -> set[str]:
    return {column.name.lower() for one in (*aggregates, *keys) for column in one.find_all(exp.Column)}


def _members(node: exp.Expr) -> list[exp.Expr]:
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node]


def _inner(node: exp.Expr) -> exp.Expr:
    inner: exp.Expr = node.this if isinstance(node, exp.Alias | exp.PivotAlias) else node
    return inner


_IN_ARRAYS = ("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


def _fits(aggregate: exp.Expr, scope: QueryScope) -> bool:
    """Whether Spark groups by the pivot column first: it does where the result is a number."""
    if isinstance(aggregate, exp.Sum | exp.Avg | exp.Count):
        return True
    if not isinstance(aggregate.this, exp.Column):
        return True
    type_ = plain(type_of_value(column_value(aggregate.this, scope)[1], scope.around))
    return not type_ or type_.startswith(_IN_ARRAYS)


def _pivot_names(
    pivot: exp.Expr, fields: Sequence[exp.Expr], aggregates: Sequence[exp.Expr], scope: QueryScope
) -> list[str]:
    dialect = scope.around.dialect
    if any(field.args.get("query") or field.args.get("field") for field in fields):
        return []
    listed = [[_value_name(one, dialect) for one in field.expressions] for field in fields]
    if not listed or any(not names or "" in names for names in listed):
        return []
    heads = ["_".join(names) for names in product(*listed)]
    written = pivot.args.get("columns") or ()
    if not _is_spark(dialect) and len(written) == len(heads) * len(aggregates):
        return [name_of(one) for one in written]
    if len(aggregates) == 1:
        return heads
    tails = [output_name(one, dialect) for one in aggregates]
    return [f"{head}_{tail}" for head in heads for tail in tails]


def _is_spark(dialect: str) -> bool:
    return dialect.startswith(("spark", "databricks", "hive"))


def _value_name(node: exp.Expr, dialect: str) -> str:
    """Empty: it is not written out."""
    if isinstance(node, exp.PivotAlias | exp.Alias):
        alias = node.args["alias"]
        return name_of(alias) if isinstance(alias, exp.Identifier) else str(alias.name)
    if isinstance(node, exp.Tuple):
        names = [_value_name(one, dialect) for one in node.expressions]
        return "{" + ", ".join(names) + "}" if _is_spark(dialect) else "_".join(names)
    if isinstance(node, exp.Column):
        return name_of(node.this)
    if isinstance(node, exp.Literal | exp.Boolean | exp.Null | exp.Neg):
        return str(node.name) if isinstance(node, exp.Literal) else text_of(node, dialect).lower()
    return "" if isinstance(node, exp.Query | exp.Any) else text_of(node, dialect)


def _simple(pivot: exp.Expr, scope: QueryScope) -> Relation:
    """DuckDB's `PIVOT t ON a USING sum(b) GROUP BY c`: the values of `a` are not known, unless they are listed."""
    aggregates = list(pivot.args["using"])
    keys = [_inner(one.this if isinstance(one, exp.In) else one) for one in pivot.expressions]
    group = pivot.args.get("group")
    used = _used(aggregates, keys)
    rest = [column for column in scope.row if column.name.lower() not in used]
    if group is not None:
        named = [column_value(one, scope) for one in group.expressions if isinstance(one, exp.Column)]
        rest = [RelationColumn(name, value) for name, value in named]
    for column in rest:
        scope.shape(column.value.sources, IndirectType.GROUP_BY)
    lists = [one for one in pivot.expressions if isinstance(one, exp.In)]
    names = _pivot_names(pivot, lists, aggregates, scope) if len(lists) == len(keys) else []
    if not names:
        scope.around.gap(line_of(pivot), "the columns that PIVOT makes depend on the data; list them with IN (…)")
    key_values = [scope.value(key) for key in keys]
    for value in key_values:
        scope.shape(value.sources, IndirectType.GROUP_BY)
    made = []
    for place, name in enumerate(names):
        aggregate = _inner(aggregates[place % len(aggregates)])
        trace = SourceTrace(Transformation.AGGREGATION, text_of(aggregate, scope.around.dialect))
        value = scope.value(aggregate)
        made.append(RelationColumn(name, ColumnValue({**stepped(key_values, trace).sources, **value.sources})))
    return Relation((*rest, *made), shaped=frozenset(scope.shaped), reads=frozenset(scope.reads))


def _unpivot(pivot: exp.Expr, scope: QueryScope) -> Relation:
    into = pivot.args.get("into")
    if into is not None:
        name = name_of(into.this.this) if isinstance(into.this, exp.Column) else into.this.name
        values = [one.name.lower() for one in into.expressions]
        groups = [[one] for one in pivot.expressions]
    else:
        field = (pivot.args.get("fields") or [None])[0]
        if field is None:
            scope.around.gap(line_of(pivot), "UNPIVOT without a list of columns is not understood")
            return _relation(scope, scope.row, ())
        name = name_of(field.this.this if isinstance(field.this, exp.Column) else field.this)
        values = [_plain_name(one) for part in pivot.expressions for one in _members(part)]
        groups = [_members(_inner(one)) for one in field.expressions]
    used = {column.name.lower() for group in groups for one in group for column in one.find_all(exp.Column)}
    rest = [column for column in scope.row if column.name.lower() not in used]
    made = [RelationColumn(name, NOTHING)]
    for place, value_name in enumerate(values):
        cells = [scope.value(group[place]) for group in groups if place < len(group)]
        different = list({id(cell): cell for cell in cells}.values())
        value = unioned(different, scope.around) if len(different) > 1 else different[0] if different else NOTHING
        if not pivot.args.get("include_nulls"):
            scope.shape(value.sources, IndirectType.FILTER)
        made.append(RelationColumn(value_name, value))
    if pivot.args.get("value_columns_first"):
        made = [*made[1:], made[0]]
    return _relation(scope, (*rest, *made), used)


def _plain_name(node: exp.Expr) -> str:
    return name_of(node.this if isinstance(node, exp.Column) else node)
