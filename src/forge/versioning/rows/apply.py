"""The result of a row merge, and applying it to ours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from forge.versioning.arrow_types import one_array
from forge.versioning.conflict import Conflict
from forge.versioning.field import Layout
from forge.versioning.rows.codes import Numbers, code_rows, count_before
from forge.versioning.rows.sides import lay

COUNT = "_count"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMerge:
    """Counted against ours. `upserts` have the merged schema; `deletes` are keys or, of a keyless table, whole rows
    and `_count`, how many of each are removed. Rows with open conflicts stay as they are in ours."""

    upserts: pa.Table
    deletes: pa.Table
    conflicts: tuple[Conflict, ...] = ()  # without an answer; at most as many as asked for
    conflict_count: int = 0
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    resolved_count: int = 0
    shared_count: int = 0  # keys, or distinct rows, that both sides changed

    @property
    def is_separate(self) -> bool:
        return not (self.shared_count or self.resolved_count or self.conflict_count)


def apply_rows(rows: pa.Table, merge: RowMerge, layout: Layout) -> pa.Table:
    """The rows of ours after the merge, in the merged schema: updated ones in place, new ones at the end."""
    schema = merge.upserts.schema
    mine = lay(rows, "ours", layout.columns, schema.types).filled(range(len(schema)), schema.types)
    new = [one_array(column) for column in merge.upserts.columns]
    picks = _picks(layout, mine, rows.num_rows, new, merge)
    columns = [_pick(array, extra, picks) for array, extra in zip(mine, new, strict=True)]
    return pa.Table.from_arrays(columns, schema=schema)


def _pick(array: pa.Array, extra: pa.Array, picks: Numbers) -> pa.Array:
    whole = pa.concat_arrays([array, extra]) if len(extra) else array
    if len(picks) == len(whole) and np.array_equal(picks, np.arange(len(whole))):
        return whole
    return whole.take(pa.array(picks))


def _picks(layout: Layout, arrays: list[pa.Array], length: int, new: list[pa.Array], merge: RowMerge) -> Numbers:
    """The rows of the result: numbers from `length` on are upserts."""
    extra, gone = merge.upserts.num_rows, merge.deletes.num_rows
    names = merge.upserts.schema.names
    places = [names.index(name) for name in layout.key] if layout.key else list(range(len(names)))
    dead = [one_array(merge.deletes.column(names[place])) for place in places]
    tables = [[arrays[place] for place in places], [new[place] for place in places], dead]
    (mine, added, removed), size = code_rows(tables, [length, extra, gone])
    if not layout.key:
        less = np.zeros(size, dtype=np.int64)
        less[removed] = merge.deletes.column(COUNT).to_numpy()
        kept = np.flatnonzero(count_before(mine) >= less[mine])
        return np.concatenate([kept, np.arange(length, length + extra)])
    at = np.full(size, -1, dtype=np.int64)
    at[added] = np.arange(length, length + extra)
    replaced = at[mine]
    dropped = np.zeros(size, dtype=np.bool_)
    dropped[removed] = True
    picks = np.where(replaced >= 0, replaced, np.arange(length))[~dropped[mine]]
    known = np.zeros(size, dtype=np.bool_)
    known[mine] = True
    return np.concatenate([picks, np.arange(length, length + extra)[~known[added]]])
