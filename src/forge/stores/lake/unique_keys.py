"""Duplicate keys in files, and which files a merge changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from forge.flows.versioning.tables import DataFile, DuplicateKeys
from forge.versioning.arrow_types import one_array, python_values
from forge.versioning.field import AlignedColumn, Layout
from forge.versioning.rows.apply import RowMerge
from forge.versioning.rows.codes import code_rows, sort_rows
from forge.versioning.rows.sides import lay


def find_twins(new: pa.Table, old: pa.Table | None, key: Sequence[str], limit: int) -> DuplicateKeys:
    """Keys of two new rows, or of a new and an old one; the first by their order."""
    parts = [[one_array(part.column(name)) for name in key] for part in (new, old) if part is not None]
    codes, size = code_rows(parts, [len(part[0]) for part in parts])
    mine, *others = (np.bincount(numbers, minlength=size) for numbers in codes)
    is_twin = (mine > 1) | ((mine > 0) & (sum(others, np.zeros(size, dtype=np.int64)) > 0))
    first = np.full(size, -1, dtype=np.int64)
    first[codes[0][::-1]] = np.arange(new.num_rows)[::-1]
    rows = first[np.flatnonzero(is_twin)]
    columns = [column.take(pa.array(rows)) for column in parts[0]]
    whole = np.ones(len(rows), dtype=np.bool_)
    for column in columns:
        whole &= np.asarray(column.is_valid().to_numpy(zero_copy_only=False))
    columns = [column.filter(pa.array(whole)) for column in columns]
    count = int(whole.sum())
    shown = pa.array(sort_rows(columns, count)[:limit])
    values = [python_values(column.take(shown)) for column in columns]
    return DuplicateKeys(count, tuple(dict(zip(key, one, strict=True)) for one in zip(*values, strict=True)))


def _kinds(columns: Sequence[AlignedColumn], upserts: pa.Table) -> list[pa.DataType]:
    return [upserts.schema.field(column.field.name).type for column in columns]


def _keys(columns: Sequence[AlignedColumn], rows: pa.Table) -> list[pa.Array]:
    return [one_array(rows.column(column.field.name)) for column in columns]


def find_touched(rows: Mapping[DataFile, pa.Table], merged: RowMerge, layout: Layout) -> list[DataFile]:
    """The files with a row that the merge changes or deletes."""
    columns = [column for column in layout.columns if column.field.name in layout.key] or list(layout.columns)
    kinds = _kinds(columns, merged.upserts)
    laid = [lay(table, "ours", columns, kinds).filled(range(len(columns)), kinds) for table in rows.values()]
    changed = [merged.deletes, merged.upserts] if layout.key else [merged.deletes]
    arrays = [*(_keys(columns, table) for table in changed), *laid]
    lengths = [table.num_rows for table in (*changed, *rows.values())]
    codes, size = code_rows(arrays, lengths)
    hit = np.zeros(size, dtype=np.bool_)
    for numbers in codes[: len(changed)]:
        hit[numbers] = True
    return [file for file, numbers in zip(rows, codes[len(changed) :], strict=True) if hit[numbers].any()]
