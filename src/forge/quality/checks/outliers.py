"""Base class of outlier checks: bounds come from a first round of measures, values beyond them are counted."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from forge.model.schema import Schema
from forge.quality.check import Check, Context, Finding, count_in, exceeds
from forge.quality.checks.support import NUMBERS, brief, family, hidden_values
from forge.quality.keys import COLUMN, Key, Keys, percent, positive
from forge.quality.measure import Measure, Readings
from forge.quality.paths import type_of
from forge.quality.values import UnfitValue, lower_bound, share, show, upper_bound

Bounds = tuple[float, float]
_OPEN = (None, None)
_SLACK = 2.0**-50  # a bound is a double, and digits beyond its precision make no outlier


@dataclass(frozen=True, slots=True)
class OutlierCheck(Check):
    """A check that derives bounds and counts the values beyond them. NaN and the infinities are beyond all bounds."""

    words: ClassVar[tuple[str, ...]] = ("statistical",)
    keys: ClassVar[Keys] = {
        **COLUMN,
        "threshold": Key(positive, "threshold"),
        "max_outlier_percentage": Key(
            percent, "max_outlier_percentage", label="Tolerated", help="Share of values that may be outliers."
        ),
    }
    kind: ClassVar[str]  # of the first reading

    column: str
    threshold: float
    max_outlier_percentage: float = 1.0

    @abstractmethod
    def bounds(self, reading: object) -> Bounds | None:
        """None where no finite value can be an outlier."""

    @abstractmethod
    def explain(self, reading: object) -> str:
        """How the bounds were derived."""

    def targets(self) -> tuple[str, ...]:
        return (self.column,)

    def unfit(self, schema: Schema) -> str | None:
        if family(schema, self.column) in NUMBERS:
            return None
        return f"outliers are of numbers, and {self.column} is {type_of(schema, self.column)}"

    def _first(self) -> Measure:
        return self.measure(self.kind, (self.column,))

    def needs(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({self.rows(), self.measure("nulls", (self.column,)), self._first()})

    def then(self, readings: Readings, schema: Schema) -> frozenset[Measure]:
        found = self._beyond(readings, schema)
        return frozenset() if found is None else frozenset({found})

    def bad(self, readings: Readings, schema: Schema) -> tuple[Measure, ...]:
        """Also without bounds: NaN is always bad."""
        kind, ends = ("outside_ranges", ()) if self.partition_by else ("outside_range", _OPEN)
        return (self._beyond(readings, schema) or self.measure(kind, (self.column,), *ends),)

    def _beyond(self, readings: Readings, schema: Schema) -> Measure | None:
        type_ = type_of(schema, self.column)
        first = readings[self._first()]
        if not self.partition_by:
            ends = self._ends(first, type_)
            return None if ends == _OPEN else self.measure("outside_range", (self.column,), *ends)
        parts = first.items() if isinstance(first, Mapping) else ()
        by_part = {part: self._ends(reading, type_) for part, reading in parts}
        listed = tuple((part, *ends) for part, ends in sorted(by_part.items(), key=str) if ends != _OPEN)
        return self.measure("outside_ranges", (self.column,), *listed) if listed else None

    def _ends(self, reading: object, type_: str) -> tuple[object, object]:
        """The bounds as values of the column's type; a bound outside the type's range is open."""
        found = self.bounds(reading)
        if found is None:
            return _OPEN
        slack = max(abs(end) for end in found) * _SLACK
        return _end(lower_bound, found[0] - slack, type_), _end(upper_bound, found[1] + slack, type_)

    def decide(self, readings: Readings, context: Context) -> Finding:
        first = readings[self._first()]
        values = count_in(readings, self.rows()) - count_in(readings, self.measure("nulls", (self.column,)))
        finite = _count(first)
        counted = [measure for measure in readings if measure not in self.needs(context.schema)]
        bad = count_in(readings, counted[0]) if counted else values - finite
        hidden = hidden_values(readings, self.column, context)
        bounds = None if hidden else self.bounds(first)
        thresholds: dict[str, object] = {
            "threshold": self.threshold,
            "max_outlier_percentage": self.max_outlier_percentage,
        }
        if bounds is not None:
            thresholds |= {"low": bounds[0], "high": bounds[1]}
        message = self._message(bad, values, "" if hidden else self.explain(first), bounds)
        note = "NULLs are not counted"
        if values > finite:
            odd = values - finite
            note += f"; {show(odd)} NaN or infinite value{'s are' if odd > 1 else ' is an'} outlier{'s' * (odd > 1)}"
        failed = exceeds(bad, values, self.max_outlier_percentage)
        return Finding(failed, message, thresholds, note, hidden)

    def _message(self, bad: int, values: int, reason: str, bounds: Bounds | None) -> str:
        where = f" where {self.where}" if self.where else ""
        if values == 0:
            return f"{self.column}: there are no values{where}"
        noun = "value" if values == 1 else "values"
        ends = f" {brief(bounds[0])} … {brief(bounds[1])}" if bounds else " what is usual"
        why = f" ({reason})" if reason else ""
        if bad == 0:
            return f"{self.column}: {show(values)} {noun}{where}, none outside{ends}{why}"
        allowed = f"{share(bad, values)}, {show(self.max_outlier_percentage)}% is allowed"
        verb = "is" if bad == 1 else "are"
        return f"{self.column}: {show(bad)} of {show(values)} {noun} ({allowed}){where} {verb} outside{ends}{why}"


def _end(bound: object, value: float, type_: str) -> object:
    if not math.isfinite(value):
        return None
    try:
        return bound(value, type_)  # type: ignore[operator]
    except UnfitValue:
        return None


def _count(reading: object) -> int:
    found = getattr(reading, "count", None)
    if not isinstance(found, int):
        raise TypeError(f"the reading is {reading!r}, and has no count")
    return found
