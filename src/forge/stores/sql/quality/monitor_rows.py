"""Mapping between rows and monitors, runs and results."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from forge.quality.monitors.monitor import CheckResult, Monitor, MonitorRun, MonitorRunStatus, Trigger
from forge.quality.monitors.spec import read_schedule, schedule_json
from forge.quality.verdict import Outcome, Severity
from forge.stores.sql.record_columns import columns_of, record_of


def monitor_row(monitor: Monitor) -> dict[str, Any]:
    return {**columns_of(monitor), "table_name": str(monitor.table), "schedule": schedule_json(monitor.schedule)}


def monitor_of(row: Mapping[str, Any]) -> Monitor:
    schedule, _ = read_schedule(row["schedule"])
    return record_of(Monitor, row, severity_threshold=Severity(row["severity_threshold"]), schedule=schedule)


def run_row(run: MonitorRun, seen_at: datetime) -> dict[str, Any]:
    return {**columns_of(run), "table_name": run.dataset.partition("@")[0], "seen_at": seen_at}


def run_of(row: Mapping[str, Any]) -> MonitorRun:
    return record_of(MonitorRun, row, trigger=Trigger(row["trigger"]), status=MonitorRunStatus(row["status"]))


def result_row(result: CheckResult, run_id: str, position: int) -> dict[str, Any]:
    return {
        **columns_of(result, "id", "type", "dataset", "monitor_run_id"),
        "run_id": run_id,
        "position": position,
        "table_name": result.dataset,
        "check_type": result.type,
        "message": result.message.replace("\x00", "\ufffd"),  # PostgreSQL text cannot contain NUL
    }


def result_id(run_id: str, position: int) -> str:
    return f"{run_id}.{position + 1}"


def result_of(row: Mapping[str, Any]) -> CheckResult:
    return record_of(
        CheckResult,
        row,
        id=result_id(row["run_id"], row["position"]),
        type=row["check_type"],
        dataset=row["table_name"],
        verdict=Outcome(row["verdict"]),
        severity=Severity(row["severity"]),
        monitor_run_id=row["run_id"],
        run_id=None,
    )
