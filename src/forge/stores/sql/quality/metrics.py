"""Metric values and feedback on them, in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, delete, func, select

from forge.flows.quality.metrics.points import KeptFinding, MetricPoint, PointFeedback
from forge.flows.runs.records import AuditRecord
from forge.model.names import TableName
from forge.quality.anomaly import Feedback
from forge.stores.sql.database import reading, writing
from forge.stores.sql.quality.metric_tables import feedback as feedback_table
from forge.stores.sql.quality.metric_tables import points as points_table
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.records import SqlRecords, write_audit
from forge.stores.sql.statements import only, put

_FINDING = tuple(field.name for field in fields(KeptFinding))


class SqlMetrics(SqlRecords):
    def put(self, points: tuple[MetricPoint, ...]) -> None:
        last = {(str(p.table), p.metric, p.version): _row(p) for p in points}
        if last:
            with writing(self._engine) as connection:
                put(connection, points_table, list(last.values()))

    def points(
        self, table: TableName, metric: str | None = None, *, limit: int | None = None
    ) -> tuple[MetricPoint, ...]:
        c = points_table.c
        query = only(select(points_table), (c.table_name, table), (c.metric, metric))
        newest = query.order_by(c.at.desc(), c.recorded_at.desc(), c.metric.desc(), c.version.desc())
        found = self._all(newest.limit(limit))
        return tuple(_point(row) for row in reversed(found))

    def newest(self, table: TableName) -> tuple[MetricPoint, ...]:
        c = points_table.c
        last = (
            select(c.metric, func.max(c.at).label("at")).where(c.table_name == str(table)).group_by(c.metric).subquery()
        )
        both = and_(last.c.metric == c.metric, last.c.at == c.at)
        query = select(points_table).join(last, both).where(c.table_name == str(table))
        found = self._all(query.order_by(c.metric, c.recorded_at, c.version))
        by_metric = {row["metric"]: _point(row) for row in found}
        return tuple(by_metric[metric] for metric in sorted(by_metric))

    def flagged(self, since: datetime, *, limit: int = 100) -> tuple[MetricPoint, ...]:
        c = points_table.c
        query = select(points_table).where(c.is_anomaly.is_(True), c.at >= since)
        newest = query.order_by(c.at.desc(), c.table_name.desc(), c.metric.desc(), c.version.desc()).limit(limit)
        return tuple(_point(row) for row in self._all(newest))

    def tables(self) -> tuple[TableName, ...]:
        query = select(points_table.c.table_name).distinct()
        with reading(self._engine) as connection:
            found = connection.execute(query).scalars().all()
        return tuple(sorted(TableName.parse(name) for name in found))

    def put_feedback(self, feedback: PointFeedback, audit: AuditRecord) -> None:
        with writing(self._engine) as connection:
            put(connection, feedback_table, [_feedback_row(feedback)])
            write_audit(connection, audit)

    def delete_feedback(self, table: TableName, metric: str, time: datetime, audit: AuditRecord) -> bool:
        with writing(self._engine) as connection:
            if not _delete_feedback(connection, table, metric, time):
                return False
            write_audit(connection, audit)
            return True

    def feedback(self, table: TableName, metric: str | None = None) -> tuple[PointFeedback, ...]:
        c = feedback_table.c
        query = only(select(feedback_table), (c.table_name, table), (c.metric, metric))
        found = self._all(query.order_by(c.at, c.metric))
        return tuple(_feedback(row) for row in found)


def _delete_feedback(connection: Connection, table: TableName, metric: str, time: datetime) -> bool:
    c = feedback_table.c
    gone = delete(feedback_table).where(c.table_name == str(table), c.metric == metric, c.at == time)
    return connection.execute(gone).rowcount > 0


def _row(point: MetricPoint) -> dict[str, Any]:
    finding = dict.fromkeys(_FINDING) if point.finding is None else columns_of(point.finding)
    own = columns_of(point, "table", "time", "finding")
    return {**own, "table_name": str(point.table), "at": point.time, **finding}


def _point(row: Mapping[Any, Any]) -> MetricPoint:
    finding = None if row["is_anomaly"] is None else record_of(KeptFinding, row)
    return record_of(MetricPoint, row, table=TableName.parse(row["table_name"]), time=row["at"], finding=finding)


def _feedback_row(feedback: PointFeedback) -> dict[str, Any]:
    own = columns_of(feedback, "table", "time", "user", "at")
    feedback_by = {"said_by": feedback.user, "said_at": feedback.at}
    return {**own, "table_name": str(feedback.table), "at": feedback.time, **feedback_by}


def _feedback(row: Mapping[Any, Any]) -> PointFeedback:
    return record_of(
        PointFeedback,
        row,
        table=TableName.parse(row["table_name"]),
        time=row["at"],
        feedback=Feedback(row["feedback"]),
        user=row["said_by"],
        at=row["said_at"],
    )
