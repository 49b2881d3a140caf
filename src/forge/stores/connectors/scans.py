"""Columns and filters of a scan, over rows that a connector has read. Filters mean what they mean in Spark, where NULL
is neither true nor false, and NaN equals itself and is greater than every number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

from forge.federation.plan import Scan, ScanFilter

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.dataset as ds


def spelled(name: str, schema: pa.Schema) -> str:
    return next((one for one in schema.names if one.lower() == name.lower()), name)


def chosen(batch: pa.RecordBatch, scan: Scan) -> pa.RecordBatch:
    import pyarrow as pa

    wanted = expression(scan.filters, batch.schema)
    table = pa.Table.from_batches([batch])
    table = table.filter(wanted) if wanted is not None else table
    # Where rows are only counted, any column will do.
    kept = table.select([spelled(name, batch.schema) for name in scan.columns] or batch.schema.names[:1])
    arrays = [one.combine_chunks() for one in kept.columns]
    return pa.RecordBatch.from_arrays(
        [one.combine_chunks() if isinstance(one, pa.ChunkedArray) else one for one in arrays], schema=kept.schema
    )


def typed(batch: pa.RecordBatch, scan: Scan, schema: pa.Schema) -> pa.RecordBatch:
    """A cast that loses nothing: pyarrow's safe one. Where rows are only counted, their column is that of ones."""
    import pyarrow as pa

    if not scan.columns:
        ones = [pa.array([1] * batch.num_rows, field.type) for field in schema]
        return pa.RecordBatch.from_arrays(ones, schema=schema)
    arrays = [one.cast(field.type) for one, field in zip(batch.columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def expression(filters: Sequence[ScanFilter], schema: pa.Schema) -> ds.Expression | None:
    found = [_condition(one, schema) for one in filters]
    return reduce(and_, found) if found else None


def _condition(one: ScanFilter, schema: pa.Schema) -> ds.Expression:
    import pyarrow as pa
    import pyarrow.compute as pc

    name = spelled(one.column, schema)
    column, kind = pc.field(name), schema.field(name).type
    if one.operator == "is null":
        return column.is_null()
    if one.operator == "is not null":
        return column.is_valid()
    values = [value for value in one.values if value is not None]
    if not values or (one.operator != "in" and len(values) < len(one.values)):
        return pc.scalar(False)  # what is compared with NULL is never true
    compare = _compared if pa.types.is_floating(kind) else _plainly_compared
    if one.operator == "in":
        return reduce(or_, [compare(column, "=", pa.scalar(value, kind)) for value in values])
    return compare(column, one.operator, pa.scalar(values[0], kind))


def _plainly_compared(column: ds.Expression, operator: str, value: pa.Scalar) -> ds.Expression:
    found: dict[str, Callable[[], ds.Expression]] = {
        "=": lambda: column == value,
        "<>": lambda: column != value,
        "<": lambda: column < value,
        "<=": lambda: column <= value,
        ">": lambda: column > value,
        ">=": lambda: column >= value,
    }
    return found[operator]()


def _compared(column: ds.Expression, operator: str, value: pa.Scalar) -> ds.Expression:
    """NaN equals itself and is greater than every number."""
    import pyarrow.compute as pc

    is_nan = column.is_nan()
    if value.as_py() == value.as_py():
        found = _plainly_compared(column, operator, value)
        return found | is_nan if operator in (">", ">=") else found
    return {
        "=": is_nan,
        ">=": is_nan,
        ">": pc.scalar(False),
        "<=": column.is_valid(),
        "<": ~is_nan,
        "<>": ~is_nan,
    }[operator]
