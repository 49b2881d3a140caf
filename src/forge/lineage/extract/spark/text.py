"""Renders an expression of a Spark plan: `sum(amount)`, `amount * 2`.

Casts around literals and around operands of arithmetic and comparisons are omitted: Spark adds them, hardly anyone
writes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from forge.lineage.extract.spark.tree import PlanNode, object_name
from forge.model.types import parse_type

_DEEPEST = 40
_LONGEST = 500
_ATOM = 9
_UNARY = 7

_OPERATORS: dict[str, tuple[str, int]] = {
    "Or": ("OR", 1),
    "And": ("AND", 2),
    "EqualTo": ("=", 4),
    "EqualNullSafe": ("<=>", 4),
    "LessThan": ("<", 4),
    "LessThanOrEqual": ("<=", 4),
    "GreaterThan": (">", 4),
    "GreaterThanOrEqual": (">=", 4),
    "Like": ("LIKE", 4),
    "ILike": ("ILIKE", 4),
    "RLike": ("RLIKE", 4),
    "BitwiseOr": ("|", 5),
    "BitwiseXor": ("^", 5),
    "BitwiseAnd": ("&", 5),
    "Add": ("+", 5),
    "Subtract": ("-", 5),
    "DateAddInterval": ("+", 5),
    "TimestampAddInterval": ("+", 5),
    "TimeAdd": ("+", 5),
    "SubtractDates": ("-", 5),
    "SubtractTimestamps": ("-", 5),
    "Multiply": ("*", 6),
    "Divide": ("/", 6),
    "IntegralDivide": ("div", 6),
    "Remainder": ("%", 6),
}

# Functions whose class is not their name in snake case.
_FUNCTIONS = {
    "ArrayExists": "exists",
    "ArrayFilter": "filter",
    "ArrayForAll": "forall",
    "ArrayTransform": "transform",
    "ArraySize": "array_size",
    "Average": "avg",
    "CreateArray": "array",
    "CreateMap": "map",
    "CreateNamedStruct": "named_struct",
    "DateDiff": "datediff",
    "DateFormatClass": "date_format",
    "DayOfMonth": "day",
    "ApproximatePercentile": "percentile_approx",
    "HyperLogLogPlusPlus": "approx_count_distinct",
    "JsonToStructs": "from_json",
    "Length": "length",
    "MakeDate": "make_date",
    "Md5": "md5",
    "Murmur3Hash": "hash",
    "IfNull": "ifnull",
    "NTile": "ntile",
    "NullIf": "nullif",
    "NullIfZero": "nullifzero",
    "ParseToDate": "to_date",
    "ParseToTimestamp": "to_timestamp",
    "PosExplode": "posexplode",
    "RegExpExtract": "regexp_extract",
    "RegExpReplace": "regexp_replace",
    "Sha1": "sha1",
    "Sha2": "sha2",
    "StddevSamp": "stddev",
    "StringLPad": "lpad",
    "StringRPad": "rpad",
    "StringReplace": "replace",
    "StringSplit": "split",
    "StringTrim": "trim",
    "StringTrimLeft": "ltrim",
    "StringTrimRight": "rtrim",
    "StructsToJson": "to_json",
    "TruncDate": "trunc",
    "TruncTimestamp": "date_trunc",
    "VarianceSamp": "variance",
    "XxHash64": "xxhash64",
    "ZeroIfNull": "zeroifnull",
}

_TRANSPARENT = {"Alias", "KnownNullable", "KnownNotNull", "KnownFloatingPointNormalized", "TempResolvedColumn"}
_TRANSPARENT |= {"CommonExpressionDef", "With"}
_MONTHS = (("YEAR", 12), ("MONTH", 1))
_MICROSECONDS = (
    ("DAY", 86_400_000_000),
    ("HOUR", 3_600_000_000),
    ("MINUTE", 60_000_000),
    ("SECOND", 1_000_000),
    ("MICROSECOND", 1),
)
_BYTES = {"Md5", "Sha1", "Sha2", "Crc32"}
_SUBQUERIES = {"ScalarSubquery", "ListQuery", "LateralSubquery"}


def render(expression: PlanNode) -> str:
    text = _Text().of(expression)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def function_name(kind: str) -> str:
    return _FUNCTIONS.get(kind) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind).lower()


def type_name(data_type: object) -> str:
    if isinstance(data_type, dict):
        return str(data_type.get("type", "struct"))
    return str(parse_type(str(data_type)))


class _Text:
    """Renders one expression; tracks the depth, so that long sums end in an ellipsis."""

    def __init__(self) -> None:
        self.depth = 0

    def of(self, node: PlanNode, precedence: int = 0) -> str:
        if self.depth >= _DEEPEST:
            return "…"
        self.depth += 1
        try:
            text, own = self.shape(node)
        finally:
            self.depth -= 1
        return f"({text})" if own < precedence else text

    def all(self, nodes: tuple[PlanNode, ...]) -> str:
        return ", ".join(self.of(node) for node in nodes)

    def shape(self, node: PlanNode) -> tuple[str, int]:
        kind = node.kind
        if kind in _TRANSPARENT and node.children:
            return self.shape(node.children[0])
        if kind in _OPERATORS and len(node.children) >= 2:
            sign, own = _OPERATORS[kind]
            left, right = (_without_cast(child) for child in node.children[:2])
            return f"{self.of(left, own)} {sign} {self.of(right, own + 1)}", own
        special = _SPECIAL.get(kind)
        return special(self, node) if special else (self._call(node), _ATOM)

    def _call(self, node: PlanNode) -> str:
        arguments = node.children
        if "replacement" in node.fields:  # its one child is what Spark computes; its fields are what was written
            written = tuple(found for key in node.fields if (found := node.expression(key)) is not None)
            arguments = written or arguments
        if node.kind in _BYTES:
            arguments = tuple(_without_cast(argument) for argument in arguments)
        return f"{function_name(node.kind)}({self.all(arguments)})"


def _without_cast(node: PlanNode) -> PlanNode:
    while node.kind == "Cast" and node.children:
        node = node.children[0]
    return node


def _name(text: _Text, node: PlanNode) -> tuple[str, int]:
    return node.text("name"), _ATOM


def _literal(text: _Text, node: PlanNode) -> tuple[str, int]:
    value, data_type = node.fields.get("value"), node.fields.get("dataType")
    if value is None:
        return "NULL", _ATOM
    if data_type in {"string", "date", "timestamp", "timestamp_ntz", "binary"}:
        return "'" + str(value).replace("'", "''") + "'", _ATOM
    if isinstance(data_type, str) and data_type.startswith("interval"):
        return _interval(str(value), data_type), _ATOM
    return str(value), _ATOM


def _interval(value: str, data_type: str) -> str:
    """Spark counts months, or microseconds."""
    units = _MONTHS if "year" in data_type or "month" in data_type else _MICROSECONDS
    if not value.lstrip("-").isdigit():
        return f"INTERVAL {value}"
    unit, size = next((unit, size) for unit, size in units if int(value) % size == 0)
    return f"INTERVAL {int(value) // size} {unit}"


def _outer(text: _Text, node: PlanNode) -> tuple[str, int]:
    inner = node.expression("e")
    return (text.of(inner) if inner else "?"), _ATOM


def _cast(text: _Text, node: PlanNode) -> tuple[str, int]:
    inner = _without_cast(node)
    if inner.kind == "Literal":
        return text.of(inner), _ATOM
    if inner.kind in {"TimestampAddInterval", "DateAddInterval"}:  # Spark casts the sum back to the column's type
        return text.shape(inner)
    return f"cast({text.of(node.children[0])} AS {type_name(node.fields.get('dataType'))})", _ATOM


def _case(text: _Text, node: PlanNode) -> tuple[str, int]:
    pairs = zip(node.children[0::2], node.children[1::2], strict=False)
    branches = " ".join(f"WHEN {text.of(when)} THEN {text.of(then)}" for when, then in pairs)
    otherwise = f" ELSE {text.of(node.children[-1])}" if len(node.children) % 2 else ""
    return f"CASE {branches}{otherwise} END", _ATOM


def _is_null(text: _Text, node: PlanNode) -> tuple[str, int]:
    return f"{text.of(node.children[0], 5)} IS {'NOT ' if node.kind == 'IsNotNull' else ''}NULL", 4


def _in(text: _Text, node: PlanNode) -> tuple[str, int]:
    first, *rest = (_without_cast(child) for child in node.children)
    return f"{text.of(first, 5)} IN ({text.all(tuple(rest))})", 4


def _subquery(text: _Text, node: PlanNode) -> tuple[str, int]:
    return ("exists" if node.kind == "Exists" else "") + "(subquery)", _ATOM


def _aggregate(text: _Text, node: PlanNode) -> tuple[str, int]:
    function = node.children[0]
    called = text.of(function)
    if node.fields.get("isDistinct"):
        called = f"{function_name(function.kind)}(DISTINCT {text.all(function.children)})"
    if len(node.children) > 1:
        called += f" FILTER (WHERE {text.of(node.children[1])})"
    return called, _ATOM


def _window(text: _Text, node: PlanNode) -> tuple[str, int]:
    function, spec = node.children[0], node.children[1]
    partition = spec.fields.get("partitionSpec") or []
    order = spec.fields.get("orderSpec") or []
    parts = []
    if partition:
        parts.append("PARTITION BY " + text.all(spec.children[: len(partition)]))
    if order:
        parts.append("ORDER BY " + text.all(spec.children[len(partition) : len(partition) + len(order)]))
    return f"{text.of(function)} OVER ({' '.join(parts)})", _ATOM


def _order(text: _Text, node: PlanNode) -> tuple[str, int]:
    down = object_name(node.fields.get("direction")) == "Descending"
    return text.of(node.children[0]) + (" DESC" if down else ""), _ATOM


def _lambda(text: _Text, node: PlanNode) -> tuple[str, int]:
    body, *names = node.children
    variables = text.all(tuple(names))
    return f"{variables if len(names) == 1 else f'({variables})'} -> {text.of(body)}", 0


def _field(text: _Text, node: PlanNode) -> tuple[str, int]:
    found = node.fields.get("field")
    name = node.text("name") or (found.get("name") if isinstance(found, dict) else None)
    return f"{text.of(node.children[0], _ATOM)}.{name or node.fields.get('ordinal')}", _ATOM


def _item(text: _Text, node: PlanNode) -> tuple[str, int]:
    return f"{text.of(node.children[0], _ATOM)}[{text.of(node.children[1])}]", _ATOM


def _user_function(text: _Text, node: PlanNode) -> tuple[str, int]:
    name = node.text("name") or node.text("udfName") or "udf"
    return f"{name}({text.all(node.children)})", _ATOM


_SPECIAL: dict[str, Callable[[_Text, PlanNode], tuple[str, int]]] = {
    "AttributeReference": _name,
    "NamedLambdaVariable": _name,
    "OuterReference": _outer,
    "Literal": _literal,
    "Cast": _cast,
    "CaseWhen": _case,
    "Not": lambda text, node: (f"NOT {text.of(node.children[0], 5)}", 3),
    "UnaryMinus": lambda text, node: (f"-{text.of(node.children[0], _UNARY)}", _UNARY),
    "IsNull": _is_null,
    "IsNotNull": _is_null,
    "In": _in,
    "InSubquery": lambda text, node: (f"{text.all(node.children[:-1])} IN (subquery)", 4),
    "Exists": _subquery,
    **dict.fromkeys(_SUBQUERIES, _subquery),
    "AggregateExpression": _aggregate,
    "WindowExpression": _window,
    "SortOrder": _order,
    "LambdaFunction": _lambda,
    "GetStructField": _field,
    "GetArrayStructFields": _field,
    "GetArrayItem": _item,
    "GetMapValue": _item,
    "PythonUDF": _user_function,
    "PythonUDAF": _user_function,
    "PythonUDTF": _user_function,
    "ScalaUDF": _user_function,
}
