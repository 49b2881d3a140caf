"""`forge quality results`: check results, newest first."""

from __future__ import annotations

from typing import Annotated

import typer

from forge.cli.command import command
from forge.cli.terminal import Terminal


@command
def results(
    terminal: Terminal,
    table: Annotated[str | None, typer.Argument(metavar="[TABLE]", help="Only of this table.")] = None,
    monitor: Annotated[
        str | None, typer.Option("--monitor", metavar="NAME", help="Only of this monitor, by its id or name.")
    ] = None,
    check: Annotated[str | None, typer.Option("--check", metavar="ID", help="Only of this check.")] = None,
    verdict: Annotated[
        str | None, typer.Option("--verdict", metavar="WORD", help="Only passed, failed or 'not measured'.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="At most so many.")] = 50,
) -> None:
    """Show results of checks in runs, for monitors and by hand, newest first."""
    from forge.cli.quality.view import answer_of_history
    from forge.connection.quality.checks import QualityView

    with terminal.open() as wiring:
        view = QualityView(wiring, wiring.default_branch)
        found = view.results(table, monitor=monitor, check=check, verdict=verdict, limit=limit)
    terminal.answer(answer_of_history(found))
    if not found:
        of = f" of {table}" if table else ""
        terminal.say(f"Nothing was judged yet{of}. Do it: forge quality run{f' {table}' if table else ''}")
    elif len(found) == limit:
        terminal.say(f"The newest {limit} are shown. More: a greater --limit")
