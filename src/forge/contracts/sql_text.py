"""Fragments of Spark SQL: every name and every value of a contract is quoted here and nowhere else."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal

from forge.model.time import as_utc


def quote(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"


def literal(value: object) -> str:
    """A value as Spark reads it. A backslash in a text is an escape, and ${x} would be replaced by a variable."""
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


def any_of(column: str, values: Iterable[object]) -> str:
    """Is the column one of the values? Texts are compared as texts, so that 'N/A' does not break a number column."""
    values = tuple(values)
    texts = [literal(v) for v in values if isinstance(v, str)]
    others = [literal(v) for v in values if not isinstance(v, str)]
    parts = [f"CAST({quote(column)} AS STRING) IN ({', '.join(texts)})"] if texts else []
    parts += [f"{quote(column)} IN ({', '.join(others)})"] if others else []
    return " OR ".join(parts)
