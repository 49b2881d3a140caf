"""`forge contract init TABLE`: a draft contract for a table of the lake."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import CommandAnswer
from forge.cli.command import command
from forge.cli.contracts.findings import violation_items
from forge.cli.file_writer import write_text
from forge.cli.formatting import plural
from forge.cli.output import OutputFormat
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.flows.contracts.draft import ContractDraft

_LOOKED = {"rows": "all its rows", "kept profile": "what the last run measured and a sample", "metadata": "metadata"}


@command
def init(
    terminal: Terminal,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="core.orders, or core.orders@branch.")],
    profile: Annotated[
        bool | None,
        typer.Option(
            "--profile/--no-profile",
            help="Read all rows with Spark, or no row at all. Default: what the last run measured and a sample of "
            "rows; all rows only where nothing was measured.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Default: contracts/TABLE.odcs.yaml; - is stdout.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print it and write nothing.")] = False,
) -> None:
    """Write a contract from a table: its columns, what its rows show, and which of them hold personal data.

    It is a draft: what is still to be filled in is listed, and `forge contract lint` says when it is complete."""
    from forge.flows.contracts.draft import draft_for

    with terminal.open() as wiring:
        drafted = draft_for(table, wiring.quality.check_ports(), wiring.settings.project, profile=profile)
        root = wiring.root
    file = None if dry_run or str(out) == "-" else (out or root / drafted.file)
    if file is not None:
        _refuse(drafted, file, root, force)
    _answer(terminal, drafted, file)
    _say(terminal, drafted, file)


def _refuse(drafted: ContractDraft, file: Path, root: Path, force: bool) -> None:
    """A table has one contract; an existing file is overwritten only on request."""
    from forge.cli.contracts.imports import refuse_existing

    if drafted.existing is not None:
        there = root / drafted.existing.rsplit(":", 1)[0]
        if there.resolve() != file.resolve():
            raise ForgeError(
                "E109",
                f"{drafted.table} has a contract already",
                where=drafted.existing,
                why="A table has one contract.",
                fix=f"forge contract drift {drafted.table} shows what differs; --dry-run prints a new draft.",
            )
    refuse_existing(file, force, shown=_shown(file, root))


def _shown(file: Path, root: Path) -> str:
    whole = file.resolve()
    return whole.relative_to(root.resolve()).as_posix() if whole.is_relative_to(root.resolve()) else str(file)


def _answer(terminal: Terminal, drafted: ContractDraft, file: Path | None) -> None:
    if file is not None:
        write_text(file, drafted.text)
    if terminal.format is not OutputFormat.TABLE:
        facts: dict[str, object] = {"table": str(drafted.table), "file": str(file) if file else None}
        facts |= {"text": drafted.text, "rows": drafted.rows, "looked_at": drafted.looked}
        facts["personal"] = [each.to_dict() for each in drafted.personal]
        terminal.answer(CommandAnswer(name="violations", items=violation_items(drafted.gaps), facts=facts))
    elif file is None:
        sys.stdout.write(drafted.text)


def _say(terminal: Terminal, drafted: ContractDraft, file: Path | None) -> None:
    rows = f" of {plural(drafted.rows, 'row')}" if drafted.rows is not None else ""
    shown = drafted.file if file is not None and file.as_posix().endswith(f"/{drafted.file}") else file
    done = f"{shown} written: " if file is not None else f"{drafted.table}: "
    terminal.say(f"{done}{plural(drafted.columns, 'column')}{rows}, from {_LOOKED[drafted.looked]}.")
    for one in drafted.personal:
        kind = f"{one.type}, together with others" if one.quasi else one.type
        terminal.say(f"personal: {one.column} ({kind}; {', '.join(one.evidence)})")
    if drafted.gaps:
        terminal.say("To fill in, for the strict profile:")
        for each in drafted.gaps:
            terminal.say(f"  line {each.line}: {each.message}")
    terminal.say("It is a draft, version 0.1.0; make it 1.0.0 and active when readers may rely on it.")
