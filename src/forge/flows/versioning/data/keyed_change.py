"""Changes by key, on the driver: only files that contain a given key and change are rewritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from forge.flows.versioning.tables import DataFile, FileSlice, TableFiles, Tables
from forge.model.errors import ForgeError
from forge.versioning.arrow_types import cast_column
from forge.versioning.errors import IncomparableError
from forge.versioning.rows.codes import Flags, Numbers, code_rows, find_different

SHOWN = 3  # keys named in a message


@dataclass(frozen=True, slots=True)
class KeyedChange:
    """`rows` are the new content of the removed files, and the new rows."""

    removed: tuple[DataFile, ...]
    rows: pa.Table
    inserted: int = 0
    updated: int = 0
    deleted: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.inserted or self.updated or self.deleted)


def refuse_null_keys(given: pa.Table, key: Sequence[str], where: str) -> None:
    for name in key:
        if given.column(name).null_count:
            raise IncomparableError(
                "E612",
                f"The key column {name} holds NULL in {given.column(name).null_count} of the given rows",
                where=where,
                why="A row without a key cannot be found in the table.",
                fix="Fill it in, or leave those rows out.",
            )


def refuse_duplicate_keys(given: pa.Table, key: Sequence[str], where: str) -> None:
    columns = [_one(given.column(name)) for name in key]
    (codes,), size = code_rows([columns], [given.num_rows])
    counts = np.bincount(codes, minlength=size)
    twins = np.flatnonzero(counts[codes] > 1)
    if len(twins):
        raise _duplicate(columns, key, codes, twins, where, "the given rows")


def _duplicate(
    columns: Sequence[pa.Array], key: Sequence[str], codes: Numbers, twins: Numbers, where: str, whose: str
) -> ForgeError:
    _, firsts = np.unique(codes[twins], return_index=True)
    rows = twins[np.sort(firsts)]
    named = [
        ", ".join(f"{name}={column[int(row)].as_py()}" for name, column in zip(key, columns, strict=True))
        for row in rows[:SHOWN]
    ]
    more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
    return IncomparableError(
        "E611",
        f"Keys occur more than once in {whose}: {'; '.join(named)}{more}",
        where=where,
        why="Which of the rows is meant cannot be told.",
        fix="Keep one row of each, or name more key columns.",
    )


def change_by_key(
    tables: Tables,
    files: TableFiles,
    candidates: Sequence[DataFile],
    given: pa.Table,
    key: Sequence[str],
    *,
    delete: bool,
    where: str,
) -> KeyedChange:
    """Upserts, or deletes of these keys. No key of the given rows is NULL or a duplicate, and they have columns of
    the table only; a missing column keeps its value. NeedsEngine where the driver cannot read a file."""
    finder = _Finder(given, key)
    hits = {file: at for file in candidates if (at := finder.find(_read(tables, files, file, key))) is not None}
    if not delete:
        _refuse_duplicate_matches(finder, list(hits.values()), where)
    removed: list[DataFile] = []
    parts: list[pa.Table] = []
    changed = 0
    for file, at in hits.items():
        rows = _read(tables, files, file, None)
        after, count = _without(rows, at) if delete else _updated(rows, given, at, key)
        if count:
            removed.append(file)
            parts.append(after)
            changed += count
    empty = tables.read(FileSlice(files.catalog, files.snapshot_id, ()))
    if delete:
        return KeyedChange(tuple(removed), pa.concat_tables([empty, *parts]), deleted=changed)
    seen: Flags = np.zeros(given.num_rows, dtype=np.bool_)
    for at in hits.values():
        seen[at[at >= 0]] = True
    new = _new_rows(given, seen, empty.schema, files, where)
    return KeyedChange(tuple(removed), pa.concat_tables([empty, *parts, new]), new.num_rows, changed)


def _read(tables: Tables, files: TableFiles, file: DataFile, columns: Sequence[str] | None) -> pa.Table:
    return tables.read(FileSlice(files.catalog, files.snapshot_id, (file,)), columns)


class _Finder:
    """Finds the given row that has the key of a row."""

    def __init__(self, given: pa.Table, key: Sequence[str]) -> None:
        self.key = tuple(key)
        self.columns = [_one(given.column(name)) for name in key]
        self.length = given.num_rows

    def find(self, rows: pa.Table) -> Numbers | None:
        """For each row the number of the given one, or -1; None where no row has any of the keys."""
        other = [
            cast_column(rows.column(name), column.type, name)
            for name, column in zip(self.key, self.columns, strict=True)
        ]
        (mine, theirs), size = code_rows([self.columns, other], [self.length, rows.num_rows])
        at = np.full(size, -1, dtype=np.int64)
        at[mine] = np.arange(self.length)
        found: Numbers = at[theirs]
        return found if (found >= 0).any() else None


def _refuse_duplicate_matches(finder: _Finder, hits: Sequence[Numbers], where: str) -> None:
    found = np.concatenate([at[at >= 0] for at in hits]) if hits else np.zeros(0, dtype=np.int64)
    counts = np.bincount(found, minlength=finder.length)
    twins = np.flatnonzero(counts > 1)
    if len(twins):
        codes = np.arange(finder.length, dtype=np.int64)
        raise _duplicate(finder.columns, finder.key, codes, twins, where, "the table")


def _without(rows: pa.Table, at: Numbers) -> tuple[pa.Table, int]:
    kept = np.flatnonzero(at < 0)
    return rows.take(pa.array(kept)), rows.num_rows - len(kept)


def _updated(rows: pa.Table, given: pa.Table, at: Numbers, key: Sequence[str]) -> tuple[pa.Table, int]:
    """The rows with the given values, and the number of changed rows."""
    picks = np.where(at >= 0, at + rows.num_rows, np.arange(rows.num_rows))
    changed: Flags = np.zeros(rows.num_rows, dtype=np.bool_)
    columns = []
    for field in rows.schema:
        old = _one(rows.column(field.name))
        if field.name in given.column_names and field.name not in key:
            new = cast_column(given.column(field.name), field.type, field.name)
            after = pa.concat_arrays([old, new]).take(pa.array(picks))
            changed |= find_different(old, after)
            old = after
        columns.append(old)
    return pa.Table.from_arrays(columns, schema=rows.schema), int(changed.sum())


def _new_rows(given: pa.Table, seen: Flags, schema: pa.Schema, files: TableFiles, where: str) -> pa.Table:
    new = given.take(pa.array(np.flatnonzero(~seen)))
    missing = [f.name for f in files.fields if f.required and f.name not in given.column_names]
    if new.num_rows and missing:
        raise ForgeError(
            "E621",
            f"{new.num_rows} of the rows are new, and their column {missing[0]} has no value",
            where=where,
            why="The column is required.",
            fix=f"Add the column {missing[0]}.",
        )
    columns = [
        cast_column(new.column(field.name), field.type, field.name)
        if field.name in new.column_names
        else pa.nulls(new.num_rows, field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _one(column: pa.ChunkedArray) -> pa.Array:
    return cast_column(column, column.type, "")
