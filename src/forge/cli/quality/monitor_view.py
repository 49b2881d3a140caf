"""Monitors, their runs and service levels, as the terminal shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forge.cli.answer import Answer, Column
from forge.cli.words import moment, short
from forge.flows.quality.monitors.run import Done
from forge.flows.quality.monitors.scheduler import next_run_at
from forge.quality.monitors.monitor import SETTLED, Monitor, MonitorRun, state_of
from forge.quality.monitors.schedule import in_words
from forge.quality.monitors.sla import Sla
from forge.quality.monitors.spec import schedule_json

if TYPE_CHECKING:
    from datetime import datetime

    from forge.wiring import Wiring


def monitors_answer(wiring: Wiring, monitors: Sequence[Monitor]) -> Answer:
    ids = [monitor.id for monitor in monitors]
    newest, settled = wiring.monitors.newest(ids), wiring.monitors.newest(ids, statuses=SETTLED)
    now = wiring.clock()
    items = [monitor_item(one, newest.get(one.id), settled.get(one.id), now) for one in monitors]
    columns = (
        Column("monitor", lambda i: str(i["id"]), style="bold"),
        Column("dataset", lambda i: str(i["dataset"])),
        Column("state", lambda i: str(i["state"])),
        Column("when", lambda i: str(i["when"])),
        Column("last run (UTC)", lambda i: _at(i["last_run"], "queued_at")),
        Column("next run (UTC)", lambda i: moment(i["next_run_at"])),
        Column("from", lambda i: str(i["file"] or "")),
    )
    return Answer("monitors", items, columns)


def monitor_answer(wiring: Wiring, monitor: Monitor) -> Answer:
    ids = [monitor.id] if monitor.id else []
    newest, settled = wiring.monitors.newest(ids), wiring.monitors.newest(ids, statuses=SETTLED)
    item = monitor_item(monitor, newest.get(monitor.id), settled.get(monitor.id), wiring.clock())
    shown = ("id", "name", "dataset", "description", "state", "when", "next_run_at", "channels", "severity_threshold")
    more = ("notify_on_recovery", "sla_target_percentage", "sla_window_days", "file")
    lines = [
        f"{key.replace('_', ' ')}: {_text(item[key])}" for key in (*shown, *more) if item[key] not in (None, "", [])
    ]
    checks = [f"check: {_text(check)}" for check in monitor.checks] or ["checks: those of the project"]
    return Answer("monitors", [item], head=[*lines, *checks])


def monitor_item(
    monitor: Monitor, newest: MonitorRun | None, settled: MonitorRun | None, now: datetime
) -> dict[str, object]:
    return {
        "id": monitor.id,
        "name": monitor.name,
        "description": monitor.description,
        "dataset": monitor.dataset,
        "branch": monitor.branch,
        "checks": [dict(check) for check in monitor.checks],
        "schedule": schedule_json(monitor.schedule),
        "when": in_words(monitor.schedule),
        "enabled": monitor.enabled,
        "channels": list(monitor.channels),
        "severity_threshold": monitor.severity_threshold.value,
        "notify_on_recovery": monitor.notify_on_recovery,
        "sla_target_percentage": monitor.sla_target_percentage,
        "sla_window_days": monitor.sla_window_days,
        "created_at": monitor.created_at,
        "updated_at": monitor.updated_at,
        "created_by": monitor.created_by,
        "file": monitor.file,
        "state": state_of(monitor, settled),
        "last_run": run_item(newest) if newest else None,
        "next_run_at": next_run_at(monitor, now),
    }


def run_item(run: MonitorRun) -> dict[str, object]:
    return {
        "id": run.id,
        "monitor_id": run.monitor_id,
        "dataset": run.dataset,
        "trigger": run.trigger.value,
        "status": run.status.value,
        "due": run.due,
        "queued_at": run.queued_at,
        "started_at": run.started_at,
        "ended_at": run.finished_at,
        "branch": run.branch,
        "commit": run.commit_id,
        "passed": run.passed,
        "failed": run.failed,
        "not_measured": run.not_measured,
        "error": dict(run.error) if run.error else None,
        "notes": list(run.notes),
        "by": run.by,
    }


def run_answer(done: Done) -> Answer:
    items = [
        {
            "check_id": result.check_id,
            "verdict": result.verdict.value,
            "severity": result.severity.value,
            "message": result.message,
            "details": dict(result.details),
            "execution_ms": result.execution_ms,
            "shared": result.shared,
            "id": result.id,
        }
        for result in done.results
    ]
    columns = (
        Column("verdict", lambda i: str(i["verdict"])),
        Column("severity", lambda i: str(i["severity"])),
        Column("what", lambda i: str(i["message"])),
    )
    run = done.run
    error = [f"{run.error['code']} {run.error['what']}"] if run.error else []
    head = [f"{run.dataset} at {short(run.commit_id) if run.commit_id else 'no commit'}: {run.status}", *error]
    return Answer("results", items, columns, facts={"run": run_item(run)}, head=head)


def history_answer(monitor: Monitor, runs: Sequence[MonitorRun]) -> Answer:
    columns = (
        Column("run", lambda i: str(i["id"]), style="yellow"),
        Column("began (UTC)", lambda i: moment(i["started_at"] or i["queued_at"])),
        Column("why", lambda i: str(i["trigger"])),
        Column("status", lambda i: str(i["status"])),
        Column("passed", lambda i: str(i["passed"]), right=True),
        Column("failed", lambda i: str(i["failed"]), right=True),
        Column("not measured", lambda i: str(i["not_measured"]), right=True),
        Column("commit", lambda i: short(i["commit"]) if i["commit"] else "", style="yellow"),
        Column("note", lambda i: _note(i)),
    )
    return Answer("runs", [run_item(run) for run in runs], columns, facts={"monitor_id": monitor.id})


def sla_answer(monitor: Monitor, sla: Sla) -> Answer:
    counted = sla.counted
    facts: dict[str, object] = {
        "monitor_id": monitor.id,
        "dataset": monitor.dataset,
        "state": sla.state.value,
        "target": sla.target,
        "window_days": sla.window_days,
        "runs": counted.runs,
        "met": counted.met,
        "missed": counted.missed,
        "not_measured": counted.not_measured,
        "pass_rate": sla.pass_rate,
        "budget_runs": sla.budget_runs,
        "budget_percentage_left": sla.budget_left,
        "burn_rate": sla.burn_rate,
    }
    items = [{"hours": b.hours, "runs": b.runs, "missed": b.missed, "rate": b.rate} for b in sla.burns]
    columns = (
        Column("last hours", lambda i: str(i["hours"]), right=True),
        Column("runs", lambda i: str(i["runs"]), right=True),
        Column("missed", lambda i: str(i["missed"]), right=True),
        Column("burn rate", lambda i: "" if i["rate"] is None else f"{i['rate']}", right=True),
    )
    target = "no target" if sla.target is None else f"target {sla.target:g}%"
    rate = "no measured run" if sla.pass_rate is None else f"{sla.pass_rate:g}% of {counted.runs} runs passed"
    head = [f"{monitor.name}: {sla.state}, {rate} in {sla.window_days} days, {target}"]
    head += [f"error budget left: {sla.budget_left:g}%"] if sla.budget_left is not None else []
    head += [f"not measured: {counted.not_measured} runs, counted apart"] if counted.not_measured else []
    return Answer("burns", items, columns, facts=facts, head=head)


def _note(item: object) -> str:
    assert isinstance(item, dict)
    error = item["error"]
    told = [str(error["what"])] if isinstance(error, dict) else []
    return "; ".join([*told, *item["notes"]])


def _at(run: object, key: str) -> str:
    return moment(run[key]) if isinstance(run, dict) else ""


def _text(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return ", ".join(_text(item) for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
