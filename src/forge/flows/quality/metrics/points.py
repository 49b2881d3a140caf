"""Port of the store of metric values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from forge.flows.runs.records import AuditRecord
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.quality.anomaly import Feedback


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricPoint:
    """A value of one metric at one version of a table. `version` identifies the version, so that judging again replaces
    the value: the commit, the blocked run, or another unique name."""

    table: TableName
    metric: str
    version: str
    time: datetime
    value: float
    branch: BranchName
    commit_id: CommitId | None  # that wrote the version; None: nothing did, the run was held back
    run_id: RunId | None
    recorded_at: datetime
    finding: KeptFinding | None = None  # finding of the default method when it came


@dataclass(frozen=True, slots=True)
class KeptFinding:
    """The stored part of a finding."""

    is_anomaly: bool
    score: float
    explanation: str
    expected: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PointFeedback:
    """A person's feedback on the point at that time."""

    table: TableName
    metric: str
    time: datetime
    feedback: Feedback
    note: str
    user: str
    at: datetime


class MetricStore(Protocol):
    """Every method is one transaction."""

    def put(self, points: tuple[MetricPoint, ...]) -> None:
        """Upsert by table, metric and version."""

    def points(
        self, table: TableName, metric: str | None = None, *, limit: int | None = None
    ) -> tuple[MetricPoint, ...]:
        """The newest `limit` of them, oldest first."""

    def newest(self, table: TableName) -> tuple[MetricPoint, ...]:
        """The newest point of each metric, by metric."""

    def flagged(self, since: datetime, *, limit: int = 100) -> tuple[MetricPoint, ...]:
        """Points of all tables that were anomalies at their time, newest first."""

    def tables(self) -> tuple[TableName, ...]:
        """Tables with points, by name."""

    def put_feedback(self, feedback: PointFeedback, audit: AuditRecord) -> None:
        """Upsert of feedback on a point."""

    def delete_feedback(self, table: TableName, metric: str, time: datetime, audit: AuditRecord) -> bool:
        """False, and nothing written, where there was no feedback."""

    def feedback(self, table: TableName, metric: str | None = None) -> tuple[PointFeedback, ...]:
        """By time."""
