"""Metric values and feedback on them, in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, and_, delete, func, select

from forge.flows.quality.metrics.points import KeptFinding, MetricPoint, PointFeedback
from forge.flows.runs.records import AuditRecord
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.quality.anomaly import Feedback
from forge.stores.sql import rows, statements
from forge.stores.sql.database import reading, writing
from forge.stores.sql.quality.metric_tables import feedback as feedback_table
from forge.stores.sql.quality.metric_tables import points as points_table
from forge.stores.sql.tables import audit as audit_table

_KEPT = ("is_anomaly", "score", "explanation", "expected", "low", "high")


class SqlMetrics:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, points: tuple[MetricPoint, ...]) -> None:
        last = {(str(p.table), p.metric, p.version): _row(p) for p in points}
        if last:
            with writing(self._engine) as connection:
                statements.put(connection, points_table, list(last.values()))

    def points(
        self, table: TableName, metric: str | None = None, *, limit: int | None = None
    ) -> tuple[MetricPoint, ...]:
        c = points_table.c
        query = select(points_table).where(c.table_name == str(table))
        if metric is not None:
            query = query.where(c.metric == metric)
        newest = query.order_by(c.at.desc(), c.recorded_at.desc(), c.metric.desc(), c.version.desc())
        with reading(self._engine) as connection:
            found = connection.execute(newest.limit(limit) if limit is not None else newest).mappings().all()
        return tuple(_point(row) for row in reversed(found))

    def newest(self, table: TableName) -> tuple[MetricPoint, ...]:
        c = points_table.c
        last = (
            select(c.metric, func.max(c.at).label("at")).where(c.table_name == str(table)).group_by(c.metric).subquery()
        )
        both = and_(last.c.metric == c.metric, last.c.at == c.at)
        query = select(points_table).join(last, both).where(c.table_name == str(table))
        with reading(self._engine) as connection:
            found = connection.execute(query.order_by(c.metric, c.recorded_at, c.version)).mappings().all()
        by_metric = {row["metric"]: _point(row) for row in found}
        return tuple(by_metric[metric] for metric in sorted(by_metric))

    def flagged(self, since: datetime, *, limit: int = 100) -> tuple[MetricPoint, ...]:
        c = points_table.c
        query = select(points_table).where(c.is_anomaly.is_(True), c.at >= since)
        newest = query.order_by(c.at.desc(), c.table_name.desc(), c.metric.desc(), c.version.desc()).limit(limit)
        with reading(self._engine) as connection:
            return tuple(_point(row) for row in connection.execute(newest).mappings())

    def tables(self) -> tuple[TableName, ...]:
        query = select(points_table.c.table_name).distinct()
        with reading(self._engine) as connection:
            found = connection.execute(query).scalars().all()
        return tuple(sorted(TableName.parse(name) for name in found))

    def put_feedback(self, feedback: PointFeedback, audit: AuditRecord) -> None:
        with writing(self._engine) as connection:
            statements.put(connection, feedback_table, [_feedback_row(feedback)])
            connection.execute(audit_table.insert(), [rows.audit_row(audit)])

    def delete_feedback(self, table: TableName, metric: str, time: datetime, audit: AuditRecord) -> bool:
        with writing(self._engine) as connection:
            if not _delete_feedback(connection, table, metric, time):
                return False
            connection.execute(audit_table.insert(), [rows.audit_row(audit)])
            return True

    def feedback(self, table: TableName, metric: str | None = None) -> tuple[PointFeedback, ...]:
        c = feedback_table.c
        query = select(feedback_table).where(c.table_name == str(table))
        if metric is not None:
            query = query.where(c.metric == metric)
        with reading(self._engine) as connection:
            found = connection.execute(query.order_by(c.at, c.metric)).mappings().all()
        return tuple(_feedback(row) for row in found)


def _delete_feedback(connection: Connection, table: TableName, metric: str, time: datetime) -> bool:
    c = feedback_table.c
    gone = delete(feedback_table).where(c.table_name == str(table), c.metric == metric, c.at == time)
    return connection.execute(gone).rowcount > 0


def _row(point: MetricPoint) -> dict[str, Any]:
    kept = point.finding
    return {
        "table_name": str(point.table),
        "metric": point.metric,
        "version": point.version,
        "at": point.time,
        "value": point.value,
        "branch": point.branch,
        "commit_id": point.commit_id,
        "run_id": point.run_id,
        "recorded_at": point.recorded_at,
        "is_anomaly": kept.is_anomaly if kept else None,
        "score": kept.score if kept else None,
        "explanation": kept.explanation if kept else None,
        "expected": kept.expected if kept else None,
        "low": kept.low if kept else None,
        "high": kept.high if kept else None,
    }


def _point(row: Mapping[Any, Any]) -> MetricPoint:
    return MetricPoint(
        table=TableName.parse(row["table_name"]),
        metric=row["metric"],
        version=row["version"],
        time=row["at"],
        value=row["value"],
        branch=BranchName(row["branch"]),
        commit_id=CommitId(row["commit_id"]) if row["commit_id"] else None,
        run_id=RunId(row["run_id"]) if row["run_id"] else None,
        recorded_at=row["recorded_at"],
        finding=None if row["is_anomaly"] is None else KeptFinding(**{name: row[name] for name in _KEPT}),
    )


def _feedback_row(feedback: PointFeedback) -> dict[str, Any]:
    return {
        "table_name": str(feedback.table),
        "metric": feedback.metric,
        "at": feedback.time,
        "feedback": str(feedback.feedback),
        "note": feedback.note,
        "said_by": feedback.user,
        "said_at": feedback.at,
    }


def _feedback(row: Mapping[Any, Any]) -> PointFeedback:
    return PointFeedback(
        table=TableName.parse(row["table_name"]),
        metric=row["metric"],
        time=row["at"],
        feedback=Feedback(row["feedback"]),
        note=row["note"],
        user=row["said_by"],
        at=row["said_at"],
    )
