"""Runs, their outputs, their progress and the verdicts of their checks."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from forge.api.wire import ErrorView, Moment, OutcomeWord, RunWord, SeverityWord, Wire
from forge.flows.runs.jobs import JobKind
from forge.flows.runs.records import OutputStatus, RunKind
from forge.transforms.transform import TransformKind


class RunStart(Wire):
    """Start a run. Everything may be left out: that runs all that is not up to date on the default branch."""

    selection: list[Annotated[str, Field(max_length=300)]] = Field(default=[], max_length=200)
    branch: Annotated[str, Field(min_length=1, max_length=255)] | None = None
    params: dict[str, str] = {}
    start: Moment | None = None
    end: Moment | None = None
    message: Annotated[str, Field(max_length=10_000)] | None = None
    force: bool = False


OutputKindWord = TransformKind | RunKind | Literal["quarantine", "remediation.revert"]
"""How a table was made: by a transform, by a run that is no `run`, or as the quarantine of another table."""


class OutputView(Wire):
    table: str
    status: OutputStatus
    reason: str = ""
    kind: OutputKindWord = TransformKind.FULL
    rows: int | None = None
    rows_added: int | None = None
    snapshot_id: str | None = None  # a text: JavaScript's numbers are too short for it
    spark_jobs: int = 0
    seconds: float = 0.0
    inputs: dict[str, str | None] = {}
    error: ErrorView | None = None


class StepView(Wire):
    """Where one table of a run is now. Stages and tasks are those known so far; there is no false percentage."""

    table: str
    step: str  # of the newest event: started, staged, checked, published; waiting before the first
    detail: str = ""
    at: datetime | None = None
    stages_done: int = 0
    stages_known: int = 0
    tasks_done: int = 0
    tasks_known: int = 0


class EventView(Wire):
    at: datetime
    table: str | None = None
    step: str
    detail: str = ""


class RunProgress(Wire):
    tables: list[StepView] = []
    events: list[EventView] = []  # oldest first
    queue_position: int | None = None  # 0: next


class RunTicket(Wire):
    """Work that takes longer than a request should: follow it at /api/v1/runs/{run_id}, which is in `Location`."""

    run_id: str
    status: Literal["running"] = "running"
    kind: JobKind


class RunView(Wire):
    run_id: str
    status: RunWord
    branch: str
    kind: RunKind | JobKind = "run"
    text: str = ""  # of a question: what is asked, shortened
    queued_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    seconds: float | None = None
    commit: str | None = None
    user: str = ""
    host: str = ""
    pid: int | None = None
    step: str = ""
    selection: list[str] = []
    params: dict[str, str] = {}
    request: RunStart | None = None  # of a run that was started here: enough to start it again
    error: ErrorView | None = None
    outputs: list[OutputView] = []
    can_cancel: bool = False
    can_rerun: bool = False


class VerdictView(Wire):
    check_id: str
    type: str
    table: str
    columns: list[str]
    outcome: OutcomeWord
    severity: SeverityWord
    message: str
    blocks: bool
    details: dict[str, Any] = {}
    run_id: str
    executed_at: datetime | None = None
    commit: str | None = None


class RunDetail(RunView):
    """One run in full. Its event stream sends this same shape, whole, whenever something changed."""

    progress: RunProgress | None = None
    verdicts: list[VerdictView] = []
    merge_id: str | None = None  # of the merge that waits for someone's decision because of this run
