"""Fragments of Spark SQL: the only place where names and values of a contract are quoted."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from forge.model.time import as_utc


def quote(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"


@dataclass(frozen=True, slots=True)
class ColumnPath:
    """A column, or a nested field. As text: as checks name it."""

    steps: tuple[str, ...]

    def __str__(self) -> str:
        if len(self.steps) == 1:
            return self.steps[0]
        return ".".join(quote(step) if "." in step or "`" in step else step for step in self.steps)

    @property
    def sql(self) -> str:
        return ".".join(quote(step) for step in self.steps)


def literal(value: object) -> str:
    """A Spark SQL literal. A backslash in a string is an escape, and ${x} would be substituted."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if not math.isfinite(value):
            raise ValueError(f"{value} has no place in a comparison")
        case int() | float() | Decimal():
            return str(value)
        case datetime():
            return f"TIMESTAMP '{as_utc(value).isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case str():
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{") + "'"
        case _:
            raise ValueError(f"a {type(value).__name__} cannot be compared")


def any_of(column: ColumnPath | str, values: Iterable[object]) -> str:
    """Whether the column is one of the values. Strings are compared as strings, so that 'N/A' does not break a numeric
    column."""
    values = tuple(values)
    sql = quote(column) if isinstance(column, str) else column.sql
    texts = [literal(v) for v in values if isinstance(v, str)]
    others = [literal(v) for v in values if not isinstance(v, str)]
    parts = [f"CAST({sql} AS STRING) IN ({', '.join(texts)})"] if texts else []
    parts += [f"{sql} IN ({', '.join(others)})"] if others else []
    return " OR ".join(parts)
