"""Uniqueness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from forge.model.schema import Schema
from forge.quality.check import Check, Context, Finding, count_in, count_sentence, exceeds
from forge.quality.keys import KEY_COLUMNS, TOLERANCE, Key, Keys, count
from forge.quality.measure import Measure, Readings
from forge.quality.values import show


@dataclass(frozen=True, slots=True)
class UniqueCheck(Check):
    """No key over `columns` stands in two rows; with `partition_by`, of one partition. A key with a NULL in it is no
    key. Up to `max_duplicates` rows may repeat a key, or a share of the rows."""

    type: ClassVar[str] = "unique"
    words: ClassVar[tuple[str, ...]] = ("unique", "uniqueness")
    keys: ClassVar[Keys] = {
        **KEY_COLUMNS,
        **TOLERANCE,
        "max_duplicates": Key(count, "max_duplicates", help="Rows that may repeat a key."),
    }

    columns: tuple[str, ...]
    max_violation_percentage: float = 0.0
    max_duplicates: int = 0

    def targets(self) -> tuple[str, ...]:
        return self.columns

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (self.measure("duplicates", self.columns),)

    def decide(self, readings: Readings, context: Context) -> Finding:
        bad = count_in(readings, self.violations(context.schema)[0])
        rows = count_in(readings, self.rows())
        allowed = self.max_violation_percentage
        phrases = ("no key twice", "repeats the key of another row", "repeat the key of another row")
        thresholds = {"max_violation_percentage": allowed, "max_duplicates": self.max_duplicates}
        message = count_sentence(self, bad, rows, phrases, allowed)
        if 0 < bad <= self.max_duplicates:
            message += f"; {show(self.max_duplicates)} may"
        failed = bad > self.max_duplicates and exceeds(bad, rows, allowed)
        return Finding(failed, message, thresholds, "Keys with a NULL in them are not counted")
