"""Sampled rows as values by column: structs and lists are taken apart, so that each field is judged by itself.

Keys of maps are data, not names: they are values of a column too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forge.flows.catalog.pii.ports import TableSample

MOST_VALUES = 1000  # of a column, spread over all that were read
LONGEST_TEXT = 20_000  # characters of a value
_DEEPEST = 8  # levels of structs
_MOST_FIELDS = 2000  # columns and fields of a table
_MOST_ITEMS = 100  # of a list


def sample_of(columns: Sequence[str], rows: Iterable[Sequence[object]], *, complete: bool) -> TableSample:
    """`rows` as plain Python values: a struct is a dict, a map a list of pairs."""
    values: dict[str, list[object]] = {column: [] for column in columns}
    count = 0
    for row in rows:
        count += 1
        for column, value in zip(columns, row, strict=True):
            _add(values, column, value, _DEEPEST)
    # the name of a struct says nothing about its fields
    taken_apart = {name.rpartition(".")[0] for name in values if name not in columns}
    kept = {name: _spread(found) for name, found in values.items() if found or name not in taken_apart}
    return TableSample(kept, count, complete)


def _add(values: dict[str, list[object]], name: str, value: object, depth: int) -> None:
    match value:
        case None:
            return
        case bytes() | bytearray():  # some programs write text so; what is none is no value to the rules
            _put(values, name, bytes(value[:LONGEST_TEXT]))
        case dict() if depth:
            for field, each in value.items():
                _add(values, f"{name}.{field}", each, depth - 1)
        case list() | tuple() if depth:
            for item in value[:_MOST_ITEMS]:
                if isinstance(item, tuple) and len(item) == 2:
                    _add(values, f"{name}.key", item[0], depth - 1)
                    _add(values, f"{name}.value", item[1], depth - 1)
                else:
                    _add(values, name, item, depth - 1)
        case str():
            _put(values, name, value[:LONGEST_TEXT])
        case _:
            _put(values, name, value)


def _put(values: dict[str, list[object]], name: str, value: object) -> None:
    if name in values:
        values[name].append(value)
    elif len(values) < _MOST_FIELDS:
        values[name] = [value]


def _spread(values: list[object]) -> list[object]:
    """Some of them, from the beginning to the end."""
    step = max(1, -(-len(values) // MOST_VALUES))
    return values[::step]
