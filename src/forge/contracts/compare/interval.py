"""Bounds and patterns as sets of values, so that `exclusiveMinimum: 0` and `minimum: 1` of integers are equal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from fractions import Fraction

from forge.contracts.compare.change import ContractChangeKind
from forge.contracts.pattern.inclusion import counterexample
from forge.contracts.pattern.syntax import UnsupportedPattern

Bound = Fraction | None  # None: no bound
EVERYTHING_ELSE = "cannot be compared"


@dataclass(frozen=True, slots=True)
class Interval:
    low: Bound = None
    high: Bound = None
    low_open: bool = False
    high_open: bool = False

    def contains(self, other: Interval) -> bool:
        return _below(self.low, self.low_open, other.low, other.low_open) and _below(
            _negated(self.high), self.high_open, _negated(other.high), other.high_open
        )

    @property
    def is_empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    def whole(self) -> Interval:
        """The same for integers: every end is an allowed number."""
        low, high = self.low, self.high
        if low is not None:
            low = Fraction(math.floor(low) + 1 if self.low_open else math.ceil(low))
        if high is not None:
            high = Fraction(math.ceil(high) - 1 if self.high_open else math.floor(high))
        return Interval(low, high)


Intervals = tuple[Interval, ...]


def compared(old: Intervals, new: Intervals) -> ContractChangeKind | None:
    """None where both allow the same; CHANGED where neither includes the other."""
    tighter, looser = _within(new, old), _within(old, new)
    if tighter and looser:
        return None
    return (
        ContractChangeKind.TIGHTENED
        if tighter
        else ContractChangeKind.LOOSENED
        if looser
        else ContractChangeKind.CHANGED
    )


def patterns_compared(old: str, new: str) -> tuple[ContractChangeKind | None, str]:
    """With a text that only one of them accepts, where decidable: preferably of the new one."""
    if old == new:
        return None, ""
    try:
        more, less = counterexample(new, old), counterexample(old, new)
    except UnsupportedPattern:
        return ContractChangeKind.CHANGED, ""
    if more is None:
        return (None if less is None else ContractChangeKind.TIGHTENED), less or ""
    return (ContractChangeKind.LOOSENED if less is None else ContractChangeKind.CHANGED), more


def range_of(options: Mapping[str, object], *, is_whole: bool) -> Interval | None:
    """The values allowed by `minimum`, `maximum` and the exclusive ones; None for incomparable values. Before v3.1 the
    exclusive ones are flags of the others."""
    low = _stricter([_end(options, "minimum", "exclusiveMinimum"), _exclusive(options, "exclusiveMinimum")], lower=True)
    high = _stricter(
        [_end(options, "maximum", "exclusiveMaximum"), _exclusive(options, "exclusiveMaximum")], lower=False
    )
    if low is None or high is None:
        return None
    found = Interval(low[0], high[0], low[1], high[1])
    return found.whole() if is_whole else found


def number_of(value: object) -> Fraction | None:
    """A number, or a date, time or timestamp as a number."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return Fraction(value) if math.isfinite(value) else None
    return _moment(str(value).strip()) if isinstance(value, str) else None


End = tuple[Bound, bool]


def _end(options: Mapping[str, object], key: str, exclusive: str) -> End | str:
    if options.get(key) is None:
        return None, False
    number = number_of(options[key])
    return EVERYTHING_ELSE if number is None else (number, options.get(exclusive) is True)


def _exclusive(options: Mapping[str, object], key: str) -> End | str:
    value = options.get(key)
    if value is None or isinstance(value, bool):
        return None, False
    number = number_of(value)
    return EVERYTHING_ELSE if number is None else (number, True)


def _stricter(ends: Sequence[End | str], *, lower: bool) -> End | None:
    found: End = (None, False)
    for end in ends:
        if isinstance(end, str):
            return None
        number, is_open = end
        if number is None:
            continue
        known = found[0]
        is_stricter = known is None or (number > known if lower else number < known)
        if is_stricter or (number == known and is_open):
            found = (number, is_open)
    return found


def _moment(text: str) -> Fraction | None:
    for read in (_timestamp, _time):
        try:
            return read(text)
        except ValueError:
            continue
    return None


def _timestamp(text: str) -> Fraction:
    moment = datetime.fromisoformat(text)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    since = moment - datetime.combine(date(1970, 1, 1), time(), tzinfo=UTC)
    return Fraction(since.days * 86_400 + since.seconds) + Fraction(since.microseconds, 1_000_000)


def _time(text: str) -> Fraction:
    found = time.fromisoformat(text)
    return Fraction(found.hour * 3600 + found.minute * 60 + found.second) + Fraction(found.microsecond, 1_000_000)


def _negated(bound: Bound) -> Bound:
    return None if bound is None else -bound


def _below(outer: Bound, outer_open: bool, inner: Bound, inner_open: bool) -> bool:
    """Whether the lower end `inner` is not below the lower end `outer`."""
    if outer is None:
        return True
    if inner is None or inner < outer:
        return False
    return inner > outer or inner_open or not outer_open


def _within(inner: Intervals, outer: Intervals) -> bool:
    return all(part.is_empty or any(whole.contains(part) for whole in outer) for part in inner)
