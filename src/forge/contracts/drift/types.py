"""Whether a column's type satisfies the contract. A declared physical type must be equal up to spelling; a logical type
can be satisfied by more than one type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from forge.contracts.contract import ContractProperty
from forge.contracts.schema.types import SPARK_TYPES, holds
from forge.model.types import KNOWN_TYPES, DataType, TypeField

_ANY_STRUCT = ("struct", "object", "record", "row")
_SPARK_ZONED, _SPARK_PLAIN = ("timestamp_ltz", "timestamp with local time zone"), ("timestamp_ntz",)
_SQL_PLAIN = ("timestamp without time zone", "datetime")
_ELSEWHERE = {"hugeint", "uint", "uhugeint", "varint", "bignumeric", "bigdecimal", "smallmoney"}
_TIME_OF_DAY = re.compile(r"[Hh]")


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two types differ: the path of fields, and the types; None where a side has no such field."""

    steps: tuple[str, ...]
    expected: DataType | None
    actual: DataType | None


def fits(expected: ContractProperty, actual: DataType) -> bool:
    """Whether a column of that type satisfies the property's logical type, without its nested parts."""
    logical = logical_type_of(expected)
    if logical is None:
        return True
    if logical == "date" and actual.name in SPARK_TYPES["timestamp"]:
        # ODCS 3.0 has no timestamp: a moment is a date there, with a format that has hours.
        return bool(_TIME_OF_DAY.search(str(expected.options.get("format", ""))))
    return holds(logical, actual)


def logical_type_of(of: ContractProperty) -> str | None:
    """As declared, or implied by its nested parts."""
    if of.logical_type:
        return of.logical_type
    if of.properties:
        return "object"
    if of.items:
        return "array"
    return "map" if of.map_key or of.map_value else None


def find_differences(
    expected: DataType, actual: DataType, *, is_spark: bool, steps: tuple[str, ...] = ()
) -> Iterator[Difference]:
    """Names are case-insensitive, struct fields in any order; `array` alone is any array. In Spark's schemas
    (`is_spark`) a timestamp has a zone; elsewhere the other type's spelling decides what `timestamp` means."""
    if not expected.fields and expected.name in ("array", "map", *_ANY_STRUCT):
        if actual.name != ("struct" if expected.name in _ANY_STRUCT else expected.name):
            yield Difference(steps, expected, actual)
        return
    if not _is_same(expected, actual, is_spark=is_spark):
        yield Difference(steps, expected, actual)
        return
    for field in expected.fields:
        found = actual.get(field.name)
        if found is None:
            yield Difference((*steps, field.name), field.type, None)
        else:
            yield from find_differences(field.type, found.type, is_spark=is_spark, steps=(*steps, found.name))
    for extra in actual.fields:
        if expected.get(extra.name) is None:
            yield Difference((*steps, extra.name), None, extra.type)


def _is_same(expected: DataType, actual: DataType, *, is_spark: bool) -> bool:
    """The same type, ignoring fields."""
    if expected.name in _TIMESTAMPS and actual.name in _TIMESTAMPS:
        return expected.size == actual.size and _same_zone(expected, actual, is_spark=is_spark)
    return expected.name == actual.name and (expected.is_nested or expected.size == actual.size)


_TIMESTAMPS = ("timestamp", "timestamp_ntz")


def _same_zone(expected: DataType, actual: DataType, *, is_spark: bool) -> bool:
    """Spark's `timestamp` has a zone; that of SQL and Iceberg, which have `timestamptz`, has none."""
    mine, other = expected.written, actual.written
    if is_spark and other == "timestamp":
        other = "timestamp_ltz"
    for one, two in ((mine, other), (other, mine)):
        if one == "timestamp" and two != "timestamp":
            return two in _SPARK_ZONED or two in _SQL_PLAIN
    return expected.name == actual.name


def misspelt(of: DataType) -> str | None:
    """The probably intended type of a misspelt one: `int` for `intt`. Types of other systems are no mistakes, so only
    very near ones count."""
    if of.fields or not of.name.isalpha() or of.name in KNOWN_TYPES or of.name in _ELSEWHERE:
        return None
    return next(iter(get_close_matches(of.name, sorted(KNOWN_TYPES), n=1, cutoff=0.8)), None)


def type_shown(of: DataType) -> str:
    """The type as written, without what only distinguishes timestamps."""
    if of.name == "struct" and of.fields:
        return f"struct<{','.join(_field_shown(f) for f in of.fields)}>"
    if of.fields:
        word = of.written or of.name
        return f"{word}<{','.join(type_shown(f.type) for f in of.fields)}>"
    if of.written in ("timestamp_ltz", "timestamp without time zone"):
        return "timestamp"
    size = f"({','.join(str(n) for n in of.size)})" if of.size else ""
    return f"{of.written or of.name}{size}"


def _field_shown(field: TypeField) -> str:
    name = field.name if re.fullmatch(r"\w+", field.name) else "`" + field.name.replace("`", "``") + "`"
    return f"{name}:{type_shown(field.type)}"
