"""Base class of checks that bound one statistic of a column."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from forge.model.schema import Schema
from forge.quality.check import Check, Context, Finding
from forge.quality.checks.support import NUMBERS, brief, family, hidden_values
from forge.quality.keys import COLUMN, Keys, bounds, in_order, number
from forge.quality.measure import Measure, NotMeasured, Readings
from forge.quality.paths import type_of
from forge.quality.values import show

_ROUNDING = 1e-12  # a mean of 0.1, 0.1 and 0.1 is not below 0.1


@dataclass(frozen=True, slots=True)
class StatisticCheck(Check):
    """A check of one statistic. Without values there is no statistic, and the check is not measured."""

    words: ClassVar[tuple[str, ...]] = ("statistical",)
    keys: ClassVar[Keys] = {**COLUMN, **bounds(number)}
    kind: ClassVar[str]  # of the reading

    column: str
    min: float | None = None
    max: float | None = None

    @classmethod
    def settle(cls, fields: dict[str, Any]) -> list[str]:
        return in_order(fields.get("min"), fields.get("max"))

    @abstractmethod
    def statistic(self, reading: object) -> float | str:
        """The number, or why there is none."""

    @abstractmethod
    def title(self) -> str:
        """What the number is called."""

    def targets(self) -> tuple[str, ...]:
        return (self.column,)

    def unfit(self, schema: Schema) -> str | None:
        if family(schema, self.column) in NUMBERS:
            return None
        return f"the {self.title()} is of numbers, and {self.column} is {type_of(schema, self.column)}"

    def _reading(self) -> Measure:
        return self.measure(self.kind, (self.column,))

    def needs(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({self._reading()})

    def extras(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({self.rows(), self.measure("nulls", (self.column,))})

    def decide(self, readings: Readings, context: Context) -> Finding | NotMeasured:
        reading = readings[self._reading()]
        found = self.statistic(reading)
        if isinstance(found, str):
            return NotMeasured(found)
        low = self.min is not None and found < self.min and not math.isclose(found, self.min, rel_tol=_ROUNDING)
        high = self.max is not None and found > self.max and not math.isclose(found, self.max, rel_tol=_ROUNDING)
        hidden = hidden_values(readings, self.column, context)
        message = f"{self.column}: the {self.title()} is {'not shown' if hidden else brief(found)}"
        if low:
            message += f", less than {show(self.min)}"
        if high:
            message += f", more than {show(self.max)}"
        note = self._note(readings, getattr(reading, "count", 0))
        return Finding(low or high, message, self.thresholds(), note, hidden)

    def thresholds(self) -> dict[str, object]:
        return {"min": self.min, "max": self.max}

    def _note(self, readings: Readings, finite: int) -> str:
        rows, nulls = readings.get(self.rows()), readings.get(self.measure("nulls", (self.column,)))
        odd = rows - nulls - finite if isinstance(rows, int) and isinstance(nulls, int) else 0
        left = f"; {show(odd)} NaN or infinite value{'s are' if odd > 1 else ' is'} left out" if odd > 0 else ""
        return f"NULLs are left out{left}"
