"""JSON views of monitors, their runs, results and SLAs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from forge.api.quality.wire.monitors import (
    MonitorView,
    PastResult,
    PlannedCheck,
    SlaDay,
    SlaView,
)
from forge.flows.quality.monitors.check_preview import CheckPlan
from forge.flows.quality.monitors.scheduler import monitor_statuses
from forge.flows.quality.monitors.store import MonitorStore
from forge.quality.kinds import kind_of
from forge.quality.measure import Measure
from forge.quality.monitors.monitor import CheckResult, Monitor
from forge.quality.monitors.sla import Sla


def monitor_views(monitors: Sequence[Monitor], store: MonitorStore, now: datetime) -> list[MonitorView]:
    return [MonitorView.model_validate(one.to_dict()) for one in monitor_statuses(monitors, store, now)]


def past_result(result: CheckResult) -> PastResult:
    return PastResult.of(result, value=main_number(result.details))


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
    return SlaView.of(
        sla,
        **sla.counted.to_dict(),
        monitor_id=monitor.id,
        dataset=monitor.dataset,
        window_start=sla.start,
        window_end=sla.end,
        budget_percentage_left=sla.budget_left,
        days=[SlaDay.of(day, **day.counted.to_dict(), day=day.day.isoformat()) for day in sla.days],
    )


def planned_views(checks: Sequence[CheckPlan]) -> list[PlannedCheck]:
    return [PlannedCheck.of(planned, id=planned.check_id) for planned in checks]
