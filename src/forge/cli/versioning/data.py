"""`forge commit` and `forge blame`: commit rows to a branch, and find out who wrote them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import CommandAnswer
from forge.cli.command import command
from forge.cli.formatting import short
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.flows.versioning.data.commit import CommitMode, CommitResult


@command
def commit(
    terminal: Terminal,
    table: Annotated[str, typer.Argument(help="Like core.orders.")],
    file: Annotated[Path | None, typer.Option("--file", "-f", help="CSV, JSON lines or Parquet.")] = None,
    sql: Annotated[str | None, typer.Option("--sql", help="A SELECT whose rows are committed.")] = None,
    mode: Annotated[str, typer.Option(help="append, overwrite, merge (by key) or delete (by key).")] = "append",
    key: Annotated[str | None, typer.Option(metavar="COLS", help="Key columns, by comma, of merge and delete.")] = None,
    branch: Annotated[str | None, typer.Option("--branch", "-b", help="The branch that gets the commit.")] = None,
    message: Annotated[str | None, typer.Option("--message", "-m", help="Message of the commit.")] = None,
) -> None:
    """Commit rows of a file or a query to a table. Contract and checks hold; a bad file is refused whole."""
    from forge.cli.versioning.merge import watched
    from forge.flows.versioning.data.commit import CommitRequest, commit_data
    from forge.flows.versioning.upload.commit import commit_file
    from forge.model.names import TableName

    if (file is None) == (sql is None):
        raise ForgeError("E105", "Give the rows by --file or by --sql", fix="forge commit core.orders --file rows.csv")
    name, how = TableName.parse(table), _mode(mode)
    columns = tuple(part.strip() for part in (key or "").split(",") if part.strip())
    with terminal.open() as wiring, watched(terminal, wiring) as ports:
        where = file.name if file is not None else None
        request = CommitRequest(
            table=name,
            branch=branch or wiring.default_branch,
            mode=how,
            key=columns,
            message=message,
            sql=sql,
            where=where,
        )
        result = commit_data(request, ports) if file is None else commit_file(request, file, ports)
    _end(terminal, result)


def _mode(text: str) -> CommitMode:
    from forge.flows.versioning.data.commit import CommitMode
    from forge.model.name_suggestions import did_you_mean

    words = [mode.value for mode in CommitMode]
    if text not in words:
        why = did_you_mean(text, words)
        raise ForgeError("E105", f"'{text}' is no mode", why=why, fix=f"Take one of {', '.join(words)}.")
    return CommitMode(text)


def _end(terminal: Terminal, result: CommitResult) -> None:
    terminal.answer(answer_of_commit(result))
    if result.commit is None:
        terminal.say(f"Nothing was committed. The failing rows: forge runs {result.run_id}")
        raise typer.Exit(1)


def answer_of_commit(result: CommitResult) -> CommandAnswer:
    counted = result.statistics
    words = f"+{counted.rows_added:,} ~{counted.rows_modified:,} −{counted.rows_deleted:,} rows"
    head = [f"{result.table}  {words}  {short(result.commit.id) if result.commit else 'held back by its checks'}"]
    head += [f"✗ {verdict.message}" for verdict in result.verdicts if verdict.blocks]
    return CommandAnswer(
        name="verdicts",
        items=[verdict.to_dict() for verdict in result.verdicts],
        columns=(),
        facts=result.to_dict(),
        head=head,
    )


@command
def blame(
    terminal: Terminal,
    table: Annotated[str, typer.Argument(metavar="TABLE[@REV]", help="Like core.orders or core.orders@HEAD~2.")],
    key: Annotated[
        str | None, typer.Option(metavar="COL=VALUE,…", help="One row: order_id=10017. Without: the first rows.")
    ] = None,
    columns: Annotated[str | None, typer.Option("--columns", metavar="COLS", help="Only these, by comma.")] = None,
    branch: Annotated[str | None, typer.Option("--branch", "-b", help="The branch to look at.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many rows.")] = 20,
) -> None:
    """Show which commit and run last wrote a row, and each of its cells."""
    from forge.cli.values import read_pairs
    from forge.cli.versioning.blame_view import answer_of_blame
    from forge.flows.versioning.blame import blame as go
    from forge.flows.versioning.read import commit_at
    from forge.model.names import BranchName, TableName

    name, _, revision = table.partition("@")
    wanted = [part.strip() for part in (columns or "").split(",") if part.strip()] or None
    with terminal.open() as wiring:
        current = BranchName(branch) if branch else wiring.default_branch
        at = commit_at(wiring.metadata, revision or current, current, TableName.parse(name)).id
        pairs = read_pairs(key, "--key") if key else None
        found = go(wiring.versioning.ports(), TableName.parse(name), at=at, key=pairs, columns=wanted, limit=limit)
    terminal.answer(answer_of_blame(found))
