"""Bounds of values."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

from forge.model.schema import Schema
from forge.quality.check import NULLS_NOTE, Check, Context, Finding, count_in, count_sentence, exceeds
from forge.quality.checks.support import FLOATING, NUMBERS, family, hidden_values, nulls_note
from forge.quality.keys import COLUMN, TOLERANCE, Keys, bound, bounds, in_order
from forge.quality.measure import Measure, NotMeasured, Readings
from forge.quality.paths import type_of
from forge.quality.values import ORDERED, Family, UnfitValue, family_of, lower_bound, show, upper_bound


@dataclass(frozen=True, slots=True)
class RangeCheck(Check):
    """Every value lies in [min, max]; one of them may be left open. NULL is no value; NaN and the infinities lie in no
    range."""

    type: ClassVar[str] = "range"
    words: ClassVar[tuple[str, ...]] = ("range",)
    keys: ClassVar[Keys] = {**COLUMN, **bounds(bound), **TOLERANCE}

    column: str
    min: object = None
    max: object = None
    max_violation_percentage: float = 0.0

    @classmethod
    def settle(cls, fields: dict[str, Any]) -> list[str]:
        return in_order(fields.get("min"), fields.get("max"))

    def targets(self) -> tuple[str, ...]:
        return (self.column,)

    def _bounds(self, schema: Schema) -> tuple[object, object]:
        type_ = type_of(schema, self.column)
        if family_of(type_) is Family.STRING and not all(isinstance(b, str | None) for b in (self.min, self.max)):
            raise UnfitValue(f"a number is no bound of {self.column}, which is a {type_}; cast it, or quote the bound")
        low = None if self.min is None else lower_bound(self.min, type_)
        high = None if self.max is None else upper_bound(self.max, type_)
        return low, high

    def unfit(self, schema: Schema) -> str | None:
        type_ = type_of(schema, self.column)
        if family_of(type_) not in ORDERED:
            return f"a range is of numbers, dates, times or text, and {self.column} is {type_}"
        try:
            low, high = self._bounds(schema)
        except UnfitValue as error:
            return str(error)
        if self.min is not None and self.max is not None and family_of(type_) in NUMBERS:
            low, high = Decimal(str(self.min)), Decimal(str(self.max))  # as written: 0.2 … 0.8 has no whole number
        return f"min {self.min} is more than max {self.max}" if _beyond(low, high) else None

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (self.measure("outside_range", (self.column,), *self._bounds(schema)),)

    def extras(self, schema: Schema) -> frozenset[Measure]:
        return frozenset(self.measure(kind, (self.column,)) for kind in ("min", "max", "nulls"))

    def _phrase(self) -> str:
        if self.min is None:
            return f"above {self.max}"
        return f"below {self.min}" if self.max is None else f"outside {self.min} … {self.max}"

    def _extremes(self, readings: Readings, context: Context) -> str:
        """Which end is violated, so that the message shows by how much."""
        low, high = self._bounds(context.schema)
        least, most = (readings.get(self.measure(kind, (self.column,))) for kind in ("min", "max"))
        text = ""
        if _beyond(low, least) or least == float("-inf"):
            text += f"; smallest is {show(least)}"
        if _beyond(most, high) or most != most or most == float("inf"):  # NaN is not itself
            text += f"; greatest is {show(most)}"
        return text

    def decide(self, readings: Readings, context: Context) -> Finding:
        bad = count_in(readings, self.violations(context.schema)[0])
        rows = count_in(readings, self.rows())
        allowed = self.max_violation_percentage
        phrase = self._phrase()
        message = count_sentence(self, bad, rows, (f"none {phrase}", f"is {phrase}", f"are {phrase}"), allowed)
        hidden = hidden_values(readings, self.column, context)
        if bad and not hidden:
            message += self._extremes(readings, context)
        message += nulls_note(readings, self.measure("nulls", (self.column,)))
        thresholds = {"min": self.min, "max": self.max, "max_violation_percentage": allowed}
        floating = family(context.schema, self.column) in FLOATING
        note = f"{NULLS_NOTE}; NaN and infinite values are outside every range" if floating else NULLS_NOTE
        return Finding(exceeds(bad, rows, allowed), message, thresholds, note, hidden)


def _beyond(great: object, small: object) -> bool:
    """Whether great > small, where both exist and are comparable."""
    if great is None or small is None or isinstance(great, NotMeasured) or isinstance(small, NotMeasured):
        return False
    try:
        return bool(great > small)  # type: ignore[operator]  # two values of one column's type
    except TypeError:
        return False
