"""Converts `quality:` of the shorthand to quality rules of ODCS."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeGuard

Notes = list[str]
Rule = dict[str, object]

# Promises in percent, and the metric that counts violating rows.
_METRICS = {"completeness": "nullValues", "uniqueness": "duplicateValues"}
_DIMENSIONS = {
    "completeness": "completeness",
    "uniqueness": "uniqueness",
    "accuracy": "accuracy",
    "validity": "conformity",
    "consistency": "consistency",
    "timeliness": "timeliness",
}


def rules_of(given: object, path: str, column: str | None, notes: Notes) -> list[Rule]:
    """A list is taken as rules of ODCS; a mapping holds shares: `completeness: 99.5%`."""
    place = f"{path}.quality" if path else "quality"
    if isinstance(given, list):
        notes += [f"{place}: {each!r} is no rule, and was left out" for each in given if not _is_rule(each)]
        return [dict(each) for each in given if _is_rule(each)]
    if not isinstance(given, Mapping):
        notes += [f"{place}: {given!r} is no rule, and was left out"] if given is not None else []
        return []
    return [_rule(str(name), value, column, f"{place}.{name}", notes) for name, value in given.items()]


def table_rules(given: object, path: str, columns: Sequence[Rule], notes: Notes) -> list[Rule]:
    """The rules of a table. Completeness applies to its columns; `uniqueness: [a, b]` to the key of these columns."""
    if not isinstance(given, Mapping):
        return rules_of(given, path, None, notes)
    rules: list[Rule] = []
    for name, value in given.items():
        named = _named_in(value, columns)
        share = _share(value) if not isinstance(value, list) else None
        if share is None and named:
            share = 100.0
        if name == "completeness" and share is not None and columns and named != []:
            _promise_filled(named or [each for each in columns if not each.get("required")], share)
        elif name == "uniqueness" and share is not None and named:
            listed = [each["name"] for each in named]
            rules.append(
                {"type": "library", "metric": "duplicateValues", "arguments": {"properties": listed}, **_bound(share)}
                | {"dimension": "uniqueness"}
            )
        else:
            rules += rules_of({name: value}, path, None, notes)
    return rules


def _named_in(value: object, columns: Sequence[Rule]) -> list[Rule] | None:
    """The columns that a rule names; None where it names none, empty where one does not exist."""
    listed = value.get("columns") or value.get("properties") if isinstance(value, Mapping) else value
    if not isinstance(listed, list):
        return None
    known = {str(each.get("name")).lower(): each for each in columns}
    found = [known[str(name).lower()] for name in listed if str(name).lower() in known]
    return found if len(found) == len(listed) else []


def _promise_filled(columns: Sequence[Rule], share: float) -> None:
    """Skips columns with a rule of their own."""
    for each in columns:
        own = each.get("quality")
        rules = own if isinstance(own, list) else []
        if not any(isinstance(rule, Mapping) and rule.get("metric") == "nullValues" for rule in rules):
            rule = {"type": "library", "metric": "nullValues", **_bound(share), "dimension": "completeness"}
            each["quality"] = [*rules, rule]


def _bound(share: float) -> Rule:
    """The tolerated share of violating rows."""
    return {"mustBe": 0} if share == 100 else {"mustBeLessOrEqualTo": _plain(100 - share), "unit": "percent"}


def _is_rule(each: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(each, Mapping)


def _rule(name: str, value: object, column: str | None, path: str, notes: Notes) -> Rule:
    share = _share(value)
    metric = _METRICS.get(name)
    known: Rule = {"dimension": _DIMENSIONS[name]} if name in _DIMENSIONS else {}
    if name in ("rowCount", "row_count", "minRows", "min_rows") and isinstance(value, int):
        return {"type": "library", "metric": "rowCount", "mustBeGreaterOrEqualTo": value, "dimension": "completeness"}
    if metric and column and share is not None:
        return {"type": "library", "metric": metric, **_bound(share), **known}
    notes.append(f"{path}: '{value}' became a rule in words, which nothing can check")
    return {"type": "text", "description": f"{name}: {value}", **known}


def _share(value: object) -> float | None:
    """100 for true, 99.5 for `99.5%`, 99.5 and 0.995."""
    if isinstance(value, Mapping):
        value = next((value[key] for key in ("threshold", "value", "min", "minimum") if key in value), None)
    if isinstance(value, bool):
        return 100.0 if value else None
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*", str(value))
    if match is None:
        return None
    number = float(match[1])
    share = number * 100 if number <= 1 and not match[2] else number
    return share if share <= 100 else None


def _plain(number: float) -> float | int:
    rounded = round(number, 9)
    return int(rounded) if rounded.is_integer() else rounded
