"""The profile of a table in plain Python, written from the definitions and not from an engine."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

EPOCH = datetime(1970, 1, 1)


def reference(table: pa.Table) -> dict[str, Any]:
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True)) if table.columns else []
    seen = Counter(tuple(_key(cell) for cell in row) for row in rows)
    columns = [_column(field, table.column(at).to_pylist()) for at, field in enumerate(table.schema)]
    return {"row_count": table.num_rows, "duplicate_rows": len(rows) - len(seen), "columns": columns}


def _key(cell: Any) -> Any:
    if isinstance(cell, float):
        return "nan" if math.isnan(cell) else cell + 0.0
    if isinstance(cell, dict):
        return tuple((name, _key(value)) for name, value in cell.items())
    if isinstance(cell, list):
        return (
            tuple(sorted(map(_key, cell), key=repr)) if cell and isinstance(cell[0], tuple) else tuple(map(_key, cell))
        )
    return cell


def _column(field: pa.Field, cells: Sequence[Any]) -> dict[str, Any]:
    values = [cell for cell in cells if cell is not None]
    found: dict[str, Any] = {"name": field.name, "nulls": len(cells) - len(values)}
    kind = field.type
    if pa.types.is_nested(kind):
        return found
    counted = Counter(map(_key, values))
    found["distinct"] = len(counted)
    if not pa.types.is_binary(kind):
        found["top"] = _top(counted)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        found |= _numbers(values)
        if pa.types.is_floating(kind):
            found["not_finite"] = sum(not math.isfinite(value) for value in values)
    elif pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        found |= {"minimum": _shown(min(values, default=None)), "maximum": _shown(max(values, default=None))}
        found["bins"] = _whole_bins([_since_1970(value) for value in values])
    elif not pa.types.is_boolean(kind):
        lengths = [len(value) for value in values]
        found |= {"empties": lengths.count(0), "min_length": min(lengths, default=None)}
        found |= {"max_length": max(lengths, default=None), "bins": _whole_bins(lengths)}
        found["avg_length"] = statistics.fmean(lengths) if lengths else None
        if pa.types.is_string(kind):
            found |= {"minimum": _shown(min(values, default=None)), "maximum": _shown(max(values, default=None))}
    return found


def _numbers(values: Sequence[Any]) -> dict[str, Any]:
    finite = sorted(value for value in values if math.isfinite(value))
    doubles = sorted(float(value) for value in finite)
    found: dict[str, Any] = {"zeros": doubles.count(0), "negatives": sum(value < 0 for value in doubles)}
    for name, share in (("q1", 0.25), ("median", 0.5), ("q3", 0.75)):
        found[name] = doubles[max(math.ceil(share * len(doubles)), 1) - 1] + 0.0 if doubles else None
    found["mean"] = statistics.fmean(doubles) if doubles else None
    found["stddev"] = statistics.stdev(doubles) if len(doubles) > 1 else None
    found |= {"minimum": _shown(finite[0]), "maximum": _shown(finite[-1])} if finite else {}
    found["bins"] = _whole_bins(finite) if finite and isinstance(finite[0], int) else _float_bins(doubles)
    return found


def _whole_bins(numbers: Sequence[int]) -> list[int] | None:
    if not numbers:
        return None
    low, span = min(numbers), max(numbers) - min(numbers) + 1
    width = max(1, -(-span // 20))
    bins = [0] * -(-span // width)
    for number in numbers:
        bins[min((number - low) // width, len(bins) - 1)] += 1
    return bins


def _float_bins(numbers: Sequence[float]) -> list[int] | None:
    if not numbers:
        return None
    low, high = numbers[0], numbers[-1]
    if low == high:
        return [len(numbers)]
    bins = [0] * 20
    for number in numbers:
        bins[min(math.floor((number - low) / ((high - low) / 20)), 19)] += 1
    return bins


def _top(counted: Counter[Any]) -> list[tuple[Any, int]]:
    often = [(value, count) for value, count in counted.items() if count > 1]
    often.sort(key=lambda pair: (-pair[1], _number(pair[0]), str(pair[0])))
    return [(_shown(value), count) for value, count in often[:10]]


def _number(value: Any) -> float:
    if value == "nan":
        return math.inf
    return float(value) if isinstance(value, int | float | Decimal) and not isinstance(value, bool) else 0.0


def _since_1970(value: date) -> int:
    if isinstance(value, datetime):
        return (value.replace(tzinfo=None) - EPOCH) // timedelta(microseconds=1)
    return (value - EPOCH.date()).days


def _shown(value: Any) -> Any:
    match value:
        case datetime():
            text = value.replace(tzinfo=None).isoformat()
            return text + "Z" if value.tzinfo is not None else text
        case date():
            return value.isoformat()
        case Decimal():
            return f"{value:f}"
        case "nan":
            return "NaN"
        case float() if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        case str() if len(value) > 100:
            return value[:100] + "…"
    return value


def utc(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC)
