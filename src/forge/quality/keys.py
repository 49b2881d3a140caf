"""Parsers for the keys of a check, from YAML or JSON into the fields of its class."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Generic, TypeVar

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Word = TypeVar("Word", bound=str)


class InvalidKey(ValueError):
    """An error in one key: the rest of a sentence that begins with its name."""


class KeyKind(StrEnum):
    """What a person is asked for: a form has one input for each."""

    COLUMN = "column"
    COLUMNS = "columns"
    TEXT = "text"
    SQL = "sql"
    PATTERN = "pattern"
    NUMBER = "number"
    PERCENTAGE = "percentage"
    DURATION = "duration"
    VALUE = "value"  # a number, a date, a time or text
    LIST = "list"  # of such values
    MAPPING = "mapping"  # of names to such values
    CHOICE = "choice"  # one of some words
    CHOICES = "choices"  # any of them
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class ValueReader(Generic[T_co]):
    """Reads one value as people write it. Raises Wrong. `words` are those of a choice."""

    read: Callable[[object], T_co]
    kind: KeyKind
    words: tuple[str, ...] = ()

    def __call__(self, value: object) -> T_co:
        return self.read(value)


def reads(kind: KeyKind) -> Callable[[Callable[[object], T]], ValueReader[T]]:
    return lambda read: ValueReader(read, kind)


@dataclass(frozen=True, slots=True)
class Key:
    """`field`: of the check's class. Two keys of one field are two spellings of the same. `unless`: the word for the
    check with which it may be left out all the same. `label`, `help` and `example` are for forms and the reference;
    without a label its name is shown."""

    read: ValueReader[object]
    field: str
    _: KW_ONLY
    required: bool = False
    unless: str | None = None
    label: str = ""
    help: str = ""
    example: str = ""


Keys = Mapping[str, Key]


@reads(KeyKind.TEXT)
def text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidKey(f"must be text, and is {value!r}")
    return value


column = ValueReader(text.read, KeyKind.COLUMN)
sql = ValueReader(text.read, KeyKind.SQL)
pattern = ValueReader(text.read, KeyKind.PATTERN)


@reads(KeyKind.COLUMNS)
def columns(value: object) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not listed:
        raise InvalidKey(f"must be a column or a list of columns, and is {value!r}")
    names = tuple(text(item) for item in listed)
    if len(set(names)) < len(names):
        raise InvalidKey("names a column twice")
    return names


@reads(KeyKind.COLUMNS)
def any_columns(value: object) -> tuple[str, ...]:
    """As `columns`; an empty list means all columns."""
    return () if value in ([], ()) else columns(value)


@reads(KeyKind.NUMBER)
def number(value: object) -> float:
    try:
        found = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]  # TypeError is the test
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise InvalidKey(f"must be a number, and is {value!r}")
    return found


@reads(KeyKind.NUMBER)
def exact_number(value: object) -> int | float:
    """Integers stay integers: a double cannot hold every count."""
    return value if isinstance(value, int) and not isinstance(value, bool) else number(value)


@reads(KeyKind.PERCENTAGE)
def percent(value: object) -> float:
    """From 0 to 100."""
    found = _percent(value)
    if found > 100:
        raise InvalidKey(f"is a percentage from 0 to 100, and is {value!r}")
    return found


@reads(KeyKind.PERCENTAGE)
def change(value: object) -> float:
    """A percentage that may exceed 100: rows can triple."""
    return _percent(value)


def _percent(value: object) -> float:
    found = number(value.strip().removesuffix("%") if isinstance(value, str) else value)
    if found < 0:
        raise InvalidKey(f"is a percentage from 0 to 100, and is {value!r}")
    return found


@reads(KeyKind.NUMBER)
def share(value: object) -> float:
    found = number(value)
    if not 0 <= found <= 1:
        raise InvalidKey(f"is a share from 0 to 1, and is {value!r}")
    return found


@reads(KeyKind.NUMBER)
def positive(value: object) -> float:
    found = number(value)
    if found <= 0:
        raise InvalidKey(f"must be more than 0, and is {value!r}")
    return found


@reads(KeyKind.DURATION)
def hours(value: object) -> float:
    found = number(value)
    if found <= 0:
        raise InvalidKey(f"must be more than 0 hours, and is {value!r}")
    return found


@reads(KeyKind.NUMBER)
def count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidKey(f"must be a whole number from 0, and is {value!r}")
    return value


@reads(KeyKind.BOOLEAN)
def flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidKey(f"must be true or false, and is {value!r}")
    return value


@reads(KeyKind.VALUE)
def bound(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str | date):
        raise InvalidKey(f"must be a number, a date, a time or text, and is {value!r}")
    if isinstance(value, float | Decimal) and not math.isfinite(value):
        raise InvalidKey("must be finite; leave it out for an open end")
    return value


@reads(KeyKind.LIST)
def values(value: object) -> tuple[object, ...]:
    if not isinstance(value, list | tuple) or not [item for item in value if item is not None]:
        raise InvalidKey(f"must be a list of values, and is {value!r}")
    for item in value:
        if isinstance(item, list | dict | set | tuple):
            raise InvalidKey(f"must be a list of single values, and holds {item!r}")
    return tuple(value)


def one_of(known: Iterable[Word]) -> ValueReader[Word]:
    words = tuple(known)

    def read(value: object) -> Word:
        found = next((word for word in words if word == value), None)
        if found is None:
            near = did_you_mean(str(value), words)
            raise InvalidKey(f"is one of {', '.join(words)}, and is {value!r}." + (f" {near}" if near else ""))
        return found

    return ValueReader(read, KeyKind.CHOICE, tuple(str(word) for word in words))


@reads(KeyKind.TEXT)
def table(value: object) -> TableName:
    try:
        return TableName.parse(text(value).strip())
    except ForgeError as error:
        raise InvalidKey(f"must be like core.customers: {error.what}") from None


@reads(KeyKind.LIST)
def tables(value: object) -> tuple[TableName, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple):
        raise InvalidKey(f"must be a list of tables, and is {value!r}")
    return tuple(dict.fromkeys(table(item) for item in listed))


@reads(KeyKind.TEXT)
def reference(value: object) -> tuple[TableName, tuple[str, ...]]:
    """`core.customers.customer_id`, `core.customers` (the same columns), or {table: …, columns: […]}."""
    if isinstance(value, Mapping):
        if set(value) != {"table", "columns"}:
            raise InvalidKey(f"as a mapping has the keys table and columns, and has {', '.join(map(str, value))}")
        return table(value["table"]), columns(value["columns"])
    parts = text(value).strip().split(".", 2)
    if len(parts) < 2:
        raise InvalidKey(f"must be like core.customers.customer_id, and is {value!r}")
    try:
        return TableName.parse(".".join(parts[:2])), tuple(parts[2:])
    except ForgeError as error:
        raise InvalidKey(f"must be like core.customers.customer_id: {error.what}") from None


@reads(KeyKind.MAPPING)
def types(value: object) -> tuple[tuple[str, str], ...]:
    """Names with their types, in order."""
    if not isinstance(value, Mapping) or not value:
        raise InvalidKey(f"must be a mapping of columns to types like {{order_id: bigint}}, and is {value!r}")
    for name, type_ in value.items():
        if not isinstance(name, str) or not isinstance(type_, str) or not name.strip() or not type_.strip():
            raise InvalidKey(f"must be a mapping of columns to types, and holds {name!r}: {type_!r}")
    folded = [name.lower() for name in value]
    if twice := next((name for name in value if folded.count(name.lower()) > 1), None):
        raise InvalidKey(f"names the column {twice} twice; upper and lower case are the same")
    return tuple((name, type_.strip()) for name, type_ in value.items())


@reads(KeyKind.MAPPING)
def arguments(value: object) -> tuple[tuple[str, object], ...]:
    """Names with their values; lists become tuples, because a check is frozen."""
    if not isinstance(value, Mapping):
        raise InvalidKey(f"must be a mapping of names to values, and is {value!r}")
    for name in value:
        if not isinstance(name, str) or not name.isidentifier():
            raise InvalidKey(f"has names like those of Python's parameters, and holds {name!r}")
    return tuple((name, _frozen(item)) for name, item in value.items())


def _frozen(value: object) -> object:
    if isinstance(value, Mapping):
        return tuple((name, _frozen(item)) for name, item in value.items())
    return tuple(_frozen(item) for item in value) if isinstance(value, list | tuple) else value


@reads(KeyKind.LIST)
def two_numbers(value: object) -> tuple[int | float, int | float]:
    """[low, high], both ends included."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise InvalidKey(f"must be two numbers, the smaller first, and is {value!r}")
    low, high = exact_number(value[0]), exact_number(value[1])
    if low > high:
        raise InvalidKey(f"must be two numbers, the smaller first, and is {value!r}")
    return low, high


def in_order(low: object, high: object) -> list[str]:
    """Errors of `min` and `max` as a pair, both already parsed."""
    if low is None or high is None:
        return ["'min' or 'max' is needed"] if low is high else []
    try:
        return [f"'min' {low} is more than 'max' {high}"] if _is_more(low, high) else []
    except TypeError:
        return [f"'min' {low!r} and 'max' {high!r} cannot be compared; write both as one type"]


def _is_more(low: object, high: object) -> bool:
    """Compares two strings only where they must be strings: whether '9' and '10' are numbers depends on the column."""
    if isinstance(low, str) and isinstance(high, str) and any(letter.isdigit() for letter in low + high):
        return False
    return bool(low > high)  # type: ignore[operator]  # TypeError is reported


COLUMN: Keys = {"column": Key(column, "column", required=True)}
KEY_COLUMNS: Keys = {"columns": Key(columns, "columns", required=True), "column": Key(columns, "columns")}
TOLERANCE: Keys = {
    "max_violation_percentage": Key(
        percent, "max_violation_percentage", label="Tolerated", help="Share of rows that may break it."
    )
}


def bounds(read: ValueReader[object]) -> Keys:
    """`min` and `max`."""
    return {"min": Key(read, "min", label="At least"), "max": Key(read, "max", label="At most")}
