"""Which rows fail checks: what must be measured to tell, and of which part of the table."""

from __future__ import annotations

from forge.flows.quality.measure import Subject, Tools, measure, target_of
from forge.flows.quality.row_repair import Failing
from forge.flows.runs.engine import Pin
from forge.quality.check import Check
from forge.quality.measure import Readings
from forge.quality.plan import plan_measures, plan_then


def measure_failing(subject: Subject, checks: tuple[tuple[str, Check], ...], tools: Tools) -> Failing:
    """What must be known to tell which rows fail: a second round where bounds come from the first."""
    plain = [check for _, check in checks]
    readings = measure(subject, plan_measures(plain, subject.schema), tools).readings
    later = [one for one in plan_then(plain, readings, subject.schema) if one not in readings]
    readings |= measure(subject, later, tools).readings if later else {}
    return failing_of(subject, checks, readings, tools)


def failing_of(subject: Subject, checks: tuple[tuple[str, Check], ...], readings: Readings, tools: Tools) -> Failing:
    """Checks of new rows get the part of the table that is new; where that cannot be told, they name no rows."""
    parts: dict[str, Pin] = {}
    kept = []
    for check_id, check in checks:
        part = target_of(subject, None, check.since, tools.lake) if check.since else subject.target
        if isinstance(part, Pin):
            kept.append((check_id, check))
            if check.since:
                parts[check.since] = part
    return Failing(tuple(kept), readings, subject.others, parts)
