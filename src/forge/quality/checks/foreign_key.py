"""Referential integrity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.check import Check, Context, Finding, count_in, count_sentence, exceeds
from forge.quality.keys import KEY_COLUMNS, TOLERANCE, Key, Keys, reference
from forge.quality.measure import Measure, Readings


@dataclass(frozen=True, slots=True)
class ForeignKeyCheck(Check):
    """Every key over `columns` stands in `references` of `table`. A key with a NULL in it refers to nothing."""

    type: ClassVar[str] = "foreign_key"
    words: ClassVar[tuple[str, ...]] = ("foreign_key", "referential")
    keys: ClassVar[Keys] = {
        **KEY_COLUMNS,
        "references": Key(
            reference,
            "references",
            required=True,
            label="Must exist in",
            help="A table with its columns, or only a table: columns of the same names. May be {table, columns}.",
            example="core.customers.customer_id",
        ),
        **TOLERANCE,
    }

    columns: tuple[str, ...]
    table: TableName
    references: tuple[str, ...]
    max_violation_percentage: float = 0.0

    @classmethod
    def settle(cls, fields: dict[str, Any]) -> list[str]:
        """`references` was parsed as a table and its columns; without columns, those of the same names."""
        table, names = fields["references"]
        names = names or fields["columns"]
        fields.update(table=table, references=names)
        if len(names) == len(fields["columns"]):
            return []
        return [f"'columns' has {len(fields['columns'])} columns and 'references' {len(names)}"]

    def targets(self) -> tuple[str, ...]:
        return self.columns

    def others(self) -> frozenset[TableName]:
        return frozenset({self.table})

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (self.measure("orphans", self.columns, self.table, *self.references),)

    def decide(self, readings: Readings, context: Context) -> Finding:
        bad = count_in(readings, self.violations(context.schema)[0])
        rows = count_in(readings, self.rows())
        allowed = self.max_violation_percentage
        target = f"{self.table}.{', '.join(self.references)}"
        phrases = (f"all found in {target}", f"is missing in {target}", f"are missing in {target}")
        message = count_sentence(self, bad, rows, phrases, allowed)
        thresholds = {"references": target, "max_violation_percentage": allowed}
        return Finding(exceeds(bad, rows, allowed), message, thresholds, "Keys with a NULL in them are not counted")
