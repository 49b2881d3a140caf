"""`forge contract show NAME`: one contract with its versions and state history."""

from __future__ import annotations

from typing import Annotated

import typer

from forge.cli.command import command
from forge.cli.terminal import Terminal


@command
def show(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="CONTRACT", help="Its id, name, table or file.")],
    version: Annotated[
        str | None,
        typer.Option("--version", metavar="VERSION", help="That version's text; `file` is the project's file now."),
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Print the contract alone, as it was written.")] = False,
) -> None:
    """Show one contract."""
    import sys

    from forge.cli.contracts.view import contract_answer
    from forge.connection.contracts.registry import ContractsView

    with terminal.open() as wiring:
        view = ContractsView(wiring, wiring.default_branch)
        written = view.text(name, version)
        if text:
            sys.stdout.write(written if written.endswith("\n") else f"{written}\n")
            return
        item = view.get(name).to_dict()
        terminal.answer(contract_answer(item, view.versions(name).rows(), view.history(name).rows(), written))
