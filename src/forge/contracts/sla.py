"""Meaning of an entry of `slaProperties`, and which of two is stricter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from fractions import Fraction

from forge.contracts.contract import FilePlace, SlaProperty
from forge.model.duration import Duration, compare_durations, number_of, parse_duration

DRIVERS = ("regulatory", "analytics", "operational")

_PERCENT = ("%", "percent", "percents", "percentage", "pct")
_PERCENTAGE = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*(%|percent|percentage|pct)?", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*(Z|UTC|[+-]\d{2}:?\d{2})?", re.IGNORECASE)


class SlaKind(Enum):
    DURATION = "duration"
    PERCENTAGE = "percentage"
    DATE = "date"
    CLOCK = "time of day"
    NUMBER = "number"
    FREE = "free"


class Direction(Enum):
    """Which value is stricter."""

    LOWER = "lower"
    HIGHER = "higher"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Service:
    """A kind of service level. `is_strict`: malformed values are rejected, not only left uncompared."""

    name: str
    synonyms: tuple[str, ...]
    kind: SlaKind
    direction: Direction
    is_strict: bool = True


SERVICES: tuple[Service, ...] = (
    Service("latency", ("ly",), SlaKind.DURATION, Direction.LOWER),
    Service("freshness", ("fr", "fs"), SlaKind.DURATION, Direction.LOWER),
    Service("retention", ("re", "retentionPeriod"), SlaKind.DURATION, Direction.HIGHER),
    Service("availability", ("av",), SlaKind.PERCENTAGE, Direction.HIGHER),
    Service("completeness", ("cp",), SlaKind.PERCENTAGE, Direction.HIGHER),
    Service("uniqueness", ("uq",), SlaKind.PERCENTAGE, Direction.HIGHER),
    Service("accuracy", ("ac",), SlaKind.PERCENTAGE, Direction.HIGHER),
    Service("timeToDetect", ("td",), SlaKind.DURATION, Direction.LOWER),
    Service("timeToNotify", ("tn",), SlaKind.DURATION, Direction.LOWER),
    Service("timeToRepair", ("tr",), SlaKind.DURATION, Direction.LOWER),
    Service("frequency", ("fy",), SlaKind.DURATION, Direction.LOWER, is_strict=False),
    Service("errorRate", ("er",), SlaKind.PERCENTAGE, Direction.LOWER, is_strict=False),
    Service("throughput", ("th",), SlaKind.NUMBER, Direction.HIGHER, is_strict=False),
    Service("conformity", ("cf",), SlaKind.PERCENTAGE, Direction.HIGHER, is_strict=False),
    Service("consistency", ("cs",), SlaKind.PERCENTAGE, Direction.HIGHER, is_strict=False),
    Service("coverage", ("cv",), SlaKind.PERCENTAGE, Direction.HIGHER, is_strict=False),
    Service("timeliness", ("tm",), SlaKind.PERCENTAGE, Direction.HIGHER, is_strict=False),
    Service("generalAvailability", ("ga",), SlaKind.DATE, Direction.NONE, is_strict=False),
    Service("endOfSupport", ("es",), SlaKind.DATE, Direction.HIGHER, is_strict=False),
    Service("endOfLife", ("el",), SlaKind.DATE, Direction.HIGHER, is_strict=False),
    Service("timeOfAvailability", ("ta", "toa"), SlaKind.CLOCK, Direction.LOWER, is_strict=False),
)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).lower()


_BY_NAME = {_plain(word): service for service in SERVICES for word in (service.name, *service.synonyms)}


_NOWHERE = FilePlace("", 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A service level in comparable form. No elements: the whole contract."""

    service: str
    kind: SlaKind
    direction: Direction
    value: Duration | Fraction | datetime | str
    shown: str  # as written, for messages: 24 h
    unit: str = ""  # of a plain number
    elements: frozenset[str] = frozenset()
    place: FilePlace = _NOWHERE


def service_of(name: str) -> Service | None:
    """`latency`, `Latency` and `ly` are one; None for an unknown property."""
    return _BY_NAME.get(_plain(name))


def elements_of(text: str | None) -> frozenset[str]:
    """The elements of a comma-separated list, in lower case."""
    return frozenset(part.strip().lower() for part in (text or "").split(",") if part.strip())


def parse_percentage(value: object, unit: str | None = None) -> Fraction | None:
    """0 to 100, with or without `%`; None for all else."""
    if unit and unit.strip().lower() not in _PERCENT:
        return None
    number = number_of(value)
    if number is None and isinstance(value, str):
        found = _PERCENTAGE.fullmatch(value.strip()) if len(value) < 60 else None
        number = Fraction(found[1]) if found else None
    return number if number is not None and 0 <= number <= 100 else None


def problem_of(sla: SlaProperty) -> tuple[str, str] | None:
    """The error in the value, and the fix; None when it is valid, or of an unknown kind."""
    service = service_of(sla.property)
    if service is None or not service.is_strict or sla.value is None:
        return None
    if _value(service, sla) is not None:
        return None
    shown = _shown(sla) or "an empty text"
    if service.kind is SlaKind.DURATION:
        return f"{shown} is not a duration", _duration_fix(sla)
    return f"{shown} is not a percentage", f"Write {sla.property} as a number from 0 to 100, like 99.9 or 99.9%."


def promise_of(sla: SlaProperty, default_element: str | None = None) -> Promise | None:
    """None without a value, or with an invalid one."""
    service = service_of(sla.property) or Service(
        _plain(sla.property), (), SlaKind.FREE, Direction.NONE, is_strict=False
    )
    value = _value(service, sla)
    if value is None and not service.is_strict and sla.value is not None:
        value = _shown(sla).lower()
    if value is None:
        return None
    return Promise(
        service=service.name,
        kind=service.kind,
        direction=service.direction,
        value=value,
        shown=_shown(sla),
        unit=(sla.unit or "").strip().lower(),
        elements=elements_of(sla.element or default_element),
        place=sla.place,
    )


def strength(one: Promise, other: Promise) -> int | None:
    """1 when `one` is stricter, -1 when weaker, 0 when equal; None where undecidable."""
    order = _compare(one, other)
    if order is None or order == 0:
        return order
    if one.direction is Direction.NONE:
        return None
    return order if one.direction is Direction.HIGHER else -order


def _compare(one: Promise, other: Promise) -> int | None:
    match one.value, other.value:
        case Duration() as first, Duration() as second:
            return compare_durations(first, second)
        case Fraction() as first, Fraction() as second:
            is_one_unit = one.kind is not SlaKind.NUMBER or one.unit == other.unit
            return (first > second) - (first < second) if is_one_unit else None
        case datetime() as first, datetime() as second:
            return (first > second) - (first < second)
        case str() as first, str() as second:
            return 0 if first == second else None
    return None


def _value(service: Service, sla: SlaProperty) -> Duration | Fraction | datetime | str | None:
    match service.kind:
        case SlaKind.DURATION:
            return parse_duration(sla.value, sla.unit)
        case SlaKind.PERCENTAGE:
            return parse_percentage(sla.value, sla.unit)
        case SlaKind.NUMBER:
            return number_of(sla.value)
        case SlaKind.DATE:
            return _moment(sla.value)
        case SlaKind.CLOCK:
            return _minutes(sla.value)
    return None


def _moment(value: object) -> datetime | None:
    """A date is its first moment; without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _minutes(value: object) -> Fraction | None:
    """Minutes after midnight in UTC; negative where the zone is ahead."""
    found = _CLOCK.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 60 else None
    if found is None:
        return None
    zone = (found[4] or "Z").upper()
    offset = 0
    if zone[0] in "+-":
        offset = (int(zone[1:3]) * 60 + int(zone[-2:])) * (1 if zone[0] == "+" else -1)
    return Fraction(int(found[1]) * 60 + int(found[2]) - offset) + Fraction(int(found[3] or 0), 60)


def _shown(sla: SlaProperty) -> str:
    value = "" if sla.value is None else str(sla.value)
    return f"{value} {sla.unit}".strip() if sla.unit else value


def _duration_fix(sla: SlaProperty) -> str:
    if not sla.unit and number_of(sla.value) is not None:
        return f"Say the unit: value: {sla.value}, unit: h (or d, y, m, s), or write ISO 8601 like P1D."
    return "Write a number and a unit (value: 24, unit: h; units d, y, h, m, s) or ISO 8601, like P1D or PT30M."
