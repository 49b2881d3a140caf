"""A monitor: which checks of which dataset are judged when, who is notified of a failure, and the SLA.

All of it is data. `flows/quality/monitors/run.py` runs one, `flows/quality/monitors/scheduler.py` decides when."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from forge.model.names import BranchName, CommitId, RunId, SnapshotId, TableName
from forge.model.record_json import record_json
from forge.quality.values import plain
from forge.quality.verdict import Outcome, Severity

CheckSpec = Mapping[str, object]  # a check as people write it; `forge.quality.spec` reads it


class ScheduleType(StrEnum):
    CRON = "cron"
    INTERVAL = "interval"
    ON_CHANGE = "on_change"


class MissedPolicy(StrEnum):
    """The policy for due times missed because no server ran."""

    SKIP = "skip"  # the next one is the next that is due
    CATCH_UP = "catch_up"  # one run for all that were missed, as soon as a server is there


@dataclass(frozen=True, slots=True)
class Schedule:
    """`cron` belongs to type cron, `interval_minutes` to interval. on_change: for each new snapshot of the table."""

    type: ScheduleType
    cron: str | None = None
    interval_minutes: int | None = None
    timezone: str = "UTC"  # in which the cron expression is meant
    missed: MissedPolicy = MissedPolicy.SKIP

    def to_dict(self) -> dict[str, object]:
        return record_json(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """`dataset` is `core.orders`, or `core.orders@branch`. Without `checks` it judges the project's checks of the
    table. `file`: its place in quality/*.yaml; only that file changes it. A removed monitor is kept for its history."""

    id: str
    name: str
    dataset: str
    description: str = ""
    checks: tuple[CheckSpec, ...] = ()
    schedule: Schedule | None = None  # None: by hand only
    enabled: bool = True
    channels: tuple[str, ...] = ()  # names in forge.yaml, alerts.channels
    severity_threshold: Severity = Severity.WARNING  # failures below it are not announced
    notify_on_recovery: bool = True
    sla_target_percentage: float | None = None
    sla_window_days: int = 30
    created_at: datetime | None = None
    updated_at: datetime | None = None
    created_by: str = ""
    file: str | None = None
    scheduled_from: datetime | None = None  # since when the schedule as it is has been in force
    removed_at: datetime | None = None

    @property
    def table(self) -> TableName:
        return TableName.parse(self.dataset.partition("@")[0])

    @property
    def branch(self) -> BranchName | None:
        """None: the default branch."""
        branch = self.dataset.partition("@")[2]
        return BranchName(branch) if branch else None

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "name": self.name,
            "description": self.description,
            "dataset": self.dataset,
            "branch": self.branch,
            "checks": [plain(dict(check)) for check in self.checks],
            "schedule": self.schedule.to_dict() if self.schedule else None,
            "enabled": self.enabled,
            "channels": list(self.channels),
            "severity_threshold": str(self.severity_threshold),
            "notify_on_recovery": self.notify_on_recovery,
            "sla_target_percentage": self.sla_target_percentage,
            "sla_window_days": self.sla_window_days,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "created_by": self.created_by,
            "file": self.file,
        }


class Trigger(StrEnum):
    SCHEDULE = "schedule"
    CHANGE = "change"
    MANUAL = "manual"  # a person, a command or a program asked for it


class MonitorRunStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    PASSED = "passed"  # no check of severity error or critical failed
    FAILED = "failed"  # one did
    NOT_MEASURED = "not measured"  # none failed, but one of them could not be measured, or the run could not be made
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"  # the process died
    SKIPPED = "skipped"  # it was due while the one before still worked


OPEN = (MonitorRunStatus.QUEUED, MonitorRunStatus.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorRun:
    """One judgement of a dataset: by a monitor, or by hand (`monitor_id` None). Its id is also the job's.

    `claim` identifies its cause: the due time, the snapshot, or its own id. It is unique per monitor, so that of two
    servers only one makes the run."""

    id: str
    monitor_id: str | None
    dataset: str
    trigger: Trigger
    claim: str
    status: MonitorRunStatus
    queued_at: datetime
    due: datetime | None = None  # of a schedule
    started_at: datetime | None = None
    finished_at: datetime | None = None
    branch: BranchName | None = None
    commit_id: CommitId | None = None
    snapshot_id: SnapshotId | None = None
    passed: int = 0
    failed: int = 0
    not_measured: int = 0
    error: Mapping[str, str | None] | None = None  # why it could not be made
    notes: tuple[str, ...] = ()  # what went wrong after the verdicts: an alert that could not be queued, …
    by: str = ""
    host: str = ""
    pid: int = 0
    process_started: str = ""

    @property
    def is_over(self) -> bool:
        return self.status not in OPEN

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "monitor_id": self.monitor_id,
            "dataset": self.dataset,
            "trigger": str(self.trigger),
            "status": str(self.status),
            "due": self.due,
            "queued_at": self.queued_at,
            "started_at": self.started_at,
            "ended_at": self.finished_at,
            "branch": self.branch,
            "commit": self.commit_id,
            "passed": self.passed,
            "failed": self.failed,
            "not_measured": self.not_measured,
            "error": dict(self.error) if self.error else None,
            "notes": list(self.notes),
            "by": self.by,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The result of one check on one version of a dataset. `monitor_run_id` or `run_id` (of a governed run) is set."""

    id: str
    check_id: str
    type: str
    dataset: str  # the table
    branch: BranchName | None
    commit_id: CommitId | None
    snapshot_id: SnapshotId | None
    verdict: Outcome
    severity: Severity
    message: str
    executed_at: datetime
    columns: tuple[str, ...] = ()
    blocks: bool = False
    details: Mapping[str, object] = field(default_factory=dict)  # readings, thresholds, sample, note, partitions
    execution_ms: float | None = None
    shared: bool = False  # the time is that of a scan that other checks were measured in, too
    monitor_id: str | None = None
    monitor_run_id: str | None = None
    run_id: RunId | None = None

    def to_dict(self) -> dict[str, object]:
        """`table` and `outcome` are `dataset` and `verdict` of a verdict."""
        return {
            "id": self.id,
            "check_id": self.check_id,
            "type": self.type,
            "dataset": self.dataset,
            "table": self.dataset,
            "branch": self.branch,
            "commit": self.commit_id,
            "verdict": str(self.verdict),
            "outcome": str(self.verdict),
            "severity": str(self.severity),
            "message": self.message,
            "columns": list(self.columns),
            "blocks": self.blocks,
            "details": dict(self.details),
            "executed_at": self.executed_at,
            "execution_ms": self.execution_ms,
            "shared": self.shared,
            "monitor_id": self.monitor_id,
            "monitor_run_id": self.monitor_run_id,
            "run_id": self.run_id,
        }


def status_of(verdicts: Sequence[tuple[Outcome, Severity]]) -> MonitorRunStatus:
    """By the checks that count for the SLA: severity error and critical."""
    counted = {outcome for outcome, severity in verdicts if severity in (Severity.ERROR, Severity.CRITICAL)}
    if Outcome.FAILED in counted:
        return MonitorRunStatus.FAILED
    if Outcome.NOT_MEASURED in counted or (verdicts and all(o is Outcome.NOT_MEASURED for o, _ in verdicts)):
        return MonitorRunStatus.NOT_MEASURED
    return MonitorRunStatus.PASSED


MonitorState = Literal["failing", "warning", "ok", "not measured", "never ran", "paused"]
SETTLED: Mapping[MonitorRunStatus, MonitorState] = {
    MonitorRunStatus.PASSED: "ok",
    MonitorRunStatus.FAILED: "failing",
    MonitorRunStatus.NOT_MEASURED: "not measured",
}
"""The final statuses of a run that determine the state of its monitor."""


def state_of(monitor: Monitor, settled: MonitorRun | None) -> MonitorState:
    """The state by the newest finished run. Checks of severity warning and info do not fail a run; a failed one makes
    the state `warning`."""
    if not monitor.enabled:
        return "paused"
    if settled is None:
        return "never ran"
    state = SETTLED[settled.status]
    return "warning" if state == "ok" and settled.failed else state


def new_monitor_id(name: str) -> str:
    """Readable, and unique among monitors of the same name."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].rstrip("-") or "monitor"
    return f"{slug}-{secrets.token_hex(3)}"
