"""`forge catalog scan [SOURCE…]`: take in what sources have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer, Item
from forge.cli.command import command
from forge.cli.formatting import count
from forge.cli.terminal import Terminal

_COUNTED = ("new", "changed", "renamed", "returned", "vanished", "unchanged")


@command
def scan(
    terminal: Terminal,
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE...]", help="lake, project, files, dbt, a database; all.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change; keep nothing.")] = False,
) -> None:
    """Take in what sources have: tables of the lake, databases, files, transforms, dbt. What did not change costs
    nothing; what is gone is marked, and keeps its documentation."""
    from forge.connection.catalog.assets import CatalogView

    with terminal.open() as wiring:
        terminal.doing("crawling")
        found = CatalogView(wiring).scan(*(sources or ()), dry_run=dry_run)
        files = wiring.catalog.asset_files.last
    columns = [
        AnswerColumn("SOURCE", lambda item: str(item["source"]), style="bold"),
        *(AnswerColumn(word.upper(), _counter(word), right=True) for word in _COUNTED),
        AnswerColumn("FAILED", lambda item: str(item["failed"] or _unread(item))),
        AnswerColumn("SECONDS", lambda item: f"{item['seconds']:.2f}", right=True),
    ]
    terminal.answer(CommandAnswer(name="sources", items=found.rows(), columns=columns, facts={"dry_run": dry_run}))
    for error in files.errors:
        terminal.say(str(error))
    for name in files.unknown:
        terminal.say(f"catalog/*.yaml documents {name}, which no source has.")
    if dry_run:
        terminal.say("Nothing was kept.")
    if any(one.failed for one in found):
        raise typer.Exit(1)


def _counter(word: str) -> Callable[[Item], str]:
    return lambda item: count(item[word])


def _unread(item: Item) -> str:
    unread = item["unread"]
    return f"{len(unread)} could not be read" if isinstance(unread, list) and unread else ""
