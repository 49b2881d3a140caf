"""`forge diff --files` and `forge merge --files`: Parquet files compared and merged without a project."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.formatting import plural
from forge.cli.terminal import Terminal
from forge.cli.versioning.row_view import change_line, key_words, schema_line, side_words, summary_of
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.versioning.conflict import Answers, Conflict, ResolutionRule, location_of
from forge.versioning.resolution import parse_rule

if TYPE_CHECKING:
    import pyarrow as pa

    from forge.versioning.arrow_tables import MergedTable
    from forge.versioning.changes import TableDiff

_MOST_CONFLICTS = 1000  # shown; `conflict_count` says how many there are


def diff_files(terminal: Terminal, left: Path, right: Path, key: tuple[str, ...], limit: int) -> None:
    """What changed from one Parquet file to the other; without a key, rows that came and went."""
    from forge.versioning import diff_tables

    diff = diff_tables(_read(left), _read(right), key, limit=limit)
    terminal.answer(_answer_of_diff(diff, f"{left.name} → {right.name}", limit))


def _answer_of_diff(diff: TableDiff, title: str, limit: int) -> CommandAnswer:
    rows = diff.rows
    all_changes = rows.inserted + rows.updated + rows.deleted
    shown = sum(row.count for row in rows.rows)
    facts = {
        "inserted": rows.inserted,
        "updated": rows.updated,
        "deleted": rows.deleted,
        "schema": [change.to_dict() for change in diff.schema],
        "truncated": shown < all_changes,
    }
    items = [row.to_dict() for row in rows.rows]
    lines = [*(schema_line(change) for change in diff.schema), *(change_line(row, diff.key) for row in rows.rows)]
    more = all_changes - shown
    foot = [f"… and {plural(more, 'more row')}: --limit {max(limit * 10, 100)}"] if more else []
    head = [f"{title}   {summary_of(rows, len(diff.schema))}"]
    return CommandAnswer(name="rows", items=items, facts=facts, head=head, foot=foot).with_lines(lines)


def merge_files(
    terminal: Terminal,
    base: Path,
    ours: Path,
    theirs: Path,
    key: tuple[str, ...],
    out: Path | None,
    take: str | None,
    rules: tuple[str, ...],
) -> None:
    """Merge two Parquet files over the one they come from. With open conflicts nothing is written and the exit status
    is 1."""
    from forge.versioning import merge_tables

    before, mine, yours = (_read(path) for path in (base, ours, theirs))
    answers = _answers(take, rules, {*before.schema.names, *mine.schema.names, *yours.schema.names})
    merged = merge_tables(before, mine, yours, key, answers=answers, limit=_MOST_CONFLICTS)
    if merged.table is not None and out is not None:
        _write(merged.table, out)
    terminal.answer(_answer_of_merge(merged, out if merged.table is not None else None))
    if merged.table is None:
        raise typer.Exit(1)


def _answer_of_merge(merged: MergedTable, out: Path | None) -> CommandAnswer:
    is_merged = merged.table is not None
    counts = {"inserted": merged.inserted, "updated": merged.updated, "deleted": merged.deleted}
    facts: dict[str, object] = {
        "status": "merged" if is_merged else "conflicted",
        "conflict_count": merged.conflict_count,
        "statistics": counts,
        "rows": merged.table.num_rows if merged.table is not None else None,
        "out": str(out) if out else None,
    }
    items = [_conflict_item(conflict) for conflict in merged.conflicts]
    columns = (
        AnswerColumn("", lambda item: "⚠", style="yellow"),
        AnswerColumn("key", lambda item: key_words(item["key"]), style="bold"),
        AnswerColumn("column", lambda item: str(item["column"] or "*row*")),
        AnswerColumn("base", lambda item: side_words(item, "base")),
        AnswerColumn("ours", lambda item: side_words(item, "ours"), style="cyan"),
        AnswerColumn("theirs", lambda item: side_words(item, "theirs"), style="magenta"),
        AnswerColumn("kind", lambda item: str(item["kind"])),
    )
    return CommandAnswer(
        name="conflicts",
        items=items,
        columns=columns,
        facts=facts,
        head=_merge_head(merged, out),
        foot=_merge_foot(merged),
    )


def _merge_head(merged: MergedTable, out: Path | None) -> list[str]:
    brought = summary_of(merged, 0)
    if merged.table is None:
        return [f"✗ {plural(merged.conflict_count, 'conflict')}, nothing was written   theirs → ours: {brought}", ""]
    where = f" · written to {out}" if out else ""
    return [f"✓ merged   theirs → ours: {brought} · {plural(merged.table.num_rows, 'row')} in all{where}"]


def _merge_foot(merged: MergedTable) -> list[str]:
    if merged.table is not None:
        return []
    more = merged.conflict_count - len(merged.conflicts)
    column = next((each.column for each in merged.conflicts if each.column), None)
    rule = f", or per column: --rule '{column}=greatest(ours, theirs)'" if column else ""
    return [
        *([f"… and {plural(more, 'more conflict')}"] if more else []),
        "",
        f"Resolve them with --take ours, theirs or base{rule}.",
    ]


def _conflict_item(conflict: Conflict) -> dict[str, object]:
    names = ("id", "kind", "key", "column", "base", "ours", "theirs")
    facts = {name: str(conflict.kind) if name == "kind" else getattr(conflict, name) for name in names}
    return {**facts, "location": location_of(conflict)}


def _answers(take: str | None, rules: Iterable[str], columns: set[str]) -> Answers:
    standing = () if take is None else (parse_rule(take),)
    return Answers((*standing, *(_rule(text, columns) for text in rules)))


def _rule(text: str, columns: set[str]) -> ResolutionRule:
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not name or not value:
        raise ForgeError(
            "E619",
            f"--rule: '{text}' is no rule",
            fix="Write it like --rule 'amount=greatest(ours, theirs)' or --rule status=theirs.",
        )
    if name not in columns:
        fix = did_you_mean(name, columns) or f"There are {', '.join(sorted(columns))}."
        raise ForgeError("E619", f"--rule: no file has a column {name}", fix=fix)
    return parse_rule(value, column=name)


def _read(path: Path) -> pa.Table:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with path.open("rb") as stream:
            return ParquetFile(stream).read()
    except (OSError, pa.ArrowException) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).split("\n", 1)[0]
        raise ForgeError(
            "E629", f"{path} cannot be read as a Parquet file", where=str(path), why=f"{reason}.", fix="Check the path."
        ) from error


def _write(table: pa.Table, out: Path) -> None:
    """Atomically: a reader sees the old file or the new one."""
    from pyarrow.parquet import write_table

    draft = out.with_name(f".{out.name}.{secrets.token_hex(4)}.tmp")
    try:
        with draft.open("xb") as stream:
            write_table(table, stream)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(out)
    except OSError as error:
        raise _cannot_write(out, error) from error
    finally:
        draft.unlink(missing_ok=True)


def _cannot_write(out: Path, error: OSError) -> ForgeError:
    return ForgeError(
        "E629",
        f"{out} cannot be written",
        where=str(out),
        why=f"{error.strerror or error}.",
        fix="Give --out in a folder that exists.",
    )
