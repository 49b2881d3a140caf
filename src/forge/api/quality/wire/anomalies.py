"""Wire models of metric histories, expected bands and feedback on anomalies."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from forge.api.wire import Moment, Name, Text, Wire

MethodWord = Literal["seasonal", "zscore", "iqr", "mad", "isolation_forest", "prophet"]
FeedbackWord = Literal["expected", "incident"]


class MetricView(Wire):
    """One metric of a dataset, with its newest point and whether that is out of what is expected."""

    metric: str  # row_count, null_percentage(amount), mean(amount), …
    column: str | None
    kind: str  # row_count, null_percentage, mean, …
    unit: str | None  # "%", "bytes" or nothing
    points: int  # that the newest value was held against
    time: datetime
    value: float
    expected: float | None
    low: float | None
    high: float | None
    is_anomaly: bool
    explanation: str
    feedback: FeedbackWord | None
    held_back: bool


class SeriesPoint(Wire):
    """One value with its band. While there is too little history the band is null and nothing is an anomaly."""

    time: datetime
    value: float
    expected: float | None
    low: float | None
    high: float | None
    score: float
    is_anomaly: bool
    explanation: str
    seasonal: float | None  # what weekday or hour does: a factor where log_scale, else a difference
    season: str | None  # "Saturdays", "06:00"
    trend: float | None  # change in a day: a factor where log_scale, else a difference
    log_scale: bool
    feedback: FeedbackWord | None
    feedback_by: str | None
    feedback_at: datetime | None
    note: str | None
    commit: str | None
    run_id: str | None
    held_back: bool  # the run was stopped; a repaired rerun takes its place


class SeriesView(Wire):
    dataset_id: str
    branch: str
    metric: str
    kind: str
    column: str | None
    unit: str | None
    method: MethodWord
    methods: list[MethodWord]
    threshold: float
    points: list[SeriesPoint]  # oldest first


class FeedbackBody(Wire):
    """What a person says of one point, named by its time."""

    metric: Name
    time: Moment
    verdict: FeedbackWord | None  # null removes the feedback
    note: Text = ""


class AnomalyView(Wire):
    """A value that was an anomaly when it came."""

    dataset_id: str
    branch: str
    metric: str
    unit: str | None
    time: datetime
    value: float
    expected: float | None
    low: float | None
    high: float | None
    score: float
    explanation: str
    feedback: FeedbackWord | None
    commit: str | None
    run_id: str | None


class ConditionView(Wire):
    name: Literal["min_score", "max_age", "no_pii"]
    passed: bool
    required: float | bool
    found: float | list[str] | None  # score, hours or columns; null: not known
    evidence: str
    details: dict[str, Any]


class FitnessView(Wire):
    """Whether a version of a table meets what is required of it."""

    dataset_id: str
    at: str
    commit: str
    version: int
    fit: bool
    judged_at: datetime
    conditions: list[ConditionView]
