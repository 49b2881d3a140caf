"""Values of a query's text and its parameters: read with Spark's meaning, and brought to the type of the column that
they are compared with, as Spark would. What is not certain is None."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from forge.federation.dialects.families import INTEGER_DIGITS, TypeFamily, family_of
from forge.model.types import DataType

MOST_DIGITS = 38  # of a decimal
_BIGINT = range(-(2**63), 2**63)
_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_EXACT_DOUBLE = 2**53
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?")
_NUMBER = re.compile(r"\d+|\d+\.\d*|\.\d+")
_CAST_FAMILIES = {
    exp.DataType.Type.BIGINT: TypeFamily.INTEGER,
    exp.DataType.Type.DOUBLE: TypeFamily.DOUBLE,
    exp.DataType.Type.DECIMAL: TypeFamily.DECIMAL,
    exp.DataType.Type.TEXT: TypeFamily.STRING,
    exp.DataType.Type.DATE: TypeFamily.DATE,
    exp.DataType.Type.TIMESTAMPTZ: TypeFamily.TIMESTAMP,
    exp.DataType.Type.TIMESTAMPLTZ: TypeFamily.TIMESTAMP,
    exp.DataType.Type.TIMESTAMPNTZ: TypeFamily.TIMESTAMP_NTZ,
    exp.DataType.Type.BOOLEAN: TypeFamily.BOOLEAN,
}
_TYPE_WORDS = {
    TypeFamily.INTEGER: "BIGINT",
    TypeFamily.DOUBLE: "DOUBLE",
    TypeFamily.STRING: "STRING",
    TypeFamily.DATE: "DATE",
    TypeFamily.TIMESTAMP: "TIMESTAMP",
    TypeFamily.TIMESTAMP_NTZ: "TIMESTAMP_NTZ",
    TypeFamily.BOOLEAN: "BOOLEAN",
}


@dataclass(frozen=True, slots=True)
class QueryValue:
    family: TypeFamily
    value: int | Decimal | float | str | date | datetime | bool


def is_value(node: exp.Expr) -> bool:
    """Whether it has the form of a literal or a parameter."""
    if isinstance(node, exp.Paren | exp.Neg | exp.Cast):
        return is_value(node.this)
    return isinstance(node, exp.Literal | exp.Boolean | exp.Placeholder | exp.Null)


def read_value(node: exp.Expr, parameters: Mapping[str, object]) -> QueryValue | None:
    match node:
        case exp.Paren():
            return read_value(node.this, parameters)
        case exp.Boolean():
            return QueryValue(TypeFamily.BOOLEAN, bool(node.this))
        case exp.Literal():
            return _string(node.name) if node.is_string else _number(node.name)
        case exp.Placeholder():
            return read_parameter(parameters.get(node.name))
        case exp.Neg():
            return _negative(read_value(node.this, parameters))
        case exp.Cast():
            inner = read_value(node.this, parameters)
            return _cast(inner, node.to) if inner is not None else None
    return None


def fit_value(found: QueryValue, column: DataType) -> QueryValue | None:
    """The value that, compared in the column's family, gives what Spark gives for the value as it was written."""
    family, value = family_of(column), found.value
    if family == found.family:
        return found if _fits_type(found, column) else None
    match family, value:
        case TypeFamily.INTEGER, Decimal():
            return found if _fits_type(found, DataType("decimal", (INTEGER_DIGITS[column.name], 0))) else None
        case TypeFamily.DECIMAL, int() if found.family is TypeFamily.INTEGER:
            as_decimal = QueryValue(TypeFamily.DECIMAL, Decimal(value))
            digits = 10 if -(2**31) <= value < 2**31 else 20  # a literal is an INT, or else a BIGINT
            return as_decimal if _wider_fits(column.size, (digits, 0)) else None
        case ((TypeFamily.DOUBLE | TypeFamily.FLOAT), (int() | Decimal() | float())):
            return _as_double(found, family)
        case TypeFamily.DATE | TypeFamily.TIMESTAMP | TypeFamily.TIMESTAMP_NTZ, str():
            # Spark casts the string to the type of the column.
            return _cast_time(value, family)
        case TypeFamily.TIMESTAMP, date() if found.family is TypeFamily.DATE:
            return QueryValue(family, datetime(value.year, value.month, value.day, tzinfo=UTC))
        case TypeFamily.TIMESTAMP_NTZ, date() if found.family is TypeFamily.DATE:
            return QueryValue(family, datetime(value.year, value.month, value.day))  # noqa: DTZ001 a time without zone
    return None


def holds(column: DataType, found: QueryValue) -> bool:
    """Whether a column of this type can have the value: what scans compare with, they convert to the type first."""
    value = found.value
    if isinstance(value, Decimal):
        whole, scale = _digits(value)
        return column.name == "decimal" and scale <= column.size[1] and whole <= column.size[0] - column.size[1]
    bits = _BITS.get(column.name)
    return bits is None or not isinstance(value, int) or -(2 ** (bits - 1)) <= value < 2 ** (bits - 1)


def write_value(found: QueryValue) -> exp.Expr:
    """A literal of Spark that reads as this value and no other."""
    value = found.value
    match value:
        case bool():
            return exp.Boolean(this=value)
        case datetime():
            text = value.replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds")
        case date():
            text = value.isoformat()
        case str():
            return exp.Literal.string(value)
        case float():
            number = exp.Literal.number(repr(abs(value)))
            cast = exp.cast(number, "DOUBLE", dialect="spark")
            return exp.Neg(this=cast) if value < 0 else cast
        case Decimal():
            number = exp.Literal.number(f"{value.copy_abs():f}")
            number = number if "." in number.name else exp.Literal.number(f"{number.name}.")
            return exp.Neg(this=number) if value < 0 else number
        case _:
            number = exp.Literal.number(abs(value))
            return exp.Neg(this=number) if value < 0 else number
    return exp.cast(exp.Literal.string(text), _TYPE_WORDS[found.family], dialect="spark")


def read_parameter(value: object) -> QueryValue | None:
    match value:
        case bool():
            return QueryValue(TypeFamily.BOOLEAN, value)
        case int():
            return QueryValue(TypeFamily.INTEGER, value) if value in _BIGINT else None
        case float():
            return _double(value)
        case Decimal():
            is_plain = value.is_finite() and len(value.as_tuple().digits) <= MOST_DIGITS
            return QueryValue(TypeFamily.DECIMAL, value) if is_plain else None
        case str():
            return _string(value)
        case datetime():
            zoned = value.astimezone(UTC) if value.tzinfo else None
            return QueryValue(TypeFamily.TIMESTAMP, zoned) if zoned else None
        case date():
            return QueryValue(TypeFamily.DATE, value)
    return None


def _string(text: str) -> QueryValue | None:
    if "\x00" in text or any(0xD800 <= ord(c) < 0xE000 for c in text):
        return None  # databases do not take them
    return QueryValue(TypeFamily.STRING, text)


def _number(text: str) -> QueryValue | None:
    if text.isascii() and text.isdecimal():
        number = int(text)
        return QueryValue(TypeFamily.INTEGER, number) if number in _BIGINT else None
    if _NUMBER.fullmatch(text):
        found = Decimal(text)
        return QueryValue(TypeFamily.DECIMAL, found) if len(found.as_tuple().digits) <= MOST_DIGITS else None
    try:
        return _double(float(text))  # 1e3
    except ValueError:
        return None


def _double(value: float) -> QueryValue | None:
    is_plain = value == value and abs(value) != float("inf")
    return QueryValue(TypeFamily.DOUBLE, value + 0.0) if is_plain else None


def _negative(found: QueryValue | None) -> QueryValue | None:
    if found is None or isinstance(found.value, bool | str | date):
        return None
    if isinstance(found.value, float):
        return _double(-found.value)
    if isinstance(found.value, Decimal):
        return QueryValue(found.family, found.value.copy_negate())  # a minus would round it
    return QueryValue(found.family, -found.value)


def _cast(inner: QueryValue, to: exp.DataType) -> QueryValue | None:
    family = _CAST_FAMILIES.get(to.this)
    if family is inner.family and family in (TypeFamily.INTEGER, TypeFamily.DOUBLE, TypeFamily.STRING):
        return inner if not to.expressions else None
    if (
        family is TypeFamily.DOUBLE
        and isinstance(inner.value, int | Decimal)
        and inner.family is not TypeFamily.BOOLEAN
    ):
        return _double(float(inner.value))
    if family is TypeFamily.DECIMAL and isinstance(inner.value, str | Decimal):
        return _cast_decimal(inner.value, to)
    if isinstance(inner.value, str) and family is not None:
        return _cast_time(inner.value, family)
    return None


def _cast_decimal(value: str | Decimal, to: exp.DataType) -> QueryValue | None:
    sizes = [int(part.name) for part in to.expressions]
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    if len(sizes) != 2 or not number.is_finite():
        return None
    found = QueryValue(TypeFamily.DECIMAL, number)
    return found if _digits(number)[1] <= sizes[1] and sum(_digits(number)) <= sizes[0] else None


def _cast_time(text: str, family: TypeFamily) -> QueryValue | None:
    """Only the plain forms; Spark knows more, and the engine looks at those."""
    try:
        if family is TypeFamily.DATE:
            return QueryValue(family, date.fromisoformat(text)) if _DATE.fullmatch(text) else None
        if family in (TypeFamily.TIMESTAMP, TypeFamily.TIMESTAMP_NTZ) and (
            _DATE.fullmatch(text) or _TIME.fullmatch(text)
        ):
            time = datetime.fromisoformat(text)
            return QueryValue(family, time.replace(tzinfo=UTC) if family is TypeFamily.TIMESTAMP else time)
    except ValueError:  # the 30th of February
        return None
    return None


def _as_double(found: QueryValue, family: TypeFamily) -> QueryValue | None:
    """Spark compares floats with other numbers as doubles."""
    value = found.value
    if isinstance(value, int) and abs(value) > _EXACT_DOUBLE:
        return None
    double = float(value)  # type: ignore[arg-type]
    return _double(double) if family is TypeFamily.DOUBLE or _is_float(double) else None


def _is_float(value: float) -> bool:
    try:
        return bool(struct.unpack("f", struct.pack("f", value))[0] == value)
    except OverflowError:
        return False


def _fits_type(found: QueryValue, column: DataType) -> bool:
    if isinstance(found.value, Decimal):
        whole, scale = _digits(found.value)
        return _wider_fits(column.size, (max(whole + scale, 1), scale))
    if family_of(column) is TypeFamily.FLOAT:
        return _as_double(found, TypeFamily.FLOAT) is not None
    return True


def _wider_fits(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the type to which Spark brings two decimals has room for both."""
    whole, scale = max(one[0] - one[1], other[0] - other[1]), max(one[1], other[1])
    return whole + scale <= MOST_DIGITS


def _digits(number: Decimal) -> tuple[int, int]:
    """Before and after the point."""
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    return max(len(digits) + exponent, 0), max(-exponent, 0)
