"""Durations: `24 h`, `1 day`, `P1D`. Different spellings of the same duration are equal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction

_DAY = 86_400

# Each spelling of a unit; "m" is a minute, as with h and s.
_SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "year": ("y", "yr", "yrs", "year", "years"),
    "month": ("mo", "mos", "mon", "month", "months"),
    "week": ("w", "wk", "wks", "week", "weeks"),
    "day": ("d", "day", "days"),
    "hour": ("h", "hr", "hrs", "hour", "hours"),
    "minute": ("m", "min", "mins", "minute", "minutes"),
    "second": ("s", "sec", "secs", "second", "seconds"),
    "millisecond": ("ms", "msec", "millis", "millisecond", "milliseconds"),
}
_UNITS = {spelling: unit for unit, spellings in _SPELLINGS.items() for spelling in spellings}
_MONTHS = {"year": 12, "month": 1}
_SECONDS = {
    "week": Fraction(7 * _DAY),
    "day": Fraction(_DAY),
    "hour": Fraction(3600),
    "minute": Fraction(60),
    "second": Fraction(1),
    "millisecond": Fraction(1, 1000),
}

_NUMBER = r"\d+(?:[.,]\d+)?"
_ISO = re.compile(
    rf"P(?=[\dT])(?:(?P<year>{_NUMBER})Y)?(?:(?P<month>{_NUMBER})M)?(?:(?P<week>{_NUMBER})W)?(?:(?P<day>{_NUMBER})D)?"
    rf"(?:T(?=\d)(?:(?P<hour>{_NUMBER})H)?(?:(?P<minute>{_NUMBER})M)?(?:(?P<second>{_NUMBER})S)?)?",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\+?(\d+(?:\.\d+)?|\.\d+)\s*([A-Za-z]*)")
_LONGEST_TEXT = 60


@dataclass(frozen=True, slots=True)
class Duration:
    """Calendar units and exact ones are separate, as a month has no fixed number of seconds."""

    months: Fraction = Fraction(0)
    seconds: Fraction = Fraction(0)

    @property
    def shortest(self) -> Fraction:
        """In seconds: a year has 365 days, a month 30."""
        years, rest = divmod(self.months, 12)
        return self.seconds + (years * 365 + rest * 30) * _DAY

    @property
    def longest(self) -> Fraction:
        """In seconds: a year has 366 days, a month 31."""
        years, rest = divmod(self.months, 12)
        return self.seconds + (years * 366 + rest * 31) * _DAY


def compare_durations(one: Duration, other: Duration) -> int:
    """-1, 0 or 1. A month equals 30 as well as 31 days, a year 365 as well as 366."""
    if one.seconds == other.seconds:
        return (one.months > other.months) - (one.months < other.months)
    if one.longest < other.shortest:
        return -1
    if one.shortest > other.longest:
        return 1
    return 0


def parse_duration(value: object, unit: str | None = None) -> Duration | None:
    """A number with its unit (`24` and `h`, `"24 h"`) or ISO 8601 (`P1D`); None for all else. Never negative."""
    if isinstance(value, str) and (iso := _iso(value.strip())):
        return iso
    number, own = _number_and_unit(value)
    if number is None or (unit is not None and not isinstance(unit, str)):
        return None
    named = [_UNITS.get(word.strip().lower(), "") for word in (own, unit or "") if word.strip()]
    if len(set(named)) != 1:  # no unit at all, or two that disagree
        return None
    if named[0] in _MONTHS:
        return Duration(months=number * _MONTHS[named[0]])
    return Duration(seconds=number * _SECONDS[named[0]]) if named[0] in _SECONDS else None


def duration_text(seconds: float) -> str:
    """`9.5 s`, `90 s`, `5 min 3 s`, `24 h`, `10.5 days`."""
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{int(seconds) // 60} min {int(seconds) % 60} s"
    length, unit = (3600, "h") if seconds < 3 * _DAY else (_DAY, "days")
    return f"{seconds / length:,.1f}".removesuffix(".0") + f" {unit}"


def number_of(value: object) -> Fraction | None:
    """The exact number that a value of a contract says, also as text; None where it says none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    small = number.is_finite() and -_LONGEST_TEXT < number.adjusted() < _LONGEST_TEXT
    return Fraction(number) if small else None


def _number_and_unit(value: object) -> tuple[Fraction | None, str]:
    if isinstance(value, str):
        found = _COUNTED.fullmatch(value.strip()) if len(value) <= _LONGEST_TEXT else None
        return (Fraction(found[1]), found[2]) if found else (None, "")
    number = number_of(value)
    return (number, "") if number is not None and number >= 0 else (None, "")


def _iso(text: str) -> Duration | None:
    found = _ISO.fullmatch(text) if len(text) <= _LONGEST_TEXT else None
    if found is None:
        return None
    parts = {unit: Fraction(number.replace(",", ".")) for unit, number in found.groupdict().items() if number}
    if not parts:
        return None
    return Duration(
        months=sum((parts[u] * _MONTHS[u] for u in parts if u in _MONTHS), Fraction(0)),
        seconds=sum((parts[u] * _SECONDS[u] for u in parts if u in _SECONDS), Fraction(0)),
    )
