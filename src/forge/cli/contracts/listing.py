"""`forge contract list`: all contracts with state and findings."""

from __future__ import annotations

from typing import Annotated

import typer

from forge.cli.command import command
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError


@command
def list_(
    terminal: Terminal,
    words: Annotated[
        str | None, typer.Argument(metavar="[WORD]", help="A part of the id, name, owner or of a table.")
    ] = None,
    state: Annotated[
        list[str] | None, typer.Option("--state", metavar="STATE", help="Only those that are so; repeated.")
    ] = None,
) -> None:
    """List contracts: registered ones, and those of the project's files."""
    from forge.cli.contracts.view import contracts_answer
    from forge.connection.contracts.registry import ContractsView
    from forge.contracts.lifecycle import ContractState

    for each in state or ():
        if each not in list(ContractState):
            raise ForgeError(
                "E105", f"--state: '{each}' is no state of a contract", fix=f"One of {', '.join(ContractState)}."
            )

    with terminal.open() as wiring:
        found = ContractsView(wiring, wiring.default_branch).list().rows()
    wanted = (words or "").lower()
    shown = [
        item
        for item in found
        if wanted in f"{item['id']}\n{item['name']}\n{item['owner']}\n{item['tables']}".lower()
        and (not state or item["state"] in state)
    ]
    terminal.answer(contracts_answer(sorted(shown, key=lambda item: str(item["id"]).lower())))
    if not found:
        terminal.say("No contracts yet. Make one: forge contract init TABLE")
    elif not shown:
        terminal.say(f"No contract matches {' '.join([*([words] if words else []), *(state or [])])}.")
