"""`forge erd`: tables of a schema with columns, keys and relationships."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import CommandAnswer, Item, write_answer
from forge.cli.command import command
from forge.cli.formatting import plural
from forge.cli.lineage.walk import At, open_lineage
from forge.cli.output import OutputFormat
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.lineage.erd.diagram import Erd, ErdTable


class ErdFormat(StrEnum):
    """Output formats of every command, and those of diagrams."""

    TABLE = "table"
    JSON = "json"
    NDJSON = "ndjson"
    CSV = "csv"
    YAML = "yaml"
    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"


ENDINGS = {".mmd": "mermaid", ".mermaid": "mermaid", ".gv": "dot", ".yml": "yaml", ".txt": "table"}


@command
def erd(
    terminal: Terminal,
    schema: Annotated[
        str | None, typer.Option("--schema", metavar="SCHEMA", help="Like core; without it, all schemas.")
    ] = None,
    format: Annotated[
        ErdFormat | None,
        typer.Option("--format", help="Form of the data; that of the file's ending, where there is one."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write it to a file.")] = None,
    at: At = None,
) -> None:
    """Show the tables of a schema, their columns and keys, and where their data comes from."""

    form = format or _form_of(out) or ErdFormat(str(terminal.format))
    with open_lineage(terminal) as view:
        found = view.erd(schema, at=at)
    drawn = _drawn(found, form)
    if out is not None:
        _write(out, found, form, drawn)
        terminal.say(f"{out}: {form} of {len(found.tables)} tables")
    elif drawn is not None:
        sys.stdout.write(drawn.rstrip("\n") + "\n")
    else:
        own = OutputFormat(str(form))
        write_answer(_answer(found, own), own, sys.stdout)


def _form_of(out: Path | None) -> ErdFormat | None:
    """What the ending of the file says."""
    if out is None or not out.suffix:
        return None
    word = ENDINGS.get(out.suffix.lower(), out.suffix.lower().removeprefix("."))
    return ErdFormat(word) if word in set(ErdFormat) else None


def _drawn(found: Erd, form: ErdFormat) -> str | None:
    match form:
        case ErdFormat.MERMAID:
            return found.to_mermaid()
        case ErdFormat.DOT:
            return found.to_dot()
        case ErdFormat.SVG:
            return found.to_svg()
    return None


def _write(out: Path, found: Erd, form: ErdFormat, drawn: str | None) -> None:
    try:
        with out.open("w", encoding="utf-8") as stream:
            if drawn is not None:
                stream.write(drawn.rstrip("\n") + "\n")
            else:
                write_answer(_answer(found, OutputFormat(str(form))), OutputFormat(str(form)), stream)
    except OSError as error:
        why = f"{error.strerror or error}."
        raise ForgeError("E105", f"{out} cannot be written", why=why, fix="Name a folder that exists.") from error


def _answer(found: Erd, form: OutputFormat) -> CommandAnswer:
    document = found.to_dict()
    if form in (OutputFormat.CSV, OutputFormat.NDJSON):  # a row a column, which such forms are for
        return CommandAnswer(name="columns", items=[row for table in found.tables for row in _rows(table)])
    tables = document.pop("tables")
    assert isinstance(tables, list)
    lines = _lines(found)
    return CommandAnswer(
        name="tables", items=tables, facts=document, lines=lambda: lines, picture=lambda: "\n".join(lines)
    )


def _rows(table: ErdTable) -> list[Item]:
    columns = [column.to_dict() for column in table.columns] or [{"name": None}]
    return [{"table": table.name, "type": table.type, **column} for column in columns]


def _lines(found: Erd) -> list[str]:
    lines: list[str] = []
    for table in found.tables:
        outside = ", of another schema" if table.outside else ""
        lines.append(f"{table.name}  ({table.type}{outside})")
        width = max((len(column.name) for column in table.columns), default=0)
        for column in table.columns:
            keys = [word for word, has in (("PK", column.primary_key), ("FK", column.foreign_key)) if has]
            null = "not null" if column.nullable is False else ""
            parts = " ".join(part for part in (column.data_type, null, *keys) if part)
            lines.append(f"  {column.name:<{width}}  {parts}".rstrip())
    for key in found.foreign_keys:
        ends = f"{key.table}.{','.join(key.columns)} → {key.to_table}.{','.join(key.to_columns)}"
        declared = f": {key.evidence[0].text}" if key.evidence else ""
        lines.append(f"{ends}  ({'one to one' if key.one else 'many to one'}{declared})")
    for join in found.joins:
        ends = f"{join.table}.{','.join(join.columns)} ~ {join.to_table}.{','.join(join.to_columns)}"
        known = f", {str(join.cardinality).replace('_', ' ')}" if join.cardinality != "unknown" else ""
        lines.append(f"{ends}  (inferred{known}: {join.evidence[0].text})")
    lines += [f"{flow.source} ⇒ {flow.target}  ({plural(flow.edges, 'edge')})" for flow in found.flows]
    return lines
