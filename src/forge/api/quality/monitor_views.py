"""JSON views of monitors, their runs, results and SLAs."""

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
    SlaDay,
    SlaView,
)
from forge.flows.quality.monitors import check_preview
from forge.flows.quality.monitors.scheduler import MonitorStatus, monitor_statuses
from forge.flows.quality.monitors.store import MonitorStore
from forge.quality.kinds import kind_of
from forge.quality.measure import Measure
from forge.quality.monitors.monitor import CheckResult, Monitor, MonitorRun
from forge.quality.monitors.schedule import FieldFault
from forge.quality.monitors.sla import Sla


def monitor_views(monitors: Sequence[Monitor], store: MonitorStore, now: datetime) -> list[MonitorView]:
    return [monitor_view(one) for one in monitor_statuses(monitors, store, now)]


def monitor_view(standing: MonitorStatus) -> MonitorView:
    return MonitorView.model_validate(standing.to_dict())


def run_view(run: MonitorRun) -> MonitorRunView:
    return MonitorRunView.model_validate(run.to_dict())


def past_result(result: CheckResult) -> PastResult:
    return PastResult(
        id=result.id,
        executed_at=result.executed_at,
        verdict=result.verdict.value,
        message=result.message,
        value=main_number(result.details),
    )


def main_number(details: Mapping[str, object]) -> float | None:
    """What a chart of the check shows: rows that broke the rule, else what was measured."""
    readings = details.get("readings")
    if not isinstance(readings, Mapping):
        return None
    numbers: dict[str, float] = {}
    for name, value in readings.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            kind = str(name).partition("(")[0]  # nulls(a), nulls(b): all of them
            numbers[kind] = numbers.get(kind, 0.0) + float(value)
    first = min(numbers, key=lambda name: kind_of(Measure(kind=name)).rank, default=None)
    return None if first is None else numbers[first]


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


def fault_view(fault: FieldFault) -> FaultView:
    return FaultView(path=fault.path, message=fault.message, fix=fault.fix)


def planned_view(planned: check_preview.CheckPlan) -> PlannedCheck:
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
