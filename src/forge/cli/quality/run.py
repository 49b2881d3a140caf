"""`forge quality run`: judge published tables and store the results; output for the terminal, JUnit and GitHub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forge.cli.command import command
from forge.cli.file_writer import write_text
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError
from forge.quality.verdict import Severity


@command
def run(
    terminal: Terminal,
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TABLE]...", help="core.orders, or core.orders@branch. None: all that have checks."),
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="REF", help="Branch, tag, commit, HEAD~2, time or v12.")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="REF", help="Only rows of files added since then, or `previous`.")
    ] = None,
    monitor: Annotated[
        str | None, typer.Option("--monitor", metavar="NAME", help="Run this monitor now, by its id or name.")
    ] = None,
    keep_failing: Annotated[
        bool, typer.Option("--keep-failing", help="Write all rows that fail to TABLE_failing, as a commit.")
    ] = False,
    fail_on: Annotated[Severity, typer.Option("--fail-on", help="Exit with 1 from this severity on.")] = Severity.ERROR,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML, too.")] = None,
    github: Annotated[bool, typer.Option("--github", help="Print annotations for GitHub Actions on stdout.")] = False,
) -> None:
    """Judge published tables and keep the results. Exits with 1 where a check of severity error or worse failed, or
    could not be measured."""
    from forge.cli.failure import end_after_answer
    from forge.cli.quality.github import print_annotations
    from forge.cli.quality.junit import junit_xml
    from forge.cli.quality.view import answer_of_results, summary_line_of
    from forge.connection.quality.checks import QualityView
    from forge.model.codes import FINDINGS

    with terminal.open() as wiring:
        view = QualityView(wiring, wiring.default_branch)
        if monitor is not None:
            _refuse_combined(monitor, tables, at, since, keep_failing)
            checked = view.run_monitor(monitor)
        else:
            checked = view.run(
                *(tables or ()),
                at=at,
                since=since,
                keep_failing=keep_failing,
                absent=lambda table: terminal.say(f"{table} is not there yet"),
            )
    findings = checked.findings(fail_on)
    if junit is not None:
        write_text(junit, junit_xml(checked.rows(), [one.check_id for one in findings]))
    if github:
        print_annotations(checked.rows())
    else:
        terminal.answer(answer_of_results(checked))
    for note in checked.notes:
        terminal.say(note)
    terminal.say(summary_line_of(checked.rows(), len(findings), str(fail_on)))
    end_after_answer(*checked.left_out)
    if findings:
        raise typer.Exit(FINDINGS)


def _refuse_combined(monitor: str, *others: object) -> None:
    if any(others):
        raise ForgeError(
            "E105",
            "--monitor goes alone",
            why="A monitor knows its table; it judges what is published now.",
            fix=f"forge quality run --monitor {monitor}",
        )
