"""A table-level rule in SQL."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar

from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.check import Check, Context, Finding, count_in
from forge.quality.checks.support import excluded
from forge.quality.keys import Key, Keys, bounds, exact_number, in_order, sql, two_numbers
from forge.quality.measure import Measure, NotMeasured, Readings
from forge.quality.values import show


@dataclass(frozen=True, slots=True)
class QueryCheck(Check):
    """`query`, SQL over the tables of the branch, gives no row. With `min` or `max` it gives one number instead, which
    lies between them; with `not_between`, outside of these two."""

    type: ClassVar[str] = "query"
    label: ClassVar[str] = "SQL query"
    words: ClassVar[tuple[str, ...]] = ("query", "custom")
    keys: ClassVar[Keys] = {
        "query": Key(sql, "query", required=True, example="SELECT * FROM core.orders WHERE …"),
        **bounds(exact_number),
        "not_between": Key(two_numbers, "not_between", help="Two numbers, both included.", example="5, 10"),
    }
    without: ClassVar[frozenset[str]] = frozenset({"where", "partition_by", "since"})

    query: str
    min: float | None = None
    max: float | None = None
    not_between: tuple[int | float, int | float] | None = None

    @classmethod
    def settle(cls, fields: dict[str, Any]) -> list[str]:
        bounds = fields.get("min"), fields.get("max")
        return in_order(*bounds) if None not in bounds else []

    def subject(self) -> str:
        return self.name or " ".join(self.query.split())

    def check_id(self, table: TableName) -> str:
        return Check.check_id(self if self.name else replace(self, name=self.query), table)

    def _one(self) -> Measure:
        return self.measure("query_value" if self._bounded else "query_rows", (), self.query)

    @property
    def _bounded(self) -> bool:
        return self.min is not None or self.max is not None or self.not_between is not None

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return () if self._bounded else (self._one(),)

    def needs(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({self._one()})

    def decide(self, readings: Readings, context: Context) -> Finding | NotMeasured:
        if self._bounded:
            return self._within(readings[self._one()])
        rows = count_in(readings, self._one())
        came = "row comes" if rows == 1 else "rows come"
        message = f"{show(rows)} {came} back" if rows else "no row comes back"
        return Finding(rows > 0, f"{self.subject()}: {message}", {"query": self.query})

    def _within(self, value: object) -> Finding | NotMeasured:
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or math.isnan(value):
            given = "text" if isinstance(value, str) else show(value)  # of whom, only the query knows
            return NotMeasured(f"the query gave {given}, which is no number")
        message = f"{self.subject()}: {show(value)}"
        few, many = self.min is not None and value < self.min, self.max is not None and value > self.max
        if few:
            message += f", less than {show(self.min)}"
        if many:
            message += f", more than {show(self.max)}"
        thresholds: dict[str, object] = {"query": self.query, "min": self.min, "max": self.max}
        if self.not_between is not None:
            inside, exclusion = excluded(value, self.not_between)
            few, message, thresholds["not_between"] = few or inside, message + exclusion, list(self.not_between)
        return Finding(few or many, message, thresholds)
