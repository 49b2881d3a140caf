"""Expressions lowered to DataFusion's SQL, each with its type in Spark; literals and parameters among them."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from decimal import Decimal

from forge.engines.datafusion.allow_list import NotInProcess
from forge.engines.datafusion.spark_types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGERS,
    MAX_PRECISION,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    as_decimal,
    cast_to,
    decimal,
)
from forge.model.types import DataType

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?)?", re.ASCII)
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_EXACT_DIGITS = 15  # decimals of so many digits are divided into the nearest double
_INTEGER_BOUNDS = {"int": 31, "bigint": 63}


@dataclass(frozen=True, slots=True)
class TypedSql:
    """`digits`: of a whole number that is written in the text, which Spark gives its own small decimal type.
    `text`: of a string that is written in the text. `written`: as a number with a type (`2L`) may be."""

    sql: str
    type: DataType
    digits: int | None = None
    text: str | None = None
    suffixed: bool = False


def quoted(text: str) -> str:
    if "\0" in text:
        raise NotInProcess("a text with the character 0 is not computed in-process")
    return "'" + text.replace("'", "''") + "'"


def string_value(text: str) -> TypedSql:
    return TypedSql(f"CAST({quoted(text)} AS VARCHAR)", STRING, text=text)


def integer_value(value: int) -> TypedSql:
    for name, bits in _INTEGER_BOUNDS.items():
        if -(2**bits) <= value < 2**bits:
            return TypedSql(cast_to(quoted(str(value)), DataType(name)), DataType(name), digits=len(str(abs(value))))
    return decimal_value(Decimal(value))


def decimal_value(value: Decimal) -> TypedSql:
    if not value.is_finite():
        raise NotInProcess("a decimal that is no number is not computed in-process")
    _, digits, exponent = value.as_tuple()
    scale = -int(exponent)
    precision = max(len("".join(map(str, digits)).lstrip("0")) or 1, scale)
    if scale < 0 or precision > MAX_PRECISION:
        raise NotInProcess("a number of so many digits is not computed in-process")
    kind = decimal(precision, scale)
    return TypedSql(cast_to(quoted(format(value, "f")), kind), kind)


def double_value(value: float) -> TypedSql:
    text = "NaN" if math.isnan(value) else repr(value)
    return TypedSql(f"CAST({quoted(text)} AS DOUBLE)", DOUBLE)


def number_value(text: str) -> TypedSql:
    """As Spark reads a number: an integer, a decimal, and a double where it has an exponent."""
    if re.fullmatch(r"\d{1,38}", text, re.ASCII):
        return integer_value(int(text))
    if re.fullmatch(r"\d{0,38}\.\d{0,38}", text, re.ASCII) and text != ".":
        return decimal_value(Decimal(text))
    if re.fullmatch(r"(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})[eE][+-]?\d{1,3}", text, re.ASCII):
        return double_value(float(text))
    raise NotInProcess("a number of this form is not computed in-process")


def date_value(value: dt.date) -> TypedSql:
    return TypedSql(f"CAST({quoted(value.isoformat())} AS DATE)", DATE)


def timestamp_value(value: dt.datetime, kind: DataType) -> TypedSql:
    """`value` is without a zone: in UTC, or of the kind that has none."""
    micros = (value.replace(tzinfo=dt.UTC) - _EPOCH) // dt.timedelta(microseconds=1)
    return TypedSql(cast_to(f"CAST({quoted(str(micros))} AS BIGINT)", kind), kind)


def parameter_value(name: str, value: object) -> TypedSql:
    match value:
        case None:
            return TypedSql("NULL", VOID)
        case bool():
            return TypedSql("TRUE" if value else "FALSE", BOOLEAN)
        case int():
            if not -(2**63) <= value < 2**63:
                raise NotInProcess(f"the value of :{name} is too large to be computed in-process")
            return integer_value(value)
        case float():
            return double_value(value)
        case Decimal():
            return decimal_value(value)
        case str():
            return string_value(value)
        case dt.datetime():
            if value.tzinfo is None:
                raise NotInProcess(f"the value of :{name} is a time without a zone")
            return timestamp_value(value.astimezone(dt.UTC).replace(tzinfo=None), TIMESTAMP)
        case dt.date():
            return date_value(value)
        case _:
            raise NotInProcess(f"the value of :{name} is not of a type that is computed in-process")


def text_as(value: TypedSql, kind: DataType) -> TypedSql:
    """A string that is written in the text, as a date or a time. Only the plain forms; Spark reads more."""
    text = value.text or ""
    try:
        if kind == DATE and _DATE.fullmatch(text):
            return date_value(dt.date.fromisoformat(text))
        found = _TIME.fullmatch(text)
        if kind in (TIMESTAMP, TIMESTAMP_NTZ) and found:
            day, time, fraction = found.groups()
            micros = int((fraction or "0").ljust(6, "0"))
            read = dt.datetime.fromisoformat(f"{day} {time or '00:00:00'}").replace(microsecond=micros)
            return timestamp_value(read, kind)
    except ValueError:
        pass
    raise NotInProcess(f"a text as {kind} is computed in-process only as 2026-01-31 or 2026-01-31 12:00:00")


def convert(value: TypedSql, to: DataType) -> TypedSql:
    """The casts that mean the same in both; what both refuse at run time ends as an error."""
    of = value.type
    if of == to:
        return TypedSql(value.sql, to)
    if of == VOID:
        return TypedSql(cast_to("NULL", to), to)
    if value.text is not None and to in (DATE, TIMESTAMP, TIMESTAMP_NTZ):
        return text_as(value, to)
    if not _is_same_cast(of, to):
        raise NotInProcess(f"a cast of {of} to {to} is not computed in-process")
    return TypedSql(cast_to(value.sql, to), to)


def _is_same_cast(of: DataType, to: DataType) -> bool:
    exact = of.name != "decimal" or of.size[0] <= _EXACT_DIGITS
    match of.name, to.name:
        case (("tinyint" | "smallint" | "int" | "bigint"), ("tinyint" | "smallint" | "int" | "bigint" | "string")):
            return True
        case (("tinyint" | "smallint" | "int" | "bigint"), ("double" | "decimal")):
            return True
        case "decimal", ("tinyint" | "smallint" | "int" | "bigint" | "decimal" | "string"):
            return True
        case "decimal", "double":
            return exact
        case "float", "double":
            return True
        case "double", ("int" | "bigint"):
            return True
        case "boolean", ("string" | "int"):
            return True
        case "date", ("timestamp" | "timestamp_ntz" | "string"):
            return True
        case (("timestamp" | "timestamp_ntz"), "date"):
            return True
    return False


def small_decimal(value: TypedSql) -> DataType | None:
    """The decimal of an operand: a whole number in the text has just its digits."""
    if value.suffixed and value.type.name in INTEGERS:
        raise NotInProcess("a number with a type beside a decimal is not computed in-process")
    return decimal(value.digits, 0) if value.digits is not None else as_decimal(value.type)


def normal(value: TypedSql) -> str:
    """For comparing, grouping and sorting: one NaN and one zero."""
    if value.type.name == "double":
        return f"nanvl({value.sql} + CAST('0' AS DOUBLE), CAST('NaN' AS DOUBLE))"
    if value.type.name == "float":
        return f"CAST(nanvl(CAST({value.sql} AS DOUBLE) + CAST('0' AS DOUBLE), CAST('NaN' AS DOUBLE)) AS REAL)"
    return value.sql
