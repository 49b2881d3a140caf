"""Sources of an expression in a Spark plan.

Every column in an expression is a direct source, including CASE conditions, the FILTER of an aggregate and window keys;
window keys also affect rows. A field of a struct column is a source of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.flatten import field_of
from forge.lineage.extract.spark.text import render
from forge.lineage.extract.spark.tree import PlanNode, id_of
from forge.lineage.extract.value import NOTHING, ColumnValue, Sources, SourceTrace, add, stronger
from forge.model.names import ColumnName
from forge.model.word_list import words

Columns = Mapping[int, ColumnValue]
"""What each expression id stands for, below some node of the plan."""

_CONDITIONAL = {"CaseWhen", "If", "Coalesce", "Nvl", "Nvl2", "NullIf", "IfNull", "NaNvl", "NullIfZero", "ZeroIfNull"}
_SUBQUERIES = {"ScalarSubquery", "ListQuery", "Exists", "LateralSubquery", "FunctionTableSubqueryArgumentExpression"}

# Wrappers that hand their child on as it is.
_SAME = {
    "Alias",
    "AttributeReference",
    "OuterReference",
    "CommonExpressionDef",
    "With",
    "KnownFloatingPointNormalized",
    "KnownNotNull",
    "KnownNullable",
    "TempResolvedColumn",
    *_SUBQUERIES,
}

# A value that comes out of these can hardly be turned back into what went in.
_MASKING = frozenset(
    words(
        "AesEncrypt CollationAwareMurmur3Hash CollationAwareXxHash64 Crc32 HiveHash Mask Md5 Murmur3Hash Sha1 Sha2 "
        "TryAesEncrypt XxHash64"
    )
)


class ExpressionContext(Protocol):
    """What an expression needs of its plan."""

    def outer(self, expression_id: int) -> ColumnValue | None: ...
    def subquery(self, plan: Sequence[Any], columns: Columns) -> tuple[ColumnValue, ...]: ...
    def shaped_by(self, sources: Sources, how: IndirectType) -> None: ...
    def gap(self, reason: str) -> None: ...


def kind_of(expression: PlanNode) -> Transformation:
    kind = expression.kind
    if kind in _SAME or _is_same_cast(expression) or is_padding(expression):
        return Transformation.IDENTITY
    if kind == "AggregateExpression":
        return Transformation.AGGREGATION
    if kind == "WindowExpression":
        return Transformation.WINDOW
    return Transformation.CONDITIONAL if kind in _CONDITIONAL else Transformation.TRANSFORMATION


def value_of(expression: PlanNode, columns: Columns, around: ExpressionContext) -> ColumnValue:
    while expression.kind == "Alias" or _is_same_cast(expression) or is_padding(expression):
        expression = expression.children[0]
    if expression.kind == "AttributeReference":
        return _look_up(expression, columns, around)
    pivoted = _pivoted(expression, columns, around)
    if pivoted is not None:
        return pivoted
    if expression.kind == "GetStructField":
        member = _member(expression, columns, around)
        if isinstance(member, ColumnValue):
            return member
        if member is not None:
            return value_of(member, columns, around)
    if _is_time_window(expression):
        value = _time_window(expression, columns, around)
        return ColumnValue(value.sources, {"start": value, "end": value})
    members = _built(expression, columns, around) if expression.kind == "CreateNamedStruct" else {}
    return ColumnValue(_Sources(columns, around).of(expression), members)


_PADDING = {"readSidePadding", "charTypeWriteSideCheck", "varcharTypeWriteSideCheck"}


def is_padding(expression: PlanNode) -> bool:
    """What Spark puts around columns of type CHAR and VARCHAR."""
    return expression.kind == "StaticInvoke" and expression.text("functionName") in _PADDING


def _built(struct: PlanNode, columns: Columns, around: ExpressionContext) -> dict[str, ColumnValue]:
    """Fields of a struct by name; none if names are ambiguous."""
    names = [name.text("value") or f"col{number}" for number, name in enumerate(struct.children[::2], 1)]
    if len(set(names)) < len(names):
        return {}
    values = (value_of(child, columns, around) for child in struct.children[1::2])
    return dict(zip(names, values, strict=False))


def sources_of(expression: PlanNode, columns: Columns, around: ExpressionContext) -> Sources:
    return value_of(expression, columns, around).sources


class _Sources:
    """Walks one expression from its root, accumulating the transformation that applies to the operands below."""

    def __init__(self, columns: Columns, around: ExpressionContext) -> None:
        self.columns = columns
        self.around = around
        self.found: dict[ColumnName, SourceTrace] = {}

    def of(self, root: PlanNode) -> Sources:
        # A subquery alone copies what its plan selects, so each source keeps its own text.
        text = None if root.kind in _SUBQUERIES else render(root)
        waiting = [(root, Transformation.IDENTITY, False)]
        while waiting:
            node, step, masked = waiting.pop()
            outside = step
            step = stronger(step, kind_of(node))
            masked = masked or node.kind in _MASKING
            if node.kind in {"AttributeReference", "OuterReference"}:
                self._take(_look_up(node, self.columns, self.around), step, masked, text)
            elif node.kind in _SUBQUERIES:
                for value in self._subquery(node):
                    self._take(value, step, masked, text)
            elif node.kind == "WindowExpression":
                function, spec = node.children
                keys = tuple(child for child in spec.children if child.kind != "SpecifiedWindowFrame")
                self._arrange(keys)
                # The function itself is not one more step: sum(amount) OVER (…) is a window, no aggregation.
                waiting.extend((child, step, masked) for child in (*_called(function), *keys))
            elif node.kind == "GetStructField":
                member = _member(node, self.columns, self.around)
                if isinstance(member, ColumnValue):
                    self._take(member, outside, masked, text)
                else:
                    waiting.append((member, outside, masked) if member else (node.children[0], step, masked))
            else:
                waiting.extend((child, step, masked) for child in reversed(node.children))
        return self.found

    def _take(self, value: ColumnValue, step: Transformation, masked: bool, text: str | None) -> None:
        for source, trace in value.sources.items():
            kind = stronger(step, trace.transformation)
            written = trace.expression if text is None else text
            add(self.found, source, SourceTrace(kind, written, masked or trace.masking, trace.confidence))

    def _subquery(self, node: PlanNode) -> tuple[ColumnValue, ...]:
        plan = node.fields.get("plan")
        if not isinstance(plan, list):
            self.around.gap(f"the plan inside {node.kind} is not in the plan's JSON")
            return ()
        values = self.around.subquery(plan, self.columns)
        # What an EXISTS selects does not matter, only whether there is a row.
        return () if node.kind == "Exists" else values

    def _arrange(self, keys: tuple[PlanNode, ...]) -> None:
        for key in keys:
            self.around.shaped_by(sources_of(key, self.columns, self.around), IndirectType.WINDOW)


def _called(window_function: PlanNode) -> tuple[PlanNode, ...]:
    if window_function.kind == "AggregateExpression":
        return (*window_function.children[0].children, *window_function.children[1:])
    return (window_function,)


def _is_same_cast(expression: PlanNode) -> bool:
    """A cast to the type the column has already, as Spark writes around the columns of a view."""
    if expression.kind != "Cast":
        return False
    child = expression.children[0]
    return child.kind == "AttributeReference" and child.fields.get("dataType") == expression.fields.get("dataType")


def _look_up(reference: PlanNode, columns: Columns, around: ExpressionContext) -> ColumnValue:
    if reference.kind == "OuterReference":
        reference = reference.expression("e") or reference
    expression_id = id_of(reference)
    if expression_id is None:
        return NOTHING
    found = columns.get(expression_id)
    if found is None:
        found = around.outer(expression_id)
    if found is None:
        around.gap(f"column {reference.text('name')} comes from a step that is not understood")
        return NOTHING
    return found


def _member(expression: PlanNode, columns: Columns, around: ExpressionContext) -> ColumnValue | PlanNode | None:
    """A field of a struct: of one that this very plan built the value, or the expression it was built from; of a
    column of a table that field of it. None where the struct is neither: the field is then made from all of it."""
    child, ordinal = expression.children[0], expression.fields.get("ordinal")
    if not isinstance(ordinal, int):
        return None
    inner: ColumnValue | PlanNode | None = child
    if child.kind == "GetStructField":
        inner = _member(child, columns, around)
    if isinstance(inner, PlanNode):
        if inner.kind == "CreateNamedStruct":
            built = inner.children[1::2]
            return built[ordinal] if ordinal < len(built) else None
        if inner.kind not in {"AttributeReference", "OuterReference"}:
            return None
        inner = _look_up(inner, columns, around)
    if inner is None:
        return None
    if inner.members:
        return tuple(inner.members.values())[ordinal] if ordinal < len(inner.members) else None
    name = _field_name(expression)
    return field_of(inner, name) if name else None


def _field_name(expression: PlanNode) -> str:
    """As the type of the struct spells it; what was written may differ in case, or be a star."""
    fields = _type_of(expression.children[0]).get("fields")
    ordinal = expression.fields.get("ordinal")
    if isinstance(fields, list) and isinstance(ordinal, int) and ordinal < len(fields):
        return str(fields[ordinal]["name"])
    return expression.text("name")


def _type_of(expression: PlanNode) -> Mapping[str, Any]:
    if expression.kind == "OuterReference":
        expression = expression.expression("e") or expression
    found = expression.fields.get("dataType")
    if expression.kind == "GetStructField":
        ordinal, fields = expression.fields.get("ordinal"), _type_of(expression.children[0]).get("fields")
        found = fields[ordinal]["type"] if isinstance(fields, list) and isinstance(ordinal, int) else None
    return found if isinstance(found, dict) else {}


def _is_time_window(expression: PlanNode) -> bool:
    """What Spark makes of `window(ts, '1 day')`: a struct of long arithmetic with a CASE in it."""
    if expression.kind != "CreateNamedStruct" or len(expression.children) != 4:
        return False
    start = expression.children[1]
    while start.kind == "KnownNullable":
        start = start.children[0]
    return start.kind == "PreciseTimestampConversion"


def _time_window(expression: PlanNode, columns: Columns, around: ExpressionContext) -> ColumnValue:
    found: dict[ColumnName, SourceTrace] = {}
    names: dict[str, None] = {}
    waiting = list(expression.children)
    while waiting:
        node = waiting.pop()
        waiting.extend(node.children)
        if node.kind == "AttributeReference":
            names[node.text("name")] = None
            for source, trace in _look_up(node, columns, around).sources.items():
                step = stronger(trace.transformation, Transformation.TRANSFORMATION)
                found[source] = SourceTrace(step, "", trace.masking, trace.confidence)
    text = f"window({', '.join(names)})"
    return ColumnValue({source: replace(trace, expression=text) for source, trace in found.items()})


def _pivoted(expression: PlanNode, columns: Columns, around: ExpressionContext) -> ColumnValue | None:
    """PIVOT becomes an aggregate into an array and an access to each of its items, which say nothing to a reader:
    the text of the aggregate that was written stays. The pivot column decides which value goes where, as in
    `sum(CASE WHEN quarter = 1 THEN amount END)`, which Spark makes of it for types that do not fit such an array."""
    if expression.kind == "GetArrayItem":
        array = expression.children[0]
        is_pivot = array.kind == "AttributeReference" and array.text("name").startswith("__pivot_")
        return _look_up(array, columns, around) if is_pivot else None
    if expression.kind != "AggregateExpression" or expression.children[0].kind != "PivotFirst":
        return None
    pivot, measured = expression.children[0].children[:2]
    value = value_of(measured, columns, around)
    text = next((trace.expression for trace in value.sources.values()), render(measured))
    found = dict(value.sources)
    for source, trace in sources_of(pivot, columns, around).items():
        add(found, source, SourceTrace(Transformation.AGGREGATION, text, trace.masking, trace.confidence))
    return ColumnValue(found)
