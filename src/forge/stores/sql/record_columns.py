"""Records as columns and back, by the names of their fields. No database access."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any, TypeVar

Row = dict[str, Any]
T = TypeVar("T", bound=Hashable)


def columns_of(record: Hashable, *without: str) -> Row:
    """The fields as columns take them, an enum by its value; `without` those that columns hold in another form."""
    given = {name: getattr(record, name) for name in _fields(type(record)) if name not in without}
    return {name: value.value if isinstance(value, Enum) else value for name, value in given.items()}


def record_of(kind: type[T], row: Mapping[Any, Any], /, **converted: object) -> T:
    """The record of a row; `converted` are the fields that columns hold in another form. A tuple is a list in JSON."""
    kept = {name: is_tuple for name, is_tuple in _fields(kind).items() if name in row and name not in converted}
    known = {name: tuple(row[name]) if is_tuple else row[name] for name, is_tuple in kept.items()}
    return kind(**known, **converted)


@cache
def _fields(kind: Any) -> Mapping[str, bool]:
    """The names of a record's fields, and whether each is a tuple."""
    return {one.name: str(one.type).startswith("tuple[") for one in fields(kind)}
