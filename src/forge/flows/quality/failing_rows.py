"""Rows that fail checks: the measures needed to identify them, and the part of the table they are in."""

from __future__ import annotations

from forge.flows.quality.measure import MeasureSubject, MeasureTools, measure, target_of
from forge.flows.quality.row_repair import RowFailures
from forge.flows.runs.engine import Pin
from forge.quality.check import Check
from forge.quality.measure import Readings
from forge.quality.plan import plan_measures, plan_second_round


def measure_failing(subject: MeasureSubject, checks: tuple[tuple[str, Check], ...], tools: MeasureTools) -> RowFailures:
    """Readings needed to identify failing rows: a second round where bounds come from the first."""
    plain = [check for _, check in checks]
    readings = measure(subject, plan_measures(plain, subject.schema), tools).readings
    later = [one for one in plan_second_round(plain, readings, subject.schema) if one not in readings]
    readings |= measure(subject, later, tools).readings if later else {}
    return failing_of(subject, checks, readings, tools)


def failing_of(
    subject: MeasureSubject, checks: tuple[tuple[str, Check], ...], readings: Readings, tools: MeasureTools
) -> RowFailures:
    """Checks with `since` get the new part of the table; where that is unknown, they identify no rows."""
    parts: dict[str, Pin] = {}
    kept = []
    for check_id, check in checks:
        part = target_of(subject, None, check.since, tools.lake) if check.since else subject.target
        if isinstance(part, Pin):
            kept.append((check_id, check))
            if check.since:
                parts[check.since] = part
    return RowFailures(tuple(kept), readings, subject.others, parts)
