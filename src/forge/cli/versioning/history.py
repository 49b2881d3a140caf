"""`forge log`, `forge show` and `forge diff`: from records alone, unless rows are requested."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.command import command
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.versioning.commit import Commit
    from forge.wiring import Wiring


@command
def log(
    terminal: Terminal,
    rev: Annotated[str, typer.Argument(help="Branch, tag, commit, HEAD~2 or time to start from.")] = "HEAD",
    limit: Annotated[str, typer.Option("--limit", "-n", metavar="N|all", help="How many commits.")] = "20",
    table: Annotated[str | None, typer.Option(help="Only commits that changed this table.")] = None,
    path: Annotated[str | None, typer.Option(help="Only commits that changed this table, or any of a schema.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Only at or after this time.")] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Only at or before this time.")] = None,
    author: Annotated[str | None, typer.Option(help="Only by this author; a part of name or e-mail.")] = None,
    graph: Annotated[bool, typer.Option("--graph", help="Draw which commit descends from which.")] = False,
    oneline: Annotated[bool, typer.Option("--oneline", help="A short line for each commit.")] = False,
) -> None:
    """List commits, newest first."""
    from forge.cli.values import read_number, read_time
    from forge.cli.versioning.commit_view import answer_of_log
    from forge.cli.versioning.log_view import answer_as_lines
    from forge.flows.versioning.log import find_log
    from forge.flows.versioning.revisions import find_commit

    number = read_number(limit, "--limit")
    after = read_time(since, "--since") if since else None
    before = read_time(until, "--until") if until else None
    with terminal.open() as wiring:
        head = find_commit(wiring.metadata, rev, wiring.default_branch)
        asked = None if number is None else number + 1  # one extra, to know whether there are more
        found = find_log(
            wiring.metadata, head.id, limit=asked, paths=(table, path), since=after, until=before, author=author
        )
        commits = found[:number]
        lines = graph or oneline
        shown = answer_as_lines(wiring.metadata, commits, graph=graph, oneline=oneline) if lines else None
    terminal.answer(shown or answer_of_log(commits))
    if not commits:
        terminal.say("No commit matches.")
    elif len(found) > len(commits):
        terminal.say(f"There are more than {number}; --limit all shows them.")


@command
def show(
    terminal: Terminal,
    what: Annotated[
        str, typer.Argument(metavar="[REV|TABLE[@REF]]", help="A commit, or a table; none: the newest commit.")
    ] = "HEAD",
) -> None:
    """Show a commit with its tables, or a table: schema, owner, version, rows, last run and checks."""
    from forge.cli.versioning.commit_view import answer_of_commit
    from forge.cli.versioning.table_view import answer_of_table, find_table_words

    with terminal.open() as wiring:
        words = find_table_words(wiring.metadata, what)
        if words is not None:
            terminal.answer(answer_of_table(wiring, *words))
            return
        commit = _find_shown(wiring, what)
        terminal.answer(answer_of_commit(commit, wiring.metadata.tree(commit.id), wiring.lake))


def _find_shown(wiring: Wiring, what: str) -> Commit:
    """The commit; where there is none of that name, tables may have been meant."""
    from forge.flows.versioning.revisions import find_commit
    from forge.versioning.errors import UnknownRevisionError

    try:
        return find_commit(wiring.metadata, what, wiring.default_branch)
    except UnknownRevisionError as error:
        tables = wiring.metadata.tree(wiring.branch_head(wiring.default_branch))
        meant = [str(table) for table in tables if table.name == what.lower()]
        if not meant:
            raise
        raise UnknownRevisionError(
            error.what, why=f"Did you mean {' or '.join(meant)}?", fix=f"forge show {meant[0]}"
        ) from error


@command
def diff(
    terminal: Terminal,
    range_: Annotated[
        str, typer.Argument(metavar="A..B", help="Two revisions; A alone is A..HEAD; A...B is since they forked.")
    ] = "HEAD~1..HEAD",
    right: Annotated[str | None, typer.Argument(metavar="[B]", help="The second revision, or file.")] = None,
    table: Annotated[
        list[str] | None, typer.Option("--table", "-t", help="Rows of this table; may be repeated.")
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="By row, of all tables that changed.")] = False,
    stat: Annotated[bool, typer.Option("--stat", help="By table, from metadata alone. This is the default.")] = False,
    columns: Annotated[str | None, typer.Option("--columns", metavar="COLS", help="Only these, by comma.")] = None,
    key: Annotated[
        list[str] | None, typer.Option("--key", metavar="[TABLE=]COLS", help="Key columns, by comma.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="How many rows of each table.")] = 20,
    offset: Annotated[int, typer.Option("--offset", min=0, help="How many rows to leave out.")] = 0,
    files: Annotated[bool, typer.Option("--files", help="Compare two Parquet files: A B.")] = False,
) -> None:
    """Show how tables differ between two commits: by table from metadata, or row by row (--rows, --table)."""
    from forge.cli.versioning.commit_view import answer_of_diff
    from forge.flows.versioning.read import diff_stat

    if files:
        _diff_files(terminal, range_, right, key, limit)
        return
    with terminal.open() as wiring:
        first, second = _ends(wiring, range_, right)
        if (rows or table) and not stat:
            _diff_rows(terminal, wiring, (first.id, second.id), table, columns, key, limit, offset)
            return
        terminal.answer(answer_of_diff(first, second, diff_stat(wiring.metadata, wiring.lake, first, second)))


def _ends(wiring: Wiring, text: str, right: str | None) -> tuple[Commit, Commit]:
    """The two commits; of `A...B` the first is their merge base."""
    from forge.flows.versioning.branches import compare_branches
    from forge.flows.versioning.revisions import find_commit
    from forge.versioning.errors import IncomparableError
    from forge.versioning.revision import parse_range

    first, dots, second = text.partition("...")
    if not dots:
        _refuse_files(text, right)
        first, second = parse_range(f"{text}..{right}" if right else text)
    else:
        found = compare_branches(wiring.metadata, first or "HEAD", second or "HEAD", wiring.default_branch)
        if found.merge_base is None:
            fix = f"forge diff {first}..{second}"
            raise IncomparableError("E610", f"{first} and {second} have no common ancestor", fix=fix)
        first, second = found.merge_base, second or "HEAD"
    older = find_commit(wiring.metadata, first, wiring.default_branch)
    return older, find_commit(wiring.metadata, second, wiring.default_branch)


def _refuse_files(left: str, right: str | None) -> None:
    from pathlib import Path

    if right is not None and Path(left).is_file() and Path(right).is_file():
        raise ForgeError("E105", f"{left} and {right} are files", fix=f"forge diff --files {left} {right} --key id")


def _diff_rows(
    terminal: Terminal,
    wiring: Wiring,
    ends: tuple[str, str],
    tables: list[str] | None,
    columns: str | None,
    key: list[str] | None,
    limit: int,
    offset: int,
) -> None:
    from forge.cli.versioning.diff_view import answer_of_table_diffs
    from forge.cli.versioning.merge import read_keys
    from forge.flows.versioning.diff import diff as go
    from forge.model.names import TableName

    named = [TableName.parse(name) for name in tables or ()] or None
    keys = {named[0]: _names(key[0])} if named and key and len(named) == 1 and "=" not in key[0] else read_keys(key)
    wanted = _names(columns) if columns else None
    found = go(wiring.versioning.ports(), *ends, tables=named, columns=wanted, limit=limit, offset=offset, keys=keys)
    terminal.answer(answer_of_table_diffs(ends, found, limit))


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _diff_files(terminal: Terminal, left: str, right: str | None, key: list[str] | None, limit: int) -> None:
    from pathlib import Path

    from forge.cli.versioning.parquet_files import diff_files

    if right is None:
        raise ForgeError("E105", "--files takes two files", fix="forge diff --files A.parquet B.parquet --key id")
    diff_files(terminal, Path(left), Path(right), tuple(c for text in key or () for c in _names(text)), limit)
