"""Families of types: values of one family are compared, sorted and added by the same rules."""

from __future__ import annotations

from enum import StrEnum

from forge.model.types import DataType


class TypeFamily(StrEnum):
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    DOUBLE = "double"
    STRING = "string"
    CHAR = "char"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIMESTAMP_NTZ = "timestamp_ntz"
    BOOLEAN = "boolean"
    OTHER = "other"


_FAMILIES = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), TypeFamily.INTEGER),
    **dict.fromkeys(("string", "varchar"), TypeFamily.STRING),
    "decimal": TypeFamily.DECIMAL,
    "float": TypeFamily.FLOAT,
    "double": TypeFamily.DOUBLE,
    "char": TypeFamily.CHAR,
    "date": TypeFamily.DATE,
    "timestamp": TypeFamily.TIMESTAMP,
    "timestamp_ntz": TypeFamily.TIMESTAMP_NTZ,
    "boolean": TypeFamily.BOOLEAN,
}
INTEGER_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}  # as Spark counts them


def family_of(of: DataType) -> TypeFamily:
    if of.name in ("timestamp", "timestamp_ntz") and of.size:
        return TypeFamily.OTHER  # fewer digits than Spark's
    return _FAMILIES.get(of.name, TypeFamily.OTHER)
