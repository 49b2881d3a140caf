"""Column mapping of each node type of Spark's analysed plan: one function per node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.spark.expand import ExpandCell, find_rows
from forge.lineage.extract.spark.expression import ExpressionContext, sources_of, value_of
from forge.lineage.extract.spark.text import render
from forge.lineage.extract.spark.tree import PlanNode, id_of, object_name, parts_of
from forge.lineage.extract.value import NOTHING, ColumnValue, SourceTrace, add, opaque, stronger, union
from forge.model.names import ColumnName
from forge.model.word_list import words

_MOST_LINKS = 50_000
"""Between the columns that go into unreadable code and those that come out. Above it, only the tables are linked."""


@dataclass(frozen=True, slots=True)
class PlanRelation:
    """The output of a node: its columns in order (expression id, name), and the value of each id."""

    columns: tuple[tuple[int, str], ...]
    values: Mapping[int, ColumnValue]

    @classmethod
    def by_position(cls, attributes: Sequence[PlanNode], values: Sequence[ColumnValue]) -> PlanRelation:
        columns = tuple(named(attribute) for attribute in attributes)
        filled = (*values, *(NOTHING for _ in range(len(columns) - len(values))))
        return cls(columns, {column[0]: value for column, value in zip(columns, filled, strict=False)})

    def output(self) -> list[tuple[str, ColumnValue]]:
        return [(name, self.values.get(expression_id, NOTHING)) for expression_id, name in self.columns]


class PlanScope(ExpressionContext, Protocol):
    """The walk as its nodes see it. `text`: of the whole plan, if available."""

    text: str

    def lateral(self, plan: Sequence[Any], columns: Mapping[int, ColumnValue]) -> PlanRelation: ...
    def is_named(self, leaf: PlanNode) -> bool: ...
    def table(self, catalog_name: str | None, kind: str, first: int | None) -> str | None: ...


Handler = Callable[[PlanScope, PlanNode, PlanNode | None, list[PlanRelation]], PlanRelation]


def named(expression: PlanNode) -> tuple[int, str]:
    if expression.kind == "OuterReference":
        expression = expression.expression("e") or expression
    found = id_of(expression)
    if found is None:
        found = id_of(expression, "resultId")
    # Every named expression has an id; a made-up one keeps positions right where a new kind does not.
    return (-id(expression) if found is None else found), expression.text("name") or render(expression)


def shape(plan: PlanScope, expressions: Iterable[PlanNode], relation: PlanRelation, how: IndirectType) -> None:
    for expression in expressions:
        plan.shaped_by(sources_of(expression, relation.values, plan), how)


def project(plan: PlanScope, expressions: Sequence[PlanNode], child: PlanRelation) -> PlanRelation:
    return PlanRelation.by_position(expressions, [value_of(e, child.values, plan) for e in expressions])


def joined_relation(left: PlanRelation, right: PlanRelation) -> PlanRelation:
    return PlanRelation(left.columns + right.columns, {**left.values, **right.values})


def _table(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    catalog_name = None
    if parent is not None and parent.kind == "SubqueryAlias":
        alias = parent.fields.get("identifier") or {}
        qualifier = parts_of(alias.get("qualifier"))
        catalog_name = ".".join((*qualifier, alias["name"])) if qualifier else None
    attributes = node.expressions("output")
    table = plan.table(catalog_name, node.kind, id_of(attributes[0]) if attributes else None)
    if table is None:
        return PlanRelation.by_position(attributes, ())
    names = [attribute.text("name") for attribute in attributes]
    return PlanRelation.by_position(
        attributes,
        [ColumnValue({ColumnName(table, name): SourceTrace(Transformation.IDENTITY, name)}) for name in names],
    )


def _literals(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    return PlanRelation.by_position(node.expressions("output"), ())


def _rdd(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    if plan.is_named(node):
        return _table(plan, node, parent, children)
    plan.gap("rows made in Python, from an RDD or by a checkpoint: what they come from is not in the plan")
    return _literals(plan, node, parent, children)


def _filter(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    condition = node.expression("condition")
    shape(plan, (condition,) if condition else (), children[0], IndirectType.FILTER)
    return children[0]


def _join(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    left, right = children
    joined = joined_relation(left, right)
    conditions = (node.expression(field) for field in ("condition", "asOfCondition", "orderExpression"))
    shape(plan, (c for c in conditions if c), joined, IndirectType.JOIN)
    kind = object_name(node.fields.get("joinType"))
    return left if kind in {"LeftSemi", "LeftAnti"} else joined


def _lateral_join(
    plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]
) -> PlanRelation:
    subquery, condition = node.expression("right"), node.expression("condition")
    inner = subquery.fields.get("plan") if subquery else None
    if not isinstance(inner, list):
        plan.gap("the plan inside LateralJoin is not in the plan's JSON")
        return children[0]
    joined = joined_relation(children[0], plan.lateral(inner, children[0].values))
    shape(plan, (condition,) if condition else (), joined, IndirectType.JOIN)
    return joined


def _aggregate(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    shape(plan, node.expressions("groupingExpressions"), children[0], IndirectType.GROUP_BY)
    return project(plan, node.expressions("aggregateExpressions"), children[0])


def _window(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    child = children[0]
    shape(plan, node.expressions("partitionSpec") + node.expressions("orderSpec"), child, IndirectType.WINDOW)
    return joined_relation(child, project(plan, node.expressions("windowExpressions"), child))


def _sort(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    shape(plan, node.expressions("order"), children[0], IndirectType.SORT)
    return children[0]


def _deduplicate(
    plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]
) -> PlanRelation:
    shape(plan, node.expressions("keys"), children[0], IndirectType.GROUP_BY)
    return children[0]


def _distinct(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    """DISTINCT is GROUP BY all columns."""
    for _, value in children[0].output():
        plan.shaped_by(value.sources, IndirectType.GROUP_BY)
    return children[0]


def _union(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    if len(children) == 1:
        return children[0]
    columns = children[0].columns
    stacked = zip(*([value for _, value in child.output()] for child in children), strict=False)
    return PlanRelation(columns, {column[0]: union(values) for column, values in zip(columns, stacked, strict=False)})


def _except(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    """No value of the right side arrives; it takes rows away."""
    for _, value in children[1].output():
        plan.shaped_by(value.sources, IndirectType.FILTER)
    return children[0]


def _generate(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    child, generator, attributes = children[0], node.expression("generator"), node.expressions("generatorOutput")
    if generator is None:
        return unknown(plan, node, parent, children)
    text = render(generator)
    made = [
        _stepped([value_of(argument, child.values, plan) for argument in arguments], Transformation.GENERATOR, text)
        for arguments in _arguments(generator, len(attributes))
    ]
    return joined_relation(child, PlanRelation.by_position(attributes, made))


def _arguments(generator: PlanNode, width: int) -> list[tuple[PlanNode, ...]]:
    """What each column of a generator's output is made from. Only `stack(n, a, b, …)` keeps columns apart."""
    if generator.kind == "Stack" and width:
        cells = generator.children[1:]
        return [cells[position::width] for position in range(width)]
    return [generator.children] * width


def _stepped(values: Iterable[ColumnValue], step: Transformation, text: str) -> ColumnValue:
    found: dict[ColumnName, SourceTrace] = {}
    for value in values:
        for source, trace in value.sources.items():
            kind = stronger(trace.transformation, step)
            add(found, source, SourceTrace(kind, text, trace.masking, trace.confidence))
    return ColumnValue(found)


def _expand(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    """Multiple rows for each: GROUPING SETS (a key or null) and UNPIVOT (one column's value after the other)."""
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
    return PlanRelation.by_position(attributes, made)


def _value_of_cell(cell: ExpandCell, child: PlanRelation) -> ColumnValue:
    values = [child.values.get(expression_id, NOTHING) for expression_id in cell.ids]
    if cell.is_plain:
        return values[0]
    return _stepped(values, Transformation.TRANSFORMATION, cell.text)


def project_values(plan: PlanScope, row: Sequence[Any], child: PlanRelation) -> list[ColumnValue]:
    cells = PlanNode("Row", {"cells": row}, ()).expressions("cells")
    return [value_of(cell, child.values, plan) for cell in cells]


def _opaque(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    """Opaque code: mapInPandas, applyInPandas, TRANSFORM … USING."""
    attributes = node.expressions("output")
    if children:
        shape(plan, node.expressions("groupingAttributes"), children[0], IndirectType.GROUP_BY)
    for length, child in zip(("leftGroupingLen", "rightGroupingLen"), children, strict=False):
        for _, key in child.output()[: node.fields.get(length) or 0]:
            plan.shaped_by(key.sources, IndirectType.GROUP_BY)
    function = node.expression("functionExpr") or node.expression("func")
    text = render(function) if function else node.text("script")
    label = f"{node.kind} {text}".strip()
    inputs = [value for child in children for _, value in child.output()]
    value = opaque(inputs, text)
    what = "the plan does not show what each column is made from"
    if len(value.sources) * len(attributes) > _MOST_LINKS:
        plan.gap(f"{label}: {what}, and there are too many columns to link them all")
        return PlanRelation.by_position(attributes, ())
    plan.gap(f"{label}: {what}; every output column is linked to every input column")
    return PlanRelation.by_position(attributes, [value] * len(attributes))


def unknown(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    """A node of a kind not listed here. If it says what it puts out, and that is not what went in, it is opaque code;
    if it says nothing, it most likely hands its child on. A column that then cannot be found is reported where used."""
    attributes = node.expressions("output")
    known = {expression_id for child in children for expression_id in child.values}
    if attributes and not children:
        plan.gap(f"{node.kind} is not understood: what its rows come from is not known")
        return PlanRelation.by_position(attributes, ())
    if attributes and not all(id_of(attribute) in known for attribute in attributes):
        return _opaque(plan, node, parent, children)
    if len(children) != 1:
        plan.gap(f"{node.kind} is not understood: its columns are taken from its inputs as they are")
    merged = PlanRelation((), {})
    for child in children:
        merged = joined_relation(merged, child)
    return PlanRelation(tuple(named(attribute) for attribute in attributes), merged.values) if attributes else merged


_LEAVES = ("DataSourceV2Relation", "LogicalRelation", "HiveTableRelation", "StreamingRelation", "StreamingRelationV2")

HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_LEAVES, _table),
    **dict.fromkeys(("LocalRelation", "OneRowRelation", "Range", "CommandResult", "EmptyRelation"), _literals),
    **dict.fromkeys(("LogicalRDD", "ExternalRDD"), _rdd),
    **dict.fromkeys(
        words(
            "SubqueryAlias View GlobalLimit LocalLimit Offset Tail Sample Repartition RepartitionByExpression "
            "RebalancePartitions ResolvedHint CollectMetrics PipeOperator EventTimeWatermark Subquery"
        ),
        lambda plan, node, parent, children: children[0],
    ),
    "WithCTE": lambda plan, node, parent, children: children[-1],
    "Project": lambda plan, node, parent, children: project(plan, node.expressions("projectList"), children[0]),
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
        words(
            "MapInPandas MapInArrow PythonMapInArrow FlatMapGroupsInPandas FlatMapGroupsInArrow "
            "FlatMapCoGroupsInPandas FlatMapCoGroupsInArrow ScriptTransformation"
        ),
        _opaque,
    ),
}
