"""Metric values in memory; passes the test suite of the SQL store."""

from __future__ import annotations

from datetime import datetime
from threading import Lock

from forge.flows.quality.metrics.points import MetricPoint, PointFeedback
from forge.flows.runs.records import AuditRecord
from forge.model.names import TableName


class MemoryMetrics:
    def __init__(self) -> None:
        self._lock = Lock()
        self._points: dict[tuple[TableName, str, str], MetricPoint] = {}
        self._feedback: dict[tuple[TableName, str, datetime], PointFeedback] = {}
        self.audit: list[AuditRecord] = []

    def put(self, points: tuple[MetricPoint, ...]) -> None:
        with self._lock:
            self._points |= {(p.table, p.metric, p.version): p for p in points}

    def points(
        self, table: TableName, metric: str | None = None, *, limit: int | None = None
    ) -> tuple[MetricPoint, ...]:
        with self._lock:
            found = [p for p in self._points.values() if p.table == table and metric in (None, p.metric)]
        ordered = sorted(found, key=lambda p: (p.time, p.recorded_at, p.metric, p.version))
        return tuple(ordered[-limit:] if limit is not None else ordered)

    def newest(self, table: TableName) -> tuple[MetricPoint, ...]:
        last = {point.metric: point for point in self.points(table)}
        return tuple(last[metric] for metric in sorted(last))

    def flagged(self, since: datetime, *, limit: int = 100) -> tuple[MetricPoint, ...]:
        with self._lock:
            found = [p for p in self._points.values() if p.time >= since and p.finding and p.finding.is_anomaly]
        return tuple(sorted(found, key=lambda p: (p.time, str(p.table), p.metric, p.version), reverse=True)[:limit])

    def tables(self) -> tuple[TableName, ...]:
        with self._lock:
            return tuple(sorted({p.table for p in self._points.values()}))

    def put_feedback(self, feedback: PointFeedback, audit: AuditRecord) -> None:
        with self._lock:
            self._feedback[feedback.table, feedback.metric, feedback.time] = feedback
            self.audit.append(audit)

    def delete_feedback(self, table: TableName, metric: str, time: datetime, audit: AuditRecord) -> bool:
        with self._lock:
            if self._feedback.pop((table, metric, time), None) is None:
                return False
            self.audit.append(audit)
            return True

    def feedback(self, table: TableName, metric: str | None = None) -> tuple[PointFeedback, ...]:
        with self._lock:
            found = [s for s in self._feedback.values() if s.table == table and metric in (None, s.metric)]
        return tuple(sorted(found, key=lambda s: (s.time, s.metric)))
