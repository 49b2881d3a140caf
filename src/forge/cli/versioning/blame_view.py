"""Blame as data and as a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from forge.cli.answer import AnswerColumn, CommandAnswer, Item, cut_picture
from forge.cli.formatting import moment, short
from forge.cli.versioning.row_view import cell

if TYPE_CHECKING:
    from forge.flows.versioning.blame import Blame, RowBlame


def answer_of_blame(blame: Blame) -> CommandAnswer:
    """Rows with the commit that last wrote each; a single row cell by cell."""
    columns = (
        AnswerColumn(", ".join(blame.key), _key, style="bold"),
        AnswerColumn("commit", lambda i: short(i["commit"]), style="yellow"),
        AnswerColumn("time (UTC)", lambda i: moment(i["time"])),
        AnswerColumn("author", lambda i: str(i["author"])),
        AnswerColumn("message", lambda i: first_line(i["message"])),
        AnswerColumn("older cells", _older),
    )
    head = [f"{blame.table} at {short(blame.commit)}", ""]
    foot = ["There are more rows: name one by --key, or raise --limit."] if blame.truncated else []
    facts, items = blame.to_dict(), [row.to_dict() for row in blame.rows]
    answer = CommandAnswer(name="rows", items=items, columns=columns, facts=facts, head=head, foot=foot)
    if len(blame.rows) != 1:
        return answer
    lines = _cell_lines(blame.rows[0])
    return replace(answer, picture=lambda: cut_picture(lines), lines=lambda: lines)


def _cell_lines(row: RowBlame) -> list[str]:
    named = ", ".join(f"{name}={cell(value)}" for name, value in row.key.items())
    width = max((len(name) for name in row.cells), default=0)
    lines = [named]
    for name, by in row.cells.items():
        run = f"  run {by.run_id}" if by.run_id else ""
        origin = f"{short(by.commit)}  {moment(by.time)}  {by.author.name}{run}  {first_line(by.message)}"
        lines.append(f"  {name:<{width}}  {origin}")
    return lines


def first_line(message: object) -> str:
    return next(iter(str(message).splitlines()), "")


def _key(item: Item) -> str:
    key = item["key"]
    return ", ".join(cell(value) for value in key.values()) if isinstance(key, dict) else ""


def _older(item: Item) -> str:
    """Cells that an older commit wrote, by that commit; of a key that is no news."""
    cells, key, by_commit = item["cells"], item["key"], dict[str, list[str]]()
    assert isinstance(cells, list)
    assert isinstance(key, dict)
    for by in cells:
        if by["commit"] != item["commit"] and by["column"] not in key:
            by_commit.setdefault(short(by["commit"]), []).append(by["column"])
    return "; ".join(f"{', '.join(names)}: {commit}" for commit, names in by_commit.items())
