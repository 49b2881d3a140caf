"""Terminal output of monitors, their runs and SLAs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.formatting import moment, short
from forge.flows.quality.monitors.run import FinishedRun
from forge.flows.quality.monitors.scheduler import MonitorStatus, monitor_statuses
from forge.quality.monitors.monitor import Monitor, MonitorRun
from forge.quality.monitors.schedule import in_words
from forge.quality.monitors.sla import Sla

if TYPE_CHECKING:
    from forge.wiring import Wiring


def monitors_answer(wiring: Wiring, monitors: Sequence[Monitor]) -> CommandAnswer:
    items = monitor_items(wiring, monitors)
    columns = (
        AnswerColumn("monitor", lambda i: str(i["id"]), style="bold"),
        AnswerColumn("dataset", lambda i: str(i["dataset"])),
        AnswerColumn("state", lambda i: str(i["state"])),
        AnswerColumn("when", lambda i: str(i["when"])),
        AnswerColumn("last run (UTC)", lambda i: _at(i["last_run"], "queued_at")),
        AnswerColumn("next run (UTC)", lambda i: moment(i["next_run_at"])),
        AnswerColumn("from", lambda i: str(i["file"] or "")),
    )
    return CommandAnswer(name="monitors", items=items, columns=columns)


def monitor_answer(wiring: Wiring, monitor: Monitor) -> CommandAnswer:
    (item,) = monitor_items(wiring, [monitor])
    shown = ("id", "name", "dataset", "description", "state", "when", "next_run_at", "channels", "severity_threshold")
    more = ("notify_on_recovery", "sla_target_percentage", "sla_window_days", "file")
    lines = [
        f"{key.replace('_', ' ')}: {_text(item[key])}" for key in (*shown, *more) if item[key] not in (None, "", [])
    ]
    checks = [f"check: {_text(check)}" for check in monitor.checks] or ["checks: those of the project"]
    return CommandAnswer(name="monitors", items=[item], head=[*lines, *checks])


def monitor_items(wiring: Wiring, monitors: Sequence[Monitor]) -> list[dict[str, object]]:
    found = monitor_statuses(monitors, wiring.quality.monitors, wiring.clock())
    return [monitor_item(one) for one in found]


def monitor_item(standing: MonitorStatus) -> dict[str, object]:
    return {**standing.to_dict(), "when": in_words(standing.monitor.schedule)}


def run_answer(done: FinishedRun) -> CommandAnswer:
    items = [result.to_dict() for result in done.results]
    columns = (
        AnswerColumn("verdict", lambda i: str(i["verdict"])),
        AnswerColumn("severity", lambda i: str(i["severity"])),
        AnswerColumn("what", lambda i: str(i["message"])),
    )
    run = done.run
    error = [f"{run.error['code']} {run.error['what']}"] if run.error else []
    head = [f"{run.dataset} at {short(run.commit_id) if run.commit_id else 'no commit'}: {run.status}", *error]
    return CommandAnswer(name="results", items=items, columns=columns, facts={"run": run.to_dict()}, head=head)


def history_answer(monitor: Monitor, runs: Sequence[MonitorRun]) -> CommandAnswer:
    columns = (
        AnswerColumn("run", lambda i: str(i["id"]), style="yellow"),
        AnswerColumn("began (UTC)", lambda i: moment(i["started_at"] or i["queued_at"])),
        AnswerColumn("why", lambda i: str(i["trigger"])),
        AnswerColumn("status", lambda i: str(i["status"])),
        AnswerColumn("passed", lambda i: str(i["passed"]), right=True),
        AnswerColumn("failed", lambda i: str(i["failed"]), right=True),
        AnswerColumn("not measured", lambda i: str(i["not_measured"]), right=True),
        AnswerColumn("commit", lambda i: short(i["commit"]) if i["commit"] else "", style="yellow"),
        AnswerColumn("note", lambda i: _note(i)),
    )
    return CommandAnswer(
        name="runs", items=[run.to_dict() for run in runs], columns=columns, facts={"monitor_id": monitor.id}
    )


def sla_answer(monitor: Monitor, sla: Sla) -> CommandAnswer:
    counted = sla.counted
    facts: dict[str, object] = {
        "monitor_id": monitor.id,
        "dataset": monitor.dataset,
        "state": sla.state.value,
        "target": sla.target,
        "window_days": sla.window_days,
        **counted.to_dict(),
        "pass_rate": sla.pass_rate,
        "budget_runs": sla.budget_runs,
        "budget_percentage_left": sla.budget_left,
        "burn_rate": sla.burn_rate,
    }
    items = [asdict(burn) for burn in sla.burns]
    columns = (
        AnswerColumn("last hours", lambda i: str(i["hours"]), right=True),
        AnswerColumn("runs", lambda i: str(i["runs"]), right=True),
        AnswerColumn("missed", lambda i: str(i["missed"]), right=True),
        AnswerColumn("burn rate", lambda i: "" if i["rate"] is None else f"{i['rate']}", right=True),
    )
    target = "no target" if sla.target is None else f"target {sla.target:g}%"
    rate = "no measured run" if sla.pass_rate is None else f"{sla.pass_rate:g}% of {counted.runs} runs passed"
    head = [f"{monitor.name}: {sla.state}, {rate} in {sla.window_days} days, {target}"]
    head += [f"error budget left: {sla.budget_left:g}%"] if sla.budget_left is not None else []
    head += [f"not measured: {counted.not_measured} runs, counted apart"] if counted.not_measured else []
    return CommandAnswer(name="burns", items=items, columns=columns, facts=facts, head=head)


def _note(item: object) -> str:
    assert isinstance(item, dict)
    error = item["error"]
    errors = [str(error["what"])] if isinstance(error, dict) else []
    return "; ".join([*errors, *item["notes"]])


def _at(run: object, key: str) -> str:
    return moment(run[key]) if isinstance(run, dict) else ""


def _text(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return ", ".join(_text(item) for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
