"""`forge lineage`, `forge upstream` and `forge downstream`: where columns come from and where they go."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.command import command
from forge.cli.terminal import Terminal

if TYPE_CHECKING:
    from forge.lineage.graph import Graph
    from forge.wiring import Wiring

_OF_LAKE = re.compile(r"([A-Za-z_]\w*\.[A-Za-z_]\w*)(\.[^@]+)?(?:@(.+))?")
Subject = Annotated[
    str, typer.Argument(metavar="TABLE[.COLUMN]", help="core.orders or core.orders.amount; @REF may follow.")
]
Depth = Annotated[str, typer.Option(metavar="N|all", help="How many steps.")]
At = Annotated[str | None, typer.Option(metavar="REF", help="Branch, commit, HEAD~2 or time.")]


@command
def lineage(terminal: Terminal, subject: Subject, depth: Depth = "10", at: At = None) -> None:
    """Show both directions as a tree."""
    _answer(terminal, subject, depth, at, ("upstream", "downstream"))


@command
def upstream(terminal: Terminal, subject: Subject, depth: Depth = "10", at: At = None) -> None:
    """Show what a table or column comes from."""
    _answer(terminal, subject, depth, at, ("upstream",))


@command
def downstream(terminal: Terminal, subject: Subject, depth: Depth = "10", at: At = None) -> None:
    """Show what comes from a table or column."""
    _answer(terminal, subject, depth, at, ("downstream",))


def _answer(terminal: Terminal, subject: str, depth: str, at: str | None, directions: tuple[str, ...]) -> None:
    from forge.cli.lineage_tree import answer_of_lineage
    from forge.cli.values import read_number

    name, inline = split_subject(subject)
    steps = read_number(depth, "--depth")
    with terminal.open() as wiring:
        graph = _graph(wiring, at or inline or "HEAD")
    terminal.answer(answer_of_lineage(graph, name, directions, steps))


def split_subject(text: str) -> tuple[str, str]:
    """The name and, after @, the revision. Tables of the lake are written small; names from outside are left alone."""
    match = _OF_LAKE.fullmatch(text.strip())
    if not match:
        return text.strip(), ""
    table, column, at = match.groups()
    return f"{table.lower()}{column or ''}", at or ""


def _graph(wiring: Wiring, at: str) -> Graph:
    from forge.connection import LineageView

    return LineageView(wiring, wiring.default_branch).graph(at)
