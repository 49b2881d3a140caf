"""Filling of empty cells: by a constant, the median, the mode, or the previous value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forge.flows.quality.row_repair import unfit_type, unfit_value
from forge.flows.versioning.tables import NeedsEngine
from forge.versioning.arrow_types import one_array, type_name
from forge.versioning.rows.codes import Flags, Numbers, code_rows


def constant_of(value: object, kind: pa.DataType, column: str) -> Any:
    try:
        return pa.scalar(value).cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise unfit_value(value, column, type_name(kind)) from error


def median_of(values: pa.Array, column: str) -> Any:
    """The lower of the two middle values, so that it occurs and has the column's type; NULL of none."""
    kind, is_ = values.type, pa.types
    numeric = is_.is_integer(kind) or is_.is_floating(kind) or is_.is_decimal(kind)
    if not (numeric or is_.is_date(kind) or is_.is_timestamp(kind)):
        raise unfit_type("median", column, type_name(kind), "numbers, dates and times")
    found = values.drop_null()
    if is_.is_floating(kind):
        found = found.filter(pc.is_finite(found))
    if not len(found):
        return pa.scalar(None, kind)
    return found.take(pc.sort_indices(found))[(len(found) + 1) // 2 - 1]


def mode_of(values: pa.Array, column: str) -> Any:
    """The smallest of equally frequent values; NULL of none."""
    kind = values.type
    if pa.types.is_nested(kind):
        raise unfit_type("mode", column, type_name(kind), "values that are not nested")
    found = values.drop_null()
    if pa.types.is_floating(kind):
        found = found.filter(pc.is_finite(found))
    if not len(found):
        return pa.scalar(None, kind)
    counted = pc.value_counts(found)
    most = pc.max(counted.field("counts"))
    often = counted.field("values").filter(pc.equal(counted.field("counts"), most))
    return often[0] if pa.types.is_boolean(kind) and len(often) == 1 else often.take(pc.sort_indices(often))[0]


def order_of(table: pa.Table, key: Sequence[str], order_by: Sequence[str]) -> Numbers:
    """Positions of all rows grouped by key, oldest first; NULL is oldest, and the sort is stable."""
    codes = np.zeros(table.num_rows, dtype=np.int64)
    if key:
        (codes,), _ = code_rows([[one_array(table.column(name)) for name in key]], [table.num_rows])
    columns: dict[str, Any] = {"key": pa.array(codes)}
    for number, name in enumerate(order_by):
        column = table.column(name)
        if pa.types.is_nested(column.type) or pa.types.is_boolean(column.type):
            raise unfit_type("order", name, type_name(column.type), "numbers, dates, times and text")
        if pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py():
            raise NeedsEngine("NaN is ordered by the engine")
        columns[f"o{number}"] = column
    columns["place"] = pa.array(np.arange(table.num_rows))
    names = [(name, "ascending", "at_start") for name in columns]
    found = pc.sort_indices(pa.table(columns), sort_keys=names)
    return np.asarray(found.to_numpy(zero_copy_only=False)).astype(np.int64)


def last_before(
    table: pa.Table, old: pa.Array, wanted: Flags, order: Numbers, key: Sequence[str], order_by: Sequence[str]
) -> pa.Array:
    """For each row the last kept value of the same key before it; NULL where there is none. Rows without a key or an
    order value neither give nor receive one."""
    known = np.ones(len(old), dtype=np.bool_)
    for name in (*key, *order_by):
        known &= np.asarray(pc.is_valid(one_array(table.column(name))).to_numpy(zero_copy_only=False))
    valid = np.asarray(pc.is_valid(old).to_numpy(zero_copy_only=False))
    gives = (valid & ~wanted & known)[order]
    codes = np.zeros(len(old), dtype=np.int64)
    if key:
        (codes,), _ = code_rows([[one_array(table.column(name)) for name in key]], [table.num_rows])
    sorted_codes = codes[order]
    places = np.arange(len(order))
    starts = np.maximum.accumulate(np.where(np.r_[True, sorted_codes[1:] != sorted_codes[:-1]], places, 0))
    last = np.maximum.accumulate(np.where(gives, places, -1)) if len(order) else places
    found = np.where((last >= starts) & known[order], last, -1)
    source = np.full(len(order), -1, dtype=np.int64)
    source[order] = np.where(found >= 0, order[np.maximum(found, 0)], -1)
    return old.take(pa.array(source, mask=source < 0))
