"""`forge doctor`, `forge repair` and `forge gc`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.formatting import moment, plural, size
from forge.cli.terminal import Terminal
from forge.model.codes import FINDINGS

if TYPE_CHECKING:
    from forge.flows.upkeep.maintenance import GarbageCollection
    from forge.wiring import Wiring


_WELL = (
    "All is well, as far as the heads of all branches go. `forge verify --level full` looks at every commit and byte."
)


@command
def doctor(terminal: Terminal) -> None:
    """Look for what is wrong: the machine first, then the project. Changes nothing; exits with 1 for findings."""
    from forge.cli.upkeep.environment import find_environment

    environment, findings = find_environment(terminal)
    items = [{"kind": f.kind, "subject": f.subject, "detail": f.detail, "fix": f.fix} for f in findings]
    facts = {"environment": [fact.to_dict() for fact in environment]}
    head = []
    for fact in environment:
        head.append(f"{'✓' if fact.ok else '✗'} {fact.name.ljust(9)} {fact.detail}")
        head += [f"  {'fix'.ljust(9)} {fact.fix}"] if fact.fix else []
    head += [""] if items else []
    columns = (
        AnswerColumn("finding", lambda i: str(i["kind"]), style="bold"),
        AnswerColumn("of", lambda i: str(i["subject"])),
        AnswerColumn("detail", lambda i: str(i["detail"])),
        AnswerColumn("fix", lambda i: str(i["fix"])),
    )
    terminal.answer(CommandAnswer(name="findings", items=items, columns=columns, facts=facts, head=head))
    wrong = len(items) + sum(not fact.ok for fact in environment)
    terminal.say(plural(wrong, "finding") if wrong else _WELL)
    if wrong:
        raise typer.Exit(FINDINGS)


@command
def repair(
    terminal: Terminal,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Go back to the version before, without asking, where that is offered.")
    ] = False,
) -> None:
    """Finish what a crash left: mark dead runs as interrupted and drop what they staged. Where the metadata file of a
    table cannot be read, offer to go back to its version before."""
    from forge.flows.upkeep.maintenance import dead_runs, find_problems
    from forge.flows.upkeep.maintenance import repair as run_repair

    with terminal.open() as wiring:
        if dry_run:
            interrupted = dead_runs(wiring.metadata)
            problems = find_problems(wiring.metadata, wiring.lake, wiring.default_branch)
            dropped = sum(problem.kind == "leftover stage" for problem in problems)
            completed = tuple(problem.subject for problem in problems if problem.kind == "unrecorded publish")
        else:
            done = run_repair(wiring.metadata, wiring.lake, author=wiring.author, now=wiring.clock())
            interrupted, dropped, completed = done.interrupted, done.stages_dropped, tuple(map(str, done.completed))
        tables = _step_back(terminal, wiring, dry_run=dry_run, yes=yes)
    items = [{"run_id": run.id, "branch": run.branch, "step": run.step} for run in interrupted]
    lines = [f"{run.id}  interrupted at step '{run.step}' on {run.branch}" for run in interrupted]
    will = "would be " if dry_run else ""
    lines += [f"{subject}  record {will}completed" for subject in completed]
    lines += [f"{table['table']}  {table['status']}. {table['offer']}" for table in tables]
    facts: dict[str, object] = {"dry_run": dry_run, "stages_dropped": dropped, "completed": list(completed)}
    terminal.answer(CommandAnswer(name="interrupted", items=items, facts={**facts, "tables": tables}, head=lines))
    terminal.say(f"{plural(len(items), 'run')} {will}closed, {plural(dropped, 'staged table')} {will}dropped")
    if not dry_run and any(table["status"] != "went back" for table in tables):
        raise typer.Exit(FINDINGS)


def _step_back(terminal: Terminal, wiring: Wiring, *, dry_run: bool, yes: bool) -> list[dict[str, str | None]]:
    """Tables with unreadable metadata, and what was done for each: nothing, unless a person confirmed."""
    from forge.flows.upkeep.metadata_rollback import find_metadata_rollbacks, roll_back_metadata

    items: list[dict[str, str | None]] = []
    for step in find_metadata_rollbacks(wiring.metadata, wiring.lake, wiring.default_branch):
        status = "out of order" if step.earlier is None else "can go back"
        if step.earlier is not None and not dry_run:
            if not yes and sys.stdin.isatty():
                terminal.say(f"{step.error.what}. {step.words}")
            if yes or (sys.stdin.isatty() and terminal.confirm("Go back?", abort=False)):
                roll_back_metadata(
                    wiring.metadata, wiring.lake, step, wiring.default_branch, author=wiring.author, now=wiring.clock()
                )
                status = "went back"
            else:
                terminal.say(f"{step.catalog} was left as it is. To go back: forge repair --yes")
        offer = step.earlier.location if step.earlier else None
        items.append(
            {
                "table": str(step.catalog),
                "status": status,
                "file": step.error.location,
                "before": offer,
                "offer": step.words,
            }
        )
    return items


@command
def gc(
    terminal: Terminal,
    older_than: Annotated[str, typer.Option(metavar="AGE", help="Only files older than this: 24h, 7d.")] = "24h",
    keep_days: Annotated[
        int,
        typer.Option("--keep-days", min=0, metavar="N", help="Keep commits of so many days that no branch or tag has."),
    ] = 7,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list them.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Let go of versions that no branch or tag needs, and delete files of the warehouse that nothing points at."""
    from datetime import timedelta

    from forge.cli.values import read_age
    from forge.flows.upkeep.maintenance import collect_garbage

    age = read_age(older_than, "--older-than")
    with terminal.open() as wiring:
        if not dry_run and not yes and sys.stdin.isatty():
            terminal.confirm(f"Delete files older than {older_than} that nothing points at?")
        found = collect_garbage(
            wiring.metadata,
            wiring.lake,
            author=wiring.author,
            now=wiring.clock(),
            older_than=age,
            dry_run=dry_run,
            keep=timedelta(days=keep_days),
        )
    terminal.answer(_answer_of(found, dry_run=dry_run))
    will = "would be " if dry_run else ""
    terminal.say(f"{plural(len(found.orphans), 'file')}, {size(found.size)}, {will}deleted")
    if dry_run and found.expired:
        terminal.say("The files of versions that would be expired come on top.")


def _answer_of(found: GarbageCollection, *, dry_run: bool) -> CommandAnswer:
    items = [{"path": o.path, "bytes": o.size, "modified": o.modified} for o in found.orphans]
    columns = (
        AnswerColumn("file", lambda i: str(i["path"])),
        AnswerColumn("size", lambda i: size(i["bytes"]), right=True),
        AnswerColumn("modified (UTC)", lambda i: moment(i["modified"])),
    )
    facts: dict[str, object] = {
        "dry_run": dry_run,
        "deleted": found.deleted,
        "bytes": found.size,
        "expired": [
            {"table": str(e.catalog), "snapshots": list(e.snapshots), "dropped": e.dropped} for e in found.expired
        ],
    }
    will = "would be " if dry_run else ""
    head = []
    for e in found.expired:
        how = "dropped with the table" if e.dropped else "expired"
        head.append(f"{e.catalog}  {plural(len(e.snapshots), 'version')} {will}{how}")
    return CommandAnswer(name="orphans", items=items, columns=columns, facts=facts, head=head)
