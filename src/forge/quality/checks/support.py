"""Helpers shared by checks."""

from __future__ import annotations

from forge.model.schema import Schema
from forge.quality.finding import Context
from forge.quality.kinds import kind_of
from forge.quality.measure import Measure, Readings
from forge.quality.paths import type_of
from forge.quality.values import Family, family_of, show

NUMBERS = frozenset({Family.INTEGER, Family.DECIMAL, Family.FLOAT, Family.DOUBLE})
TIMES = frozenset({Family.DATE, Family.TIMESTAMP})
FLOATING = frozenset({Family.FLOAT, Family.DOUBLE})


def nulls_note(readings: Readings, measure: Measure) -> str:
    nulls = readings.get(measure)
    if not isinstance(nulls, int) or nulls == 0:
        return ""
    return f"; {show(nulls)} NULL{'s are' if nulls > 1 else ' is'} not counted"


def family(schema: Schema, column: str) -> Family:
    return family_of(type_of(schema, column))


def hidden_values(readings: Readings, column: str, context: Context) -> frozenset[Measure]:
    """The readings that hold values of a masked column."""
    if not context.hides(column):
        return frozenset()
    return frozenset(measure for measure in readings if kind_of(measure).holds_values)


def brief(value: float) -> str:
    """A computed number for a sentence: six digits are enough."""
    return show(float(f"{value:.6g}"))


def excluded(value: object, between: tuple[int | float, int | float]) -> tuple[bool, str]:
    """Whether it lies in the excluded interval, ends included, and the text for it."""
    low, high = between
    inside = low <= value <= high  # type: ignore[operator]  # a number
    bounds = show(low) if low == high else f"between {show(low)} and {show(high)}"
    return inside, f", which it must not be{'' if low == high else f' ({bounds})'}" if inside else ""
