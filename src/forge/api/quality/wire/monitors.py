"""Wire models of monitors, their runs, results and SLAs, and of checks validated before they are stored."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from forge.api.quality.wire.health import JudgedByView, ResultView, TrendDay
from forge.api.versioning.wire.refs import CommitView
from forge.api.wire import ErrorView, Name, OutcomeWord, SeverityWord, Text, Wire
from forge.flows.quality.incidents.ports import ChannelType
from forge.quality.measure import MeasureTier

MonitorRunWord = Literal["queued", "running", "passed", "failed", "not measured", "cancelled", "interrupted", "skipped"]
MonitorStateWord = Literal["failing", "warning", "ok", "not measured", "never ran", "paused"]
ScheduleWord = Literal["cron", "interval", "on_change"]
MissedWord = Literal["skip", "catch_up"]
TriggerWord = Literal["schedule", "change", "manual"]
SlaWord = Literal["met", "at risk", "missed", "no target", "no runs"]


class ScheduleBody(Wire):
    """When. `cron` is for type cron, `interval_minutes` for interval; on_change follows the table's snapshots."""

    type: ScheduleWord
    cron: Annotated[str, Field(max_length=200, examples=["0 6 * * 1-5"])] | None = None
    interval_minutes: int | None = None
    timezone: Annotated[str, Field(max_length=64, examples=["Europe/Berlin"])] = "UTC"
    missed: MissedWord = "skip"


class MonitorCreate(Wire):
    """A monitor to be. Without `checks` it judges those the project has for the table; without `schedule` it runs by
    hand only."""

    name: Name
    dataset: Annotated[str, Field(max_length=600, examples=["core.orders", "core.orders@dev"])]
    description: Text = ""
    checks: list[Any] = Field(default=[], max_length=1000)
    schedule: ScheduleBody | None = None
    enabled: bool = True
    channels: list[Name] = Field(default=[], max_length=50)
    severity_threshold: SeverityWord = "warning"
    notify_on_recovery: bool = True
    sla_target_percentage: float | None = None
    sla_window_days: int = 30


class MonitorChange(Wire):
    """What is left out stays as it is."""

    name: Name | None = None
    dataset: Annotated[str, Field(max_length=600)] | None = None
    description: Text | None = None
    checks: list[Any] | None = Field(default=None, max_length=1000)
    schedule: ScheduleBody | None = None  # null: by hand only
    enabled: bool | None = None
    channels: list[Name] | None = Field(default=None, max_length=50)
    severity_threshold: SeverityWord | None = None
    notify_on_recovery: bool | None = None
    sla_target_percentage: float | None = None  # null: no target
    sla_window_days: int | None = None


class MonitorRunView(Wire):
    """`id` is the id of the job, too: /api/v1/runs/{id} follows it."""

    id: str
    monitor_id: str | None
    dataset: str
    trigger: TriggerWord
    status: MonitorRunWord
    due: datetime | None
    queued_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    branch: str | None
    commit: str | None
    passed: int
    failed: int
    not_measured: int
    error: ErrorView | None = None
    notes: list[str] = []
    by: str = ""


class MonitorView(Wire):
    id: str
    name: str
    description: str
    dataset: str
    branch: str | None  # None: the default branch
    checks: list[dict[str, Any]]  # as they were given
    schedule: ScheduleBody | None
    enabled: bool
    channels: list[str]
    severity_threshold: SeverityWord
    notify_on_recovery: bool
    sla_target_percentage: float | None
    sla_window_days: int
    created_at: datetime | None
    updated_at: datetime | None
    created_by: str
    file: str | None  # quality/orders.yaml:3: only the file changes it
    state: MonitorStateWord
    last_run: MonitorRunView | None
    next_run_at: datetime | None


class MonitorTicket(Wire):
    """A run of a monitor was queued: follow it at /api/v1/runs/{run_id}, which is in `Location`."""

    run_id: str
    monitor_id: str
    status: Literal["queued"] = "queued"
    kind: Literal["monitor"] = "monitor"


class PastResult(Wire):
    id: str
    executed_at: datetime | None
    verdict: OutcomeWord
    message: str
    value: float | None  # its main number: rows that broke the rule, or what was measured


class CauseView(Wire):
    """Where a failure came in: the first dataset upstream whose checks failed, else where its column came in, else the
    commit since which the check fails."""

    dataset: str
    column: str | None
    check_id: str | None
    commit: CommitView | None
    words: str


class ResultDetail(ResultView):
    history: list[PastResult]  # of the same check, newest first, this one included
    cause: CauseView | None
    incident_id: str | None = None
    judged_by: JudgedByView


class BurnView(Wire):
    """How fast the error budget goes over the last `hours`: 1 uses up exactly the budget within the window."""

    hours: int
    runs: int
    missed: int
    rate: float | None  # None: no run


class SlaDay(Wire):
    day: str
    runs: int
    met: int
    missed: int
    not_measured: int
    budget_left: float | None  # percent, at the end of that day


class SlaView(Wire):
    """Pass rate = share of the measured runs in the window in which no check of severity error or critical failed."""

    monitor_id: str
    dataset: str
    target: float | None
    window_days: int
    window_start: datetime
    window_end: datetime
    runs: int  # measured: met + missed
    met: int
    missed: int
    not_measured: int
    pass_rate: float | None  # percent
    budget_runs: float | None  # how many runs may fail in the window as it is
    budget_percentage_left: float | None  # of the error budget; below 0: it is overdrawn
    burn_rate: float | None  # over the whole window
    burns: list[BurnView]
    state: SlaWord
    days: list[SlaDay]


class ChecksToValidate(Wire):
    """`dataset`, where given, is looked at: whether its columns suit the checks, and what measuring would take."""

    checks: list[Any] = Field(max_length=1000)
    dataset: Annotated[str, Field(max_length=600)] | None = None


class FaultView(Wire):
    path: str  # checks[2].max_null_percentage
    message: str
    fix: str | None = None


class PlannedCheck(Wire):
    """One check in words and, where the dataset is known, what would be measured where."""

    path: str
    id: str | None
    type: str
    columns: list[str]
    severity: SeverityWord
    words: str
    measures: list[str] = []
    tiers: list[MeasureTier] = []  # where its readings would come from
    problem: str | None = None  # why it cannot be measured on the dataset as it is now


class ValidationView(Wire):
    valid: bool
    errors: list[FaultView]
    checks: list[PlannedCheck]  # those that can be read


class MonitorPreview(ValidationView):
    """What POST would keep. Nothing was stored, nothing run."""

    monitor: MonitorView | None  # None: it cannot be made out
    next_runs: list[datetime]


class DatasetHealth(Wire):
    """How one dataset stands now, and day by day."""

    dataset: str
    branch: str
    owner: str | None
    score: float | None
    passed: int
    failed: int
    not_measured: int
    checked_at: datetime | None
    failing: str | None  # the newest message of its worst failed check
    failing_result_id: str | None
    monitors: int
    open_incidents: int
    days: list[TrendDay]


class ChannelView(Wire):
    name: str
    type: ChannelType
