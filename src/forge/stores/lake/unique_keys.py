"""Keys in files: which keys that theirs inserts are in files no side changed, and which files a merge changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forge.flows.tables import DataFile, Slice, TableMerge
from forge.stores.lake.tables import IcebergTables
from forge.versioning.arrow_types import one_array, python_values
from forge.versioning.conflict import Conflict, ConflictKind, Take
from forge.versioning.field import Aligned, Layout
from forge.versioning.row_apply import RowMerge
from forge.versioning.row_codes import Numbers, code_rows
from forge.versioning.row_sides import lay

LOCATION = "unique key"


@dataclass(frozen=True, slots=True)
class TakenKeys:
    """Conflicts of rows that theirs inserts and that ours has already. `rows` are their places among the upserts,
    `files` the file of ours that has the key."""

    conflicts: tuple[Conflict, ...] = ()
    rows: tuple[int, ...] = ()
    files: tuple[DataFile, ...] = ()

    def settle(self, work: TableMerge, merged: RowMerge) -> tuple[RowMerge, tuple[DataFile, ...]]:
        """The merge with what was answered, and the files whose rows are replaced. Ours: the row of theirs is left out.
        Theirs: it replaces the one that is there. Any other answer does not fit, and the conflict stays open."""
        if not self.conflicts:
            return merged, ()
        answers = [work.answers.find(conflict) for conflict in self.conflicts]
        takes = [answer.take if answer else None for answer in answers]
        left_out = [row for row, take in zip(self.rows, takes, strict=True) if take is Take.OURS]
        files = dict.fromkeys(file for file, take in zip(self.files, takes, strict=True) if take is Take.THEIRS)
        replaced = takes.count(Take.THEIRS)
        still = tuple(c for c, take in zip(self.conflicts, takes, strict=True) if take not in (Take.OURS, Take.THEIRS))
        kept = np.setdiff1d(np.arange(merged.upserts.num_rows), np.array(left_out, dtype=np.int64))
        settled = replace(
            merged,
            upserts=merged.upserts.take(pa.array(kept)) if left_out else merged.upserts,
            conflicts=(*merged.conflicts, *still)[: work.limit],
            conflict_count=merged.conflict_count + len(still),
            resolved_count=merged.resolved_count + len(left_out) + replaced,
            inserted=merged.inserted - len(left_out) - replaced,
            updated=merged.updated + replaced,
        )
        return settled, tuple(files)


@dataclass(frozen=True, slots=True)
class _Hits:
    """Rows of files whose key is among those looked for."""

    files: list[DataFile] = field(default_factory=list)
    keys: list[pa.Table] = field(default_factory=list)  # one row each


def find_taken_keys(
    work: TableMerge, merged: RowMerge, tables: IcebergTables, known: Sequence[tuple[str, pa.Table]]
) -> TakenKeys:
    """`known` are rows, by side, whose keys are no inserts of theirs: what ours has, and what theirs had."""
    layout = work.layout
    if not layout.key or work.others is None or not work.others.files or not merged.upserts.num_rows:
        return TakenKeys()
    columns = [column for column in layout.columns if column.field.name in layout.key]
    new = _inserted(columns, merged.upserts, known)
    if not len(new):
        return TakenKeys()
    upserts = merged.upserts.take(pa.array(new))
    hits = _find_hits(tables, work.others, columns, upserts)
    return _conflicts(work, tables, columns, (upserts, new), hits)


def _inserted(columns: Sequence[Aligned], upserts: pa.Table, known: Sequence[tuple[str, pa.Table]]) -> Numbers:
    kinds = _kinds(columns, upserts)
    sides = [lay(rows, side, columns, kinds) for side, rows in known]
    arrays = [_keys(columns, upserts), *(rows.filled(range(len(columns)), kinds) for rows in sides)]
    (mine, *others), size = code_rows(arrays, [upserts.num_rows, *(rows.length for rows in sides)])
    seen = np.zeros(size, dtype=np.bool_)
    for codes in others:
        seen[codes] = True
    return np.flatnonzero(~seen[mine])


def _find_hits(tables: IcebergTables, others: Slice, columns: Sequence[Aligned], upserts: pa.Table) -> _Hits:
    """Reads the key columns of the files and nothing else."""
    hits = _Hits()
    names = [column.ours for column in columns if column.ours is not None]
    first = columns[0]
    wanted = upserts.column(first.field.name)
    for file, rows in tables.read_each(others, names).items():
        if first.ours is not None and not pa.types.is_floating(wanted.type):  # -0.0 is another value to Arrow
            rows = rows.filter(pc.is_in(rows.column(first.ours).cast(wanted.type), value_set=wanted))
        if rows.num_rows:
            hits.files.append(file)
            hits.keys.append(rows)
    return hits


def _conflicts(
    work: TableMerge,
    tables: IcebergTables,
    columns: Sequence[Aligned],
    theirs: tuple[pa.Table, Numbers],
    hits: _Hits,
) -> TakenKeys:
    upserts, places = theirs
    kinds = _kinds(columns, upserts)
    laid = [lay(rows, "ours", columns, kinds) for rows in hits.keys]
    arrays = [_keys(columns, upserts), *(rows.filled(range(len(columns)), kinds) for rows in laid)]
    (mine, *found), size = code_rows(arrays, [upserts.num_rows, *(rows.length for rows in laid)])
    at = np.full(size, -1, dtype=np.int64)
    for number, codes in enumerate(found):
        at[codes] = number
    rows = [int(row) for row in np.flatnonzero(at[mine] >= 0)]
    files = [hits.files[at[mine[row]]] for row in rows]
    existing = _rows_of(work, tables, dict.fromkeys(files))
    conflicts = []
    for row in rows:
        value = {name: python_values(upserts.column(name).slice(row, 1))[0] for name in upserts.column_names}
        key = {name: value[name] for name in work.layout.key}
        ours = existing.get(tuple(map(repr, key.values())))
        conflicts.append(
            Conflict(ConflictKind.CONSTRAINT, key, ours=ours, theirs=value, table=str(work.table), location=LOCATION)
        )
    return TakenKeys(tuple(conflicts), tuple(int(places[row]) for row in rows), tuple(files))


def _rows_of(
    work: TableMerge, tables: IcebergTables, files: Mapping[DataFile, None]
) -> dict[tuple[str, ...], dict[str, object]]:
    """The rows of ours in these files by key, under the names they will have. Only files with a conflict are opened."""
    assert work.others is not None
    found: dict[tuple[str, ...], dict[str, object]] = {}
    columns = [column for column in work.layout.columns if column.ours is not None]
    for rows in tables.read_each(replace(work.others, files=tuple(files))).values():
        values = [python_values(rows.column(column.ours)) for column in columns]
        for row in zip(*values, strict=True):
            named = dict(zip((column.field.name for column in columns), row, strict=True))
            found[tuple(repr(named.get(name)) for name in work.layout.key)] = named
    return found


def _kinds(columns: Sequence[Aligned], upserts: pa.Table) -> list[pa.DataType]:
    return [upserts.schema.field(column.field.name).type for column in columns]


def _keys(columns: Sequence[Aligned], rows: pa.Table) -> list[pa.Array]:
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
