"""Kept values of metrics: the port of their store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from forge.flows.runs.records import AuditRecord
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.quality.anomaly import Feedback


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricPoint:
    """A value of one metric at one version of a table. `version` names the version, so that judging it again replaces
    what was kept: the commit that wrote it, the run that was held back, or what else tells it apart."""

    table: TableName
    metric: str
    version: str
    time: datetime
    value: float
    branch: BranchName
    commit_id: CommitId | None  # that wrote the version; None: nothing did, the run was held back
    run_id: RunId | None
    recorded_at: datetime
    finding: Kept | None = None  # what the default method said of it when it came


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a finding."""

    is_anomaly: bool
    score: float
    explanation: str
    expected: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a person said of the point at that time."""

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
        """Insert them, or replace those of the same table, metric and version."""
        ...

    def points(
        self, table: TableName, metric: str | None = None, *, limit: int | None = None
    ) -> tuple[MetricPoint, ...]:
        """The newest `limit` of them, oldest first."""
        ...

    def newest(self, table: TableName) -> tuple[MetricPoint, ...]:
        """The newest point of each metric, by metric."""
        ...

    def flagged(self, since: datetime, *, limit: int = 100) -> tuple[MetricPoint, ...]:
        """Of all tables the points that were anomalies when they came, newest first."""
        ...

    def tables(self) -> tuple[TableName, ...]:
        """Those that have points, by name."""
        ...

    def say(self, said: Said, audit: AuditRecord) -> None:
        """Insert it, or replace what was said of the same point."""
        ...

    def unsay(self, table: TableName, metric: str, time: datetime, audit: AuditRecord) -> bool:
        """False, and nothing written, where nothing was said of it."""
        ...

    def said(self, table: TableName, metric: str | None = None) -> tuple[Said, ...]:
        """By time."""
        ...
