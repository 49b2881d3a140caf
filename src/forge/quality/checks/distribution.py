"""Base class of checks that compare a distribution with that of another version."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from forge.model.schema import Schema
from forge.quality.check import Check, Context, Finding
from forge.quality.keys import COLUMN, Key, Keys, text
from forge.quality.measure import PREVIOUS, Measure, NotMeasured, Readings
from forge.quality.paths import type_of

REFERENCE: Keys = {
    **COLUMN,
    "reference": Key(text, "reference", label="Compared with", help="A revision, or previous: the version before."),
}


@dataclass(frozen=True, slots=True)
class DistributionCheck(Check):
    """A check of values against those at `reference`. It passes while there is no reference."""

    words: ClassVar[tuple[str, ...]] = ("statistical",)

    column: str
    reference: str = PREVIOUS

    @abstractmethod
    def one(self, schema: Schema, at: str | None = None) -> Measure:
        """The measure read at both versions."""

    @abstractmethod
    def compare(self, now: object, before: object, context: Context) -> Finding: ...

    @abstractmethod
    def count(self, reading: object) -> int:
        """The number of values in the reading."""

    def targets(self) -> tuple[str, ...]:
        return (self.column,)

    def needs(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({self.one(schema), self.one(schema, self.reference)})

    def decide(self, readings: Readings, context: Context) -> Finding | NotMeasured:
        now, before = readings[self.one(context.schema)], readings[self.one(context.schema, self.reference)]
        if before is None:
            which = "version before" if self.reference == PREVIOUS else self.reference
            message = f"{self.column}: there is no {which} to compare with yet"
            return Finding(False, message, note="There was nothing to compare with")
        if self.count(before) == 0:
            message = f"{self.column}: there are no values at {self.reference} to compare with"
            return Finding(False, message, note="There was nothing to compare with")
        if self.count(now) == 0:
            return NotMeasured(f"there are no values of {self.column} to compare with those at {self.reference}")
        return self.compare(now, before, context)

    def type_in(self, schema: Schema) -> str:
        return type_of(schema, self.column)
