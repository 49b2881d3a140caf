"""Patterns of strings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from forge.model.schema import Schema
from forge.quality.check import NULLS_NOTE, Check, Context, Finding, count_in, count_sentence, exceeds
from forge.quality.checks.support import nulls_note
from forge.quality.keys import COLUMN, TOLERANCE, Key, Keys, pattern
from forge.quality.measure import Measure, Readings
from forge.quality.paths import type_of
from forge.quality.values import Family, family_of


@dataclass(frozen=True, slots=True)
class RegexCheck(Check):
    """`pattern`, a Java regular expression, is found in every value; anchor it with ^ and $ to match the whole. NULL is
    no value; numbers and dates are looked at as SQL writes them."""

    type: ClassVar[str] = "regex"
    label: ClassVar[str] = "Pattern"
    words: ClassVar[tuple[str, ...]] = ("regex",)
    keys: ClassVar[Keys] = {
        **COLUMN,
        "pattern": Key(pattern, "pattern", required=True, example="^[A-Z]{2}$"),
        **TOLERANCE,
    }

    column: str
    pattern: str
    max_violation_percentage: float = 0.0

    def targets(self) -> tuple[str, ...]:
        return (self.column,)

    def unfit(self, schema: Schema) -> str | None:
        type_ = type_of(schema, self.column)
        return f"{self.column} is {type_}, which has no text" if family_of(type_) is Family.OTHER else None

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (self.measure("not_matching", (self.column,), self.pattern),)

    def extras(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({self.measure("nulls", (self.column,))})

    def decide(self, readings: Readings, context: Context) -> Finding:
        bad = count_in(readings, self.violations(context.schema)[0])
        rows = count_in(readings, self.rows())
        allowed = self.max_violation_percentage
        phrases = (f"all match {self.pattern}", f"does not match {self.pattern}", f"do not match {self.pattern}")
        message = count_sentence(self, bad, rows, phrases, allowed)
        message += nulls_note(readings, self.measure("nulls", (self.column,)))
        thresholds = {"pattern": self.pattern, "max_violation_percentage": allowed}
        return Finding(exceeds(bad, rows, allowed), message, thresholds, NULLS_NOTE)
