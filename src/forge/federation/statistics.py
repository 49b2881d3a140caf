"""What a source knows of the values of a column, for estimates. The values themselves are not kept, only where they
stand on a line of numbers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from math import isnan


@dataclass(frozen=True, slots=True)
class ColumnStatistics:
    """`distinct`: how many values there are. `nulls`: the share of the rows that have none. `bounds`: in order, between
    any two neighbours equally many of the other rows; two of them are the least and the greatest value."""

    distinct: int | None = None
    nulls: float | None = None
    bounds: tuple[float, ...] = ()

    @property
    def filled(self) -> float:
        """The share of the rows that have a value."""
        return 1.0 - (self.nulls or 0.0)

    def share_between(self, low: float | None, high: float | None) -> float | None:
        """Of all rows, those between two places; None: nobody can tell."""
        if len(self.bounds) < 2:
            return None
        below = 0.0 if low is None else self._below(low)
        return max((1.0 if high is None else self._below(high)) - below, 0.0) * self.filled

    def _below(self, place: float) -> float:
        """The share of the values below a place. Between two bounds they are taken to lie evenly."""
        first, last = bisect_left(self.bounds, place), bisect_right(self.bounds, place)
        parts = len(self.bounds) - 1
        if first == 0:
            return 0.0
        if first > parts:
            return 1.0
        if last > first:  # it is a bound
            return first / parts
        left, right = self.bounds[first - 1], self.bounds[first]
        return (first - 1 + (place - left) / (right - left)) / parts


NOTHING_KNOWN = ColumnStatistics()


def place_of(value: object) -> float | None:
    """Where a value stands: numbers, days, and seconds. Texts have no place."""
    match value:
        case bool():
            return None
        case int() | float() | Decimal():
            return float(value)
        case datetime():
            return (value if value.tzinfo is not None else value.replace(tzinfo=UTC)).timestamp()
        case date():
            return datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp()
    return None


def bounds_of(values: Iterable[object]) -> tuple[float, ...]:
    """None of them where one has no place."""
    places = [place_of(one) for one in values]
    known = [one for one in places if one is not None and not isnan(one)]
    return tuple(sorted(known)) if len(known) == len(places) else ()
