"""Checks as people write them, in YAML or in a decorator, read into checks. All errors are told, not the first only."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.nearest import did_you_mean
from forge.quality.check import Check, OnNotMeasured
from forge.quality.checks import (
    BY_WORD,
    CHECKS,
    AcceptedValues,
    Expression,
    ForeignKey,
    Freshness,
    NotNull,
    Range,
    Regex,
    RowCount,
    Unique,
)
from forge.quality.verdict import Severity


class _Wrong(ValueError):
    """What is wrong with one key."""


@dataclass(frozen=True, slots=True)
class _Key:
    read: Callable[[object], object]
    field: str  # of the check
    required: bool = False


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _Wrong(f"must be text, and is {value!r}")
    return value


def _columns(value: object) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not listed:
        raise _Wrong(f"must be a column or a list of columns, and is {value!r}")
    columns = tuple(_text(item) for item in listed)
    if len(set(columns)) < len(columns):
        raise _Wrong("names a column twice")
    return columns


def _any_columns(value: object) -> tuple[str, ...]:
    """As `_columns`, and an empty list means all columns."""
    return () if value in ([], ()) else _columns(value)


def _percent(value: object) -> float:
    raw = value.strip().removesuffix("%") if isinstance(value, str) else value
    number = _number(raw)
    if not 0 <= number <= 100:
        raise _Wrong(f"is a percentage from 0 to 100, and is {value!r}")
    return number


def _number(value: object) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]  # TypeError is the test
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise _Wrong(f"must be a number, and is {value!r}")
    return number


def _hours(value: object) -> float:
    number = _number(value)
    if number <= 0:
        raise _Wrong(f"must be more than 0 hours, and is {value!r}")
    return number


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _Wrong(f"must be a whole number from 0, and is {value!r}")
    return value


def _bound(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str | date):
        raise _Wrong(f"must be a number, a date, a time or text, and is {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise _Wrong("must be finite; leave it out for an open end")
    return value


def _values(value: object) -> tuple[object, ...]:
    if not isinstance(value, list | tuple) or not [item for item in value if item is not None]:
        raise _Wrong(f"must be a list of values, and is {value!r}")
    for item in value:
        if isinstance(item, list | dict | set | tuple):
            raise _Wrong(f"must be a list of single values, and holds {item!r}")
    return tuple(value)


def _severity(value: object) -> Severity:
    return Severity(_word(value, [s.value for s in Severity]))


def _on_not_measured(value: object) -> OnNotMeasured:
    return OnNotMeasured(_word(value, [o.value for o in OnNotMeasured]))


def _word(value: object, known: list[str]) -> str:
    if value not in known:
        near = did_you_mean(str(value), known)
        raise _Wrong(f"is one of {', '.join(known)}, and is {value!r}." + (f" {near}" if near else ""))
    return str(value)


def _references(value: object) -> tuple[TableName, tuple[str, ...]]:
    """`core.customers.customer_id`, `core.customers` (the same columns), or {table: …, columns: […]}."""
    try:
        if isinstance(value, Mapping):
            if set(value) != {"table", "columns"}:
                raise _Wrong(f"as a mapping has the keys table and columns, and has {', '.join(map(str, value))}")
            return TableName.parse(_text(value["table"])), _columns(value["columns"])
        parts = _text(value).strip().split(".", 2)
        if len(parts) < 2:
            raise _Wrong(f"must be like core.customers.customer_id, and is {value!r}")
        return TableName.parse(".".join(parts[:2])), tuple(parts[2:])
    except ForgeError as error:
        raise _Wrong(f"must be like core.customers.customer_id: {error.what}") from None


_COMMON = {
    "severity": _Key(_severity, "severity"),
    "name": _Key(_text, "name"),
    "where": _Key(_text, "where"),
    "on_not_measured": _Key(_on_not_measured, "on_not_measured"),
}
_COLUMN = {"column": _Key(_text, "column", required=True)}
_KEY_COLUMNS = {"columns": _Key(_columns, "columns", required=True), "column": _Key(_columns, "columns")}
_TOLERANCE = {"max_violation_percentage": _Key(_percent, "max_violation_percentage")}

_KEYS: dict[type[Check], dict[str, _Key]] = {
    NotNull: {
        "columns": _Key(_any_columns, "columns", required=True),
        "column": _Key(_columns, "columns"),
        "max_null_percentage": _Key(_percent, "max_null_percentage"),
    },
    Unique: _KEY_COLUMNS,
    AcceptedValues: {**_COLUMN, "values": _Key(_values, "values", required=True), **_TOLERANCE},
    Range: {**_COLUMN, "min": _Key(_bound, "min"), "max": _Key(_bound, "max"), **_TOLERANCE},
    Regex: {**_COLUMN, "pattern": _Key(_text, "pattern", required=True), **_TOLERANCE},
    RowCount: {
        "min": _Key(_count, "min"),
        "max": _Key(_count, "max"),
        "min_rows": _Key(_count, "min"),
        "max_rows": _Key(_count, "max"),
    },
    Freshness: {
        "timestamp_column": _Key(_text, "timestamp_column"),
        "max_age_hours": _Key(_hours, "max_age_hours"),
    },
    ForeignKey: {**_KEY_COLUMNS, "references": _Key(_references, "references", required=True), **_TOLERANCE},
    Expression: {"sql": _Key(_text, "sql", required=True), **_TOLERANCE},
}


def keys_of(check: type[Check]) -> tuple[str, ...]:
    """Every key a check of this type may have in a file."""
    return ("type", *_KEYS[check], *_COMMON)


@dataclass(slots=True)
class _Reading:
    """One mapping being read: fields so far, and all that is wrong."""

    fields: dict[str, Any] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def load_check(mapping: object, *, table: TableName, where: str) -> Check:
    """Raises E701 with all that is wrong with it; `where` is its place, for the message."""
    check, errors = _parse(mapping)
    if check is None:
        raise _error(errors, table, where)
    return check


def load_checks(items: object, *, table: TableName, where: str) -> tuple[Check, ...]:
    """Raises one E701 with the errors of all items, each with its place."""
    if items is None:
        return ()
    if not isinstance(items, list | tuple):
        raise _error([f"the checks are a list, and here is {items!r}"], table, where)
    checks: list[Check] = []
    failed: list[tuple[int, list[str]]] = []
    for number, item in enumerate(items, start=1):
        check, errors = _parse(item)
        if check is None:
            failed.append((number, errors))
        else:
            checks.append(check)
    if len(failed) == 1:
        raise _error(failed[0][1], table, f"{where}, check {failed[0][0]}")
    if failed:
        raise _error([f"check {number}: {error}" for number, errors in failed for error in errors], table, where)
    return tuple(checks)


def _error(errors: Sequence[str], table: TableName, where: str) -> ForgeError:
    count = "A check" if len(errors) == 1 else f"{len(errors)} things in the checks"
    what = f"{count} of {table} cannot be read: {errors[0]}" if len(errors) == 1 else f"{count} of {table} are wrong"
    fix = "Correct the check; docs/guide/project.md lists the types and their keys."
    return ForgeError("E701", what, where=where, why="\n".join(errors), fix=fix)


def _parse(mapping: object) -> tuple[Check | None, list[str]]:
    if not isinstance(mapping, Mapping):
        return None, [f"a check is a mapping like {{type: not_null, column: id}}, and here is {mapping!r}"]
    if "type" not in mapping:
        return None, [f"'type' is missing; the types are {', '.join(c.type for c in CHECKS)}"]
    word = mapping["type"]
    check = BY_WORD.get(word) if isinstance(word, str) else None
    if check is None:
        near = did_you_mean(str(word), BY_WORD) or f"The types are {', '.join(c.type for c in CHECKS)}."
        return None, [f"there is no check of type '{word}'. {near}"]
    reading = _read_keys(mapping, check)
    _RULES.get(check, _no_rule)(reading)
    if reading.errors:
        return None, [f"{word}: {error}" for error in reading.errors]
    return check(**reading.fields), []


def _read_keys(mapping: Mapping[object, object], check: type[Check]) -> _Reading:
    keys = {**_KEYS[check], **_COMMON}
    reading = _Reading()
    given: dict[str, str] = {}  # field → the key that set it
    for name, value in mapping.items():
        if name == "type":
            continue
        key = keys.get(name) if isinstance(name, str) else None
        if key is None:
            near = did_you_mean(str(name), keys) or f"Its keys are {', '.join(keys)}."
            reading.errors.append(f"there is no key '{name}'. {near}")
            continue
        if key.field in given:
            reading.errors.append(f"'{name}' and '{given[key.field]}' say the same; keep one")
        given[key.field] = str(name)
        try:
            reading.fields[key.field] = key.read(value)
        except _Wrong as wrong:
            reading.errors.append(f"'{name}' {wrong}")
    for name, key in keys.items():
        if key.required and key.field not in given:
            reading.errors.append(f"'{_asked(check, name)}' is missing")
    return reading


def _asked(check: type[Check], name: str) -> str:
    return "column" if check is NotNull and name == "columns" else name


def _no_rule(reading: _Reading) -> None:
    """Most checks have nothing to say across keys."""


def _range_rule(reading: _Reading) -> None:
    low, high = reading.fields.get("min"), reading.fields.get("max")
    if reading.errors:
        return
    if low is None and high is None:
        reading.errors.append("'min' or 'max' is needed")
    elif low is not None and high is not None:
        try:
            if low > high:
                reading.errors.append(f"'min' {low} is more than 'max' {high}")
        except TypeError:
            reading.errors.append(f"'min' {low!r} and 'max' {high!r} cannot be compared; write both as one type")


def _reference_rule(reading: _Reading) -> None:
    target, columns = reading.fields.get("references"), reading.fields.get("columns")
    if not isinstance(target, tuple) or not isinstance(columns, tuple):
        return
    table, names = target
    names = names or columns
    if len(names) != len(columns):
        reading.errors.append(f"'columns' has {len(columns)} columns and 'references' {len(names)}")
    reading.fields.update(table=table, references=names)


_RULES: dict[type[Check], Callable[[_Reading], None]] = {
    Range: _range_rule,
    RowCount: _range_rule,
    ForeignKey: _reference_rule,
}
