"""`forge check`: run the checks of published tables without storing results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.formatting import plural
from forge.cli.terminal import Terminal
from forge.model.errors import CancellationError, ForgeError, UnknownNameError

if TYPE_CHECKING:
    from forge.flows.runs.project import Project
    from forge.model.names import TableName
    from forge.quality.verdict import Verdict
    from forge.wiring import Wiring


@command
def check(
    terminal: Terminal,
    tables: Annotated[
        list[str] | None, typer.Argument(metavar="[TABLE]...", help="None: all that have checks.")
    ] = None,
    at: Annotated[str | None, typer.Option(metavar="REF", help="Branch, commit, HEAD~2 or time to check.")] = None,
) -> None:
    """Run the checks of published tables and keep nothing of it; `forge quality run` keeps it. Exits with 1 when a
    check that blocks did not pass."""
    from forge.cli.failure import end_after_answer
    from forge.cli.runs.run_record import MARKS
    from forge.model.codes import FINDINGS

    with terminal.open() as wiring:
        verdicts, left_out = _verdicts(terminal, wiring, tables or [], at)
    items = [verdict.to_dict() for verdict in verdicts]
    columns = (
        AnswerColumn("", lambda i: MARKS[str(i["outcome"])]),
        AnswerColumn("table", lambda i: str(i["table"]), style="bold"),
        AnswerColumn("columns", lambda i: ", ".join(i["columns"]) if isinstance(i["columns"], list) else ""),
        AnswerColumn("check", lambda i: str(i["type"])),
        AnswerColumn("severity", lambda i: str(i["severity"])),
        AnswerColumn("what it saw", lambda i: str(i["message"])),
    )
    terminal.answer(CommandAnswer(name="verdicts", items=items, columns=columns))
    blocking = sum(verdict.blocks for verdict in verdicts)
    terminal.say(f"{plural(len(verdicts), 'check')}, {blocking:,} blocking")
    end_after_answer(*left_out)
    if blocking:
        raise typer.Exit(FINDINGS)


def _verdicts(
    terminal: Terminal, wiring: Wiring, names: list[str], at: str | None
) -> tuple[list[Verdict], list[ForgeError]]:
    """Verdicts, and why other checks could not be judged."""
    from forge.flows.quality.judge import find_unjudged, judge_dataset, tables_with_checks
    from forge.model.names import TableName

    project, ports = wiring.project(), wiring.quality.check_ports()
    found: list[Verdict] = []
    left_out = [] if names else list(find_unjudged(project))
    for table in map(TableName.parse, names) if names else tables_with_checks(project):
        if names:
            _known(project, table)
        try:
            found += judge_dataset(str(table), ports, at=at).verdicts
        except ForgeError as error:
            if names or isinstance(error, CancellationError):
                raise
            if isinstance(error, UnknownNameError):
                terminal.say(f"{table} is not there yet")  # it has checks, but was never published
            else:
                left_out.append(error)
    return found, left_out


def _known(project: Project, table: TableName) -> None:
    from forge.model.name_suggestions import did_you_mean

    project.refuse_faulty(table)
    known = {*project.transforms, *project.checks}
    if table not in known:
        why = did_you_mean(str(table), map(str, known))
        raise UnknownNameError(f"There is no table {table}", why=why, fix="`forge plan` lists them.")
