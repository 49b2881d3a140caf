"""Values in checks: parsed as the type of the column they are compared with, and formatted for people.

Parsing a bound as the column's type once, here, makes all measurers agree: none compares two types, so none can round
or cast in its own way."""

from __future__ import annotations

import math
import struct
from datetime import UTC, date, datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, InvalidOperation
from enum import StrEnum
from typing import Protocol, runtime_checkable

from forge.model.time import as_utc
from forge.model.types import parse_type

_WIDE = Context(prec=100)  # the default 28 digits are too few for a decimal(38,…)


class Family(StrEnum):
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    DOUBLE = "double"
    DATE = "date"
    TIMESTAMP = "timestamp"
    STRING = "string"
    BOOLEAN = "boolean"
    OTHER = "other"


_FAMILIES = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), Family.INTEGER),
    "decimal": Family.DECIMAL,
    "float": Family.FLOAT,
    "double": Family.DOUBLE,
    "date": Family.DATE,
    **dict.fromkeys(("timestamp", "timestamp_ntz"), Family.TIMESTAMP),
    **dict.fromkeys(("string", "varchar", "char"), Family.STRING),
    "boolean": Family.BOOLEAN,
}
ORDERED = frozenset(
    {
        Family.INTEGER,
        Family.DECIMAL,
        Family.FLOAT,
        Family.DOUBLE,
        Family.DATE,
        Family.TIMESTAMP,
        Family.STRING,
    }
)


@runtime_checkable
class DisplayValue(Protocol):
    """A value with its own display form."""

    def plain(self) -> dict[str, object]: ...


class UnfitValue(ValueError):
    """A value that cannot be compared with a column of that type."""


def family_of(type_: str) -> Family:
    return _FAMILIES.get(parse_type(type_).name, Family.OTHER)


def lower_bound(value: object, type_: str) -> object:
    """The smallest value of the type not below `value`; None where every value is above it."""
    if isinstance(value, float) and value == -math.inf:
        return None
    return _bound(value, type_, ROUND_CEILING)


def upper_bound(value: object, type_: str) -> object:
    """The greatest value of the type not above `value`; None where every value is below it."""
    if isinstance(value, float) and value == math.inf:
        return None
    return _bound(value, type_, ROUND_FLOOR)


def _bound(value: object, type_: str, rounding: str) -> object:
    match family_of(type_):
        case Family.INTEGER:
            return int(_number(value, type_).to_integral_value(rounding))
        case Family.DECIMAL:
            return _fixed(_number(value, type_).quantize(_step(type_), rounding, _WIDE), type_)
        case Family.BOOLEAN | Family.OTHER:
            raise UnfitValue(f"a {type_} has no order")
        case _:
            return member(value, type_)


def member(value: object, type_: str) -> object:
    """`value` as exactly one value of the type."""
    match family_of(type_):
        case Family.INTEGER:
            number = _number(value, type_)
            if number != number.to_integral_value():
                raise UnfitValue(f"{value} is not a whole number")
            return int(number)
        case Family.DECIMAL:
            number = _number(value, type_)
            if number != (fixed := number.quantize(_step(type_), ROUND_FLOOR, _WIDE)):
                raise UnfitValue(f"{value} has more digits after the point than a {type_}")
            return _fixed(fixed, type_)
        case Family.FLOAT:
            return _single(float(_number(value, type_)))
        case Family.DOUBLE:
            return float(_number(value, type_))
        case Family.DATE:
            return _date(value, type_)
        case Family.TIMESTAMP:
            return _timestamp(value, type_)
        case Family.STRING if isinstance(value, str):
            return value
        case Family.STRING if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        case Family.BOOLEAN if isinstance(value, bool):
            return value
    raise UnfitValue(f"{_typed(value)} cannot be compared to a {type_}")


def _step(type_: str) -> Decimal:
    return Decimal(1).scaleb(-parse_type(type_).size[1])


def _fixed(number: Decimal, type_: str) -> Decimal:
    if len(number.as_tuple().digits) > 38:
        raise UnfitValue(f"{number} has more digits than a {type_} can be compared to")
    return number


def _number(value: object, type_: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        raise UnfitValue(f"{_typed(value)} cannot be compared to a {type_}")
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        raise UnfitValue(f"{_typed(value)} is not a number") from None
    if not number.is_finite():
        raise UnfitValue(f"{value} is not a finite number")
    if abs(number.adjusted()) > 60 and family_of(type_) in (Family.INTEGER, Family.DECIMAL):
        raise UnfitValue(f"{value} is out of the range of a {type_}")
    return number


def _single(value: float) -> float:
    """The value as stored in a float column; a bound of 0.1 must not reject a stored 0.1."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _date(value: object, type_: str) -> date:
    if isinstance(value, datetime):
        if value.time() == datetime.min.time():
            return value.date()
        raise UnfitValue(f"{value} is a time and the column is a {type_}")
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value).strip())
    except ValueError:
        raise UnfitValue(f"{_typed(value)} is not a date like 2026-11-15") from None


def _timestamp(value: object, type_: str) -> datetime:
    if isinstance(value, datetime):
        return as_utc(value)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    try:
        return as_utc(datetime.fromisoformat(str(value).strip()))
    except ValueError:
        raise UnfitValue(f"{_typed(value)} is not a time like 2026-11-15T08:00:00Z, to compare to a {type_}") from None


def _typed(value: object) -> str:
    """A value with its YAML type: whoever wrote `yes` must learn that it became true."""
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()} (quote it if you mean text)"
    if isinstance(value, str):
        return f"the text '{value}'"
    if isinstance(value, int | float | Decimal):
        return f"the number {value}"
    return f"{value!s}"


def show(value: object) -> str:
    """For a sentence: 812,300."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case int():
            return f"{value:,}"
        case Decimal():
            return f"{value:,f}"
        case float():
            if math.isnan(value):
                return "NaN"
            return f"{int(value):,}" if value.is_integer() and abs(value) < 1e15 else f"{value:,}"
        case datetime():
            return as_utc(value).strftime("%Y-%m-%d %H:%M:%S UTC")
        case date():
            return value.isoformat()
    text = str(value)
    return f"'{text}'" if len(text) <= 60 else f"'{text[:59]}…'"


def plain(value: object) -> object:
    """JSON-safe: strings, numbers, booleans, lists and mappings only."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"nan": "NaN"}.get(str(value), str(value))
        case Decimal():
            return f"{value:f}"
        case datetime():
            return as_utc(value).isoformat()
        case date():
            return value.isoformat()
        case bytes() | bytearray():
            return value.hex()
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(item) for item in value]
        case DisplayValue():
            return plain(value.plain())
    return str(value)


def share(count: int, rows: int) -> str:
    """2.41%; never 0.00% of something, never 100.00% of less than all."""
    if count == 0 or rows == 0:
        return "0.00%"
    percent = 100 * count / rows
    if percent < 0.005:
        return "<0.01%"
    return ">99.99%" if count < rows and percent >= 99.995 else f"{percent:.2f}%"
