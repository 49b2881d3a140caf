"""Parses monitors from YAML or JSON. All errors are reported, each with its path."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.quality.monitors.monitor import MissedPolicy, Monitor, Schedule, ScheduleType
from forge.quality.monitors.schedule import FieldFault, find_faults
from forge.quality.spec import validate_checks
from forge.quality.verdict import Severity

LONGEST_NAME, LONGEST_WINDOW = 255, 3660
_SCHEDULE_KEYS = ("type", "cron", "interval_minutes", "timezone", "missed")


class _InvalidKey(ValueError):
    """An error in one key."""


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _InvalidKey(f"must be text, and is {value!r}")
    if "\x00" in value:
        raise _InvalidKey("holds a NUL character, which is no text")
    return value


def _name(value: object) -> str:
    text = _text(value).strip()
    if not text or len(text) > LONGEST_NAME:
        raise _InvalidKey(f"must have from 1 to {LONGEST_NAME} characters")
    return text


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _InvalidKey(f"must be true or false, and is {value!r}")
    return value


def _dataset(value: object) -> str:
    """`core.orders`, or `core.orders@branch`, normalised."""
    name, at, branch = _text(value).strip().partition("@")
    try:
        table = TableName.parse(name)
    except ForgeError as error:
        raise _InvalidKey(f"must be like core.orders or core.orders@branch, and is {value!r}") from error
    if at and not branch.strip():
        raise _InvalidKey("has an @ and no branch after it")
    return f"{table}@{branch.strip()}" if at else str(table)


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise _InvalidKey(f"must be a list of names, and is {value!r}")
    return tuple(dict.fromkeys(_name(item) for item in value))


def _word(value: object, known: Sequence[str]) -> str:
    if value not in known:
        near = did_you_mean(str(value), known)
        raise _InvalidKey(f"is one of {', '.join(known)}, and is {value!r}" + (f". {near}" if near else ""))
    return str(value)


def _target(value: object) -> float | None:
    if value is None:
        return None
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not 0 < number <= 100:
        raise _InvalidKey(f"is a percentage above 0 and up to 100, and is {value!r}")
    return number


def _window(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LONGEST_WINDOW:
        raise _InvalidKey(f"is a number of days from 1 to {LONGEST_WINDOW}, and is {value!r}")
    return value


_READ: Mapping[str, Callable[[object], object]] = {
    "name": _name,
    "description": _text,
    "dataset": _dataset,
    "enabled": _flag,
    "channels": _names,
    "severity_threshold": lambda value: Severity(_word(value, [severity.value for severity in Severity])),
    "notify_on_recovery": _flag,
    "sla_target_percentage": _target,
    "sla_window_days": _window,
}
KEYS = (*_READ, "checks", "schedule")
_REQUIRED = ("name", "dataset")


def read_monitor(mapping: object, *, before: Monitor | None = None) -> tuple[Monitor | None, tuple[FieldFault, ...]]:
    """The monitor without id and times, and all errors; None if there are any. Fields that the mapping leaves out keep
    the values of `before`."""
    if not isinstance(mapping, Mapping):
        return None, (FieldFault("monitor", f"is a mapping with name and dataset, and is {mapping!r}"),)
    faults: list[FieldFault] = []
    fields: dict[str, object] = {}
    for key, value in mapping.items():
        match key:
            case "checks":
                faults += find_check_faults(value)
                fields[key] = tuple(value) if isinstance(value, list | tuple) else ()
            case "schedule":
                schedule, wrong = read_schedule(value)
                fields[key] = schedule
                faults += wrong
            case str() if key in _READ:
                try:
                    fields[key] = _READ[key](value)
                except _InvalidKey as wrong_value:
                    faults.append(FieldFault(key, str(wrong_value)))
            case _:
                near = did_you_mean(str(key), KEYS) or f"The keys are {', '.join(KEYS)}."
                faults.append(FieldFault(str(key), "is no key of a monitor", near))
    if before is None:
        faults += [FieldFault(key, "is missing") for key in _REQUIRED if key not in mapping]
    if faults:
        return None, tuple(faults)
    if before is not None:
        return replace(before, **fields), ()  # type: ignore[arg-type]  # each was read by the reader of its key
    return Monitor(id="", **fields), ()  # type: ignore[arg-type]


def read_schedule(value: object) -> tuple[Schedule | None, tuple[FieldFault, ...]]:
    """None is no schedule: manual runs only."""
    if value is None:
        return None, ()
    if not isinstance(value, Mapping):
        return None, (FieldFault("schedule", f"is a mapping like {{type: cron, cron: 0 6 * * *}}, and is {value!r}"),)
    faults = [
        FieldFault(f"schedule.{key}", "is no key of a schedule", did_you_mean(str(key), _SCHEDULE_KEYS))
        for key in value
        if key not in _SCHEDULE_KEYS
    ]
    try:
        schedule = Schedule(
            ScheduleType(_schedule_type(value)),
            _optional_text(value, "cron"),
            _minutes(value.get("interval_minutes")),
            _optional_text(value, "timezone") or "UTC",
            MissedPolicy(_word(value.get("missed", "skip"), [missed.value for missed in MissedPolicy])),
        )
    except _InvalidKey as wrong:
        return None, (*faults, FieldFault("schedule", str(wrong)))
    faults += [FieldFault(f"schedule.{fault.path}", fault.message, fault.fix) for fault in find_faults(schedule)]
    return schedule, tuple(faults)


def _schedule_type(value: Mapping[object, object]) -> str:
    if "type" not in value:
        raise _InvalidKey(f"has no type; it is one of {', '.join(ScheduleType)}")
    return _word(value["type"], [kind.value for kind in ScheduleType])


def _optional_text(value: Mapping[object, object], key: str) -> str | None:
    found = value.get(key)
    if found is None:
        return None
    try:
        return _text(found).strip()
    except _InvalidKey as wrong:
        raise _InvalidKey(f"{key} {wrong}") from None


def _minutes(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise _InvalidKey(f"interval_minutes must be a whole number, and is {value!r}")
    return value


def find_check_faults(items: object) -> tuple[FieldFault, ...]:
    """All errors in a list of checks, by their place."""
    return tuple(FieldFault(f"checks{problem.path}", problem.message) for problem in validate_checks(items))


def schedule_json(schedule: Schedule | None) -> dict[str, object] | None:
    return schedule.to_dict() if schedule else None
