"""`forge quality monitor list|show|create|edit|enable|disable|delete|run|sla|history`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.command import command, command_group
from forge.cli.terminal import Terminal
from forge.quality.verdict import Severity

if TYPE_CHECKING:
    from forge.quality.monitors.monitor import Monitor
    from forge.wiring import Wiring


class MissedWord(StrEnum):
    SKIP = "skip"
    CATCH_UP = "catch_up"


Identity = Annotated[str, typer.Argument(metavar="MONITOR", help="Its id, or its name.")]
Description = Annotated[str | None, typer.Option("--description", metavar="TEXT", help="What it is for.")]
Checks = Annotated[
    list[str] | None,
    typer.Option(
        "--check",
        metavar="YAML",
        help="A check, like '{type: not_null, column: id}'; repeated. None: those that the project has for the table.",
    ),
]
ChecksFile = Annotated[
    Path | None, typer.Option("--checks-file", metavar="FILE", help="A YAML list of checks, instead of --check.")
]
Cron = Annotated[str | None, typer.Option("--cron", metavar="EXPR", help="When: five fields, like '0 6 * * 1-5'.")]
Every = Annotated[int | None, typer.Option("--every", metavar="MINUTES", help="When: every so many minutes.")]
OnChange = Annotated[bool, typer.Option("--on-change", help="When: after each change of the table.")]
ByHand = Annotated[bool, typer.Option("--by-hand", help="When: only when asked for.")]
Timezone = Annotated[str | None, typer.Option("--timezone", metavar="NAME", help="Of --cron: Europe/Berlin.")]
MissedOption = Annotated[
    MissedWord | None, typer.Option("--missed", help="What becomes of times that no server kept; skip by default.")
]
Channels = Annotated[
    list[str] | None, typer.Option("--channel", metavar="NAME", help="Who is told (alerts.channels); repeated.")
]
Threshold = Annotated[
    Severity | None,
    typer.Option("--severity-threshold", help="Failures below it are not told; default: warning."),
]
Recovery = Annotated[
    bool | None, typer.Option("--recovery/--no-recovery", help="Tell when it passes again; told by default.")
]
Target = Annotated[float | None, typer.Option("--sla", metavar="PERCENT", help="Share of runs that must pass: 99.5.")]
WindowDays = Annotated[int | None, typer.Option("--sla-window", metavar="DAYS", help="Over which time; 30 by default.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what it would be; keep nothing.")]


@command
def list_(
    terminal: Terminal,
    dataset: Annotated[str | None, typer.Argument(metavar="[TABLE]", help="Only those of one table.")] = None,
    enabled: Annotated[bool | None, typer.Option("--enabled/--disabled", help="Only those that are so.")] = None,
) -> None:
    """List monitors: how they stand, when they run next."""
    from forge.cli.quality.monitor_view import monitors_answer
    from forge.model.names import TableName

    with terminal.open() as wiring:
        _sync(terminal, wiring)
        table = TableName.parse(dataset) if dataset else None
        found = wiring.quality.monitors.monitors(table=table, enabled=enabled)
        terminal.answer(monitors_answer(wiring, found))
    if not found:
        terminal.say("No monitors yet. Make one: forge quality monitor create NAME TABLE --every 60")


@command
def show(terminal: Terminal, monitor: Identity) -> None:
    """Show one monitor in full."""
    from forge.cli.quality.monitor_view import monitor_answer

    with terminal.open() as wiring:
        _sync(terminal, wiring)
        terminal.answer(monitor_answer(wiring, _find(wiring, monitor)))


@command
def create(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    dataset: Annotated[str, typer.Argument(metavar="TABLE", help="core.orders, or core.orders@branch.")],
    description: Description = None,
    check: Checks = None,
    checks_file: ChecksFile = None,
    cron: Cron = None,
    every: Every = None,
    on_change: OnChange = False,
    timezone: Timezone = None,
    missed: MissedOption = None,
    channel: Channels = None,
    severity_threshold: Threshold = None,
    recovery: Recovery = None,
    sla: Target = None,
    sla_window: WindowDays = None,
    disabled: Annotated[bool, typer.Option("--disabled", help="Make it, and let it rest.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Create a monitor. Without a time it runs by hand only."""
    from forge.cli.quality.monitor_fields import MonitorOptions, schedule_of
    from forge.cli.quality.monitor_view import monitor_answer
    from forge.flows.quality.monitors.store import create_monitor, draft_monitor, refuse_faults

    given = MonitorOptions(
        description=description,
        checks=check,
        checks_file=checks_file,
        channels=channel,
        severity_threshold=severity_threshold,
        recovery=recovery,
        sla=sla,
        sla_window=sla_window,
    )
    schedule = schedule_of(cron, every, on_change, timezone, missed)
    fields = {"name": name, "dataset": dataset, "enabled": not disabled, **given.fields(), **schedule}
    with terminal.open() as wiring:
        ports = wiring.quality.monitor_ports()
        if dry_run:
            draft, faults = draft_monitor(fields, ports)
            refuse_faults(faults)
            assert draft is not None
            terminal.answer(monitor_answer(wiring, draft))
            terminal.say("It can be made so. Nothing was kept.")
            return
        made = create_monitor(fields, ports)
        terminal.answer(monitor_answer(wiring, made))
    terminal.say(f"Made {made.id}. Run it now: forge quality monitor run {made.id}")


@command
def edit(
    terminal: Terminal,
    monitor: Identity,
    name: Annotated[str | None, typer.Option("--name", metavar="TEXT", help="What to call it.")] = None,
    dataset: Annotated[str | None, typer.Option("--dataset", metavar="TABLE", help="What it watches.")] = None,
    description: Description = None,
    check: Checks = None,
    checks_file: ChecksFile = None,
    cron: Cron = None,
    every: Every = None,
    on_change: OnChange = False,
    by_hand: ByHand = False,
    timezone: Timezone = None,
    missed: MissedOption = None,
    channel: Channels = None,
    severity_threshold: Threshold = None,
    recovery: Recovery = None,
    sla: Target = None,
    sla_window: WindowDays = None,
) -> None:
    """Change a monitor. What is not named stays as it is; a check or channel that is named replaces all of them."""
    from forge.cli.quality.monitor_fields import MonitorOptions, schedule_of
    from forge.cli.quality.monitor_view import monitor_answer
    from forge.flows.quality.monitors.store import change_monitor

    given = MonitorOptions(
        description=description,
        checks=check,
        checks_file=checks_file,
        channels=channel,
        severity_threshold=severity_threshold,
        recovery=recovery,
        sla=sla,
        sla_window=sla_window,
    )
    with terminal.open() as wiring:
        _sync(terminal, wiring)
        before = _find(wiring, monitor)
        schedule = schedule_of(cron, every, on_change, timezone, missed, by_hand, before.schedule)
        fields: dict[str, object] = {**given.fields(), **schedule}
        fields |= {"name": name} if name is not None else {}
        fields |= {"dataset": dataset} if dataset is not None else {}
        changed = change_monitor(before.id, fields, wiring.quality.monitor_ports())
        terminal.answer(monitor_answer(wiring, changed))
    terminal.say("Changed." if changed != before else "Nothing to change.")


@command
def enable(terminal: Terminal, monitor: Identity) -> None:
    """Let a monitor run by its schedule again, from now on."""
    _switch(terminal, monitor, enabled=True)


@command
def disable(terminal: Terminal, monitor: Identity) -> None:
    """Let a monitor rest. Its alerts end, its history stays."""
    _switch(terminal, monitor, enabled=False)


@command
def delete(
    terminal: Terminal,
    monitor: Identity,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a monitor. Its results stay."""
    from forge.cli.quality.monitor_view import monitor_answer
    from forge.flows.quality.monitors.store import remove_monitor

    with terminal.open() as wiring:
        _sync(terminal, wiring)
        found = _find(wiring, monitor)
        if not yes and sys.stdin.isatty():
            terminal.confirm(f"Delete the monitor {found.id} of {found.dataset}?")
        gone = remove_monitor(found.id, wiring.quality.monitor_ports())
        terminal.answer(monitor_answer(wiring, gone))
    terminal.say(f"Deleted {gone.id}.")


@command
def run(
    terminal: Terminal,
    monitor: Identity,
    fail_on: Annotated[Severity, typer.Option("--fail-on", help="Exit 1 where so bad a check failed.")] = (
        Severity.ERROR
    ),
) -> None:
    """Run a monitor now, here. Exit 1 where a check failed."""
    from forge.cli.quality.monitor_view import run_answer
    from forge.flows.quality.monitors.run import carry_out, new_run
    from forge.quality.monitors.monitor import Trigger

    with terminal.open() as wiring:
        _sync(terminal, wiring)
        found = _find(wiring, monitor)
        ports = wiring.quality.judge_ports()
        made = new_run(found, found.dataset, Trigger.MANUAL, ports)
        ports.store.claim(made)
        done = carry_out(found, made, ports)
        terminal.answer(run_answer(done))
    for note in done.run.notes:
        terminal.say(note)
    status = _exit_of(done.run.error is not None, [(r.verdict, r.severity) for r in done.results], fail_on)
    if status:
        raise typer.Exit(status)


@command
def sla(
    terminal: Terminal,
    monitor: Identity,
    window_days: Annotated[int | None, typer.Option("--window", metavar="DAYS", min=1, max=3660)] = None,
) -> None:
    """Show how the promise is kept: pass rate, error budget left, burn rate."""
    from forge.cli.quality.monitor_view import sla_answer
    from forge.flows.quality.monitors.sla import find_sla

    with terminal.open() as wiring:
        _sync(terminal, wiring)
        found = _find(wiring, monitor)
        terminal.answer(sla_answer(found, find_sla(wiring.quality.monitors, found, wiring.clock(), window_days)))


@command
def history(
    terminal: Terminal,
    monitor: Identity,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="How many at most.")] = 20,
) -> None:
    """List the runs of a monitor, the newest first."""
    from forge.cli.quality.monitor_view import history_answer
    from forge.flows.quality.monitors.scheduler import end_dead_runs

    with terminal.open() as wiring:
        _sync(terminal, wiring)
        found = _find(wiring, monitor)
        end_dead_runs(wiring.quality.judge_ports())
        runs = wiring.quality.monitors.runs(monitor_id=found.id, limit=limit)
        terminal.answer(history_answer(found, runs))
    if not runs:
        terminal.say("It has not run yet.")


def _switch(terminal: Terminal, monitor: str, *, enabled: bool) -> None:
    from forge.cli.quality.monitor_view import monitor_answer
    from forge.flows.quality.monitors.store import change_monitor

    with terminal.open() as wiring:
        _sync(terminal, wiring)
        changed = change_monitor(_find(wiring, monitor).id, {"enabled": enabled}, wiring.quality.monitor_ports())
        terminal.answer(monitor_answer(wiring, changed))


def _find(wiring: Wiring, monitor: str) -> Monitor:
    from forge.flows.quality.monitors.store import find_monitor

    return find_monitor(wiring.quality.monitors, monitor)


def _sync(terminal: Terminal, wiring: Wiring) -> None:
    """Syncs files first; errors of one are reported, and the others work."""
    from forge.flows.quality.monitors.files import sync_monitors

    for error in sync_monitors(wiring.root, wiring.quality.monitor_ports("quality/*.yaml")).errors:
        terminal.say(str(error))


def _exit_of(broken: bool, verdicts: list[tuple[object, object]], fail_on: Severity) -> int:
    """1: a check of that severity failed, or could not be measured. 3: nothing could be judged."""
    from forge.model.codes import COULD_NOT_RUN, FINDINGS
    from forge.quality.verdict import Outcome

    if broken:
        return COULD_NOT_RUN
    order = [word.value for word in Severity]
    bad = [severity for verdict, severity in verdicts if verdict is not Outcome.PASSED]
    return FINDINGS if any(order.index(str(one)) >= order.index(fail_on.value) for one in bad) else 0


app = command_group(
    "Watch datasets: which checks are judged when, whom a failure is told, and what was promised.",
    (list_, show, create, edit, enable, disable, delete, run, sla, history),
)
