"""Diffs, blame and verification results as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, cast

from forge.api.catalog.masks import Masks
from forge.api.versioning.wire.diffs import (
    BlameView,
    BrokenView,
    DiffSummary,
    DiffView,
    RowChangeView,
    SchemaChangeView,
    TableDiffView,
    VerifyView,
)
from forge.api.views import error_view
from forge.flows.upkeep.verify.history import Verification, error_of
from forge.flows.versioning.blame import Blame
from forge.model.names import CommitId
from forge.versioning.changes import RowChange, TableDiff, TableSchemaChange

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
    shown = () if masks.personal.closes(one.table) else rows.rows  # whose rows they are, nothing tells here
    left = rows.inserted + rows.updated + rows.deleted - offset - sum(row.count for row in rows.rows)
    return TableDiffView.model_validate(
        {
            **one.to_dict(),
            "change": change_word(one.change),
            "columns": [{"name": f.name, "type": f.type, "masked": masks.hides(one.table, f.name)} for f in one.fields],
            "schema_changes": schema_views(one.schema),
            "rows": [_row(one.table, row, masks) for row in shown],
            "has_more": left > 0 and bool(shown),
        }
    )


def change_word(word: str) -> ChangeWord:
    return cast("ChangeWord", word if word in ("added", "removed") else "changed")


def schema_views(changes: Iterable[TableSchemaChange]) -> list[SchemaChangeView]:
    return [SchemaChangeView.model_validate(one) for one in changes]


def _row(table: str, row: RowChange, masks: Masks) -> RowChangeView:
    sides = {"key": row.key, "before": row.before, "after": row.after}
    shown = {name: None if side is None else masks.row(table, side) for name, side in sides.items()}
    return RowChangeView.model_validate({**row.to_dict(), **shown})


def blame_view(found: Blame, at: str, masks: Masks) -> BlameView:
    rows = [{**row.to_dict(), "key": masks.row(str(found.table), row.key)} for row in found.rows]
    return BlameView.model_validate({**found.to_dict(), "at": at, "rows": rows})


def verify_view(found: Verification) -> VerifyView:
    broken = [
        BrokenView.of(one, table=str(one.table) if one.table else None, error=error_view(error_of(one)))
        for one in found.broken
    ]
    return VerifyView.of(found, broken=broken, foreign=[str(table) for table in found.foreign])
