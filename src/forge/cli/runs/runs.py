"""`forge plan`, `forge run` and `forge runs`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.failure import end_after_answer, exit_of, problems_text
from forge.cli.formatting import plural
from forge.cli.output import OutputFormat
from forge.cli.terminal import Terminal
from forge.model.errors import UnknownNameError, errors_of, raise_errors

if TYPE_CHECKING:
    from forge.connection import RunReport
    from forge.flows.runs.decision import RunRequest
    from forge.flows.runs.order import RunSelection
    from forge.flows.runs.project import Project
    from forge.wiring import Wiring

Select = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SELECT]...", help="marts.revenue, +marts.revenue, core.orders+, tag:gold, core.*; none: all"
    ),
]
Branch = Annotated[str | None, typer.Option("--branch", "-b", help="Branch to read and write.")]
Params = Annotated[list[str] | None, typer.Option("--param", "-p", metavar="K=V", help="A parameter; may be repeated.")]
Start = Annotated[str | None, typer.Option(metavar="TIME", help="Begin of the time range, included.")]
End = Annotated[str | None, typer.Option(metavar="TIME", help="End of the time range, excluded.")]
Force = Annotated[bool, typer.Option("--force", help="Run what is up to date, too.")]


@command
def plan(
    terminal: Terminal,
    select: Select = None,
    branch: Branch = None,
    param: Params = None,
    start: Start = None,
    end: End = None,
    force: Force = False,
) -> None:
    """Show what a run would do, and why. Starts nothing."""
    with terminal.open() as wiring:
        _answer_plan(terminal, wiring, _request(wiring, select, branch, param, start, end, None, force))


@command
def run(
    terminal: Terminal,
    select: Select = None,
    branch: Branch = None,
    param: Params = None,
    start: Start = None,
    end: End = None,
    message: Annotated[str | None, typer.Option("--message", "-m", help="Message of the commit.")] = None,
    force: Force = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the plan.")] = False,
    parallel: Annotated[int | None, typer.Option(min=1, max=64, help="Independent transforms at once.")] = None,
) -> None:
    """Run transforms: pin, stage, check, publish as one commit. A blocked gate exits with 1."""
    with terminal.open(parallel=parallel) as wiring:
        request = _request(wiring, select, branch, param, start, end, message, force)
        if dry_run:
            _answer_plan(terminal, wiring, request)
            return
        status = _run(terminal, wiring, request)
    if status:
        raise typer.Exit(status)


@command
def runs(
    terminal: Terminal,
    run_id: Annotated[str | None, typer.Argument(help="Show this one in full; its beginning is enough.")] = None,
    branch: Branch = None,
    status: Annotated[str | None, typer.Option(help="Only of this status: succeeded, blocked, failed, …")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many.")] = 20,
) -> None:
    """List runs, or show one with its outputs and verdicts."""
    from forge.cli.runs.run_record import answer_of_run, answer_of_runs, find_run
    from forge.flows.versioning.revisions import find_branch
    from forge.model.names import BranchName

    with terminal.open() as wiring:
        if run_id:
            found = find_run(wiring.metadata, run_id)
            verdicts = [verdict for _, verdict in wiring.metadata.verdicts(run_id=found.id)]
            terminal.answer(answer_of_run(found, verdicts))
            return
        chosen = find_branch(wiring.metadata, BranchName(branch)).name if branch else None
        listed = wiring.metadata.runs(limit=limit, branch=chosen, status=_status(status))
    terminal.answer(answer_of_runs(listed))
    if not listed:
        terminal.say("No runs yet; `forge run` makes the first.")


def _status(text: str | None) -> str | None:
    from forge.flows.runs.records import RunStatus
    from forge.model.name_suggestions import did_you_mean

    known = {str(status).replace(" ", "-"): str(status) for status in RunStatus}
    if text is None:
        return None
    wanted = text.strip().lower().replace(" ", "-")
    if wanted not in known:
        fix = did_you_mean(wanted, known) or f"Known are {', '.join(known)}."
        raise UnknownNameError(f"There is no status '{text}'", fix=fix)
    return known[wanted]


def _request(
    wiring: Wiring,
    select: list[str] | None,
    branch: str | None,
    param: list[str] | None,
    start: str | None,
    end: str | None,
    message: str | None,
    force: bool,
) -> RunRequest:
    from forge.cli.values import bind, read_range
    from forge.flows.runs.decision import RunRequest
    from forge.model.names import BranchName

    time_range = read_range(start, end)
    name = BranchName(branch) if branch else wiring.default_branch
    bound = bind(wiring, param, time_range)
    return RunRequest(
        branch=name, selection=tuple(select or ()), params=bound, time_range=time_range, message=message, force=force
    )


def _warn_unknown_columns(terminal: Terminal, wiring: Wiring, project: Project, selection: RunSelection) -> None:
    from forge.flows.runs.unknown_columns import find_unknown_columns

    asked = [transform.output for transform in selection.order]
    for error in find_unknown_columns(project.transforms, asked, wiring.contracts.live_schema):
        terminal.say(f"warning: {error.line}. {error.fix}")


def _answer_plan(terminal: Terminal, wiring: Wiring, request: RunRequest) -> None:
    from forge.flows.runs.plan import plan as make_plan

    project = wiring.project()
    made = make_plan(request, project, wiring.runs.plan_ports())
    raise_errors(made.unloadable)
    steps = made.steps
    for note in project.notes:
        terminal.say(f"note: {note}")
    _warn_unknown_columns(terminal, wiring, project, made.selection)
    _note_unrelated_faults(terminal, made.selection)
    items = [step.to_dict() for step in steps]
    columns = (
        AnswerColumn("table", lambda i: str(i["table"]), style="bold"),
        AnswerColumn("kind", lambda i: str(i["kind"])),
        AnswerColumn("action", lambda i: str(i["action"])),
        AnswerColumn("checks", lambda i: str(i["checks"]), right=True),
        AnswerColumn("why", lambda i: str(i["reason"])),
    )
    terminal.answer(CommandAnswer(name="steps", items=items, columns=columns, facts={"branch": request.branch}))
    count = Counter(str(step.action) for step in steps)
    more = "".join(f", {count[action]:,} {action}" for action in ("blocked", "broken") if count[action])
    terminal.say(
        f"{plural(count['run'], 'table')} to run, {count['up to date']:,} up to date{more}, on {request.branch}"
    )
    end_after_answer(*(fault.error for fault in made.selection.faults))


def _note_unrelated_faults(terminal: Terminal, selection: RunSelection) -> None:
    """Report faults of files that nothing selected depends on."""
    for fault in selection.unrelated:
        for error in errors_of(fault.error):
            terminal.say(f"note: not part of this: {error}")


def _run(terminal: Terminal, wiring: Wiring, request: RunRequest) -> int:
    from dataclasses import replace

    from forge.cli.runs.run_display import RunDisplay, summary
    from forge.connection import RunReport
    from forge.flows.quality.incidents.impact import find_incidents
    from forge.flows.runs.order import find_order
    from forge.flows.runs.run import run as make_run

    project = wiring.project()
    _note_unrelated_faults(terminal, find_order(project, request.selection))
    terminal.still()  # the run shows by itself how far it is
    with RunDisplay(wiring=wiring, quiet=terminal.quiet, progress=terminal.progress) as display:
        result = make_run(request, project, wiring.runs.ports(display.notify))
    head = wiring.branch_head(request.branch)
    tree = wiring.metadata.tree(head)
    report = RunReport(result, find_incidents(result, project, wiring.metadata, tree, head))
    terminal.show(summary(report))
    if terminal.format is not OutputFormat.TABLE:
        from forge.cli.runs.run_record import answer_of_run

        answer = answer_of_run(result.run, result.verdicts)
        # A command that fails says so in one place, whether it failed before the run or in it.
        facts = {**answer.facts, "error": dict(result.run.error)} if result.run.error else answer.facts
        terminal.answer(replace(answer, facts=facts))
    return _exit_of(report, terminal)


def _exit_of(report: RunReport, terminal: Terminal) -> int:
    from forge.cli.output import has_colour
    from forge.flows.runs.records import RunStatus
    from forge.model.codes import FINDINGS

    run_ = report.result.run
    if run_.status is RunStatus.BLOCKED:
        return FINDINGS
    problems = [output.error for output in run_.outputs if output.error] or ([run_.error] if run_.error else [])
    if run_.status not in (RunStatus.FAILED, RunStatus.CONFLICT):
        return 0
    import sys

    print(problems_text(problems, colour=has_colour(sys.stderr)), file=sys.stderr)  # noqa: T201
    return exit_of(str(problems[0].get("code")) if problems else None)
