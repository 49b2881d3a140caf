"""Spark's names of types (`decimal(12,2)`, `struct<a:int>`) and Iceberg's types, one for the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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
    UUIDType,
)

from forge.model.errors import ForgeError
from forge.model.schema import Column, Schema

_BY_SPARK: dict[str, IcebergType] = {
    "boolean": BooleanType(),
    "tinyint": IntegerType(),
    "byte": IntegerType(),
    "smallint": IntegerType(),
    "short": IntegerType(),
    "int": IntegerType(),
    "integer": IntegerType(),
    "bigint": LongType(),
    "long": LongType(),
    "float": FloatType(),
    "real": FloatType(),
    "double": DoubleType(),
    "date": DateType(),
    "timestamp": TimestamptzType(),
    "timestamp_ltz": TimestamptzType(),
    "timestamp_ntz": TimestampType(),
    "string": StringType(),
    "binary": BinaryType(),
}
_BY_ICEBERG: tuple[tuple[type[IcebergType], str], ...] = (
    (BooleanType, "boolean"),
    (IntegerType, "int"),
    (LongType, "bigint"),
    (FloatType, "float"),
    (DoubleType, "double"),
    (DateType, "date"),
    (TimestamptzType, "timestamp"),
    (TimestampType, "timestamp_ntz"),
    (StringType, "string"),
    (UUIDType, "string"),
    (BinaryType, "binary"),
    (FixedType, "binary"),
)


def spark_schema(schema: IcebergSchema) -> Schema:
    return Schema(
        tuple(Column(f.name, spark_type(f.field_type), nullable=not f.required, doc=f.doc) for f in schema.fields)
    )


def spark_type(value: IcebergType) -> str:
    match value:
        case DecimalType():
            return f"decimal({value.precision},{value.scale})"
        case ListType():
            return f"array<{spark_type(value.element_type)}>"
        case MapType():
            return f"map<{spark_type(value.key_type)},{spark_type(value.value_type)}>"
        case StructType():
            return f"struct<{','.join(f'{f.name}:{spark_type(f.field_type)}' for f in value.fields)}>"
        case _:
            return next((name for kind, name in _BY_ICEBERG if isinstance(value, kind)), str(value))


def iceberg_schema(schema: Schema, schema_id: int = 0) -> IcebergSchema:
    """With field ids counted from 1, the columns of the top first, as Iceberg numbers them."""
    numbers = count(1)
    ids = [next(numbers) for _ in schema.columns]
    fields = [
        NestedField(
            number, column.name, iceberg_type(column.type, numbers), required=not column.nullable, doc=column.doc
        )
        for number, column in zip(ids, schema.columns, strict=True)
    ]
    return IcebergSchema(*fields, schema_id=schema_id)


def iceberg_type(text: str, numbers: Iterator[int]) -> IcebergType:
    """Element, key, value and field ids of nested types are taken from `numbers`."""
    name = text.strip()
    low = name.lower()
    if low in _BY_SPARK:
        return _BY_SPARK[low]
    if decimal := re.fullmatch(r"(?:decimal|dec|numeric)(?:\((\d+)(?:\s*,\s*(\d+))?\))?", low):
        return DecimalType(int(decimal[1] or 10), int(decimal[2] or 0))
    if re.fullmatch(r"(?:var)?char\(\d+\)", low):
        return StringType()
    if nested := re.fullmatch(r"(array|map|struct)<(.*)>", name, re.IGNORECASE | re.DOTALL):
        return _NESTED[nested[1].lower()](nested[2], numbers)
    raise ForgeError("E105", f"'{text}' is not a type that Iceberg can hold", fix="Cast the column to another type.")


def _array(inner: str, numbers: Iterator[int]) -> IcebergType:
    return ListType(next(numbers), iceberg_type(inner, numbers), element_required=False)


def _map(inner: str, numbers: Iterator[int]) -> IcebergType:
    key, value = _parts(inner)
    first, second = next(numbers), next(numbers)
    return MapType(first, iceberg_type(key, numbers), second, iceberg_type(value, numbers), value_required=False)


def _struct(inner: str, numbers: Iterator[int]) -> IcebergType:
    parts = [part.split(":", 1) for part in _parts(inner)]
    ids = [next(numbers) for _ in parts]
    return StructType(
        *(
            NestedField(number, name.strip(), iceberg_type(kind, numbers), required=False)
            for number, (name, kind) in zip(ids, parts, strict=True)
        )
    )


_NESTED: dict[str, Callable[[str, Iterator[int]], IcebergType]] = {"array": _array, "map": _map, "struct": _struct}


def _parts(text: str) -> list[str]:
    """Split at the commas of this level only."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part]
