"""Row diffs as data and as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forge.cli.answer import CommandAnswer, Line
from forge.cli.formatting import plural, short
from forge.cli.versioning.row_view import change_line, schema_line, summary_of

if TYPE_CHECKING:
    from forge.versioning.changes import TableDiff


def answer_of_table_diffs(ends: tuple[str, str], diffs: Sequence[TableDiff], limit: int) -> CommandAnswer:
    """`ends` are the ids of the two commits."""
    first, second = ends
    lines: list[Line] = []
    for diff in diffs:
        lines += _lines(diff, limit)
    facts: dict[str, object] = {"base_commit": first, "compare_commit": second}
    foot = [f"{plural(len(diffs), 'table')} changed between {short(first)} and {short(second)}"]
    items = [diff.to_dict() for diff in diffs]
    return CommandAnswer(name="tables", items=items, facts=facts, foot=foot).with_lines(lines)


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
