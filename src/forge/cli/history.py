"""`forge log`, `forge show` and `forge diff`: what was published, from records alone."""

from __future__ import annotations

from typing import Annotated

import typer

from forge.cli.command import command
from forge.cli.terminal import Terminal


@command
def log(
    terminal: Terminal,
    rev: Annotated[str, typer.Argument(help="Branch, commit, HEAD~2 or time to start from.")] = "HEAD",
    limit: Annotated[str, typer.Option("--limit", "-n", metavar="N|all", help="How many commits.")] = "20",
    table: Annotated[str | None, typer.Option(help="Only commits that changed this table.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Only at or after this time.")] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Only at or before this time.")] = None,
    author: Annotated[str | None, typer.Option(help="Only by this author; a part of name or e-mail.")] = None,
) -> None:
    """List commits, newest first."""
    from forge.cli.commit_view import answer_of_log
    from forge.cli.values import read_number, read_time
    from forge.flows.read import table_at
    from forge.flows.revisions import find_commit
    from forge.model.names import TableName

    number = read_number(limit, "--limit")
    after = read_time(since, "--since") if since else None
    before = read_time(until, "--until") if until else None
    named = TableName.parse(table) if table else None
    with terminal.open() as wiring:
        head = find_commit(wiring.metadata, rev, wiring.default_branch)
        commits = wiring.metadata.log(head.id, limit=number, table=named, since=after, until=before, author=author)
        if named is not None and not commits:
            table_at(wiring.metadata.tree(head.id), named)  # an unknown name is told, with the nearest
    terminal.answer(answer_of_log(commits))
    if not commits:
        terminal.say("No commit matches.")


@command
def show(
    terminal: Terminal,
    what: Annotated[
        str, typer.Argument(metavar="[REV|TABLE[@REF]]", help="A commit, or a table; none: the newest commit.")
    ] = "HEAD",
) -> None:
    """Show a commit with its tables, or a table: schema, owner, version, rows, last run and checks."""
    from forge.cli.commit_view import answer_of_commit
    from forge.cli.table_view import answer_of_table, find_table_words
    from forge.flows.revisions import find_commit

    with terminal.open() as wiring:
        words = find_table_words(wiring.metadata, what)
        if words is not None:
            terminal.answer(answer_of_table(wiring, *words))
            return
        commit = find_commit(wiring.metadata, what, wiring.default_branch)
        terminal.answer(answer_of_commit(commit, wiring.metadata.tree(commit.id), wiring.lake))


@command
def diff(
    terminal: Terminal,
    range_: Annotated[str, typer.Argument(metavar="A..B", help="Two revisions; A alone is A..HEAD.")] = "HEAD~1..HEAD",
    stat: Annotated[bool, typer.Option("--stat", help="By table, from metadata alone (the only mode so far).")] = True,
    rows: Annotated[bool, typer.Option("--rows", help="By row; not yet there.")] = False,
) -> None:
    """Show how tables differ between two commits. Reads no data."""
    from forge.cli.commit_view import answer_of_diff
    from forge.flows.read import diff_stat
    from forge.flows.revisions import find_commit
    from forge.versioning.revision import parse_range

    if rows:
        terminal.say("Differences by row are not there yet; this is --stat, by table.")
    left, right = parse_range(range_)
    with terminal.open() as wiring:
        first = find_commit(wiring.metadata, left, wiring.default_branch)
        second = find_commit(wiring.metadata, right, wiring.default_branch)
        terminal.answer(answer_of_diff(first, second, diff_stat(wiring.metadata, wiring.lake, first, second)))
