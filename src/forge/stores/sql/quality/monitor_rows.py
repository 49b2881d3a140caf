"""Mapping between rows and monitors, runs and results."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from forge.model.names import BranchName, CommitId, SnapshotId
from forge.quality.monitors.monitor import CheckResult, Monitor, MonitorRun, MonitorRunStatus, Trigger
from forge.quality.monitors.spec import read_schedule, schedule_json
from forge.quality.verdict import Outcome, Severity


def monitor_row(monitor: Monitor) -> dict[str, Any]:
    return {
        "id": monitor.id,
        "name": monitor.name,
        "table_name": str(monitor.table),
        "dataset": monitor.dataset,
        "description": monitor.description,
        "checks": [dict(check) for check in monitor.checks],
        "schedule": schedule_json(monitor.schedule),
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
        "scheduled_from": monitor.scheduled_from,
        "removed_at": monitor.removed_at,
    }


def monitor_of(row: Mapping[str, Any]) -> Monitor:
    fields = {key: value for key, value in row.items() if key != "table_name"}
    fields["checks"] = tuple(fields["checks"])
    fields["channels"] = tuple(fields["channels"])
    fields["severity_threshold"] = Severity(fields["severity_threshold"])
    fields["schedule"], _ = read_schedule(fields["schedule"])
    return Monitor(**fields)


def run_row(run: MonitorRun, seen_at: datetime) -> dict[str, Any]:
    return {
        "id": run.id,
        "monitor_id": run.monitor_id,
        "table_name": run.dataset.partition("@")[0],
        "dataset": run.dataset,
        "trigger": run.trigger.value,
        "claim": run.claim,
        "status": run.status.value,
        "queued_at": run.queued_at,
        "due": run.due,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "branch": run.branch,
        "commit_id": run.commit_id,
        "snapshot_id": run.snapshot_id,
        "passed": run.passed,
        "failed": run.failed,
        "not_measured": run.not_measured,
        "error": dict(run.error) if run.error is not None else None,
        "notes": list(run.notes),
        "by": run.by,
        "host": run.host,
        "pid": run.pid,
        "process_started": run.process_started,
        "seen_at": seen_at,
    }


def run_of(row: Mapping[str, Any]) -> MonitorRun:
    fields = {key: value for key, value in row.items() if key not in ("table_name", "seen_at")}
    fields["trigger"] = Trigger(fields["trigger"])
    fields["status"] = MonitorRunStatus(fields["status"])
    fields["notes"] = tuple(fields["notes"])
    return MonitorRun(**fields)


def result_row(result: CheckResult, run_id: str, position: int) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "position": position,
        "monitor_id": result.monitor_id,
        "table_name": result.dataset,
        "check_id": result.check_id,
        "check_type": result.type,
        "branch": result.branch,
        "commit_id": result.commit_id,
        "snapshot_id": result.snapshot_id,
        "verdict": result.verdict.value,
        "severity": result.severity.value,
        "message": result.message.replace("\x00", "\ufffd"),  # PostgreSQL text cannot contain NUL
        "executed_at": result.executed_at,
        "columns": list(result.columns),
        "blocks": result.blocks,
        "details": dict(result.details),
        "execution_ms": result.execution_ms,
        "shared": result.shared,
    }


def result_id(run_id: str, position: int) -> str:
    return f"{run_id}.{position + 1}"


def result_of(row: Mapping[str, Any]) -> CheckResult:
    return CheckResult(
        id=result_id(row["run_id"], row["position"]),
        check_id=row["check_id"],
        type=row["check_type"],
        dataset=row["table_name"],
        branch=BranchName(row["branch"]) if row["branch"] else None,
        commit_id=CommitId(row["commit_id"]) if row["commit_id"] else None,
        snapshot_id=SnapshotId(row["snapshot_id"]) if row["snapshot_id"] is not None else None,
        verdict=Outcome(row["verdict"]),
        severity=Severity(row["severity"]),
        message=row["message"],
        executed_at=row["executed_at"],
        columns=tuple(row["columns"]),
        blocks=row["blocks"],
        details=row["details"],
        execution_ms=row["execution_ms"],
        shared=row["shared"],
        monitor_id=row["monitor_id"],
        monitor_run_id=row["run_id"],
    )
