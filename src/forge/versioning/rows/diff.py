"""The diff of the rows of two versions of a table, or of the files that only one of them has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from forge.versioning.changes import ChangeKind, RowChange, RowDiff
from forge.versioning.field import Layout
from forge.versioning.rows.changes import find_cells
from forge.versioning.rows.codes import Flags, Numbers, sort_rows
from forge.versioning.rows.conflicts import row_dicts
from forge.versioning.rows.multiset import count_rows
from forge.versioning.rows.sides import MergeInput, Overlay, lay_over

_LEFT, _RIGHT = MergeInput.BASE_THEIRS, MergeInput.THEIRS


def diff_rows(layout: Layout, left: pa.Table, right: pa.Table, *, limit: int | None = 100, offset: int = 0) -> RowDiff:
    """In the layout, `base` names the columns of the left and `theirs` those of the right. A column that only the
    left has is shown but is no change of a row: it is one of the schema. `limit` None gives all changes."""
    tables = {_LEFT: left, _RIGHT: right}
    page = slice(offset, None if limit is None else offset + limit)
    return _diff_keyed(layout, tables, page) if layout.key else _diff_bags(layout, tables, page)


def _diff_keyed(layout: Layout, tables: dict[MergeInput, pa.Table], page: slice) -> RowDiff:
    overlay = lay_over(layout, tables, table=None, words={"base": "the left", "theirs": "the right"})
    before, after = overlay.has(_LEFT), overlay.has(_RIGHT)
    cells = find_cells(overlay, _LEFT, _RIGHT)
    updated = np.zeros(overlay.size, dtype=np.bool_)
    for flags in cells.values():
        updated |= flags
    changed = np.flatnonzero((before != after) | updated)
    shown = changed[sort_rows(overlay.keys_of(changed), len(changed))][page]
    return RowDiff(
        inserted=int((after & ~before).sum()),
        updated=int(updated.sum()),
        deleted=int((before & ~after).sum()),
        rows=tuple(_describe(overlay, shown, cells)),
        columns={overlay.columns[place].field.name: int(flags.sum()) for place, flags in cells.items()},
    )


def _describe(overlay: Overlay, keys: Numbers, cells: dict[int, Flags]) -> list[RowChange]:
    names = row_dicts(overlay.layout.key, overlay.keys_of(keys), len(keys))
    olds = _rows(overlay, _LEFT, keys)
    news = _rows(overlay, _RIGHT, keys)
    touched = {overlay.columns[place].field.name: flags[keys].tolist() for place, flags in cells.items()}
    result = []
    for number, (key, old, new) in enumerate(zip(names, olds, news, strict=True)):
        kind = ChangeKind.INSERTED if old is None else ChangeKind.DELETED if new is None else ChangeKind.UPDATED
        columns = tuple(name for name, flags in touched.items() if flags[number])
        result.append(RowChange(kind, key, old, new, columns))
    return result


def _rows(overlay: Overlay, which: MergeInput, keys: Numbers) -> list[dict[str, object] | None]:
    """Whole rows with the names of the right, and with columns that only the left has; None where missing."""
    places = [place for place, column in enumerate(overlay.rows[which].columns) if column is not None]
    names = [overlay.columns[place].field.name for place in places]
    rows = row_dicts(names, [overlay.read(which, place, keys) for place in places], len(keys))
    there = (overlay.at[which][keys] >= 0).tolist()
    return [row if is_there else None for row, is_there in zip(rows, there, strict=True)]


def _diff_bags(layout: Layout, tables: dict[MergeInput, pa.Table], page: slice) -> RowDiff:
    overlay, counts = count_rows(replace(layout, dropped=()), tables)
    change = counts[_RIGHT] - counts[_LEFT]
    changed = np.flatnonzero(change)
    columns = [overlay.first(place, changed, (_RIGHT, _LEFT)) for place in range(len(overlay.columns))]
    order = sort_rows(columns, len(changed))[page]
    shown = changed[order]
    names = [column.field.name for column in overlay.columns]
    rows = row_dicts(names, [column.take(pa.array(order)) for column in columns], len(order))
    return RowDiff(
        inserted=int(change[change > 0].sum()),
        deleted=int(-change[change < 0].sum()),
        rows=tuple(_of_bag(row, int(number)) for row, number in zip(rows, change[shown], strict=True)),
        columns={},
    )


def _of_bag(row: dict[str, object], change: int) -> RowChange:
    if change > 0:
        return RowChange(ChangeKind.INSERTED, row, None, row, count=change)
    return RowChange(ChangeKind.DELETED, row, row, None, count=-change)
