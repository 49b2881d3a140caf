"""Conversion between Arrow's types and Spark's type names, and columns cast to their merged type."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import pyarrow as pa

from forge.model.types import DataType, TypeField, as_type
from forge.versioning.errors import IncomparableError
from forge.versioning.field import Fields, TableField

FIELD_ID = b"PARQUET:field_id"

_PLAIN: dict[str, pa.DataType] = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "string": pa.string(),
    "binary": pa.binary(),
    "void": pa.null(),
}
_NAMES = {kind: name for name, kind in _PLAIN.items()}
_UNITS = ("s", "ms", "us", "ns")


def type_name(kind: pa.DataType) -> str:
    """Spark's name; Arrow's own where Spark has no such type."""
    return str(_data_type(kind))


def _data_type(kind: pa.DataType) -> DataType:
    kind = plain_type(kind)
    is_ = pa.types
    if kind in _NAMES:
        return DataType(_NAMES[kind])
    if is_.is_decimal(kind):
        return DataType("decimal", (kind.precision, kind.scale))
    if is_.is_timestamp(kind):
        return DataType("timestamp" if kind.tz else "timestamp_ntz")
    if is_.is_date(kind):
        return DataType("date")
    if is_.is_large_string(kind):
        return DataType("string")
    if is_.is_large_binary(kind) or is_.is_fixed_size_binary(kind):
        return DataType("binary")
    if is_.is_map(kind):
        parts = (("key", kind.key_type), ("value", kind.item_type))
        return DataType("map", fields=tuple(TypeField(name, _data_type(inner)) for name, inner in parts))
    if is_.is_struct(kind):
        return DataType("struct", fields=tuple(TypeField(each.name, _data_type(each.type)) for each in kind.fields))
    if _is_list(kind):
        return DataType("array", fields=(TypeField("element", _data_type(kind.value_type)),))
    return DataType(str(kind))


def arrow_type(of: str | DataType) -> pa.DataType:
    """The Arrow type of a Spark name."""
    of = as_type(of)
    if of.name == "decimal":
        return (pa.decimal128 if of.size[0] <= 38 else pa.decimal256)(*of.size)
    if of.name in ("varchar", "char"):
        return pa.string()
    inner = [(field.name, arrow_type(field.type)) for field in of.fields]
    if of.name == "struct":
        return pa.struct(inner)
    if inner:
        kinds = [kind for _, kind in inner]
        return pa.list_(*kinds) if of.name == "array" else pa.map_(*kinds)
    return _PLAIN.get(of.name) or pa.type_for_alias(of.written or of.name)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The value type, without an encoding or extension."""
    is_ = pa.types
    if is_.is_dictionary(kind) or is_.is_run_end_encoded(kind):
        return plain_type(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return plain_type(kind.storage_type)
    if is_.is_string_view(kind):
        return pa.string()
    if is_.is_binary_view(kind):
        return pa.binary()
    if is_.is_decimal32(kind) or is_.is_decimal64(kind):
        return pa.decimal128(kind.precision, kind.scale)
    return kind


def _is_list(kind: pa.DataType) -> bool:
    is_ = pa.types
    return bool(
        is_.is_list(kind)
        or is_.is_large_list(kind)
        or is_.is_fixed_size_list(kind)
        or is_.is_list_view(kind)
        or is_.is_large_list_view(kind)
    )


def common_type(name: str, present: Sequence[pa.DataType]) -> pa.DataType:
    """The Arrow type of a column of Spark type `name` that holds all of `present` without loss."""
    kinds = list(dict.fromkeys(plain_type(kind) for kind in present))
    if name == "string" and len(kinds) == 1 and pa.types.is_fixed_size_binary(kinds[0]):
        return kinds[0]  # a UUID, which Spark reads as text
    fitting = [kind for kind in kinds if type_name(kind) == name]
    return reduce(_wider, fitting) if fitting else arrow_type(name)


def _wider(left: pa.DataType, right: pa.DataType) -> pa.DataType:
    """Of two types with one name."""
    is_ = pa.types
    if left == right:
        return left
    if is_.is_timestamp(left):
        unit = max(left.unit, right.unit, key=_UNITS.index)
        return pa.timestamp(unit, tz=left.tz if left.tz == right.tz else "UTC")
    if is_.is_decimal(left):
        return max(left, right, key=lambda kind: kind.bit_width)
    if is_.is_large_string(left) or is_.is_large_string(right):
        return pa.large_string()
    if is_.is_large_binary(left) or is_.is_large_binary(right):
        return pa.large_binary()
    return arrow_type(type_name(left))


def cast_column(column: pa.ChunkedArray, kind: pa.DataType, name: str) -> pa.Array:
    """As one array of that type; E630 where a value does not fit it."""
    try:
        if isinstance(column.type, pa.BaseExtensionType):
            column = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
        if pa.types.is_dictionary(column.type) or pa.types.is_run_end_encoded(column.type):
            column = column.cast(column.type.value_type)
        if column.type != kind:
            column = column.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise IncomparableError(
            "E630",
            f"Column {name}: a value of type {type_name(column.type)} does not fit {type_name(kind)}",
            why=str(error).splitlines()[0],
            fix="Change the column to the same type on both sides first.",
        ) from error
    return one_array(column)


def one_array(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def python_values(array: pa.Array | pa.ChunkedArray) -> list[object]:
    """As plain Python values; a time with nanoseconds, for which Python has no type, as text."""
    kind = array.type
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        try:
            return list(array.cast(pa.timestamp("us", tz=kind.tz)).to_pylist())
        except pa.ArrowInvalid:
            return list(array.cast(pa.string()).to_pylist())
    return list(array.to_pylist())


def fields_of(*tables: pa.Table) -> tuple[Fields, ...]:
    """The columns of each table; identified by Parquet's field id where all of all tables have one, else by name."""
    ids = [[_field_id(field) for field in table.schema] for table in tables]
    has_ids = all(number is not None for numbers in ids for number in numbers) and all(
        len(set(numbers)) == len(numbers) for numbers in ids
    )
    return tuple(
        tuple(
            TableField(
                number if has_ids and number is not None else field.name,
                field.name,
                type_name(field.type),
                not field.nullable,
            )
            for number, field in zip(numbers, table.schema, strict=True)
        )
        for numbers, table in zip(ids, tables, strict=True)
    )


def _field_id(field: pa.Field) -> int | None:
    text = (field.metadata or {}).get(FIELD_ID)
    return int(text) if text is not None and text.lstrip(b"-").isdigit() and int(text) >= 0 else None


def schema_of(fields: Fields, kinds: Sequence[pa.DataType]) -> pa.Schema:
    """With field ids and nullability, as a Parquet file keeps them."""
    return pa.schema(
        [
            pa.field(
                field.name,
                kind,
                nullable=not field.required,
                metadata={FIELD_ID: str(field.id)} if isinstance(field.id, int) else None,
            )
            for field, kind in zip(fields, kinds, strict=True)
        ]
    )
