"""Preview of a monitor: its definition, the cost of its checks, its next runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from forge.flows.quality.monitors.check_preview import CheckPlan, PreviewTarget, preview_checks, preview_loaded
from forge.flows.quality.monitors.store import MonitorPorts, draft_monitor
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.check import Check
from forge.quality.monitors.monitor import Monitor
from forge.quality.monitors.schedule import FieldFault, find_dues

_SOON = 5


@dataclass(frozen=True, slots=True)
class MonitorDraft:
    """`monitor` is None where the input is invalid."""

    monitor: Monitor | None
    faults: tuple[FieldFault, ...]
    checks: tuple[CheckPlan, ...]
    next_runs: tuple[datetime, ...] = ()

    @property
    def valid(self) -> bool:
        return not self.faults


def preview_monitor(
    fields: Mapping[str, object],
    ports: MonitorPorts,
    look: Callable[[str], PreviewTarget],
    checks_of: Callable[[TableName], tuple[Check, ...]],
    now: datetime,
) -> MonitorDraft:
    """`look` finds a dataset, `checks_of` the project's checks of it. Nothing is stored."""
    if "dataset_id" in fields and "dataset" not in fields:
        fields = {("dataset" if key == "dataset_id" else key): value for key, value in fields.items()}
    draft, faults = draft_monitor(fields, ports)
    items = fields.get("checks")
    given = list(items) if isinstance(items, list | tuple) else []
    planned = _planned(str(fields.get("dataset", "")), given, look, checks_of)
    monitor = replace(draft, created_at=now, updated_at=now, scheduled_from=now) if draft else None
    schedule = monitor.schedule if monitor else None
    dues = tuple(find_dues(schedule, now, now, _SOON)) if schedule else ()
    return MonitorDraft(monitor, faults, planned, dues)


def _planned(
    dataset: str,
    items: list[object],
    look: Callable[[str], PreviewTarget],
    checks_of: Callable[[TableName], tuple[Check, ...]],
) -> tuple[CheckPlan, ...]:
    """Its own checks, or the project's for the table. The table may not exist yet."""
    try:
        seen, unseen = look(dataset), None
    except ForgeError as error:
        seen, unseen = None, error.what
    if items or seen is None:
        return preview_checks(items, seen, unseen).checks
    return preview_loaded(checks_of(seen.table), seen)
