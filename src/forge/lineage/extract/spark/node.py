"""What each node of Spark's analysed plan does with columns: one function per node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from forge.lineage.edge import Indirect, Transformation
from forge.lineage.extract.spark.expand import Cell, find_rows
from forge.lineage.extract.spark.expression import Surroundings, sources_of, value_of
from forge.lineage.extract.spark.text import render
from forge.lineage.extract.spark.tree import Node, id_of, object_name, parts_of
from forge.lineage.extract.value import NOTHING, Trace, Value, add, opaque, stronger, union
from forge.model.names import ColumnName

_MOST_LINKS = 50_000
"""Between the columns that go into unreadable code and those that come out. Above it, only the tables are linked."""


@dataclass(frozen=True, slots=True)
class Relation:
    """The output of a node: its columns in order (expression id, name), and what each id stands for."""

    columns: tuple[tuple[int, str], ...]
    values: Mapping[int, Value]

    @classmethod
    def by_position(cls, attributes: Sequence[Node], values: Sequence[Value]) -> Relation:
        columns = tuple(named(attribute) for attribute in attributes)
        filled = (*values, *(NOTHING for _ in range(len(columns) - len(values))))
        return cls(columns, {column[0]: value for column, value in zip(columns, filled, strict=False)})

    def output(self) -> list[tuple[str, Value]]:
        return [(name, self.values.get(expression_id, NOTHING)) for expression_id, name in self.columns]


class Plan(Surroundings, Protocol):
    """The walk, as its nodes see it. `text`: of the whole plan, where the caller has it."""

    text: str

    def lateral(self, plan: Sequence[Any], columns: Mapping[int, Value]) -> Relation: ...
    def is_named(self, leaf: Node) -> bool: ...
    def table(self, catalog_name: str | None, kind: str, first: int | None) -> str | None: ...


Handler = Callable[[Plan, Node, Node | None, list[Relation]], Relation]


def named(expression: Node) -> tuple[int, str]:
    if expression.kind == "OuterReference":
        expression = expression.expression("e") or expression
    found = id_of(expression)
    if found is None:
        found = id_of(expression, "resultId")
    # Every named expression has an id; a made-up one keeps positions right where a new kind does not.
    return (-id(expression) if found is None else found), expression.text("name") or render(expression)


def shape(plan: Plan, expressions: Iterable[Node], relation: Relation, how: Indirect) -> None:
    for expression in expressions:
        plan.shaped_by(sources_of(expression, relation.values, plan), how)


def project(plan: Plan, expressions: Sequence[Node], child: Relation) -> Relation:
    return Relation.by_position(expressions, [value_of(e, child.values, plan) for e in expressions])


def both(left: Relation, right: Relation) -> Relation:
    return Relation(left.columns + right.columns, {**left.values, **right.values})


def _table(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    catalog_name = None
    if parent is not None and parent.kind == "SubqueryAlias":
        alias = parent.fields.get("identifier") or {}
        qualifier = parts_of(alias.get("qualifier"))
        catalog_name = ".".join((*qualifier, alias["name"])) if qualifier else None
    attributes = node.expressions("output")
    table = plan.table(catalog_name, node.kind, id_of(attributes[0]) if attributes else None)
    if table is None:
        return Relation.by_position(attributes, ())
    names = [attribute.text("name") for attribute in attributes]
    return Relation.by_position(
        attributes, [Value({ColumnName(table, name): Trace(Transformation.IDENTITY, name)}) for name in names]
    )


def _literals(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    return Relation.by_position(node.expressions("output"), ())


def _rdd(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    if plan.is_named(node):
        return _table(plan, node, parent, children)
    plan.gap("rows made in Python, from an RDD or by a checkpoint: what they come from is not in the plan")
    return _literals(plan, node, parent, children)


def _same(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    return children[0]


def _with_cte(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    return children[-1]


def _project(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    return project(plan, node.expressions("projectList"), children[0])


def _filter(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    condition = node.expression("condition")
    shape(plan, (condition,) if condition else (), children[0], Indirect.FILTER)
    return children[0]


def _join(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    left, right = children
    joined = both(left, right)
    conditions = (node.expression(field) for field in ("condition", "asOfCondition", "orderExpression"))
    shape(plan, (c for c in conditions if c), joined, Indirect.JOIN)
    kind = object_name(node.fields.get("joinType"))
    return left if kind in {"LeftSemi", "LeftAnti"} else joined


def _lateral_join(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    subquery, condition = node.expression("right"), node.expression("condition")
    inner = subquery.fields.get("plan") if subquery else None
    if not isinstance(inner, list):
        plan.gap("the plan inside LateralJoin is not in the plan's JSON")
        return children[0]
    joined = both(children[0], plan.lateral(inner, children[0].values))
    shape(plan, (condition,) if condition else (), joined, Indirect.JOIN)
    return joined


def _aggregate(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    shape(plan, node.expressions("groupingExpressions"), children[0], Indirect.GROUP_BY)
    return project(plan, node.expressions("aggregateExpressions"), children[0])


def _window(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    child = children[0]
    shape(plan, node.expressions("partitionSpec") + node.expressions("orderSpec"), child, Indirect.WINDOW)
    return both(child, project(plan, node.expressions("windowExpressions"), child))


def _sort(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    shape(plan, node.expressions("order"), children[0], Indirect.SORT)
    return children[0]


def _deduplicate(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    shape(plan, node.expressions("keys"), children[0], Indirect.GROUP_BY)
    return children[0]


def _distinct(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    """DISTINCT is GROUP BY all columns."""
    for _, value in children[0].output():
        plan.shaped_by(value.sources, Indirect.GROUP_BY)
    return children[0]


def _union(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    if len(children) == 1:
        return children[0]
    columns = children[0].columns
    stacked = zip(*([value for _, value in child.output()] for child in children), strict=False)
    return Relation(columns, {column[0]: union(values) for column, values in zip(columns, stacked, strict=False)})


def _except(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    """No value of the right side arrives; it takes rows away."""
    for _, value in children[1].output():
        plan.shaped_by(value.sources, Indirect.FILTER)
    return children[0]


def _generate(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    child, generator, attributes = children[0], node.expression("generator"), node.expressions("generatorOutput")
    if generator is None:
        return unknown(plan, node, parent, children)
    text = render(generator)
    made = [
        _stepped([value_of(argument, child.values, plan) for argument in arguments], Transformation.GENERATOR, text)
        for arguments in _arguments(generator, len(attributes))
    ]
    return both(child, Relation.by_position(attributes, made))


def _arguments(generator: Node, width: int) -> list[tuple[Node, ...]]:
    """What each column of a generator's output is made from. Only `stack(n, a, b, …)` keeps columns apart."""
    if generator.kind == "Stack" and width:
        cells = generator.children[1:]
        return [cells[position::width] for position in range(width)]
    return [generator.children] * width


def _stepped(values: Iterable[Value], step: Transformation, text: str) -> Value:
    found: dict[ColumnName, Trace] = {}
    for value in values:
        for source, trace in value.sources.items():
            kind = stronger(trace.transformation, step)
            add(found, source, Trace(kind, text, trace.masking, trace.confidence))
    return Value(found)


def _expand(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    """Several rows for each: GROUPING SETS (a key or null) and UNPIVOT (one column's value after the other)."""
    attributes = node.expressions("output")
    written = node.fields.get("projections")
    if isinstance(written, list):
        rows = [project_values(plan, row, children[0]) for row in written]
    else:
        output = [named(attribute)[0] for attribute in attributes]
        found = find_rows(plan.text, output)
        rows = [[_value_of_cell(cell, children[0]) for cell in row] for row in found]
    if not rows:
        return _opaque(plan, node, parent, children)
    made = []
    for cells in zip(*rows, strict=False):
        different = list({id(cell): cell for cell in cells if cell.sources}.values())
        made.append(union(different) if len(different) > 1 else different[0] if different else NOTHING)
    return Relation.by_position(attributes, made)


def _value_of_cell(cell: Cell, child: Relation) -> Value:
    values = [child.values.get(expression_id, NOTHING) for expression_id in cell.ids]
    if cell.is_plain:
        return values[0]
    return _stepped(values, Transformation.TRANSFORMATION, cell.text)


def project_values(plan: Plan, row: Sequence[Any], child: Relation) -> list[Value]:
    cells = Node("Row", {"cells": row}, ()).expressions("cells")
    return [value_of(cell, child.values, plan) for cell in cells]


def _opaque(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    """Code that Spark cannot look into: mapInPandas, applyInPandas, TRANSFORM … USING."""
    attributes = node.expressions("output")
    if children:
        shape(plan, node.expressions("groupingAttributes"), children[0], Indirect.GROUP_BY)
    for length, child in zip(("leftGroupingLen", "rightGroupingLen"), children, strict=False):
        for _, key in child.output()[: node.fields.get(length) or 0]:
            plan.shaped_by(key.sources, Indirect.GROUP_BY)
    function = node.expression("functionExpr") or node.expression("func")
    text = render(function) if function else node.text("script")
    label = f"{node.kind} {text}".strip()
    inputs = [value for child in children for _, value in child.output()]
    value = opaque(inputs, text)
    what = "the plan does not show what each column is made from"
    if len(value.sources) * len(attributes) > _MOST_LINKS:
        plan.gap(f"{label}: {what}, and there are too many columns to link them all")
        return Relation.by_position(attributes, ())
    plan.gap(f"{label}: {what}; every output column is linked to every input column")
    return Relation.by_position(attributes, [value] * len(attributes))


def unknown(plan: Plan, node: Node, parent: Node | None, children: list[Relation]) -> Relation:
    """A node of a kind not listed here. If it says what it puts out, and that is not what went in, it is opaque code;
    if it says nothing, it most likely hands its child on. A column that then cannot be found is reported where used."""
    attributes = node.expressions("output")
    known = {expression_id for child in children for expression_id in child.values}
    if attributes and not children:
        plan.gap(f"{node.kind} is not understood: what its rows come from is not known")
        return Relation.by_position(attributes, ())
    if attributes and not all(id_of(attribute) in known for attribute in attributes):
        return _opaque(plan, node, parent, children)
    if len(children) != 1:
        plan.gap(f"{node.kind} is not understood: its columns are taken from its inputs as they are")
    merged = Relation((), {})
    for child in children:
        merged = both(merged, child)
    return Relation(tuple(named(attribute) for attribute in attributes), merged.values) if attributes else merged


_LEAVES = ("DataSourceV2Relation", "LogicalRelation", "HiveTableRelation", "StreamingRelation", "StreamingRelationV2")

HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_LEAVES, _table),
    **dict.fromkeys(("LocalRelation", "OneRowRelation", "Range", "CommandResult", "EmptyRelation"), _literals),
    **dict.fromkeys(("LogicalRDD", "ExternalRDD"), _rdd),
    **dict.fromkeys(
        (
            "SubqueryAlias",
            "View",
            "GlobalLimit",
            "LocalLimit",
            "Offset",
            "Tail",
            "Sample",
            "Repartition",
            "RepartitionByExpression",
            "RebalancePartitions",
            "ResolvedHint",
            "CollectMetrics",
            "PipeOperator",
            "EventTimeWatermark",
            "Subquery",
        ),
        _same,
    ),
    "WithCTE": _with_cte,
    "Project": _project,
    "Filter": _filter,
    "Join": _join,
    "AsOfJoin": _join,
    "LateralJoin": _lateral_join,
    "Aggregate": _aggregate,
    "Window": _window,
    "Sort": _sort,
    "Deduplicate": _deduplicate,
    "DeduplicateWithinWatermark": _deduplicate,
    "Distinct": _distinct,
    "Union": _union,
    "Intersect": _union,
    "Except": _except,
    "Generate": _generate,
    "Expand": _expand,
    **dict.fromkeys(
        (
            "MapInPandas",
            "MapInArrow",
            "PythonMapInArrow",
            "FlatMapGroupsInPandas",
            "FlatMapGroupsInArrow",
            "FlatMapCoGroupsInPandas",
            "FlatMapCoGroupsInArrow",
            "ScriptTransformation",
        ),
        _opaque,
    ),
}
