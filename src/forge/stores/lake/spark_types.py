"""Conversion between Spark's type names (`decimal(12,2)`, `struct<a:int>`) and Iceberg's types."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from pyiceberg.schema import Schema as IcebergSchema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IcebergType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from forge.model.errors import ForgeError
from forge.model.schema import Column, Schema
from forge.model.types import DataType, TypeField, as_type, parse_type

_BY_SPARK: dict[str, IcebergType] = {
    "boolean": BooleanType(),
    "tinyint": IntegerType(),
    "smallint": IntegerType(),
    "int": IntegerType(),
    "bigint": LongType(),
    "float": FloatType(),
    "double": DoubleType(),
    "date": DateType(),
    "time": TimeType(),
    "timestamp": TimestamptzType(),
    "timestamp_ntz": TimestampType(),
    "string": StringType(),
    "varchar": StringType(),
    "char": StringType(),
    "binary": BinaryType(),
}
_READ_AS: dict[type, str] = {
    TimestampType: "timestamp_ntz",
    UUIDType: "string",
    FixedType: "binary",
}  # else as they are written


def spark_schema(schema: IcebergSchema) -> Schema:
    return Schema(
        tuple(Column(f.name, spark_type(f.field_type), nullable=not f.required, doc=f.doc) for f in schema.fields)
    )


def spark_type(value: IcebergType) -> str:
    return str(_data_type(value))


def _data_type(value: IcebergType) -> DataType:
    match value:
        case ListType():
            return DataType("array", fields=(TypeField("element", _data_type(value.element_type)),))
        case MapType():
            parts = (("key", value.key_type), ("value", value.value_type))
            return DataType("map", fields=tuple(TypeField(name, _data_type(kind)) for name, kind in parts))
        case StructType():
            return DataType("struct", fields=tuple(TypeField(f.name, _data_type(f.field_type)) for f in value.fields))
        case _:
            return parse_type(_READ_AS.get(type(value)) or str(value))


def iceberg_schema(schema: Schema, schema_id: int = 0) -> IcebergSchema:
    """With field ids from 1, top-level columns first, as Iceberg assigns them."""
    numbers = count(1)
    ids = [next(numbers) for _ in schema.columns]
    fields = [
        NestedField(
            number, column.name, iceberg_type(column.type, numbers), required=not column.nullable, doc=column.doc
        )
        for number, column in zip(ids, schema.columns, strict=True)
    ]
    return IcebergSchema(*fields, schema_id=schema_id)


def iceberg_type(of: str | DataType, numbers: Iterator[int]) -> IcebergType:
    """Element, key, value and field ids of nested types are taken from `numbers`."""
    found = as_type(of)
    if found.name == "decimal":
        return DecimalType(*found.size)
    if found.name in _BY_SPARK:
        return _BY_SPARK[found.name]
    if found.name != "struct" and not found.fields:
        raise ForgeError("E105", f"'{of}' is not a type that Iceberg can hold", fix="Cast the column to another type.")
    ids = [next(numbers) for _ in found.fields]
    inner = [iceberg_type(field.type, numbers) for field in found.fields]
    if found.name == "array":
        return ListType(ids[0], inner[0], element_required=False)
    if found.name == "map":
        return MapType(ids[0], inner[0], ids[1], inner[1], value_required=False)
    named = zip(ids, found.fields, inner, strict=True)
    return StructType(*(NestedField(number, field.name, kind, required=False) for number, field, kind in named))
