"""What a profile measures of the values of a type, and how a value is written in a profile.

Every value in a profile is one that JSON has: whole numbers and doubles as numbers, decimals, dates and times as text.
A date is measured as days and a time as microseconds since 1970, so that years that Python has not are no error."""

from __future__ import annotations

import math
from decimal import Decimal
from enum import StrEnum

from forge.model.types import parse_type

CellValue = str | int | float | bool | None
LONGEST = 100  # characters of a text in a profile
_DAY = 86_400_000_000  # microseconds


class ValueClass(StrEnum):
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIMESTAMP_NTZ = "timestamp_ntz"
    TEXT = "text"
    BOOLEAN = "boolean"
    BINARY = "binary"
    OTHER = "other"  # nested values, intervals: only NULLs are counted

    @property
    def is_number(self) -> bool:
        return self in (ValueClass.INTEGER, ValueClass.DECIMAL, ValueClass.FLOAT)

    @property
    def is_time(self) -> bool:
        return self in (ValueClass.DATE, ValueClass.TIMESTAMP, ValueClass.TIMESTAMP_NTZ)

    @property
    def has_length(self) -> bool:
        return self in (ValueClass.TEXT, ValueClass.BINARY)


_CLASSES = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), ValueClass.INTEGER),
    **dict.fromkeys(("float", "double"), ValueClass.FLOAT),
    **dict.fromkeys(("string", "varchar", "char"), ValueClass.TEXT),
    "decimal": ValueClass.DECIMAL,
    "date": ValueClass.DATE,
    "timestamp": ValueClass.TIMESTAMP,
    "timestamp_ntz": ValueClass.TIMESTAMP_NTZ,
    "boolean": ValueClass.BOOLEAN,
    "binary": ValueClass.BINARY,
}


def class_of(type_: str) -> ValueClass:
    return _CLASSES.get(parse_type(type_).name, ValueClass.OTHER)


def cell_of(value: object, kind: ValueClass) -> CellValue:
    """A measured value as the profile has it: numbers of days and microseconds become dates and times."""
    match kind, value:
        case _, None:
            return None
        case ValueClass.INTEGER, _:
            return int(str(value))
        case ValueClass.FLOAT, _:
            number = float(str(value))
            return number + 0.0 if math.isfinite(number) else _not_finite(number)
        case ValueClass.BOOLEAN, _:
            return str(value).lower() == "true"
        case ValueClass.DATE, _:
            return iso_date(int(str(value)))
        case ((ValueClass.TIMESTAMP | ValueClass.TIMESTAMP_NTZ), _):
            return iso_time(int(str(value))) + ("Z" if kind is ValueClass.TIMESTAMP else "")
        case ValueClass.DECIMAL, _:
            return f"{Decimal(str(value)):f}"
    return shorten(str(value))


def shorten(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def _not_finite(number: float) -> str:
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def iso_date(days: int) -> str:
    """Of any year: the days are counted in eras of 400 years, as in the calendar that ISO 8601 extends backwards."""
    era, day = divmod(days + 719_468, 146_097)  # from 1 March of year 0
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day = day - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    year += 400 * era + (month <= 2)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


def iso_time(micros: int) -> str:
    days, rest = divmod(micros, _DAY)
    seconds, fraction = divmod(rest, 1_000_000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{iso_date(days)}T{clock}" + (f".{fraction:06d}" if fraction else "")
