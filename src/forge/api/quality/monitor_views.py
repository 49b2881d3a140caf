"""Monitors, their runs, results and service levels as HTTP shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from forge.api.quality.wire.monitors import (
    BurnView,
    FaultView,
    MonitorRunView,
    MonitorView,
    PastResult,
    PlannedCheck,
    ScheduleBody,
    SlaDay,
    SlaView,
)
from forge.api.views import error_view
from forge.flows.quality.monitors import check_preview
from forge.flows.quality.monitors.scheduler import next_run_at
from forge.flows.quality.monitors.store import MonitorStore
from forge.quality.monitors.monitor import SETTLED, CheckResult, Monitor, MonitorRun, state_of
from forge.quality.monitors.schedule import Fault
from forge.quality.monitors.sla import Sla
from forge.quality.monitors.spec import schedule_json
from forge.quality.values import plain


def monitor_views(monitors: Sequence[Monitor], store: MonitorStore, now: datetime) -> list[MonitorView]:
    """With the newest run of each, and where that one has not ended, the state of the one before."""
    ids = [monitor.id for monitor in monitors]
    newest, settled = store.newest(ids), store.newest(ids, statuses=SETTLED)
    return [monitor_view(one, newest.get(one.id), settled.get(one.id), now) for one in monitors]


def monitor_view(monitor: Monitor, newest: MonitorRun | None, settled: MonitorRun | None, now: datetime) -> MonitorView:
    schedule = schedule_json(monitor.schedule)
    return MonitorView(
        id=monitor.id,
        name=monitor.name,
        description=monitor.description,
        dataset=monitor.dataset,
        branch=monitor.branch,
        checks=[_json_object(check) for check in monitor.checks],
        schedule=ScheduleBody.model_validate(schedule) if schedule else None,
        enabled=monitor.enabled,
        channels=list(monitor.channels),
        severity_threshold=monitor.severity_threshold.value,
        notify_on_recovery=monitor.notify_on_recovery,
        sla_target_percentage=monitor.sla_target_percentage,
        sla_window_days=monitor.sla_window_days,
        created_at=monitor.created_at,
        updated_at=monitor.updated_at,
        created_by=monitor.created_by,
        file=monitor.file,
        state=state_of(monitor, settled),
        last_run=run_view(newest) if newest else None,
        next_run_at=next_run_at(monitor, now),
    )


def _json_object(check: Mapping[str, object]) -> dict[str, object]:
    """Dates of YAML are texts in JSON."""
    return {str(key): plain(value) for key, value in check.items()} if isinstance(check, Mapping) else {}


def run_view(run: MonitorRun) -> MonitorRunView:
    return MonitorRunView(
        id=run.id,
        monitor_id=run.monitor_id,
        dataset=run.dataset,
        trigger=run.trigger.value,
        status=run.status.value,
        due=run.due,
        queued_at=run.queued_at,
        started_at=run.started_at,
        ended_at=run.finished_at,
        branch=run.branch,
        commit=run.commit_id,
        passed=run.passed,
        failed=run.failed,
        not_measured=run.not_measured,
        error=error_view(run.error),
        notes=list(run.notes),
        by=run.by,
    )


def past_result(result: CheckResult) -> PastResult:
    return PastResult(
        id=result.id,
        executed_at=result.executed_at,
        verdict=result.verdict.value,
        message=result.message,
        value=main_number(result.details),
    )


# Readings that tell most come first: rows that broke the rule, then what was measured.
_TELLING = ("outside_range", "outside_set", "not_matching", "false", "duplicates", "orphans", "query_rows")
_LAST = ("nulls", "rows", "min", "max")


def main_number(details: Mapping[str, object]) -> float | None:
    """What a chart of the check shows."""
    readings = details.get("readings")
    if not isinstance(readings, Mapping):
        return None
    numbers: dict[str, float] = {}
    for name, value in readings.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            kind = str(name).partition("(")[0]  # nulls(a), nulls(b): all of them
            numbers[kind] = numbers.get(kind, 0.0) + float(value)
    other = [kind for kind in numbers if kind not in (*_TELLING, *_LAST)]
    return next((numbers[kind] for kind in (*_TELLING, *other, *_LAST) if kind in numbers), None)


def sla_view(monitor: Monitor, sla: Sla) -> SlaView:
    counted = sla.counted
    return SlaView(
        monitor_id=monitor.id,
        dataset=monitor.dataset,
        target=sla.target,
        window_days=sla.window_days,
        window_start=sla.start,
        window_end=sla.end,
        runs=counted.runs,
        met=counted.met,
        missed=counted.missed,
        not_measured=counted.not_measured,
        pass_rate=sla.pass_rate,
        budget_runs=sla.budget_runs,
        budget_percentage_left=sla.budget_left,
        burn_rate=sla.burn_rate,
        burns=[BurnView(hours=b.hours, runs=b.runs, missed=b.missed, rate=b.rate) for b in sla.burns],
        state=sla.state.value,
        days=[
            SlaDay(
                day=day.day.isoformat(),
                runs=day.counted.runs,
                met=day.counted.met,
                missed=day.counted.missed,
                not_measured=day.counted.not_measured,
                budget_left=day.budget_left,
            )
            for day in sla.days
        ],
    )


def fault_view(fault: Fault) -> FaultView:
    return FaultView(path=fault.path, message=fault.message, fix=fault.fix)


def planned_view(planned: check_preview.PlannedCheck) -> PlannedCheck:
    return PlannedCheck(
        path=planned.path,
        id=planned.check_id,
        type=planned.type,
        columns=list(planned.columns),
        severity=planned.severity.value,
        words=planned.words,
        measures=list(planned.measures),
        tiers=list(planned.tiers),
        problem=planned.problem,
    )
