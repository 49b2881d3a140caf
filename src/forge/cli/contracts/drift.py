"""`forge contract drift FILE --schema F`, and in a project `forge contract drift [TABLE|FILE] [--at REF]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forge.cli.command import command
from forge.cli.contracts.drift_view import _contract_of, answer_drift
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError


@command
def drift(
    terminal: Terminal,
    subject: Annotated[
        str | None,
        typer.Argument(metavar="[FILE|TABLE]", help="A contract, or in a project a table; else all contracts."),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema",
            metavar="FILE",
            help='YAML or JSON, table: {column: "type [not null]"}, or a JSON schema of Spark or Iceberg.',
        ),
    ] = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="REF", help="Branch, tag or commit of the tables; else main as it is.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="TABLE", help="Ask the database or files that this source reads.")
    ] = None,
) -> None:
    """Compare contracts with tables: types, missing and undocumented columns, and what would end the difference.

    With --schema nothing but the two files is read. Exits with 1 where a type differs or a column is missing."""
    if schema is not None:
        _refuse_both(subject, at, source)
        assert subject is not None
        _drift_of_file(terminal, Path(subject), Path(schema))
        return
    from forge.cli.contracts.drift_live import drift_of_project

    drift_of_project(terminal, subject, at, source)


def _refuse_both(subject: str | None, at: str | None, source: str | None) -> None:
    if subject is None:
        raise ForgeError("E105", "Which contract?", fix="forge contract drift orders.odcs.yaml --schema schema.yaml")
    if at is not None or source is not None:
        given = "--at" if at is not None else "--source"
        raise ForgeError("E105", f"--schema and {given} do not go together", fix=f"Leave out --schema or {given}.")


def _drift_of_file(terminal: Terminal, contract: Path, schema: Path) -> None:
    from forge.cli.contracts.file import bytes_of
    from forge.contracts.document.file import ContractError
    from forge.contracts.drift.table import drift_of, find_unreadable
    from forge.contracts.schema.file import read_schemas

    tables = read_schemas(bytes_of(schema), str(schema))
    source = bytes_of(contract)
    problems = find_unreadable(source, str(contract))
    try:
        read = _contract_of(source, str(contract))
    except ContractError as error:
        answer_drift(terminal, (), error.violations)
        return
    answer_drift(terminal, drift_of(read, tables, str(schema)), problems)
