"""Plans that write: the mapping of query columns to table columns.

INSERT maps by position. MERGE, UPDATE and DELETE are rewritten by the analyser to a query of the new rows
(`ReplaceData`) or of their changes (`WriteDelta`), in which untouched columns are copied onto themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from forge.lineage.edge import Edge, IndirectType, Transformation
from forge.lineage.extract.spark.expression import value_of
from forge.lineage.extract.spark.node import HANDLERS, Handler, PlanRelation, PlanScope, named, shape
from forge.lineage.extract.spark.tree import PlanNode, id_of
from forge.lineage.extract.value import NOTHING, ColumnValue, SourceTrace, add
from forge.model.names import ColumnName
from forge.model.word_list import words

ROW_LEVEL = frozenset({"ReplaceData", "WriteDelta"})

_INSTRUCTIONS = ("matchedInstructions", "notMatchedInstructions", "notMatchedBySourceInstructions")


def _insert(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    table = node.expression("table")
    attributes = table.expressions("output") if table else ()
    if table is None or not attributes:
        return children[0]
    condition = node.expression("deleteExpr")
    if condition is not None and not _is_partition(condition):  # REPLACE WHERE
        shape(plan, (condition,), HANDLERS[table.kind](plan, table, node, []), IndirectType.FILTER)
    return PlanRelation.by_position(attributes, [value for _, value in children[0].output()])


def _is_partition(condition: PlanNode) -> bool:
    """What OVERWRITE makes of PARTITION (day = …): `day <=> …`, for each of its columns; true where there is none."""
    if condition.kind == "And":
        return all(_is_partition(child) for child in condition.children)
    return condition.kind in {"EqualNullSafe", "Literal"}


def _rows(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    """The query columns that the table has; the others identify rows for Spark."""
    table = node.expression("originalTable") or node.expression("table")
    known = {named(attribute)[1] for attribute in table.expressions("output")} if table else set()
    return PlanRelation(tuple(column for column in children[0].columns if column[1] in known), children[0].values)


def _merge(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    """Each branch of a MERGE gives a value for every column, or two: of the row that goes and of the one that comes."""
    attributes = node.expressions("output")
    own = _ids_of_target(parent)
    found: list[dict[ColumnName, SourceTrace]] = [{} for _ in attributes]
    members: list[list[ColumnValue]] = [[] for _ in attributes]
    for instruction in (one for field in _INSTRUCTIONS for one in node.expressions(field)):
        shape(plan, instruction.children[:1], children[0], IndirectType.FILTER)
        for place, output in enumerate(instruction.children[1:]):
            if own.get(id_of(output)) == named(attributes[place % len(attributes)])[1]:
                continue
            value = value_of(output, children[0].values, plan)
            members[place % len(attributes)].append(value)
            for source, trace in value.sources.items():
                add(found[place % len(attributes)], source, trace)
    made = []
    for sources, values in zip(found, members, strict=True):
        given = [value for value in values if value.sources or value.members]
        made.append(given[0] if len(given) == 1 else ColumnValue(sources) if given else NOTHING)
    return PlanRelation.by_position(attributes, made)


def _ids_of_target(write: PlanNode | None) -> dict[int | None, str]:
    table = (write.expression("originalTable") or write.expression("table")) if write else None
    return dict(named(attribute) for attribute in table.expressions("output")) if table else {}


def _query(plan: PlanScope, node: PlanNode, parent: PlanNode | None, children: list[PlanRelation]) -> PlanRelation:
    """CREATE … AS SELECT and others that hold their query as a field."""
    inner = node.fields.get("query")
    if not isinstance(inner, list):
        inner = node.fields.get("plan")
    if isinstance(inner, list):
        return plan.lateral(inner, {})
    if children:
        return children[-1]
    plan.gap(f"the query of {node.kind} is not in the plan's JSON")
    return PlanRelation((), {})


WRITES: dict[str, Handler] = {
    **dict.fromkeys(("AppendData", "OverwriteByExpression", "OverwritePartitionsDynamic"), _insert),
    **dict.fromkeys(ROW_LEVEL, _rows),
    "MergeRows": _merge,
    **dict.fromkeys(
        words(
            "CreateTableAsSelect ReplaceTableAsSelect CreateIcebergView CreateViewCommand "
            "CreateDataSourceTableAsSelectCommand CreateHiveTableAsSelectCommand InsertIntoDataSourceDirCommand "
            "InsertIntoHadoopFsRelationCommand InsertIntoDataSourceCommand InsertIntoHiveTable "
            "InsertIntoHiveDirCommand SaveIntoDataSourceCommand"
        ),
        _query,
    ),
}


def without_carried_over(root: PlanNode, edges: list[Edge]) -> list[Edge]:
    """Of an UPDATE and a DELETE; a MERGE leaves them out where its rows are read, for it may also read from a table
    what it writes into it."""
    if root.kind not in ROW_LEVEL or root.children[0].kind == "MergeRows":
        return edges
    return [e for e in edges if e.source != e.target or e.transformation is not Transformation.IDENTITY]


def without_update(node: PlanNode) -> PlanNode:
    """Spark makes of `UPDATE t SET a = x WHERE c` a projection of `if(c, x, a)`: c becomes a filter again, and x the
    value."""
    if node.kind != "ReplaceData" or not node.children or node.children[0].kind != "Project":
        return node
    top = node.children[0]
    inner = top.children[0]
    if inner.kind == "Union":  # the rows that are updated, and those that are not
        inner = inner.children[0]
    given = inner.fields.get("projectList")
    if inner.kind != "Project" or not isinstance(given, list):
        return node
    conditions: list[Any] = []
    values = [_new_value(item, conditions) for item in given]
    if not conditions:
        return node
    filtered = PlanNode("Filter", {"condition": conditions[0]}, inner.children)
    project = PlanNode("Project", {**inner.fields, "projectList": values}, (filtered,))
    return PlanNode(node.kind, node.fields, (PlanNode(top.kind, top.fields, (project,)),))


def _new_value(item: Sequence[Any], conditions: list[Any]) -> Sequence[Any]:
    if len(item) < 2 or not str(item[0].get("class", "")).endswith(".Alias"):
        return item
    inner = item[1:]
    if not str(inner[0].get("class", "")).endswith(".If"):
        return item
    condition, value, _ = _children(inner)
    conditions.append(condition)
    return [item[0], *value]


def _children(nodes: Sequence[Any]) -> list[Sequence[Any]]:
    """The trees below the first node of a list in pre-order."""
    found, start = [], 1
    for _ in range(nodes[0]["num-children"]):
        end, open_ = start, 1
        while open_:
            open_ += nodes[end]["num-children"] - 1
            end += 1
        found.append(nodes[start:end])
        start = end
    return found
