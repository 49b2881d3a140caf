"""`quality:` of the shorthand as quality rules of ODCS."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeGuard

Notes = list[str]
Rule = dict[str, object]

# What is promised in percent, and the metric that counts the rows which break it.
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
    """A list is taken for rules of ODCS already; a mapping promises shares: `completeness: 99.5%`."""
    if isinstance(given, list):
        notes += [f"{path}.quality: {each!r} is no rule, and was left out" for each in given if not _is_rule(each)]
        return [dict(each) for each in given if _is_rule(each)]
    if not isinstance(given, Mapping):
        notes += [f"{path}.quality: {given!r} is no rule, and was left out"] if given is not None else []
        return []
    return [_rule(str(name), value, column, f"{path}.quality.{name}", notes) for name, value in given.items()]


def _is_rule(each: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(each, Mapping)


def _rule(name: str, value: object, column: str | None, path: str, notes: Notes) -> Rule:
    share = _share(value)
    metric = _METRICS.get(name)
    known: Rule = {"dimension": _DIMENSIONS[name]} if name in _DIMENSIONS else {}
    if name in ("rowCount", "row_count", "minRows", "min_rows") and isinstance(value, int):
        return {"type": "library", "metric": "rowCount", "mustBeGreaterOrEqualTo": value, "dimension": "completeness"}
    if metric and column and share is not None:
        bound: Rule = {"mustBe": 0} if share == 100 else {"mustBeLessOrEqualTo": _plain(100 - share), "unit": "percent"}
        return {"type": "library", "metric": metric, **bound, **known}
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
