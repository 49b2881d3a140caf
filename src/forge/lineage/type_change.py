"""What the change of a column's type does to those who read it. Types are Spark's, Iceberg's or SQL's names.

A type is wider than another if every value of the other is a value of it, exactly: `bigint` than `int`, `double` than
`float` and `int` (not than `bigint`, whose large values it rounds), `decimal(12,2)` than `decimal(10,2)`, `timestamp`
than `date`, `varchar(20)` than `varchar(10)`, a struct with one field more. Text is not wider than numbers: nothing
that counts with them can read it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class TypeChange(StrEnum):
    SAME = "same"
    WIDENING = "widening"
    NARROWING = "narrowing"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True)
class DataType:
    """`size`: precision and scale, or a length; `members`: the fields of a struct, the key and value of a map."""

    name: str
    size: tuple[int, ...] = ()
    members: tuple[tuple[str, DataType], ...] = ()


_SYNONYMS = {
    "byte": "tinyint",
    "int1": "tinyint",
    "short": "smallint",
    "int2": "smallint",
    "integer": "int",
    "int4": "int",
    "long": "bigint",
    "int8": "bigint",
    "real": "float",
    "float4": "float",
    "double precision": "double",
    "float8": "double",
    "numeric": "decimal",
    "number": "decimal",
    "dec": "decimal",
    "bool": "boolean",
    "text": "string",
    "clob": "string",
    "character": "char",
    "bpchar": "char",
    "character varying": "varchar",
    "nvarchar": "varchar",
    "timestamptz": "timestamp",
    "timestamp_ltz": "timestamp",
    "timestamp with time zone": "timestamp",
    "timestamp with local time zone": "timestamp",
    "timestamp without time zone": "timestamp_ntz",
    "datetime": "timestamp_ntz",
    "bytea": "binary",
    "varbinary": "binary",
    "blob": "binary",
    "list": "array",
}
_INTEGERS = ("tinyint", "smallint", "int", "bigint")
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}  # that a decimal needs for all of them, as in Spark
_FULL = {"tinyint": 2, "smallint": 4, "int": 9, "bigint": 18}  # digits that may all be nines
_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}
_MANTISSA = {"float": 24, "double": 53}
_TEXTS = ("char", "varchar", "string")
_DATES = {("date", "timestamp"), ("date", "timestamp_ntz")}
_EXACT = frozenset({*_INTEGERS, "decimal", *_TEXTS, "boolean", "binary"})
_SIZED = re.compile(r"([a-z_][a-z0-9_ ]*?)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)([a-z ]*)")
_NESTED = re.compile(r"(array|list|map|struct|row)\s*<(.*)>", re.DOTALL)
_FIELD = re.compile(r"(`[^`]+`|[^\s:`<>(),]+)\s*(?::|\s)\s*(.+)", re.DOTALL)
_BESIDE = re.compile(r"\s+(?:not\s+null|comment\s+'[^']*')", re.I)
_CAST = re.compile(r"\bas\s+([a-z_][a-z0-9_]*(?:\s+(?:precision|varying))?(?:\s*\([\d\s,]*\))?(?:\s*<.*>)?)\s*\)", re.I)
_SHORT_CAST = re.compile(r"::\s*([a-z_][a-z0-9_]*(?:\s*\([\d\s,]*\))?)", re.I)


def classify(old: str, new: str) -> TypeChange:
    """What a column of type `old` that becomes `new` is to its readers."""
    return _compare(parse_type(old), parse_type(new))


def still_meets(old: str, new: str) -> bool:
    """Whether values of the wider type are found by a join against the old one: whole numbers, decimals and texts
    are; a time of day does not meet a date, and a double that is no float meets none."""
    return parse_type(old).name in _EXACT and parse_type(new).name in _EXACT


def casts_in(expression: str) -> tuple[str, ...]:
    """The types that an expression casts to: `CAST(x AS int)`, `TRY_CAST(…)`, `x::int`."""
    has_cast = re.search(r"cast\s*\(", expression, re.I)
    return (*(_CAST.findall(expression) if has_cast else ()), *_SHORT_CAST.findall(expression))


@lru_cache(maxsize=1024)
def parse_type(text: str) -> DataType:
    """A type that is not understood has its own text as name: it equals itself only."""
    spelled = re.sub(r"\s+", " ", text.strip())
    folded = spelled.lower()
    nested = _NESTED.fullmatch(folded)
    if nested:
        return _nested(nested[1], spelled[nested.start(2) : nested.end(2)]) or DataType(folded)
    if folded.endswith("[]"):
        return DataType("array", (), (("element", parse_type(spelled[:-2])),))
    sized = _SIZED.fullmatch(folded)
    words = re.sub(r"\s+", " ", f"{sized[1]}{sized[4]}" if sized else folded).strip()
    name = _SYNONYMS.get(words, words)
    size = tuple(int(part) for part in (sized[2], sized[3]) if part) if sized else ()
    if name == "decimal":
        return DataType(name, (*size, 0)[:2] if size else (10, 0))  # what a bare DECIMAL is in Spark
    if name == "varchar" and not size:
        return DataType("string")
    if name == "char" and not size:
        return DataType(name, (1,))
    return DataType(name, size if name in _TEXTS else ())


def _nested(kind: str, inside: str) -> DataType | None:
    parts = _split(_BESIDE.sub("", inside))
    if kind in ("array", "list"):
        return DataType("array", (), (("element", parse_type(parts[0])),)) if len(parts) == 1 else None
    if kind == "map":
        if len(parts) != 2:
            return None
        return DataType("map", (), (("key", parse_type(parts[0])), ("value", parse_type(parts[1]))))
    fields = [_FIELD.fullmatch(part) for part in parts]
    if not all(fields):
        return None
    return DataType("struct", (), tuple((f[1].strip("`").lower(), parse_type(f[2])) for f in fields if f))


def _split(text: str) -> list[str]:
    """By the commas that are not inside brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()]


def _compare(old: DataType, new: DataType) -> TypeChange:
    if old == new:
        return TypeChange.SAME
    if old.members and new.members and old.name == new.name:
        return _together(_members(old, new))
    if _holds(new, old):
        return TypeChange.WIDENING
    return TypeChange.NARROWING if _holds(old, new) else TypeChange.UNRELATED


def _members(old: DataType, new: DataType) -> Iterable[TypeChange]:
    before, after = dict(old.members), dict(new.members)
    for name in before.keys() | after.keys():
        if name not in after:
            yield TypeChange.NARROWING
        elif name not in before:
            yield TypeChange.WIDENING
        else:
            yield _compare(before[name], after[name])


def _together(changes: Iterable[TypeChange]) -> TypeChange:
    found = set(changes) - {TypeChange.SAME}
    if not found:
        return TypeChange.SAME  # the same fields in another order
    return found.pop() if len(found) == 1 else TypeChange.UNRELATED


def _holds(wide: DataType, narrow: DataType) -> bool:
    """Whether every value of `narrow` is one of `wide`."""
    if narrow.name in _INTEGERS:
        if wide.name in _INTEGERS:
            return _BITS[wide.name] >= _BITS[narrow.name]
        if wide.name in _MANTISSA:
            return _MANTISSA[wide.name] >= _BITS[narrow.name]
        return wide.name == "decimal" and wide.size[0] - wide.size[1] >= _DIGITS[narrow.name]
    if narrow.name == wide.name == "decimal":
        whole = wide.size[0] - wide.size[1] >= narrow.size[0] - narrow.size[1]
        return whole and wide.size[1] >= narrow.size[1]
    if wide.name in _INTEGERS and narrow.name == "decimal":
        return narrow.size[1] == 0 and narrow.size[0] <= _FULL[wide.name]
    if (narrow.name, wide.name) == ("float", "double") or (narrow.name, wide.name) in _DATES:
        return True
    if narrow.name in _TEXTS and wide.name in _TEXTS:
        return _holds_text(wide, narrow)
    return False


def _holds_text(wide: DataType, narrow: DataType) -> bool:
    if wide.name == "string":
        return True
    if narrow.name == "string" or (narrow.name == "varchar" and wide.name == "char"):
        return False  # a char is filled up with spaces
    return wide.size >= narrow.size
