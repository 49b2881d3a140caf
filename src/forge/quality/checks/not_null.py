"""Completeness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from forge.model.schema import Schema
from forge.quality.check import Check, Context, Finding, count_in, count_sentence, exceeds
from forge.quality.keys import Key, Keys, any_columns, columns, percent
from forge.quality.measure import Measure, Readings
from forge.quality.values import share, show

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class NotNullCheck(Check):
    """At most `max_null_percentage` of each column may be NULL. `columns: []` means all columns,
    and so does a completeness that names none."""

    type: ClassVar[str] = "not_null"
    words: ClassVar[tuple[str, ...]] = ("not_null", "completeness")
    keys: ClassVar[Keys] = {
        "column": Key(columns, "columns", required=True, unless="completeness"),
        "columns": Key(any_columns, "columns", help="An empty list means all columns."),
        "max_null_percentage": Key(
            percent, "max_null_percentage", label="Tolerated", help="Share of rows that may be NULL."
        ),
    }

    columns: tuple[str, ...] = ()
    max_null_percentage: float = 0.0

    def targets(self) -> tuple[str, ...]:
        return self.columns

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return tuple(self.measure("nulls", (column,)) for column in self.columns or schema.names)

    def bad(self, readings: Readings, schema: Schema) -> tuple[Measure, ...]:
        """Only columns with more NULLs than allowed: tolerated NULLs are no failing rows."""
        counted, rows = self.violations(schema), readings.get(self.rows())
        if self.partition_by or not isinstance(rows, int):
            return counted
        nulls = {measure: readings.get(measure) for measure in counted}
        return tuple(m for m, n in nulls.items() if isinstance(n, int) and exceeds(n, rows, self.max_null_percentage))

    def decide(self, readings: Readings, context: Context) -> Finding:
        rows = count_in(readings, self.rows())
        allowed = self.max_null_percentage
        nulls = {m.columns[0]: count_in(readings, m) for m in self.violations(context.schema)}
        over = {column: bad for column, bad in nulls.items() if exceeds(bad, rows, allowed)}
        if len(over) > 1 or (over and len(nulls) > 1):
            parts = [f"{column} {show(bad)} ({share(bad, rows)})" for column, bad in over.items()]
            listed = ", ".join(parts[:_SHOWN]) + (f" and {len(parts) - _SHOWN:,} more" if len(parts) > _SHOWN else "")
            message = f"NULL in {show(len(over))} of {show(len(nulls))} columns over {show(rows)} rows: {listed}"
        else:
            bad = max(nulls.values(), default=0)
            message = count_sentence(self, bad, rows, ("no NULL", "is NULL", "are NULL"), allowed)
        return Finding(bool(over), message, {"max_null_percentage": allowed})

    def subject(self) -> str:
        return Check.subject(self) if self.columns else "all columns"
