"""Differences row by row, as data and as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forge.cli.answer import Answer
from forge.cli.row_view import Line, change_line, picture_of, schema_line, summary_of
from forge.cli.words import plural, short

if TYPE_CHECKING:
    from forge.versioning.changes import RowChange, TableDiff


def answer_of_table_diffs(ends: tuple[str, str], diffs: Sequence[TableDiff], limit: int) -> Answer:
    """`ends` are the ids of the two commits."""
    first, second = ends
    lines: list[Line] = []
    for diff in diffs:
        lines += _lines(diff, limit)
    facts: dict[str, object] = {"from": first, "to": second}
    foot = [f"{plural(len(diffs), 'table')} changed between {short(first)} and {short(second)}"]
    items = [_item(diff) for diff in diffs]
    return Answer("tables", items, (), facts, (), foot, lambda: picture_of(lines), lambda: [text for text, _ in lines])


def _lines(diff: TableDiff, limit: int) -> list[Line]:
    by = f"key {', '.join(diff.key)}" if diff.key else "no key"
    head = f"{diff.table}  {diff.change}   {summary_of(diff.rows, len(diff.schema))}   {by}"
    lines: list[Line] = [(head, "bold"), *(schema_line(change) for change in diff.schema)]
    lines += [change_line(row, diff.key) for row in diff.rows.rows]
    rows = diff.rows
    left = rows.inserted + rows.updated + rows.deleted - sum(row.count for row in rows.rows)
    if left > 0:
        lines.append((f"  … and {plural(left, 'more row')}: --limit {max(limit * 10, 100)}", "dim"))
    return [*lines, ("", "")]


def _item(diff: TableDiff) -> dict[str, object]:
    rows = diff.rows
    return {
        "table": diff.table,
        "change": diff.change,
        "key": list(diff.key),
        "inserted": rows.inserted,
        "updated": rows.updated,
        "deleted": rows.deleted,
        "changed_columns": dict(rows.columns or {}),
        "schema": [
            {"change": c.change, "column": c.column, "before": c.before, "after": c.after, "field_id": c.field_id}
            for c in diff.schema
        ],
        "files_added": diff.files_added,
        "files_removed": diff.files_removed,
        "bytes_read": diff.bytes_read,
        "rows": [_row(row) for row in rows.rows],
    }


def _row(row: RowChange) -> dict[str, object]:
    return {
        "kind": str(row.kind),
        "key": dict(row.key),
        "before": dict(row.before) if row.before is not None else None,
        "after": dict(row.after) if row.after is not None else None,
        "columns": list(row.columns),
        "count": row.count,
    }
