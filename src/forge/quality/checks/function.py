"""A custom rule in Python."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar

from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.check import Check, Context, Finding
from forge.quality.keys import InvalidKey, Key, KeyKind, Keys, arguments, reads, tables, text
from forge.quality.measure import Measure, Readings
from forge.quality.readings import FunctionReading
from forge.quality.values import show

_PLACE = re.compile(r"(?P<file>[^:]+\.py):(?P<name>[^\W\d]\w*)")


@reads(KeyKind.TEXT)
def _place(value: object) -> str:
    """A file below the project's folder only: executed code must be in the project's history."""
    match = _PLACE.fullmatch(text(value).strip())
    parts = match["file"].split("/") if match else []
    if match is None or ".." in parts or not all(parts) or "\\" in match["file"]:
        raise InvalidKey(f"must be like quality/rules.py:totals_match, a file of the project, and is {value!r}")
    return match[0]


@dataclass(frozen=True, slots=True)
class FunctionCheck(Check):
    """`function`, as `quality/rules.py:totals_match`, is called with the table as a DataFrame and the `arguments`. It
    gives back true or false, a pair of that and a message, or a DataFrame of the rows that fail. `tables` are handed to
    it by name, as `tables`."""

    type: ClassVar[str] = "function"
    label: ClassVar[str] = "Python function"
    words: ClassVar[tuple[str, ...]] = ("function", "custom")
    keys: ClassVar[Keys] = {
        "function": Key(_place, "function", required=True, example="quality/rules.py:totals_match"),
        "arguments": Key(arguments, "arguments", help="What it is called with beside the table."),
        "tables": Key(tables, "tables", help="Other tables that are handed to it."),
    }
    without: ClassVar[frozenset[str]] = frozenset({"partition_by"})

    function: str
    arguments: tuple[tuple[str, object], ...] = ()
    tables: tuple[TableName, ...] = ()

    def subject(self) -> str:
        return self.name or self.function

    def check_id(self, table: TableName) -> str:
        return Check.check_id(self if self.name else replace(self, name=self.function), table)

    def others(self) -> frozenset[TableName]:
        return frozenset(self.tables)

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (self.measure("function", (), self.function, self.arguments, *self.tables),)

    def needs(self, schema: Schema) -> frozenset[Measure]:
        return frozenset(self.violations(schema))

    def decide(self, readings: Readings, context: Context) -> Finding:
        reading = readings[self.violations(context.schema)[0]]
        if not isinstance(reading, FunctionReading):
            raise TypeError(f"the function was not called: {reading!r}")
        message = reading.message or ("passed" if reading.passed else "failed")
        if reading.failing and not reading.message:
            message = f"{show(reading.failing)} {'row fails' if reading.failing == 1 else 'rows fail'}"
        thresholds = {"function": self.function, "arguments": dict(self.arguments)}
        return Finding(not reading.passed, f"{self.subject()}: {message}", thresholds)
