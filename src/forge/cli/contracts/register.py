"""`forge contract register [FILE…]`: register immutable versions of contracts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.contracts.findings import finding_lines
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError, raise_errors

if TYPE_CHECKING:
    from forge.connection.contracts.items import RegisteredItem


@command
def register(
    terminal: Terminal,
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="Contracts. Default: all of the project.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check them; register nothing.")] = False,
) -> None:
    """Register contracts: the same again changes nothing, a version that is there never changes."""
    from forge.connection.contracts.registry import ContractsView
    from forge.contracts.load import contract_files

    with terminal.open() as wiring:
        view = ContractsView(wiring, wiring.default_branch)
        wanted = files or contract_files(wiring.root)
        if not wanted:
            raise ForgeError(
                "E105", "There is no contract to register here", fix="forge contract init TABLE makes one."
            )
        errors, trials = [], []
        for file in wanted:  # all are checked before the first one is stored
            try:
                trials.append(view.register(file, dry_run=True))
            except ForgeError as error:
                errors.append(error)
        raise_errors(errors)
        done = trials if dry_run else [view.register(file) for file in wanted]
        terminal.answer(_answer(done, dry_run=dry_run))
        if not dry_run:
            for item in done:  # so that a list shows the findings of each
                view.check(item.admitted.contract.id, keep=True)
    new = sum(item.created for item in done)
    terminal.say("They can be registered. Nothing was kept." if dry_run else f"{new} new, {len(done) - new} known")


def _answer(done: Sequence[RegisteredItem], *, dry_run: bool) -> CommandAnswer:
    new = "new" if dry_run else "registered"
    columns = (
        AnswerColumn("contract", lambda i: str(i["name"]), style="bold"),
        AnswerColumn("version", lambda i: str(i["version"])),
        AnswerColumn("state", lambda i: str(i["state"] or "")),
        AnswerColumn("would be" if dry_run else "became", lambda i: new if i["created"] else "known already"),
        AnswerColumn("needs", lambda i: str(i["required_bump"] or "")),
        AnswerColumn("schema", lambda i: str(i["schema_hash"] or "").removeprefix("sha256:")[:12]),
    )
    notes = [line for item in done for line in finding_lines(item.findings.violations())]
    return CommandAnswer(name="contracts", items=[item.to_dict() for item in done], columns=columns, foot=notes)
