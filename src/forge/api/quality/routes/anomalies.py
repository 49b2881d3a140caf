"""/api/v1/quality: metric histories, anomalies, feedback on them, and fitness for a use."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query

from forge.api.auth import ThePrincipal
from forge.api.quality.wire.anomalies import (
    AnomalyView,
    FeedbackBody,
    FitnessView,
    MethodWord,
    MetricView,
    SeriesView,
)
from forge.api.site import Site, TheSite
from forge.flows.quality.fitness import Fitness, judge_fitness
from forge.flows.quality.metrics.anomalies import (
    SHOWN,
    MetricSeries,
    find_flagged,
    find_metrics,
    find_series,
    record_feedback,
)
from forge.flows.quality.metrics.history import DatedValue
from forge.flows.quality.metrics.points import MetricPoint, PointFeedback
from forge.model.names import BranchName, TableName
from forge.quality.anomaly import METHODS, AnomalyFinding, Feedback
from forge.quality.fitness import Requirements
from forge.quality.metric import Metric, parse_metric

router = APIRouter(prefix="/api/v1/quality", tags=["quality"])

AskedDataset = Annotated[str, Path(max_length=300, description="schema.table, or schema.table@branch")]
AskedBranch = Annotated[str | None, Query(max_length=255)]
AskedMetric = Annotated[str, Query(max_length=1000, examples=["row_count", "mean(amount)"])]


def _place(site: Site, dataset_id: str, branch: str | None) -> tuple[TableName, BranchName]:
    name, _, inline = dataset_id.partition("@")
    return TableName.parse(name), BranchName(branch or inline or site.wiring.default_branch)


@router.get("/anomalies")
def anomalies(
    site: TheSite,
    days: Annotated[int, Query(ge=1, le=3650)] = 30,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[AnomalyView]:
    """Over all datasets what was an anomaly when it came, newest first."""
    found = find_flagged(site.wiring.quality.metric_ports(), days, limit=limit)
    return [_anomaly_view(point, feedback) for point, feedback in found]


@router.get("/datasets/{dataset_id}/metrics")
def metrics(dataset_id: AskedDataset, site: TheSite, branch: AskedBranch = None) -> list[MetricView]:
    """Every metric that is known of the dataset, with its newest value and whether that is expected."""
    table, named = _place(site, dataset_id, branch)
    return [_metric_view(*one) for one in find_metrics(site.wiring.quality.metric_ports(), table, named)]


@router.get("/datasets/{dataset_id}/series")
def series(
    dataset_id: AskedDataset,
    site: TheSite,
    metric: AskedMetric = "row_count",
    branch: AskedBranch = None,
    method: MethodWord = "seasonal",
    threshold: Annotated[float | None, Query(gt=0, le=1_000_000, allow_inf_nan=False)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = SHOWN,
    around: Annotated[datetime | None, Query(description="A time that is to be among them.")] = None,
) -> SeriesView:
    """The newest values of one metric, oldest first, each with the band that was expected of it."""
    table, named = _place(site, dataset_id, branch)
    ports = site.wiring.quality.metric_ports()
    found = find_series(ports, table, metric, named, method=method, threshold=threshold, limit=limit, around=around)
    return _series_view(found)


@router.post("/datasets/{dataset_id}/feedback")
def feedback(
    dataset_id: AskedDataset, body: FeedbackBody, site: TheSite, caller: ThePrincipal, branch: AskedBranch = None
) -> SeriesView:
    """Say that a point was expected or an incident, or take it back; the series as it is from then on."""
    table, named = _place(site, dataset_id, branch)
    ports = site.wiring.quality.metric_ports()
    word = Feedback(body.verdict) if body.verdict else None
    record_feedback(ports, table, body.metric, body.time, word, branch=named, user=caller.user, note=body.note)
    return _series_view(find_series(ports, table, body.metric, named))


@router.get("/datasets/{dataset_id}/fitness")
def fitness(
    dataset_id: AskedDataset,
    site: TheSite,
    at: Annotated[str | None, Query(max_length=255)] = None,
    min_score: Annotated[float | None, Query(ge=0, le=100, allow_inf_nan=False)] = None,
    max_age_hours: Annotated[float | None, Query(gt=0, le=1_000_000, allow_inf_nan=False)] = None,
    no_pii: bool = False,
) -> FitnessView:
    """Whether the dataset meets what is required of it at that revision, with what speaks for and against."""
    required = Requirements(min_score, max_age_hours, no_pii)
    return _fitness_view(judge_fitness(dataset_id, at, required, site.wiring.quality.fitness()))


def _metric_view(metric: Metric, newest: DatedValue, found: AnomalyFinding) -> MetricView:
    return MetricView.of(
        found,
        **_about(metric),
        time=newest.time,
        value=newest.value,
        feedback=newest.feedback,
        held_back=newest.held_back,
    )


def _about(metric: Metric) -> dict[str, str | None]:
    return {"metric": metric.name, "kind": metric.kind, "column": metric.column, "unit": metric.unit}


def _series_view(found: MetricSeries) -> SeriesView:
    return SeriesView.of(
        found,
        **_about(found.metric),
        dataset_id=str(found.table),
        methods=[method.name for method in METHODS],
        points=found.point_dicts(),
    )


def _anomaly_view(point: MetricPoint, given: PointFeedback | None) -> AnomalyView:
    kept = point.finding
    assert kept is not None, "only points with a finding are asked for"
    return AnomalyView.of(
        kept,
        dataset_id=str(point.table),
        branch=point.branch,
        metric=point.metric,
        unit=parse_metric(point.metric).unit,
        time=point.time,
        value=point.value,
        feedback=given.feedback if given else None,
        commit=point.commit_id,
        run_id=point.run_id,
    )


def _fitness_view(found: Fitness) -> FitnessView:
    local = ("snapshot_id", "written_by")
    return FitnessView.model_validate({name: value for name, value in found.to_dict().items() if name not in local})
