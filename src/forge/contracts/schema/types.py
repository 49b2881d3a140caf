"""Logical types of the standard, and the Spark types that hold them."""

from __future__ import annotations

from collections.abc import Mapping

from forge.model.types import DataType, as_type

# Logical type → Spark types.
SPARK_TYPES: Mapping[str, tuple[str, ...]] = {
    "integer": ("tinyint", "smallint", "int", "bigint", "uint8", "uint16", "uint32", "uint64"),
    "number": ("float", "double", "decimal", "halffloat"),
    "string": ("string", "varchar", "char", "uuid"),
    "boolean": ("boolean",),
    "date": ("date",),
    "timestamp": ("timestamp", "timestamp_ntz", "timestamp_ns", "timestamptz_ns"),
    "time": ("time",),
    "object": ("struct",),
    "array": ("array",),
    "map": ("map",),
    "vector": ("array",),
}


def holds(logical: str, actual: str | DataType) -> bool:
    """Whether a column of that type has the logical type `logical`."""
    return as_type(actual).name in SPARK_TYPES.get(logical, (logical,))


def logical_of(actual: str | DataType) -> str | None:
    """The logical type of such a column; None where the standard has none."""
    name = as_type(actual).name
    return next((logical for logical in ("map", *SPARK_TYPES) if name in SPARK_TYPES[logical]), None)
