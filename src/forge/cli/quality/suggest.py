"""`forge quality suggest`: suggested checks for a table, each with its reason, as YAML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

    from forge.connection.quality.results import Suggestions

Item = Mapping[str, object]


@command
def suggest(
    terminal: Terminal,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="core.orders, or core.orders@branch.")],
    at: Annotated[str | None, typer.Option(metavar="REF", help="Branch, tag, commit, HEAD~2, time or v12.")] = None,
    least: Annotated[
        float, typer.Option("--min-confidence", metavar="SHARE", min=0, max=1, help="Leave out what is less sure.")
    ] = 0.5,
    write: Annotated[bool, typer.Option("--write", help="Write them to quality/TABLE.yaml.")] = False,
) -> None:
    """Suggest checks for a table. All its rows are looked at; each check comes with its reason, and nothing is written
    without --write."""
    from forge.connection.quality.checks import QualityView

    with terminal.open() as wiring:
        suggested = QualityView(wiring, wiring.default_branch).suggest(table, at=at, min_confidence=least)
        root = wiring.root
    terminal.answer(_answer(suggested))
    if not len(suggested):
        reason = "It has no rows." if not suggested.profile.rows else "What would fit, it has already."
        terminal.say(f"Nothing to suggest for {suggested.profile.table}. {reason}")
    elif write:
        file = _write(root, suggested)
        terminal.say(f"{plural(len(suggested), 'check')} written to {file}. Judge them: forge quality run {table}")
    else:
        terminal.say(f"{plural(len(suggested), 'check')}. Keep them: forge quality suggest {table} --write")


def _answer(suggested: Suggestions) -> CommandAnswer:
    items = suggested.rows()
    columns = (
        AnswerColumn("sure", lambda i: f"{float(str(i['confidence'])):.2f}", right=True),
        AnswerColumn("check", lambda i: check_text(_spec(i))),
        AnswerColumn("reason", lambda i: str(i["reason"])),
    )
    facts = {"table": str(suggested.profile.table), "row_count": suggested.profile.rows, "yaml": _yaml(suggested)}
    return CommandAnswer(name="suggestions", items=items, columns=columns, facts=facts, picture=lambda: _picture(items))


def _spec(item: Item) -> Mapping[str, object]:
    spec = item["check"]
    assert isinstance(spec, Mapping)
    return spec


def _picture(items: Sequence[Item]) -> RenderableType:
    """The check on a line of its own, to paste, the reason below it: a table would wrap both."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True, justify="right")
    grid.add_column(overflow="fold")
    for item in items:
        sure = float(str(item["confidence"]))
        colour = "green" if sure >= 0.8 else "yellow" if sure >= 0.6 else "dim"
        grid.add_row(Text(f"{sure:.2f}", style=colour), Text(f"- {check_text(_spec(item))}"))
        grid.add_row("", Text(str(item["reason"]), style="dim"))
    return grid


def _yaml(suggested: Suggestions) -> str:
    table = suggested.profile.table
    lines = [CheckLine(one.check, one.reason) for one in suggested]
    return checks_yaml({str(table): lines}, [f"Suggested from {suggested.profile.rows:,} rows of {table}."])


def _write(root: Path, suggested: Suggestions) -> str:
    file = root / "quality" / f"{suggested.profile.table}.yaml"
    if file.exists():
        shown = file.relative_to(root).as_posix()
        raise ForgeError(
            "E109",
            f"{shown} is there already",
            where=shown,
            why="Nothing of it is overwritten.",
            fix=f"Paste what you want of: forge quality suggest {suggested.profile.table}",
        )
    write_text(file, _yaml(suggested))
    return file.relative_to(root).as_posix()
