"""The inputs of a merge aligned: the same columns, the same types, and the row of each key in each input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np
import pyarrow as pa

from forge.versioning.arrow_types import cast_column, common_type, python_values
from forge.versioning.errors import duplicate_keys, null_keys
from forge.versioning.field import AlignedColumn, Layout
from forge.versioning.rows.codes import Flags, Numbers, code_rows, find_different

Reader = Callable[[Numbers], pa.Array]


class MergeInput(StrEnum):
    BASE_OURS = "base_ours"
    OURS = "ours"
    BASE_THEIRS = "base_theirs"
    THEIRS = "theirs"

    @property
    def side(self) -> str:
        return "base" if self in (MergeInput.BASE_OURS, MergeInput.BASE_THEIRS) else str(self)


_ANYWHERE = (MergeInput.OURS, MergeInput.THEIRS, MergeInput.BASE_OURS, MergeInput.BASE_THEIRS)


@dataclass(frozen=True, slots=True)
class InputRows:
    """One input, its columns in the order of the layout; None for a column that the input does not have."""

    columns: tuple[pa.Array | None, ...]
    length: int

    def filled(self, places: Sequence[int], kinds: Sequence[pa.DataType]) -> list[pa.Array]:
        """Those columns; missing ones are all NULL."""
        found = ((self.columns[place], kinds[place]) for place in places)
        return [column if column is not None else pa.nulls(self.length, kind) for column, kind in found]


def name_on(column: AlignedColumn, side: str) -> str | None:
    name: str | None = getattr(column, side)
    return name


def find_types(columns: Sequence[AlignedColumn], tables: Mapping[MergeInput, pa.Table]) -> tuple[pa.DataType, ...]:
    """The merged Arrow types, from what each input has."""
    return tuple(
        common_type(
            column.field.type,
            [
                table.schema.field(name).type
                for which, table in tables.items()
                if (name := name_on(column, which.side)) is not None
            ],
        )
        for column in columns
    )


def lay(table: pa.Table, side: str, columns: Sequence[AlignedColumn], kinds: Sequence[pa.DataType]) -> InputRows:
    """A table of that side in the merged columns and types."""
    arrays = (
        None if (name := name_on(column, side)) is None else cast_column(table.column(name), kind, name)
        for column, kind in zip(columns, kinds, strict=True)
    )
    return InputRows(tuple(arrays), table.num_rows)


@dataclass(frozen=True, slots=True)
class Overlay:
    """Four aligned inputs. `at[input][key]` is the row of a key in an input, or -1; keys are numbers."""

    layout: Layout
    columns: tuple[AlignedColumn, ...]  # the merged ones, then the dropped ones
    kinds: tuple[pa.DataType, ...]
    rows: Mapping[MergeInput, InputRows]
    at: Mapping[MergeInput, Numbers]
    size: int

    @property
    def key_places(self) -> list[int]:
        names = [column.field.name for column in self.layout.columns]
        return [names.index(name) for name in self.layout.key]

    @property
    def value_places(self) -> list[int]:
        keys = set(self.key_places)
        return [place for place in range(len(self.layout.columns)) if place not in keys]

    @property
    def dropped_places(self) -> range:
        return range(len(self.layout.columns), len(self.columns))

    def has(self, which: MergeInput) -> Flags:
        result: Flags = self.at[which] >= 0
        return result

    def read(self, which: MergeInput, place: int, keys: Numbers) -> pa.Array:
        """A column of an input at some keys; NULL where the input does not have the key or the column."""
        column = self.rows[which].columns[place]
        if column is None:
            return pa.nulls(len(keys), self.kinds[place])
        return take(column, self.at[which][keys])

    def first(self, place: int, keys: Numbers, inputs: Sequence[MergeInput]) -> pa.Array:
        """At each key the value of the first of the inputs that has the key; NULL where none has."""
        readers = [partial(self.read, which, place) for which in inputs]
        return blend(readers, keys, pick_first([self.at[which][keys] for which in inputs]), self.kinds[place])

    def keys_of(self, keys: Numbers) -> list[pa.Array]:
        """The key columns of some keys, from any input that has them."""
        order = [which for which in _ANYWHERE if which in self.at]
        return [self.first(place, keys, order) for place in self.key_places]

    def differs(self, place: int, left: MergeInput, right: MergeInput, keys: Numbers) -> Flags:
        """Where a column differs in the right; a column that one of them does not have counts as NULL."""
        return find_different(self.read(left, place, keys), self.read(right, place, keys))


def pick_first(positions: Sequence[Numbers]) -> Numbers:
    """The first of the arrays that is not negative; -1: none is."""
    choice = np.full(len(positions[0]), -1, dtype=np.int64)
    for number in reversed(range(len(positions))):
        choice[positions[number] >= 0] = number
    return choice


def blend(readers: Sequence[Reader], keys: Numbers, choice: Numbers, kind: pa.DataType) -> pa.Array:
    """At each key the value of the chosen reader; -1 is NULL."""
    parts: list[pa.Array] = []
    spots: list[Numbers] = []
    for number in np.unique(choice):
        spot = np.flatnonzero(choice == number)
        spots.append(spot)
        parts.append(pa.nulls(len(spot), kind) if number < 0 else readers[number](keys[spot]))
    return scatter(parts, spots, kind)


def scatter(parts: Sequence[pa.Array], spots: Sequence[Numbers], kind: pa.DataType) -> pa.Array:
    """One array from arrays whose values belong at given positions; together the positions are 0..n-1."""
    if not parts:
        return pa.array([], kind)
    if len(parts) == 1:
        return parts[0]
    return pa.concat_arrays(parts).take(pa.array(np.argsort(np.concatenate(spots), kind="stable")))


def take(column: pa.Array, positions: Numbers) -> pa.Array:
    """NULL where the position is negative. Rows that are already in order are not copied."""
    if len(positions) == len(column) and np.array_equal(positions, np.arange(len(column))):
        return column
    missing = positions < 0
    return column.take(pa.array(positions, mask=missing) if missing.any() else pa.array(positions))


def lay_over(
    layout: Layout, tables: Mapping[MergeInput, pa.Table], *, table: str | None, words: Mapping[str, str] | None = None
) -> Overlay:
    """E611 where an input has a duplicate key, E612 where one is NULL; `words` are the names of the sides there."""
    columns = (*layout.columns, *layout.dropped)
    kinds = find_types(columns, tables)
    one_base = tables.get(MergeInput.BASE_OURS) is tables.get(MergeInput.BASE_THEIRS)
    rows = {
        which: lay(given, which.side, columns, kinds)
        for which, given in tables.items()
        if not (one_base and which is MergeInput.BASE_THEIRS)
    }
    empty = Overlay(layout, columns, kinds, rows, {}, 0)
    keys = empty.key_places
    labels = {which: (words or {}).get(which.side, which.side) for which in rows}
    _refuse_nulls(rows, labels, keys, layout, table)
    codes, size = code_rows(
        [each.filled(keys, kinds) for each in rows.values()], [each.length for each in rows.values()]
    )
    at = {}
    for which, numbers in zip(rows, codes, strict=True):
        at[which] = np.full(size, -1, dtype=np.int64)
        at[which][numbers] = np.arange(len(numbers))
        found = np.bincount(numbers, minlength=size)
        if len(found) and found.max() > 1:
            refuse_duplicates(labels[which], rows[which], np.flatnonzero(found[numbers] > 1), keys, layout, table)
    if one_base:
        rows[MergeInput.BASE_THEIRS], at[MergeInput.BASE_THEIRS] = rows[MergeInput.BASE_OURS], at[MergeInput.BASE_OURS]
    return Overlay(layout, columns, kinds, rows, at, size)


def _refuse_nulls(
    rows: Mapping[MergeInput, InputRows],
    labels: Mapping[MergeInput, str],
    keys: Sequence[int],
    layout: Layout,
    table: str | None,
) -> None:
    for which, each in rows.items():
        for place in keys:
            column = each.columns[place]
            if column is not None and column.null_count:
                name = layout.columns[place].field.name
                what = f"{labels[which]} has NULL in the key column {name}, in {column.null_count:,} rows"
                raise null_keys(what, table)


def refuse_duplicates(
    side: str, rows: InputRows, positions: Numbers, keys: Sequence[int], layout: Layout, table: str | None
) -> None:
    """Raise E611 with the first duplicate keys of `side`."""
    columns = (rows.columns[place] for place in keys)
    values = [python_values(column.take(pa.array(positions))) for column in columns if column is not None]
    named = dict.fromkeys(
        ", ".join(f"{name} = {value}" for name, value in zip(layout.key, row, strict=True))
        for row in zip(*values, strict=True)
    )
    more = f" and {len(named) - 3:,} more" if len(named) > 3 else ""
    raise duplicate_keys(side, f"{'; '.join(list(named)[:3])}{more}", layout.key, table)
