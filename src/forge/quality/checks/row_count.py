"""Volume."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from forge.model.schema import Schema
from forge.quality.check import Check, Context, Finding, count_in, exceeds
from forge.quality.checks.support import excluded
from forge.quality.keys import Key, Keys, bounds, change, count, in_order, two_numbers
from forge.quality.measure import PREVIOUS, Measure, Readings
from forge.quality.values import show


@dataclass(frozen=True, slots=True)
class RowCountCheck(Check):
    """The number of rows lies in [min, max]; one of them may be left open. It does not lie in `not_between`. With
    `max_change_percentage` it is at most so many percent more or less than in the version before."""

    type: ClassVar[str] = "row_count"
    words: ClassVar[tuple[str, ...]] = ("row_count", "volume")
    keys: ClassVar[Keys] = {
        **bounds(count),
        "min_rows": Key(count, "min"),
        "max_rows": Key(count, "max"),
        "max_change_percentage": Key(
            change, "max_change_percentage", label="Change at most", help="Against the version before."
        ),
        "not_between": Key(two_numbers, "not_between", help="Two numbers, both included.", example="5, 10"),
    }

    min: int | None = None
    max: int | None = None
    max_change_percentage: float | None = None
    not_between: tuple[int | float, int | float] | None = None

    @classmethod
    def settle(cls, fields: dict[str, Any]) -> list[str]:
        if "max_change_percentage" not in fields and "not_between" not in fields:
            return in_order(fields.get("min"), fields.get("max"))
        if fields.get("since"):
            return ["'since' and 'max_change_percentage' do not go together: new rows are not a changed number of rows"]
        bounds = fields.get("min"), fields.get("max")
        return in_order(*bounds) if None not in bounds else []

    def _before(self) -> Measure:
        return self.measure("rows", at=PREVIOUS)

    def needs(self, schema: Schema) -> frozenset[Measure]:
        changing = frozenset() if self.max_change_percentage is None else frozenset({self._before()})
        return frozenset({self.rows()}) | changing

    def decide(self, readings: Readings, context: Context) -> Finding:
        rows = count_in(readings, self.rows())
        where = f" where {self.where}" if self.where else ""
        message = f"{show(rows)} {'row' if rows == 1 else 'rows'}{where}"
        few = self.min is not None and rows < self.min
        many = self.max is not None and rows > self.max
        if few:
            message += f", fewer than {show(self.min)}"
        if many:
            message += f", more than {show(self.max)}"
        thresholds: dict[str, object] = {"min": self.min, "max": self.max}
        if self.not_between is not None:
            inside, addition = excluded(rows, self.not_between)
            few, message, thresholds["not_between"] = few or inside, message + addition, list(self.not_between)
        if self.max_change_percentage is None:
            return Finding(few or many, message, thresholds)
        thresholds["max_change_percentage"] = self.max_change_percentage
        if readings[self._before()] is None:
            return Finding(few or many, message, thresholds, "There is no version before to compare with yet")
        jumped, addition = self._change(rows, count_in(readings, self._before()))
        return Finding(few or many or jumped, message + addition, thresholds)

    def _change(self, rows: int, before: int) -> tuple[bool, str]:
        allowed = self.max_change_percentage or 0.0
        jumped = exceeds(abs(rows - before), before, allowed)
        by = f"{(rows - before) * 100 / before:+.2f}%" if before else ("none before" if rows else "as before")
        limit = f"more than {show(allowed)}%" if jumped else f"{show(allowed)}% is allowed"
        return jumped, f", {show(before)} in the version before ({by}, {limit})"
