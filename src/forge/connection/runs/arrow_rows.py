"""Rows of Spark as an Arrow table of exactly the types that the query has."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from forge.model.schema import Schema
from forge.model.types import DataType, as_type

if TYPE_CHECKING:
    import pyarrow as pa


def table_of_rows(schema: Schema, rows: tuple[tuple[object, ...], ...]) -> pa.Table:
    """Two columns of one name both stay. What Arrow has no type for, such as an interval, has that of its values."""
    import pyarrow as pa

    columns = list(zip(*rows, strict=True)) or [() for _ in schema.columns]
    arrays = [_array(as_type(one.type), values) for one, values in zip(schema.columns, columns, strict=True)]
    return pa.Table.from_arrays(arrays, names=list(schema.names))


def _array(kind: DataType, values: tuple[object, ...]) -> pa.Array:
    import pyarrow as pa

    from forge.versioning.arrow_types import arrow_type

    try:
        wanted = arrow_type(kind)
    except (ValueError, KeyError):
        return pa.array(list(values))
    return pa.array([_value(kind, value) for value in values], wanted)


def _value(kind: DataType, value: Any) -> object:
    if value is None:
        return None
    inner = [field.type for field in kind.fields]
    match kind.name:
        case "timestamp" if isinstance(value, datetime):
            return value.astimezone(UTC)  # Spark gives it in the zone of this machine, and does not say so
        case "array":
            return [_value(inner[0], one) for one in value]
        case "map":
            pairs = value.items() if isinstance(value, Mapping) else value
            return [(_value(inner[0], key), _value(inner[1], one)) for key, one in pairs]
        case "struct":
            parts = value.values() if isinstance(value, Mapping) else value
            return {field.name: _value(field.type, one) for field, one in zip(kind.fields, parts, strict=True)}
    return value
