"""Rows as JSON: what JSON, or a number of JavaScript's, cannot hold exactly is a text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from forge.api.wire.versioning import RowsView, SampleColumn
from forge.flows.sample import Sample
from forge.flows.travel import Then

_EXACT = 2**53 - 1  # the greatest whole number that JavaScript holds exactly


def rows_view(dataset_id: str, sample: Sample | Then) -> RowsView:
    columns = [SampleColumn(name=c.name, type=c.type, masked=c.name in sample.masked) for c in sample.schema.columns]
    rows = [[plain(value) for value in row] for row in sample.rows]
    return RowsView(
        dataset_id=dataset_id, commit=sample.commit_id, columns=columns, rows=rows, truncated=sample.truncated
    )


def plain(value: object) -> Any:
    """Lists stay lists, maps and structs become objects."""
    match value:
        case None | bool():
            return value
        case str():
            return value.encode("utf-8", "replace").decode()  # a lone surrogate is in no JSON text
        case int():
            return value if abs(value) <= _EXACT else str(value)
        case float():
            return value if math.isfinite(value) else _not_finite(value)
        case Decimal():
            return format(value, "f")
        case datetime():
            return _moment(value)
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case bytes() | bytearray() | memoryview():
            return bytes(value).hex()
    return _nested(value)


def _nested(value: object) -> Any:
    if hasattr(value, "asDict"):  # Spark's rows of a struct are tuples too
        value = value.asDict()
    match value:
        case Mapping():
            return {_word(key): plain(item) for key, item in value.items()}
        case list() if value and all(isinstance(item, tuple) for item in value):  # Arrow's way to write a map
            return {_word(key): plain(item) for key, item in value}
        case list() | tuple():
            return [plain(item) for item in value]
    return str(value)


def _word(key: object) -> str:
    text = plain(key)
    return text if isinstance(text, str) else str(text)


def _moment(value: datetime) -> str:
    """A time with a zone is shown in UTC, one without as it is."""
    if value.tzinfo is None:
        return value.isoformat()
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
