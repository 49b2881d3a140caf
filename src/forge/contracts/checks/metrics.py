"""Checks from a contract's `quality` rules: library metrics, SQL, and custom rules with engine `forge`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from forge.contracts.checks.options import Check, UnsupportedRule
from forge.contracts.contract import QualityRule
from forge.contracts.schema.sql_text import ColumnPath, any_of, literal, quote
from forge.model.name_suggestions import did_you_mean

# The spelling of v3.0 (`rule:`) → the metric of v3.1.
_OLD_RULES = {
    "nullCheck": "nullValues",
    "nullCount": "nullValues",
    "duplicateCount": "duplicateValues",
    "uniqueCheck": "duplicateValues",
    "validValues": "invalidValues",
}
_OPERATORS = (
    *("mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo"),
    *("mustBeLessThan", "mustBeLessOrEqualTo", "mustBeBetween", "mustNotBeBetween"),
)
_SEVERITIES = {
    **dict.fromkeys(("info", "low", "minor"), "info"),
    **dict.fromkeys(("warning", "warn", "medium", "moderate"), "warning"),
    **dict.fromkeys(("error", "high", "major"), "error"),
    **dict.fromkeys(("critical", "blocker", "fatal"), "critical"),
}
_ONE_COLUMN = ("not_null", "accepted_values", "range", "regex")
_MANY_COLUMNS = ("unique", "foreign_key")
_ROWS, _PERCENT = ("rows", "row"), ("percent", "percentage", "%")
_PLACEHOLDER = re.compile(r"\$?\{\s*(object|table|model|property|column|field)\s*\}")
_COUNTS = re.compile(r"\s*select\s+count\s*\(", re.IGNORECASE)
ColumnOf = Callable[[str], str]  # a property's name → its column


@dataclass(frozen=True, slots=True)
class Limit:
    """Allowed values of a metric: rows between `low` and `high`, or at most `percentage` of the rows."""

    low: int = 0
    high: int | None = None
    percentage: float | None = None
    outside: tuple[float, float] | None = None  # the count, or the percentage, must not lie here
    in_percent: bool = False

    @property
    def is_zero(self) -> bool:
        return self.percentage == 0 or (self.low == 0 and self.high == 0)


def rule_checks(written: QualityRule, table: str, column: ColumnPath | None, column_of: ColumnOf) -> tuple[Check, ...]:
    """The checks of one rule; raises with the reason where there is none. `column` is None for a rule of the table."""
    rule = written.rule
    match _kind(rule):
        case "text":
            return ()
        case "sql":
            return (_with_common_keys(_sql(rule, table, column), rule),)
        case "custom":
            return (_with_common_keys(_custom(rule, column), rule),)
        case "library":
            metric = _metric(rule)
            name = f"{metric} of {column}" if column else metric
            found = _library(rule, metric, table, column, column_of)
            return tuple(_with_common_keys({**check, "name": name}, rule) for check in found)
        case other:
            hint = did_you_mean(other, ("library", "text", "sql", "custom")) or "It is library, text, sql or custom."
            raise UnsupportedRule(f"the rule's type {other} is not known. {hint}")


def unknown_severity(rule: Mapping[str, object]) -> str | None:
    """A severity unknown to Forge, treated as error."""
    severity = rule.get("severity")
    return None if severity is None or str(severity).lower() in _SEVERITIES else str(severity)


def _kind(rule: Mapping[str, object]) -> str:
    if rule.get("type") is not None:
        return str(rule["type"])
    return "sql" if "query" in rule and "metric" not in rule else "library"


def _metric(rule: Mapping[str, object]) -> str:
    name = rule.get("metric", rule.get("rule"))
    if name is None:
        raise UnsupportedRule("the rule has no metric")
    return _OLD_RULES.get(str(name), str(name))


def _with_common_keys(check: Check, rule: Mapping[str, object]) -> Check:
    common: dict[str, object] = {}
    if rule.get("id"):
        common["id"] = str(rule["id"])
    if rule.get("name"):
        common["name"] = str(rule["name"])
    severity = _SEVERITIES.get(str(rule.get("severity", "error")).lower(), "error")
    if severity != "error":
        common["severity"] = severity
    is_custom = _kind(rule) == "custom"  # the author of a check has the last word on its keys
    return {**common, **check} if is_custom else {**check, **common}


def _custom(rule: Mapping[str, object], column: ColumnPath | None) -> Check:
    engine, check = rule.get("engine"), rule.get("implementation")
    if str(engine).lower() != "forge" or not isinstance(check, Mapping):
        raise UnsupportedRule(f"rules of the engine {engine} are not run by Forge")
    if column and check.get("type") in _ONE_COLUMN:
        return {"column": str(column), **check}
    if column and check.get("type") in _MANY_COLUMNS and "column" not in check:
        return {"columns": [str(column)], **check}
    return dict(check)


def _library(
    rule: Mapping[str, object], metric: str, table: str, column: ColumnPath | None, column_of: ColumnOf
) -> tuple[Check, ...]:
    arguments = {k: rule[k] for k in ("validValues", "pattern", "missingValues", "properties") if k in rule}
    if isinstance(given := rule.get("arguments"), Mapping):
        arguments |= given
    limit = _limit(rule)
    match metric:
        case "rowCount":
            return (_row_count(limit),)
        case "duplicateValues":
            return (_duplicates(limit, table, column, [column_of(n) for n in _listed(arguments, "properties")]),)
        case "nullValues" | "missingValues" | "invalidValues":
            if column is None:
                raise UnsupportedRule(f"the metric {metric} needs a property; put the rule under one")
            return _of_column(limit, metric, table, column, arguments)
    known = ("nullValues", "missingValues", "invalidValues", "duplicateValues", "rowCount", *_OLD_RULES)
    raise UnsupportedRule(f"the metric {metric} is not known. {did_you_mean(metric, known) or ''}".strip())


def _of_column(
    limit: Limit, metric: str, table: str, column: ColumnPath, arguments: Mapping[str, object]
) -> tuple[Check, ...]:
    if metric == "nullValues":
        return (_nulls(limit, table, column),)
    if metric == "missingValues":
        return (_missing(limit, table, column, arguments),)
    return _invalid(limit, table, column, arguments)


def _listed(arguments: Mapping[str, object], key: str) -> list[str]:
    value = arguments.get(key)
    return [str(v) for v in value] if isinstance(value, list) else []


def _row_count(limit: Limit) -> Check:
    if limit.percentage is not None or limit.in_percent:
        raise UnsupportedRule("a row count has no percentage")
    return {"type": "row_count", **_bounds(limit)}


def _bounds(limit: Limit) -> dict[str, object]:
    if limit.outside is not None:
        return {"not_between": list(limit.outside)}
    bounds: dict[str, object] = {"min": limit.low} if limit.low else {}
    return bounds if limit.high is None else {**bounds, "max": limit.high}


def _duplicates(limit: Limit, table: str, column: ColumnPath | None, columns: list[str]) -> Check:
    columns = columns or ([str(column)] if column else [])
    if not columns:
        raise UnsupportedRule("duplicateValues of a table needs arguments.properties")
    if limit.outside is not None:
        return _repeated(limit, table, columns)
    if limit.low > 0:
        raise UnsupportedRule("a rule that asks for duplicates is no check")
    if limit.is_zero:
        return {"type": "unique", "columns": columns}
    if limit.percentage is not None:
        return {"type": "unique", "columns": columns, "max_violation_percentage": limit.percentage}
    return {"type": "unique", "columns": columns, "max_duplicates": limit.high}


def _repeated(limit: Limit, table: str, columns: list[str]) -> Check:
    """Rows that repeat a key, as the check `unique` counts them, or their share of all rows."""
    names = [".".join(quote(part) for part in column.split(".")) for column in columns]
    keyed = " AND ".join(f"{name} IS NOT NULL" for name in names)
    groups = f"SELECT count(*) AS n FROM {_table(table)} WHERE {keyed} GROUP BY {', '.join(names)}"  # noqa: S608
    repeated = f"(SELECT coalesce(sum(n - 1), 0) FROM ({groups}))"  # noqa: S608  quoted names alone
    if not limit.in_percent:
        return {"type": "query", "query": f"SELECT {repeated}", **_bounds(limit)}
    share = f"SELECT coalesce(100.0 * {repeated} / nullif(count(*), 0), 0) FROM {_table(table)}"  # noqa: S608
    return {"type": "query", "query": share, **_bounds(limit)}


def _table(name: str) -> str:
    return ".".join(quote(part) for part in name.split(".", 1))


def _sql(rule: Mapping[str, object], table: str, column: ColumnPath | None) -> Check:
    """The query's single number satisfies the operator; ${object} and ${property} are the rule's table and column."""
    query = rule.get("query")
    if not isinstance(query, str) or not query.strip():
        raise UnsupportedRule("an SQL rule needs a query")
    names = dict.fromkeys(("object", "table", "model"), _table(table))
    if column:
        names |= dict.fromkeys(("property", "column", "field"), column.sql)

    def named(match: re.Match[str]) -> str:
        if match[1] not in names:
            raise UnsupportedRule(f"the rule's query names a {match[1]}; put the rule under one")
        return names[match[1]]

    bounds = _query_bounds(rule, counts=_COUNTS.match(query) is not None)
    return {"type": "query", "query": _PLACEHOLDER.sub(named, query.strip()), **bounds}


def _query_bounds(rule: Mapping[str, object], *, counts: bool) -> dict[str, object]:
    """The bounds of the operator. An exclusive end becomes the next number: of a count the next integer."""
    operators = [o for o in _OPERATORS if o in rule]
    if len(operators) != 1:
        raise UnsupportedRule(f"the rule needs exactly one of {', '.join(_OPERATORS)}")
    operator, value = operators[0], rule[operators[0]]
    if operator.endswith("Between"):
        low, high = _two_numbers(operator, value)
        return {"min": low, "max": high} if operator == "mustBeBetween" else {"not_between": [low, high]}
    number = _number(operator, value)
    match operator:
        case "mustBe":
            return {"min": number, "max": number}
        case "mustNotBe":
            return {"not_between": [number, number]}
        case "mustBeGreaterOrEqualTo":
            return {"min": number}
        case "mustBeLessOrEqualTo":
            return {"max": number}
        case "mustBeGreaterThan":
            return {"min": math.floor(number) + 1 if counts else math.nextafter(number, math.inf)}
    return {"max": math.ceil(number) - 1 if counts else math.nextafter(number, -math.inf)}


def _nulls(limit: Limit, table: str, column: ColumnPath) -> Check:
    if limit.outside is not None:
        return _counted(limit, table, f"{column.sql} IS NOT NULL")
    if limit.is_zero:
        return {"type": "not_null", "column": str(column)}
    if limit.percentage is not None:
        return {"type": "not_null", "column": str(column), "max_null_percentage": limit.percentage}
    return {"type": "row_count", "where": f"{column.sql} IS NULL", **_bounds(limit)}


def _missing(limit: Limit, table: str, column: ColumnPath, arguments: Mapping[str, object]) -> Check:
    """Without arguments, NULL and the empty string are missing."""
    values = arguments.get("missingValues", [None, ""])
    if not isinstance(values, list) or not values:
        raise UnsupportedRule("arguments.missingValues must be a list of values")
    others = [v for v in values if v is not None]
    parts = [f"{column.sql} IS NOT NULL"] if None in values else []
    parts += [f"NOT ({any_of(column, others)})"] if others else []
    return _counted(limit, table, " AND ".join(parts))


def _invalid(limit: Limit, table: str, column: ColumnPath, arguments: Mapping[str, object]) -> tuple[Check, ...]:
    values, pattern = arguments.get("validValues"), arguments.get("pattern")
    checks: list[Check] = []
    valid: list[str] = []
    if isinstance(values, list) and values:
        known = [v for v in values if v is not None]  # null never counts as invalid
        checks.append({"type": "accepted_values", "column": str(column), "values": known})
        valid.append(any_of(column, known))
    if isinstance(pattern, str):
        checks.append({"type": "regex", "column": str(column), "pattern": pattern})
        valid.append(f"{column.sql} RLIKE {literal(pattern)}")
    if not checks:
        raise UnsupportedRule("invalidValues needs arguments.validValues or arguments.pattern")
    if limit.is_zero:
        return tuple(checks)
    if limit.percentage is not None and len(checks) == 1:
        return ({**checks[0], "max_violation_percentage": limit.percentage},)
    return (_counted(limit, table, " AND ".join(f"({part})" for part in valid)),)


def _counted(limit: Limit, table: str, good: str) -> Check:
    """A check on the number of rows that violate the predicate `good`."""
    if limit.in_percent:
        share = f"SELECT coalesce(100.0 * count_if(NOT ({good})) / nullif(count(*), 0), 0) FROM {_table(table)}"  # noqa: S608
        return {"type": "query", "query": share, **_bounds(limit)}
    if limit.percentage is not None and not limit.is_zero:
        return {"type": "expression", "sql": good, "max_violation_percentage": limit.percentage}
    if limit.is_zero:
        return {"type": "expression", "sql": good}
    return {"type": "row_count", "where": f"NOT ({good})", **_bounds(limit)}


def _limit(rule: Mapping[str, object]) -> Limit:
    operators = [o for o in _OPERATORS if o in rule]
    if not operators and rule.get("rule") == "validValues":
        operators, rule = ["mustBe"], {**rule, "mustBe": 0}  # v3.0 has no count there: all values must be valid
    if len(operators) != 1:
        raise UnsupportedRule(f"the rule needs exactly one of {', '.join(_OPERATORS)}")
    hole = _hole(operators[0], rule[operators[0]])
    unit = str(rule.get("unit", "rows")).lower()
    if hole is not None and unit in (*_ROWS, *_PERCENT):
        return Limit(outside=hole, in_percent=unit in _PERCENT)
    low, low_open, high, high_open = _interval(operators[0], rule[operators[0]])
    match unit:
        case _ if unit in _ROWS:
            return _rows(low, low_open, high, high_open)
        case _ if unit in _PERCENT:
            return _percentage(low, low_open, high, high_open)
        case _:
            raise UnsupportedRule(f"the unit {unit} is not known; it is rows or percent")


def _hole(operator: str, value: object) -> tuple[float, float] | None:
    """The excluded interval of an operator, where values are allowed on both sides of it."""
    if operator == "mustNotBeBetween":
        first, last = _two_numbers(operator, value)
        return (first, last) if 0 < first <= last else None
    number = _number(operator, value) if operator == "mustNotBe" else 0
    return (number, number) if number > 0 else None


def _interval(operator: str, value: object) -> tuple[float, bool, float, bool]:
    """The allowed values as one interval: low, is it open, high, is it open. A count is never below 0."""
    if operator.endswith("Between"):
        first, last = _two_numbers(operator, value)
        if operator == "mustBeBetween":
            return first, False, last, False
        return last, True, math.inf, False  # from 0 or below: the other side of it is none
    number = _number(operator, value)
    match operator:
        case "mustBe":
            return number, False, number, False
        case "mustBeGreaterThan":
            return number, True, math.inf, False
        case "mustBeGreaterOrEqualTo":
            return number, False, math.inf, False
        case "mustBeLessThan":
            return 0, False, number, True
        case "mustBeLessOrEqualTo":
            return 0, False, number, False
    return number, True, math.inf, False  # mustNotBe 0: a count is never below it


def _number(operator: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UnsupportedRule(f"{operator} needs a number")
    return value


def _two_numbers(operator: str, value: object) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise UnsupportedRule(f"{operator} needs two numbers, the smaller first")
    return _number(operator, value[0]), _number(operator, value[1])


def _rows(low: float, low_open: bool, high: float, high_open: bool) -> Limit:
    least = max(math.floor(low) + 1 if low_open else math.ceil(low), 0)
    if math.isinf(high):
        if least == 0:
            raise UnsupportedRule("the rule always holds")
        return Limit(low=least)
    most = math.ceil(high) - 1 if high_open else math.floor(high)
    if most < least:
        raise UnsupportedRule("the rule can never hold")
    return Limit(low=least, high=most)


def _percentage(low: float, low_open: bool, high: float, high_open: bool) -> Limit:
    if low > 0 or (low_open and low == 0):
        raise UnsupportedRule("a lower limit in percent is not supported yet")
    if high < 0 or (high_open and high == 0):
        raise UnsupportedRule("the rule can never hold")
    if high > 100 or (high == 100 and not high_open):
        raise UnsupportedRule("the rule always holds")
    return Limit(percentage=math.nextafter(high, -math.inf) if high_open else float(high))
