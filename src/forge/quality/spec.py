"""Parses checks from YAML, JSON or a decorator. All errors are reported, not only the first. The class of a check
declares its keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.check import Check, OnNotMeasured
from forge.quality.checks import class_of
from forge.quality.keys import InvalidKey, Key, KeyKind, Keys, ValueReader, columns, flag, one_of, sql, text
from forge.quality.remedy import PLAIN_ACTIONS, InvalidActions, load_actions
from forge.quality.verdict import Severity

COMMON: Keys = {
    "severity": Key(one_of(Severity), "severity", label="If it fails"),
    "id": Key(text, "id", help="Its identity, whatever else of it changes."),
    "name": Key(text, "name", help="As it is told in alerts.", example="amount is in euros"),
    "where": Key(
        sql,
        "where",
        label="Only rows where",
        help="An SQL filter; only rows for which it is true are looked at.",
        example="status = 'paid'",
    ),
    "partition_by": Key(
        columns,
        "partition_by",
        label="For each",
        help="Judged for each value of these columns; it fails where one of them does.",
    ),
    "since": Key(
        text,
        "since",
        label="Only rows since",
        help="Only rows of files added since that revision; previous is the version before.",
        example="previous",
    ),
    "on_not_measured": Key(
        one_of(OnNotMeasured),
        "on_not_measured",
        label="If it cannot be measured",
        help="Whether it blocks like a failed one.",
    ),
    "on_failure": Key(
        ValueReader(load_actions, KeyKind.CHOICES, PLAIN_ACTIONS),
        "on_failure",
        label="When it fails",
        help="Proposed on a branch of its own, for someone to approve. With options: a mapping, as {action: impute}.",
    ),
    "auto": Key(flag, "auto", label="Done at once", help="What is to be done is carried out, not proposed."),
}


def keys_of(check: type[Check]) -> tuple[str, ...]:
    """All keys that a check of this type may have in a file."""
    return ("type", *_keys(check))


def _keys(check: type[Check]) -> dict[str, Key]:
    return {**check.keys, **{name: key for name, key in COMMON.items() if name not in check.without}}


@dataclass(frozen=True, slots=True)
class SpecProblem:
    """An error in check specs and its path: `[2].max_rows` is the key max_rows of the third."""

    path: str
    message: str


@dataclass(slots=True)
class _Reading:
    """The state of parsing one mapping: fields so far, and all errors by key ("" for the whole)."""

    fields: dict[str, Any] = field(default_factory=dict)
    errors: list[tuple[str, str]] = field(default_factory=list)


def load_check(mapping: object, *, table: TableName, where: str) -> Check:
    """Raises E701 with all errors; `where` is its place, for the message."""
    check, errors = _parse(mapping)
    if check is None:
        raise _error([message for _, message in errors], table, where)
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
            failed.append((number, [message for _, message in errors]))
        else:
            checks.append(check)
    if len(failed) == 1:
        raise _error(failed[0][1], table, f"{where}, check {failed[0][0]}")
    if failed:
        raise _error([f"check {number}: {error}" for number, errors in failed for error in errors], table, where)
    return tuple(checks)


def validate_checks(items: object, schema: Schema | None = None) -> tuple[SpecProblem, ...]:
    """All errors in check specs, each with its path; with a schema also what does not fit the table. Nothing is
    executed."""
    if not isinstance(items, list | tuple):
        return (SpecProblem("", f"the checks are a list, and here is {items!r}"),)
    problems: list[SpecProblem] = []
    for number, item in enumerate(items):
        check, errors = _parse(item)
        problems += [SpecProblem(f"[{number}]" + (f".{key}" if key else ""), message) for key, message in errors]
        fault = check.fault(schema) if check is not None and schema is not None else None
        if fault is not None:
            problems.append(SpecProblem(f"[{number}]", fault))
    return tuple(problems)


def _error(errors: Sequence[str], table: TableName, where: str) -> ForgeError:
    count = "A check" if len(errors) == 1 else f"{len(errors)} things in the checks"
    what = f"{count} of {table} cannot be read: {errors[0]}" if len(errors) == 1 else f"{count} of {table} are wrong"
    fix = "Correct the check; docs/reference/checks.md lists the types and their keys."
    return ForgeError("E701", what, where=where, why="\n".join(errors), fix=fix)


def _parse(mapping: object) -> tuple[Check | None, list[tuple[str, str]]]:
    """A check, or the errors by key."""
    if not isinstance(mapping, Mapping):
        return None, [("", f"a check is a mapping like {{type: not_null, column: id}}, and here is {mapping!r}")]
    try:
        check = class_of(mapping)
    except InvalidKey as wrong:
        return None, [("type", str(wrong))]
    reading = _read_keys(mapping, check)
    if not reading.errors:
        reading.errors += [("", error) for error in check.settle(reading.fields)]
    if reading.errors:
        return None, [(key, f"{mapping['type']}: {error}") for key, error in reading.errors]
    return check(**reading.fields), []


def _read_keys(mapping: Mapping[object, object], check: type[Check]) -> _Reading:
    keys = _keys(check)
    reading = _Reading()
    given: dict[str, str] = {}  # field → the key that set it
    selectors = {"type", "statistical_check"} if mapping["type"] == "statistical" else {"type"}
    for name, value in mapping.items():
        if name in selectors:
            continue
        key = keys.get(name) if isinstance(name, str) else None
        if key is None:
            reading.errors.append((str(name), _stranger(name, check, keys)))
            continue
        if key.field in given:
            reading.errors.append((str(name), f"'{name}' and '{given[key.field]}' say the same; keep one"))
        given[key.field] = str(name)
        try:
            reading.fields[key.field] = key.read(value)
        except InvalidActions as wrong:
            reading.errors += [(str(name), f"'{name}' {line}") for line in wrong.errors]
        except InvalidKey as wrong:
            reading.errors.append((str(name), f"'{name}' {wrong}"))
    for name, key in keys.items():
        if key.required and key.field not in given and key.unless != mapping["type"]:
            reading.errors.append((name, f"'{name}' is missing"))
    return reading


def _stranger(name: object, check: type[Check], keys: Mapping[str, Key]) -> str:
    if name in check.without:
        return f"'{name}' means nothing for a check of type {check.type}"
    near = did_you_mean(str(name), keys) or f"Its keys are {', '.join(keys)}."
    return f"there is no key '{name}'. {near}"
