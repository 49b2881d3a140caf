"""`forge contract export FILE|NAME --format F`: a contract in another format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.command import command
from forge.cli.file_writer import write_bytes, write_text
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.flows.contracts.tool import ExportedContract


@command
def export(
    terminal: Terminal,
    subject: Annotated[
        str, typer.Argument(metavar="FILE|CONTRACT", help="A contract's file, or in a project its id or name.")
    ],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="yaml and json (also --json) are the contract itself, iceberg, spark and sql its tables; "
            "datacontract-cli makes avro, avro-idl, bigquery, data-caterer, dbml, dbt-models, dbt-sources, "
            "dbt-staging-sql, dcs, dqx, excel, go, great-expectations, html, jsonschema, markdown, mermaid, odcs, "
            "protobuf, pydantic-model, rdf, sodacl, sql-query, sqlalchemy, xsd.",
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option("--table", metavar="TABLE", help="Only this one; some formats hold one table.")
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option("--dialect", metavar="SQL", help="Of sql: spark, postgres, … Default: its server's, else spark."),
    ] = None,
    version: Annotated[
        str | None, typer.Option("--version", metavar="VERSION", help="A registered version; else the newest.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write it here, not to stdout.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write a contract in another format: a JSON schema, DDL, dbt models, documentation, and more.

    References are left as they are and nothing is fetched."""
    from forge.cli.contracts.imports import refuse_existing
    from forge.flows.contracts.export import export_contract
    from forge.wiring.contracts import contract_tool

    if out is not None:
        refuse_existing(out, force)
    source, file = _source(terminal, subject, version)
    wanted = format or _asked_for(terminal, subject)
    made = export_contract(source, file, wanted, contract_tool(), table=table, dialect=dialect)
    for note in made.notes:
        terminal.say(f"note: {note}")
    _write(terminal, made, out)


def _asked_for(terminal: Terminal, subject: str) -> str:
    """--json and --output yaml select it, too."""
    from forge.cli.output import OutputFormat

    if terminal.format in (OutputFormat.JSON, OutputFormat.YAML):
        return terminal.format.value
    fix = f"forge contract export {subject} --format yaml"
    raise ForgeError("E105", "In which format?", why="--format is missing.", fix=fix)


def _source(terminal: Terminal, subject: str, version: str | None) -> tuple[bytes | str, str]:
    """The text of an existing file, else of a contract of the project."""
    from forge.contracts.load import read_bounded

    path = Path(subject)
    if path.is_file() and version is None:
        return read_bounded(path, subject), subject
    from forge.connection.contracts.registry import ContractsView

    _refuse_path(subject)
    with terminal.open() as wiring:
        return ContractsView(wiring, wiring.default_branch).text(subject, version), subject


def _refuse_path(subject: str) -> None:
    """A missing path is reported as such, not looked up as a name."""
    from forge.contracts.document.regular_file import NO_REGULAR_FILE

    if subject.endswith((".yaml", ".yml", ".json")) or ("/" in subject and not subject.startswith("urn:")):
        why = NO_REGULAR_FILE if Path(subject).exists() and not Path(subject).is_dir() else "There is no such file."
        fix = "Give the path of a file that is there, or a contract's id."
        raise ForgeError("E103", f"{subject} cannot be read", where=subject, why=why, fix=fix)


def _write(terminal: Terminal, made: ExportedContract, out: Path | None) -> None:
    content = made.content
    if out is None:
        if isinstance(content, bytes):
            sys.stdout.buffer.write(content)
        else:
            sys.stdout.write(content if content.endswith("\n") else f"{content}\n")
        return
    if isinstance(content, bytes):
        write_bytes(out, content)
    else:
        write_text(out, content if content.endswith("\n") else f"{content}\n")
    terminal.say(f"{out} written.")
