"""Lint of `logicalTypeOptions` and `enum`: constraints that no value can satisfy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from functools import lru_cache
from zoneinfo import ZoneInfo

from forge.contracts.document.file import Path
from forge.contracts.linter.finding import LintFindings, has_variable, shown
from forge.contracts.linter.standard_schema import json_type

_SIZES = (("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties"))
_JSON_TYPES: Mapping[str, tuple[str, ...]] = {
    "string": ("string",),
    "integer": ("integer",),
    "number": ("integer", "number"),
    "boolean": ("boolean",),
    **dict.fromkeys(("date", "timestamp", "time"), ("string",)),
}


def check_options(findings: LintFindings, each: Mapping[str, object], path: Path) -> None:
    options, place = each.get("logicalTypeOptions"), (*path, "logicalTypeOptions")
    if not isinstance(options, dict):
        return
    kind = each.get("logicalType")
    for low, high in _SIZES:
        _check_order(findings, options, place, low, high)
    _check_bounds(findings, options, place, kind)
    if isinstance(pattern := options.get("pattern"), str):
        check_pattern(findings, pattern, (*place, "pattern"))
    _check_zone(findings, options, place)
    if kind == "object" and isinstance(each.get("properties"), list):
        _check_required(findings, options.get("required"), each["properties"], (*place, "required"))


def _check_order(findings: LintFindings, options: Mapping[str, object], path: Path, low: str, high: str) -> None:
    least, most = options.get(low), options.get(high)
    if _is_number(least) and _is_number(most) and float(str(least)) > float(str(most)):
        findings.add("E502", (*path, low), f"{low} {least} is above {high} {most}", f"Make {low} the smaller one.")


def _check_bounds(findings: LintFindings, options: Mapping[str, object], path: Path, kind: object) -> None:
    """Lower bounds below upper ones, and bounds that are values of the type."""
    values: dict[str, date | datetime | time | float] = {}
    for key in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"):
        value = options.get(key)
        if _is_number(value) and kind in ("integer", "number", None):
            values[key] = float(str(value))
        elif isinstance(value, str) and kind in ("date", "timestamp", "time") and not has_variable(value):
            parsed = _calendar(value, str(kind))
            if parsed is not None:
                values[key] = parsed
            elif "format" not in options:
                fix = {"date": "2026-01-31", "time": "12:30:00"}.get(str(kind), "2026-01-31T12:00:00Z")
                findings.add("E502", (*path, key), f"{shown(value)} is not a {kind}", f"Write it like {fix}.")
    for low in ("minimum", "exclusiveMinimum"):
        for high in ("maximum", "exclusiveMaximum"):
            if low in values and high in values and _is_empty(values[low], values[high], low, high, options):
                message = f"no value fits: {low} is {options[low]} and {high} is {options[high]}"
                findings.add("E502", (*path, low), message, f"Make {low} the smaller one.")


def _is_empty(low: object, high: object, low_key: str, high_key: str, options: Mapping[str, object]) -> bool:
    is_open = "exclusive" in low_key + high_key or any(
        options.get(key) is True for key in ("exclusiveMinimum", "exclusiveMaximum")
    )
    try:
        return bool(low >= high if is_open else low > high)  # type: ignore[operator]
    except TypeError:  # a moment with a zone and one without are not comparable
        return False


def _calendar(text: str, kind: str) -> date | datetime | time | None:
    try:
        if kind == "time":
            return time.fromisoformat(text.strip())
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_pattern(findings: LintFindings, pattern: str, path: Path) -> None:
    if has_variable(pattern):
        return
    problem = pattern_problem(pattern)
    if problem is not None:
        message = f"the pattern {shown(pattern)} is no regular expression: {problem}"
        findings.add("E502", path, message, "Correct it; a backslash before ( [ { . * + ? makes them plain.")


@lru_cache(maxsize=1024)
def pattern_problem(pattern: str) -> str | None:
    """Patterns run in many engines: one is rejected only when no available dialect accepts it."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        import jsonschema_rs

        try:
            jsonschema_rs.validator_for({"pattern": pattern})
        except ValueError:
            return str(error)
    return None


def _check_zone(findings: LintFindings, options: Mapping[str, object], path: Path) -> None:
    zone = options.get("defaultTimezone")
    if not isinstance(zone, str) or has_variable(zone):
        return
    try:
        ZoneInfo(zone)
    except (OSError, KeyError, ValueError):
        message = f"{shown(zone)} is no time zone"
        findings.add("E502", (*path, "defaultTimezone"), message, "Write it like Etc/UTC or Europe/Berlin.")


def _check_required(findings: LintFindings, names: object, properties: object, path: Path) -> None:
    if not isinstance(names, list) or not isinstance(properties, list):
        return
    known = {str(each.get("name")).lower() for each in properties if isinstance(each, dict)}
    for index, name in enumerate(names):
        if isinstance(name, str) and name.lower() not in known:
            message = f"{shown(name)} is required and is no property of the object"
            findings.add("E502", (*path, index), message, "Add it to properties, or remove it here.")


def check_enum(findings: LintFindings, each: Mapping[str, object], path: Path) -> None:
    """Allowed values are values of the type, without duplicates."""
    allowed, kind = each.get("enum"), str(each.get("logicalType"))
    if not isinstance(allowed, list):
        return
    first: dict[object, int] = {}
    for index, entry in enumerate(allowed):
        value = entry.get("value") if isinstance(entry, dict) else None
        if value is None or isinstance(value, list | dict) or has_variable(value):
            continue
        place = (*path, "enum", index, "value")
        if kind in _JSON_TYPES and json_type(value) not in _JSON_TYPES[kind]:
            quoted = findings.document.written(place) or str(value).lower()
            text = f"{quoted}, which YAML reads as {shown(value)}," if isinstance(value, bool) else shown(value)
            message = f"{text} is no {kind}, and the column is one"
            fix = f'Put it in quotes: value: "{quoted}".' if kind == "string" else f"Write a value of type {kind}."
            findings.add("E502", place, message, fix)
            continue
        known = first.setdefault((json_type(value) == "boolean", value), index)
        if known != index:
            line = findings.document.place_of((*path, "enum", known)).line
            findings.add("E502", place, f"{shown(value)} is allowed twice, first in line {line}", "Remove one of them.")
