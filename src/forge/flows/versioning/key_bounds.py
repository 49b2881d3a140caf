"""Which data files may hold a key, by the bounds of their columns."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from forge.flows.versioning.tables import DataFile, TableFiles
from forge.versioning.field import by_name


def find_candidates(files: TableFiles, given: pa.Table, key: Sequence[str]) -> tuple[DataFile, ...]:
    """The files that may hold one of the keys, by their bounds."""
    fields = by_name(files.fields)
    wanted = [(fields[name].id, _sorted(given.column(name))) for name in key]
    found = [f for f in files.files if f.rows and all(_may_hold(f, number, values) for number, values in wanted)]
    return tuple(sorted(found, key=lambda file: (file.path, file.deletes)))


def _sorted(column: pa.ChunkedArray) -> list[Any] | None:
    """None where the values have no order that bounds can be compared to."""
    values = column.unique().to_pylist()
    try:
        return sorted(values) if all(value == value for value in values) else None
    except TypeError:
        return None


def _may_hold(file: DataFile, field_id: int | str, values: list[Any] | None) -> bool:
    bounds = file.bounds.get(field_id) if isinstance(field_id, int) else None
    if bounds is None or values is None:
        return True
    low, high = bounds
    try:
        return bisect_left(values, low) < bisect_right(values, high)
    except TypeError:  # the column was retyped since the file was written
        return True
