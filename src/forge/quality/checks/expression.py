"""A row-level rule in SQL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.check import Check, Context, Finding, count_in, count_sentence, exceeds
from forge.quality.keys import TOLERANCE, Key, Keys, sql
from forge.quality.measure import Measure, Readings


@dataclass(frozen=True, slots=True)
class ExpressionCheck(Check):
    """`sql`, a predicate on a row, is false for no row. NULL is not false."""

    type: ClassVar[str] = "expression"
    label: ClassVar[str] = "SQL predicate"
    words: ClassVar[tuple[str, ...]] = ("expression", "custom")
    keys: ClassVar[Keys] = {
        "sql": Key(sql, "sql", required=True, label="Predicate", example="amount >= 0 OR status = 'refund'"),
        **TOLERANCE,
    }

    sql: str
    max_violation_percentage: float = 0.0

    def subject(self) -> str:
        return self.name or self.sql

    def check_id(self, table: TableName) -> str:
        return Check.check_id(self if self.name else replace(self, name=self.sql), table)

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (self.measure("false", (), self.sql),)

    def decide(self, readings: Readings, context: Context) -> Finding:
        bad = count_in(readings, self.violations(context.schema)[0])
        rows = count_in(readings, self.rows())
        allowed = self.max_violation_percentage
        rule = f": {self.sql}" if self.name else ""
        phrases = ("none breaks the rule", f"breaks the rule{rule}", f"break the rule{rule}")
        message = count_sentence(self, bad, rows, phrases, allowed)
        thresholds = {"sql": self.sql, "max_violation_percentage": allowed}
        return Finding(exceeds(bad, rows, allowed), message, thresholds, "Rows where it is NULL are not counted")
