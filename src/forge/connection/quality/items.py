"""Incidents, metrics and fitness for Python and notebooks."""

from __future__ import annotations

from dataclasses import dataclass

from forge.connection.quality.results import plain_row
from forge.connection.tabular import Row, Tabular, TabularTuple
from forge.flows.quality.fitness import Fitness
from forge.flows.quality.incidents.listed_incident import ListedIncident
from forge.flows.quality.metrics.anomalies import MetricSeries
from forge.flows.quality.metrics.history import DatedValue
from forge.quality.anomaly import AnomalyFinding


@dataclass(frozen=True, slots=True)
class IncidentItem:
    """An incident: a failure that blocks a publication, or one found by a monitor."""

    listed: ListedIncident

    @property
    def id(self) -> str:
        return self.listed.id

    def to_dict(self) -> Row:
        return plain_row(self.listed.to_dict())


@dataclass(frozen=True, slots=True)
class MetricPointItem:
    """A value of a metric with its expected band."""

    value: DatedValue
    finding: AnomalyFinding

    @property
    def is_anomaly(self) -> bool:
        return self.finding.is_anomaly

    def to_dict(self) -> Row:
        return plain_row(self.value.to_dict(self.finding))


class Baseline(TabularTuple[MetricPointItem]):
    """A metric over time, oldest first."""

    metric: str
    method: str

    @classmethod
    def of(cls, series: MetricSeries) -> Baseline:
        made = cls(MetricPointItem(value, finding) for value, finding in series.points)
        made.metric, made.method = series.metric.name, series.method
        return made

    def anomalies(self) -> tuple[MetricPointItem, ...]:
        return tuple(point for point in self if point.is_anomaly)

    def to_dict(self) -> Row:
        return {"metric": self.metric, "method": self.method, "points": self.rows()}


@dataclass(frozen=True, slots=True)
class GateResult(Tabular):
    """Whether a version of a table is fit for a use, with the evidence."""

    fitness: Fitness

    @property
    def is_fit(self) -> bool:
        return self.fitness.is_fit

    def __bool__(self) -> bool:
        return self.is_fit

    def rows(self) -> list[Row]:
        return [{"condition": c.name, "passed": c.passed, "evidence": c.evidence} for c in self.fitness.conditions]

    def to_dict(self) -> Row:
        return plain_row(self.fitness.to_dict())
