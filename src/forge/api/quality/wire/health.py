"""Wire models of open incidents and the health of a dataset."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from forge.api.versioning.wire.refs import CommitView
from forge.api.wire import OutcomeWord, SeverityWord, Wire


class SparedView(Wire):
    table: str
    column: str
    owner: str | None


class KeptView(Wire):
    """What readers still have: the version before the run that was stopped."""

    table: str
    version: int
    commit: str | None
    time: datetime | None


class IncidentView(Wire):
    """One failed, blocking check that nothing has put right since: in words, with its cause and its reach."""

    id: str
    table: str
    column: str | None
    check_id: str
    check_type: str
    severity: SeverityWord
    message: str
    branch: str
    run_id: str
    since: datetime  # when it was first seen without a pass in between
    previous: str | None  # the check's message when it last passed
    origin: str | None  # the column where the data entered the lake
    origin_commit: CommitView | None
    spared: list[SparedView]
    held_back: list[str]  # tables that were not published in that run
    kept: list[KeptView]
    sample: list[dict[str, Any]] = []


class JudgedByView(Wire):
    """Who judged, and what: a result and the incident of its failure say the same."""

    origin: Literal["run", "hand", "monitor"]
    branch: str
    commit: str | None  # None: what was judged was not published
    run_id: str | None  # of a run that makes tables
    monitor_id: str | None
    monitor_name: str | None
    monitor_run_id: str | None
    words: str


class ResultView(Wire):
    """One check's result for one version of a dataset. `execution_ms` of a scan that several checks share is the whole
    of it, and `shared` says so."""

    id: str
    check_id: str
    type: str
    dataset: str
    table: str  # as `dataset`
    branch: str | None
    commit: str | None
    verdict: OutcomeWord
    outcome: OutcomeWord  # as `verdict`
    severity: SeverityWord
    message: str
    columns: list[str]
    blocks: bool
    details: dict[str, Any]
    executed_at: datetime | None
    execution_ms: float | None
    shared: bool
    monitor_id: str | None
    monitor_run_id: str | None
    run_id: str | None


class HealthView(Wire):
    dataset_id: str
    at: str
    score: float | None  # percent of checks that passed; None: none was made
    passed: int
    failed: int
    not_measured: int
    checks: list[ResultView]  # the latest result of each check on this version: of its run, a monitor, or a person
    held_back: list[ResultView]  # results of the newest attempt, where it was not published
    checked_at: datetime | None
    run_id: str | None
    monitors: int = 0  # that watch it


class TrendDay(Wire):
    day: str
    passed: int
    failed: int
    not_measured: int
    runs: int
