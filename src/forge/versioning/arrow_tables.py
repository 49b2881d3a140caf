"""Merge and diff of whole Arrow tables: Forge's versioning without a project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from forge.model.errors import ForgeError
from forge.versioning.arrow_types import fields_of
from forge.versioning.changes import RowDiff, TableDiff
from forge.versioning.conflict import Answers, Conflict
from forge.versioning.field import Fields
from forge.versioning.rows.apply import RowMerge, apply_rows
from forge.versioning.rows.diff import diff_rows
from forge.versioning.rows.merge import NO_ANSWERS, merge_rows
from forge.versioning.schema.key import refuse_rows_without_key
from forge.versioning.schema.merge import align_for_diff, diff_schemas, merge_schemas


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedTable:
    """`table` is None while conflicts are open. The counts say what theirs brought to ours."""

    table: pa.Table | None
    conflicts: tuple[Conflict, ...]
    inserted: int
    updated: int
    deleted: int
    fields: Fields
    conflict_count: int = 0


def merge_tables(
    base: pa.Table | None,
    ours: pa.Table,
    theirs: pa.Table,
    key: tuple[str, ...] = (),
    *,
    answers: Answers = NO_ANSWERS,
    table: str | None = None,
    limit: int | None = None,
) -> MergedTable:
    """Merge two tables that were changed apart since `base` (None: they have no common past). Columns belong together
    by Parquet field id where all have one, else by name; rows by `key`, without one they are a multiset."""
    before = ours.slice(0, 0) if base is None else base
    _refuse_duplicate_columns({"base": before, "ours": ours, "theirs": theirs})
    base_fields, our_fields, their_fields = fields_of(before, ours, theirs)
    known = None if base is None else base_fields
    names = _names(key)
    layout, open_changes = merge_schemas(known, our_fields, their_fields, names, answers=answers, table=table)
    if {change.column for change in open_changes} & set(names):  # rows are lined up once the key is known
        return MergedTable(
            table=None,
            conflicts=open_changes[:limit],
            inserted=0,
            updated=0,
            deleted=0,
            fields=layout.fields,
            conflict_count=len(open_changes),
        )
    refuse_rows_without_key(layout, [side for side, of in (("ours", ours), ("theirs", theirs)) if of.num_rows], table)
    merge = merge_rows(
        layout,
        base_ours=before,
        ours=ours,
        base_theirs=before,
        theirs=theirs,
        answers=answers,
        table=table,
        limit=None if limit is None else max(0, limit - len(open_changes)),
    )
    count = len(open_changes) + merge.conflict_count
    return MergedTable(
        table=None if count else _merged(ours, merge, apply_rows(ours, merge, layout)),
        conflicts=(*open_changes[:limit], *merge.conflicts),
        inserted=merge.inserted,
        updated=merge.updated,
        deleted=merge.deleted,
        fields=layout.fields,
        conflict_count=count,
    )


def _refuse_duplicate_columns(sides: Mapping[str, pa.Table]) -> None:
    """Columns are identified by name."""
    for side, table in sides.items():
        twins = [name for name, times in Counter(table.column_names).items() if times > 1]
        if twins:
            raise ForgeError(
                "E629",
                f"Two columns are called {twins[0]}",
                where=side,
                why="Columns are told apart by their names.",
                fix="Give one of them another name.",
            )


def _names(key: tuple[str, ...] | str) -> tuple[str, ...]:
    """`key="id"` is what a person writes, and must not become the columns i and d."""
    return (key,) if isinstance(key, str) else tuple(key)


def _merged(ours: pa.Table, merge: RowMerge, merged: pa.Table) -> pa.Table:
    """Metadata of the whole table is kept only while its columns are unchanged."""
    is_same = ours.schema.equals(merge.upserts.schema, check_metadata=False)
    return merged.replace_schema_metadata(ours.schema.metadata) if is_same else merged


def diff_tables(
    left: pa.Table,
    right: pa.Table,
    key: tuple[str, ...] = (),
    *,
    table: str = "",
    limit: int | None = None,
    offset: int = 0,
) -> TableDiff:
    """What happened to the rows and columns between two versions of a table."""
    _refuse_duplicate_columns({"left": left, "right": right})
    before, after = fields_of(left, right)
    layout = align_for_diff(before, after, _names(key))
    rows: RowDiff = diff_rows(layout, left, right, limit=limit, offset=offset)
    return TableDiff(
        table=table,
        change="changed",
        rows=rows,
        schema=diff_schemas(before, after),
        key=layout.key,
        fields=layout.fields,
    )
