"""`forge quality import dbt|gx|soda PATH` and `forge quality validate`: checks of other tools, and of this project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.file_writer import write_text
from forge.cli.formatting import plural
from forge.cli.quality.checks_yaml import CheckLine, check_text, checks_yaml
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from forge.quality.imports import ImportedChecks


class Tool(StrEnum):
    DBT = "dbt"
    GX = "gx"
    SODA = "soda"


@command
def import_(
    terminal: Terminal,
    tool: Annotated[Tool, typer.Argument(metavar="dbt|gx|soda", help="Which tool wrote them.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file, or a folder of them.")],
    schema: Annotated[
        str | None, typer.Option("--schema", metavar="SCHEMA", help="Of tables that are named without one.")
    ] = None,
    table: Annotated[str | None, typer.Option("--table", metavar="TABLE", help="All checks are of this table.")] = None,
    write: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", help="Write the checks there, like quality/dbt.yaml.")
    ] = None,
) -> None:
    """Import checks of dbt, Great Expectations or Soda. What does not map is reported with its place and the reason;
    nothing is written without --write."""
    from forge.connection.quality.imports import names_of, read_checks

    names = names_of(terminal.project, schema=schema, table=table)
    found, files = read_checks(str(tool), path, names)
    if write is not None and found.mapped:
        _write(write, found, f"{tool}: {path}")
    terminal.answer(_answer(found, str(tool), path))
    terminal.say(_summary(found, files, write))


def _write(file: Path, found: ImportedChecks, source: str) -> None:
    if file.exists():
        raise ForgeError(
            "E109",
            f"{file} is there already",
            where=str(file),
            why="Nothing of it is overwritten.",
            fix="Name another.",
        )
    write_text(file, _yaml(found, source))


def _yaml(found: ImportedChecks, source: str) -> str:
    tables: dict[str, list[CheckLine]] = {}
    for one in found.mapped:
        comment = f"{one.place}: {one.note}" if one.note else one.place
        tables.setdefault(str(one.table), []).append(CheckLine(one.spec, comment))
    left = [f"did not map: {one.place} {one.what}: {one.why}" for one in found.unmapped]
    return checks_yaml(tables, [f"Imported from {source}.", *left])


def _answer(found: ImportedChecks, tool: str, path: Path) -> CommandAnswer:
    items: list[Mapping[str, object]] = [
        {"table": str(one.table), "check": one.spec, "place": one.place, "what": one.what, "note": one.note}
        for one in found.mapped
    ]
    left = [{"place": one.place, "what": one.what, "why": one.why} for one in found.unmapped]
    columns = (
        AnswerColumn("table", lambda i: str(i["table"]), style="bold"),
        AnswerColumn("check", lambda i: check_text(i["check"]) if isinstance(i["check"], Mapping) else ""),
        AnswerColumn("from", lambda i: str(i["place"])),
    )
    yaml = _yaml(found, f"{tool}: {path}") if items else ""
    return CommandAnswer(
        name="mapped",
        items=items,
        columns=columns,
        facts={"tool": tool, "unmapped": left, "yaml": yaml},
        picture=lambda: _picture(found),
        foot=(),
        lines=lambda: _lines(yaml, left),
    )


def _lines(yaml: str, left: Sequence[Mapping[str, object]]) -> list[str]:
    """Piped, it is the file: unmapped items are comments."""
    if yaml:
        return yaml.rstrip("\n").split("\n")
    return [f"# did not map: {one['place']} {one['what']}: {one['why']}" for one in left]


def _picture(found: ImportedChecks) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = []
    tables = dict.fromkeys(one.table for one in found.mapped)
    for table in tables:
        parts += [Text(f"{table}:", style="bold")]
        grid = _grid()
        for one in (each for each in found.mapped if each.table == table):
            text = Text(check_text(one.spec))
            text.append(f"\n{one.place}  {one.note}" if one.note else f"\n{one.place}", style="dim")
            grid.add_row(Text("  -", style="green"), text)
        parts += [grid, Text()]
    if found.unmapped:
        parts.append(Text("did not map", style="bold yellow"))
        grid = _grid()
        for left in found.unmapped:
            text = Text(left.what)
            text.append(f"\n{left.place}  {left.why}", style="dim")
            grid.add_row(Text("  ?", style="yellow"), text)
        parts.append(grid)
    return Group(*parts)


def _grid() -> Table:
    from rich.table import Table

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _summary(found: ImportedChecks, files: int, written: Path | None) -> str:
    summary = f"{plural(len(found.mapped), 'check')} of {plural(files, 'file')}"
    summary += f"; {len(found.unmapped):,} did not map" if found.unmapped else "; all mapped"
    if written is not None and found.mapped:
        return f"{summary}. Written to {written}"
    return f"{summary}. Keep them: --write quality/imported.yaml" if found.mapped else summary


@command
def validate(
    terminal: Terminal,
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE]...", help="Files of checks. None: the whole project.")
    ] = None,
) -> None:
    """Tell all that is wrong with checks. Nothing is run."""
    from forge.connection.quality.imports import validate_files, validate_project

    problems, count = validate_files(files) if files else validate_project(terminal.project)
    items = [problem.to_dict() for problem in problems]
    columns = (
        AnswerColumn("place", lambda i: str(i["where"] or "")),
        AnswerColumn("what", lambda i: str(i["what"])),
        AnswerColumn("why", lambda i: _flat(i["why"])),
        AnswerColumn("fix", lambda i: _flat(i["fix"])),
    )
    terminal.answer(
        CommandAnswer(name="problems", items=items, columns=columns, facts={"checks": count, "valid": not items})
    )
    if items:
        from forge.model.codes import FINDINGS

        terminal.say(f"{plural(len(items), 'problem')}")
        raise typer.Exit(FINDINGS)
    terminal.say(f"{plural(count, 'check')}, all well")


def _flat(text: object) -> str:
    return " ".join(str(text or "").split())
