"""A metric outside the band expected from its history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.anomaly import MetricHistory, Point, find_anomalies
from forge.quality.anomaly.find import threshold_of
from forge.quality.anomaly.methods import DEFAULT, METHODS
from forge.quality.check import Check, Context, Finding
from forge.quality.checks.support import NUMBERS, family
from forge.quality.keys import Key, Keys, column, one_of, positive
from forge.quality.measure import Measure, NotMeasured, Readings
from forge.quality.metric import REVEALING, SOURCES, WHOLE, Metric, value_of
from forge.quality.paths import type_of


@dataclass(frozen=True, slots=True)
class AnomalyCheck(Check):
    """A metric of the table is within what its history lets expect: by weekday and trend unless another `method` is
    named. What was flagged before, and the point itself, say nothing of what is expected. Until there are seven points
    it passes and says so."""

    type: ClassVar[str] = "anomaly"
    words: ClassVar[tuple[str, ...]] = ("anomaly",)
    keys: ClassVar[Keys] = {
        "metric": Key(one_of(SOURCES), "metric"),
        "column": Key(column, "column", help="Left out where the metric is of the whole table."),
        "method": Key(one_of(method.name for method in METHODS), "method"),
        "threshold": Key(positive, "threshold", help="Each method has its own where none is given."),
    }
    without: ClassVar[frozenset[str]] = frozenset({"partition_by", "since"})

    metric: str = "row_count"
    column: str | None = None
    method: str = DEFAULT
    threshold: float | None = None

    @classmethod
    def settle(cls, fields: dict[str, Any]) -> list[str]:
        metric, column = fields.get("metric", "row_count"), fields.get("column")
        if metric in WHOLE and column is not None:
            return [f"'column' does not go with the metric {metric}"]
        if metric not in WHOLE and column is None:
            return [f"'column' is missing; {metric} is of a column"]
        try:
            threshold_of(fields.get("method", DEFAULT), fields.get("threshold"))
        except ForgeError as error:
            return [f"'threshold' does not fit: {error.fix}"]
        return []

    def targets(self) -> tuple[str, ...]:
        return (self.column,) if self.column else ()

    def subject(self) -> str:
        return self._named().name

    def check_id(self, table: TableName) -> str:
        return f"{Check.check_id(self, table)}.{self.metric}"

    def unfit(self, schema: Schema) -> str | None:
        if self.metric not in REVEALING or family(schema, self.column or "") in NUMBERS:
            return None
        return f"{self.metric} is of numbers, and {self.column} is {type_of(schema, self.column or '')}"

    def _named(self) -> Metric:
        return Metric(self.metric, self.column.lower() if self.column else None, self.where)

    def _history(self) -> Measure:
        return Measure(kind="history", columns=(), arguments=(self._named().name,))

    def _sources(self) -> tuple[Measure, ...]:
        return tuple(
            self.rows() if kind == "rows" else self.measure(kind, self.targets()) for kind in SOURCES[self.metric]
        )

    def needs(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({*self._sources(), self._history()})

    def decide(self, readings: Readings, context: Context) -> Finding | NotMeasured:
        history = readings[self._history()]
        if not isinstance(history, MetricHistory):
            raise TypeError(f"the reading of history is {history!r}")
        if self.column and self.metric in REVEALING and context.hides(self.column):
            return NotMeasured(f"{self.column} holds personal data, of which no {self.metric} is kept")
        value = value_of(self.metric, self._sources()[-1], readings)
        if value is None:
            return NotMeasured(f"there is no {self.metric} of no values")
        try:
            point = Point(history.at or context.now, value)
            (found,) = find_anomalies(history.points, point, self.method, self.threshold)
        except ForgeError as error:  # a method that is not installed
            return NotMeasured(f"{error.what}. {error.fix}")
        thresholds = {"method": found.method, "threshold": found.threshold, "low": found.low, "high": found.high}
        more = {
            "expected": found.expected,
            "score": found.score,
            "seasonal": found.seasonal,
            "season": found.season,
            "trend": found.trend,
            "points": found.points,
        }
        note = None if found.is_judged else "There is too little history to judge yet"
        return Finding(found.is_anomaly, f"{self.subject()}: {found.explanation}", thresholds, note, more=more)
