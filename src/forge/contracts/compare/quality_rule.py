"""A quality rule in comparable form: what it measures, which values it allows, its severity."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from forge.contracts.compare.interval import Interval, number_of
from forge.contracts.document.file import parse_document
from forge.contracts.tree import TreeNode, data_of
from forge.model.canonical_json import canonical_json

OPERATORS = (
    *("mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo"),
    *("mustBeLessThan", "mustBeLessOrEqualTo", "mustBeBetween", "mustNotBeBetween"),
)
# How v3.0 called the metrics of v3.1, and how people write them.
METRICS = {
    "nullvalues": "nullValues",
    "nullcheck": "nullValues",
    "nullcount": "nullValues",
    "notnull": "nullValues",
    "missingvalues": "missingValues",
    "missingcount": "missingValues",
    "duplicatevalues": "duplicateValues",
    "duplicatecount": "duplicateValues",
    "uniquecheck": "duplicateValues",
    "unique": "duplicateValues",
    "invalidvalues": "invalidValues",
    "invalidcount": "invalidValues",
    "validvalues": "invalidValues",
    "rowcount": "rowCount",
}
ARGUMENTS = ("validValues", "pattern", "missingValues", "properties")
_LIBRARY = frozenset(METRICS.values())
_COUNTS_BAD = ("nullValues", "missingValues", "duplicateValues", "invalidValues")
_SEVERITIES = (
    ("info", "information", "informational", "low", "minor"),
    ("warning", "warn", "medium", "moderate"),
    ("error", "high", "major"),
    ("critical", "blocker", "fatal"),
)
_PERCENT = ("percent", "percentage", "%", "pct")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparableRule:
    """`what` distinguishes rules without id and name. `holes`: excluded values within the bounds."""

    node: TreeNode
    kind: str
    what: tuple[str, ...]
    bounds: Interval | None
    unit: str
    holes: frozenset[str]
    values: frozenset[str] | None = None
    pattern: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    is_exact: bool = True  # False where more than bounds and values defines it, like a query

    @property
    def id(self) -> str:
        return self.node.text("id").lower()

    @property
    def name(self) -> str:
        return self.node.text("name").lower()

    @property
    def severity(self) -> int:
        return severity_of(self.node.text("severity"))

    @property
    def counts_bad(self) -> bool:
        """Fewer is better; a lower bound is irrelevant."""
        return bool(self.what) and self.what[0] in _COUNTS_BAD

    @property
    def is_zero(self) -> bool:
        return self.counts_bad and self.bounds is not None and self.bounds.high == 0


def severity_of(text: str) -> int:
    """A missing or unknown severity is error."""
    return next((rank for rank, words in enumerate(_SEVERITIES) if text.lower() in words), 2)


def canonical(value: object) -> str:
    """One text for equal values; 1 and 1.0 are equal."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return canonical_json(value)


def rule_of(node: TreeNode, column: str) -> ComparableRule:
    """`column` is empty for a rule of a table."""
    kind = kind_of(node)
    bounds, holes = _bounds(node)
    unit = "percent" if node.text("unit").lower() in _PERCENT else "rows"
    match kind:
        case "library":
            return _library(node, column, bounds, unit, holes)
        case "sql":
            query = re.sub(r"\s+", " ", node.text("query")).strip(" ;").lower()
            return ComparableRule(node=node, kind=kind, what=("sql", query), bounds=bounds, unit=unit, holes=holes)
        case "custom":
            return _custom(node, column, bounds, unit, holes)
    return ComparableRule(
        node=node, kind=kind, what=(kind, node.text("description").lower()), bounds=None, unit=unit, holes=holes
    )


def kind_of(node: TreeNode) -> str:
    written = node.text("type").lower()
    return written or ("sql" if node.get("query") and not node.get("metric") else "library")


def metric_of(node: TreeNode) -> str:
    name = node.text("metric") or node.text("rule")
    return METRICS.get(re.sub(r"[\s_-]+", "", name).lower(), name)


def arguments_of(node: TreeNode) -> dict[str, object]:
    """v3.0 has them next to the rule, v3.1 under `arguments`."""
    inline = {key: node.plain(key) for key in ARGUMENTS if node.get(key)}
    given = node.plain("arguments")
    return {**inline, **given} if isinstance(given, dict) else inline


def _library(node: TreeNode, column: str, bounds: Interval | None, unit: str, holes: frozenset[str]) -> ComparableRule:
    metric, arguments = metric_of(node), arguments_of(node)
    what = [metric, column.lower()]
    values, listed, pattern = None, None, None
    match metric:
        case "duplicateValues":
            columns = arguments.pop("properties", None)
            named = sorted(str(c).lower() for c in columns) if isinstance(columns, list) else []
            what = [metric, ",".join(named) or column.lower()]
        case "invalidValues":
            listed = arguments.pop("validValues", None)
            pattern = arguments.pop("pattern", None)
            what += ["values" if isinstance(listed, list) else "", "pattern" if pattern is not None else ""]
        case "missingValues":
            listed = arguments.pop("missingValues", None)
    if isinstance(listed, list):
        values = frozenset(canonical(v) for v in listed)
    if bounds is None and metric in _COUNTS_BAD and not holes:
        bounds = Interval(high=Fraction(0))  # v3.0 needs no operator: nothing bad is allowed
    if bounds is not None and unit == "rows" and metric in _LIBRARY:
        bounds = _counted(bounds)
    what.append(canonical({k: v for k, v in arguments.items() if v is not None}))
    matched = None if pattern is None else str(pattern)
    return ComparableRule(
        node=node,
        kind="library",
        what=tuple(what),
        bounds=bounds,
        unit=unit,
        holes=holes,
        values=values,
        pattern=matched,
    )


def _counted(bounds: Interval) -> Interval:
    """Row counts are non-negative integers: `less than 1` is 0."""
    whole = bounds.whole()
    return Interval(None if whole.low is not None and whole.low <= 0 else whole.low, whole.high)


def _custom(node: TreeNode, column: str, bounds: Interval | None, unit: str, holes: frozenset[str]) -> ComparableRule:
    engine = node.text("engine").lower()
    check = _implementation(node)
    if engine != "forge" or check is None:
        written = canonical(node.plain("implementation"))
        return ComparableRule(
            node=node, kind="custom", what=(engine, written), bounds=bounds, unit=unit, holes=holes, is_exact=False
        )
    columns = check.get("columns") or check.get("column") or column
    named = sorted(str(c).lower() for c in columns) if isinstance(columns, list) else [str(columns).lower()]
    options = {k: v for k, v in check.items() if k not in ("type", "column", "columns", "name", "description")}
    what = ("forge", str(check.get("type", "")).lower(), ",".join(named))
    return ComparableRule(node=node, kind="custom", what=what, bounds=bounds, unit=unit, holes=holes, options=options)


def _implementation(node: TreeNode) -> Mapping[str, object] | None:
    check = node.plain("implementation")
    if isinstance(check, str):
        document, problems = parse_document(check, node.source.document.file)
        return document.data if document and not problems else None
    return check if isinstance(check, Mapping) else None


def _bounds(node: TreeNode) -> tuple[Interval | None, frozenset[str]]:
    found: Interval | None = None
    holes: set[str] = set()
    for operator in OPERATORS:
        part = node.get(operator)
        if part is None:
            continue
        end = _interval(operator, data_of(part))
        if end is None:
            holes.add(f"{operator} {canonical(data_of(part))}")
        else:
            found = end if found is None else _both(found, end)
    return found, frozenset(holes)


def _interval(operator: str, value: object) -> Interval | None:
    if operator == "mustBeBetween" and isinstance(value, list) and len(value) == 2:
        low, high = number_of(value[0]), number_of(value[1])
        return Interval(low, high) if low is not None and high is not None else None
    number = number_of(value) if not isinstance(value, str) else None
    if number is None:
        return None
    match operator:
        case "mustBe":
            return Interval(number, number)
        case "mustBeGreaterThan":
            return Interval(low=number, low_open=True)
        case "mustBeGreaterOrEqualTo":
            return Interval(low=number)
        case "mustBeLessThan":
            return Interval(high=number, high_open=True)
        case "mustBeLessOrEqualTo":
            return Interval(high=number)
    return None


def _both(one: Interval, other: Interval) -> Interval:
    """The intersection."""
    low = other if _starts_later(other, one) else one
    high = other if _starts_later(_mirrored(other), _mirrored(one)) else one
    return Interval(low.low, high.high, low.low_open, high.high_open)


def _starts_later(one: Interval, other: Interval) -> bool:
    if one.low is None or other.low is None:
        return one.low is not None
    return one.low > other.low or (one.low == other.low and one.low_open)


def _mirrored(of: Interval) -> Interval:
    low, high = (None if end is None else -end for end in (of.high, of.low))
    return Interval(low, high, of.high_open, of.low_open)
