"""What differs, who wrote it and what is broken, as HTTP shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, cast

from forge.api.catalog.masks import Masks
from forge.api.versioning.wire.diffs import (
    BlameCell,
    BlameRow,
    BlameView,
    BrokenView,
    DiffSummary,
    DiffView,
    RowChangeView,
    SchemaChangeView,
    TableDiffView,
    VerifyView,
)
from forge.api.versioning.wire.refs import SampleColumn
from forge.api.views import error_view
from forge.flows.upkeep.verify.history import Verification, error_of
from forge.flows.versioning.blame import Blame, RowBlame, Written
from forge.model.names import CommitId
from forge.versioning.broken import Broken
from forge.versioning.changes import RowChange, SchemaChange, TableDiff

ChangeWord = Literal["added", "removed", "changed"]


def diff_view(
    base: CommitId, compare: CommitId, found: Sequence[TableDiff], masks: Masks, *, limit: int, offset: int
) -> DiffView:
    return DiffView(
        base_commit=base,
        compare_commit=compare,
        limit=limit,
        offset=offset,
        summary=DiffSummary(
            tables=len(found),
            inserted=sum(one.rows.inserted for one in found),
            updated=sum(one.rows.updated for one in found),
            deleted=sum(one.rows.deleted for one in found),
            schema_changes=sum(len(one.schema) for one in found if one.change == "changed"),
        ),
        tables=[_table(one, masks, offset) for one in found],
    )


def _table(one: TableDiff, masks: Masks, offset: int) -> TableDiffView:
    rows = one.rows
    return TableDiffView(
        table=one.table,
        change=change_word(one.change),
        key=list(one.key),
        columns=[SampleColumn(name=f.name, type=f.type, masked=masks.hides(one.table, f.name)) for f in one.fields],
        schema_changes=schema_views(one.schema),
        inserted=rows.inserted,
        updated=rows.updated,
        deleted=rows.deleted,
        changed_columns=dict(rows.columns or {}),
        files_added=one.files_added,
        files_removed=one.files_removed,
        bytes_read=one.bytes_read,
        rows=[_row(one.table, row, masks) for row in rows.rows],
        has_more=offset + sum(row.count for row in rows.rows) < rows.inserted + rows.updated + rows.deleted
        and bool(rows.rows),
    )


def change_word(word: str) -> ChangeWord:
    return cast("ChangeWord", word if word in ("added", "removed") else "changed")


def schema_views(changes: Iterable[SchemaChange]) -> list[SchemaChangeView]:
    return [
        SchemaChangeView(change=one.change, column=one.column, before=one.before, after=one.after) for one in changes
    ]


def _row(table: str, row: RowChange, masks: Masks) -> RowChangeView:
    return RowChangeView(
        kind=cast("Literal['inserted', 'updated', 'deleted']", str(row.kind)),
        key=masks.row(table, row.key),
        before=None if row.before is None else masks.row(table, row.before),
        after=None if row.after is None else masks.row(table, row.after),
        columns=list(row.columns),
        count=row.count,
    )


def blame_view(found: Blame, at: str, masks: Masks) -> BlameView:
    return BlameView(
        table=str(found.table),
        at=at,
        commit=found.commit,
        key=list(found.key),
        rows=[_blamed(str(found.table), row, masks) for row in found.rows],
        truncated=found.truncated,
    )


def _blamed(table: str, row: RowBlame, masks: Masks) -> BlameRow:
    cells = [BlameCell.model_validate({"column": name, **_written(by)}) for name, by in row.cells.items()]
    return BlameRow.model_validate({"key": masks.row(table, row.key), "cells": cells, **_written(row.row)})


def _written(by: Written) -> dict[str, object]:
    author = f"{by.author.name} <{by.author.email}>" if by.author.name != by.author.email else by.author.name
    return {"commit": by.commit, "run_id": by.run_id, "author": author, "time": by.time, "message": by.message}


def verify_view(found: Verification) -> VerifyView:
    return VerifyView(
        level=cast("Literal['chain', 'tree', 'full', 'logical']", str(found.level)),
        is_good=found.is_good,
        commits=found.commits,
        trees=found.trees,
        files=found.files,
        bytes=found.bytes,
        seconds=found.seconds,
        broken=[_broken(one) for one in found.broken],
        unsealed=found.unsealed,
        signed=found.signed,
        unchecked=found.unchecked,
        foreign=[str(table) for table in found.foreign],
    )


def _broken(one: Broken) -> BrokenView:
    error = error_view(error_of(one))
    assert error is not None
    return BrokenView(
        kind=one.kind,
        object=one.object,
        where=one.where,
        expected=one.expected,
        actual=one.actual,
        commit=one.commit,
        table=str(one.table) if one.table else None,
        error=error,
    )
