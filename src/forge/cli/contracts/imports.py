"""`forge contract import FILE`: an ODCS contract from a file in another format; works outside a project."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import CommandAnswer
from forge.cli.command import command
from forge.cli.contracts.findings import exit_on_errors, finding_lines, summary_line, violation_items
from forge.cli.file_writer import write_text
from forge.cli.formatting import plural
from forge.cli.output import OutputFormat
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.flows.contracts.imports import ImportedContract


@command
def import_(
    terminal: Terminal,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to turn into a contract; it is only read.")],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="shorthand (models, elements, owner), odcs-v2, or avro, bigquery, csv, dbml, dbt, excel, iceberg, "
            "json, jsonschema, odcs, openapi, parquet, powerbi, protobuf, pydantic-model, sql, xsd. Default: what the "
            "file looks like.",
        ),
    ] = None,
    dialect: Annotated[str | None, typer.Option("--dialect", metavar="SQL", help="Of --from sql: postgres, …")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write it here, not to stdout.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Turn a file of another kind into a contract of the standard (ODCS), as YAML on stdout.

    What found no place is reported. Nothing is fetched: formats that ask a server are refused. Exits with 1 where lint
    finds errors in what came out."""
    from forge.flows.contracts.imports import import_contract
    from forge.wiring.contracts import contract_tool

    if out is not None:
        refuse_existing(out, force)
    made = import_contract(file, contract_tool(), source, dialect)
    _answer(terminal, made, out)
    _say(terminal, made, out)
    exit_on_errors(made.violations)


def refuse_existing(out: Path, force: bool, shown: str = "") -> None:
    """Nothing is overwritten without --force. `shown`: the file's name for people."""
    if out.exists() and not force:
        raise ForgeError(
            "E109",
            f"{shown or out} is there already",
            why="Nothing of it is overwritten.",
            fix="Name another file, or add --force.",
        )


def _answer(terminal: Terminal, made: ImportedContract, out: Path | None) -> None:
    if out is not None:
        write_text(out, made.text)
    if terminal.format is not OutputFormat.TABLE:
        facts: dict[str, object] = {"format": made.format, "contract": made.data, "text": made.text}
        facts |= {"notes": made.notes, "file": str(out) if out else None}
        terminal.answer(CommandAnswer(name="violations", items=violation_items(made.violations), facts=facts))
    elif out is None:
        sys.stdout.write(made.text)


def _say(terminal: Terminal, made: ImportedContract, out: Path | None) -> None:
    for note in made.notes:
        terminal.say(f"note: {note}")
    for line in finding_lines(made.violations):
        terminal.say(line)
    summary = f"read as {made.format}; {plural(len(made.notes), 'note')}; lint: {summary_line(made.violations)}"
    terminal.say(f"{out} written, {summary}." if out else f"{summary[0].upper()}{summary[1:]}.")
