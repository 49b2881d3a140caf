"""Computes the SLA of a monitor from its runs."""

from __future__ import annotations

from datetime import datetime, timedelta

from forge.flows.quality.monitors.store import MonitorStore
from forge.quality.monitors.monitor import Monitor, MonitorRunStatus
from forge.quality.monitors.sla import Sla, SlaRun, judge_sla

_COUNTED = (MonitorRunStatus.PASSED, MonitorRunStatus.FAILED, MonitorRunStatus.NOT_MEASURED)
_MOST = 1_000_000
_WAIT = timedelta(days=1)  # a run may begin so long after it was queued


def find_sla(store: MonitorStore, monitor: Monitor, now: datetime, window_days: int | None = None) -> Sla:
    """`window_days`: overrides the monitor's window."""
    days = window_days or monitor.sla_window_days
    since = now - timedelta(days=days) - _WAIT
    runs = store.runs(monitor_id=monitor.id, statuses=_COUNTED, since=since, limit=_MOST)
    counted = [SlaRun(run.started_at or run.queued_at, run.status) for run in runs]
    return judge_sla(counted, monitor.sla_target_percentage, days, now)
