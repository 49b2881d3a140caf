"""Allowed values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from forge.model.schema import Schema
from forge.quality.check import NULLS_NOTE, Check, Context, Finding, count_in, count_sentence, exceeds
from forge.quality.checks.support import nulls_note
from forge.quality.keys import COLUMN, TOLERANCE, Key, Keys, values
from forge.quality.measure import Measure, Readings
from forge.quality.paths import type_of
from forge.quality.values import UnfitValue, member


@dataclass(frozen=True, slots=True)
class AcceptedValuesCheck(Check):
    """Every value is one of `values`. NULL is no value."""

    type: ClassVar[str] = "accepted_values"
    words: ClassVar[tuple[str, ...]] = ("accepted_values", "set")
    keys: ClassVar[Keys] = {
        **COLUMN,
        "values": Key(values, "values", required=True, example="paid, open, cancelled"),
        **TOLERANCE,
    }

    column: str
    values: tuple[object, ...]
    max_violation_percentage: float = 0.0

    def targets(self) -> tuple[str, ...]:
        return (self.column,)

    def _members(self, schema: Schema) -> tuple[object, ...]:
        type_ = type_of(schema, self.column)
        return tuple(dict.fromkeys(member(value, type_) for value in self.values if value is not None))

    def unfit(self, schema: Schema) -> str | None:
        try:
            self._members(schema)
        except UnfitValue as error:
            return f"values: {error}"
        return None

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (self.measure("outside_set", (self.column,), *self._members(schema)),)

    def extras(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({self.measure("nulls", (self.column,))})

    def decide(self, readings: Readings, context: Context) -> Finding:
        bad = count_in(readings, self.violations(context.schema)[0])
        rows = count_in(readings, self.rows())
        shown = ", ".join(str(value) for value in self.values[:8])
        if len(self.values) > 8:
            shown += f" and {len(self.values) - 8} more"
        allowed = self.max_violation_percentage
        phrases = (f"all among {shown}", f"is not among {shown}", f"are not among {shown}")
        message = count_sentence(self, bad, rows, phrases, allowed)
        message += nulls_note(readings, self.measure("nulls", (self.column,)))
        thresholds = {"values": list(self.values), "max_violation_percentage": allowed}
        return Finding(exceeds(bad, rows, allowed), message, thresholds, NULLS_NOTE)
