"""An incident as the terminal, Python and HTTP show it: its run records joined with its tracked state."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from forge.flows.quality.incidents.open_incidents import OpenIncident
from forge.quality.alerts.alert import AlertOrigin
from forge.quality.alerts.incident import IncidentStatus, TrackedIncident
from forge.quality.alerts.notice import AffectedColumn, Cause
from forge.quality.verdict import Severity


@dataclass(frozen=True, slots=True)
class FailureOrigin:
    """`check_id`: of the check that failed there, where one did."""

    table: str
    column: str | None
    check_id: str | None
    commit_id: str | None
    words: str

    @classmethod
    def of(cls, cause: Cause) -> FailureOrigin:
        return cls(cause.table, cause.column, cause.check_id, cause.commit_id, cause.words)

    def to_dict(self) -> dict[str, object]:
        return {
            "dataset": self.table,
            "column": self.column,
            "check_id": self.check_id,
            "commit": self.commit_id,
            "words": self.words,
        }


@dataclass(frozen=True, slots=True)
class ListedIncident:
    """One of them is there: a failure that holds a publish back, its record, or both."""

    opened: OpenIncident | None
    record: TrackedIncident | None

    @property
    def id(self) -> str:
        """For life, at every door."""
        if self.record is not None:
            return self.record.id
        assert self.opened is not None
        return self.opened.id

    @property
    def status(self) -> IncidentStatus:
        return self.record.status if self.record else IncidentStatus.OPEN

    @property
    def severity(self) -> Severity:
        if self.opened is not None:
            return self.opened.incident.verdict.severity
        assert self.record is not None
        return self.record.severity

    @property
    def table(self) -> str:
        if self.opened is not None:
            return self.opened.incident.verdict.table
        assert self.record is not None
        return self.record.table

    @property
    def since(self) -> datetime:
        if self.opened is not None:
            return self.opened.since
        assert self.record is not None
        return self.record.opened_at

    @property
    def hit(self) -> int:
        if self.opened is not None:
            return len(self.opened.incident.spared)
        return len(self.record.hit) if self.record else 0

    @property
    def result_id(self) -> str | None:
        """Of the newest failing result."""
        if self.opened is not None:
            return f"{self.opened.run.id}.{self.opened.incident.verdict.check_id}"
        record = self.record
        if record is None or record.result_id is not None or record.scope.origin is not AlertOrigin.RUN:
            return record.result_id if record else None
        return f"{record.run_id}.{record.check_id}" if record.run_id else None

    @property
    def cause(self) -> FailureOrigin | None:
        """What failed first upstream, as the record has it; else where the column came into the lake."""
        if self.record is not None and self.record.cause is not None:
            return FailureOrigin.of(self.record.cause)
        return self.origin

    @property
    def origin(self) -> FailureOrigin | None:
        """Where the column of what holds a publish back came into the lake."""
        incident = self.opened.incident if self.opened else None
        if incident is None or incident.origin_table is None:
            return None
        name = incident.origin or incident.origin_table
        words = f"{name} came in with commit {incident.commit.id[:12]}" if incident.commit else f"{name}"
        column = incident.origin.column if incident.origin else None
        return FailureOrigin(
            incident.origin_table, column, None, incident.commit.id if incident.commit else None, words
        )

    def to_dict(self) -> dict[str, object]:
        """`id` is for life; `incident_id` is the same, None where nothing is tracked of it yet."""
        failure = _of_run(self.opened) if self.opened else _of_record(self.record)
        return {
            "id": self.id,
            **failure,
            "incident_id": self.record.id if self.record else None,
            "status": str(self.status),
            **_of_tracker(self.record, self.opened),
            "result_id": self.result_id,
            "cause": self.cause.to_dict() if self.cause else None,
        }


def _of_run(opened: OpenIncident) -> dict[str, object]:
    incident, verdict = opened.incident, opened.incident.verdict
    return {
        "table": verdict.table,
        "column": incident.column.column or None,
        "check_id": verdict.check_id,
        "check_type": verdict.check_type,
        "severity": str(verdict.severity),
        "message": verdict.message,
        "branch": opened.run.branch,
        "run_id": opened.run.id,
        "since": opened.since,
        "previous": opened.previous,
        "origin": str(incident.origin) if incident.origin else incident.origin_table,
        "spared": [{"table": s.column.table, "column": s.column.column, "owner": s.owner} for s in incident.spared],
        "held_back": [str(table) for table in opened.held_back],
        "kept": [kept.to_dict() for kept in opened.kept],
    }


def _of_record(record: TrackedIncident | None) -> dict[str, object]:
    assert record is not None
    cause = record.cause
    origin = (f"{cause.table}.{cause.column}" if cause.column else cause.table) if cause else None
    return {
        "table": record.table,
        "column": record.columns[0] if record.columns else None,
        "check_id": record.check_id,
        "check_type": record.check_type,
        "severity": str(record.severity),
        "message": record.message,
        "branch": record.branch,
        "run_id": record.run_id or record.monitor_run_id or "",
        "since": record.opened_at,
        "previous": None,
        "origin": origin,
        "spared": [_spared(hit) for hit in record.hit],
        "held_back": [],
        "kept": [],
    }


def _spared(hit: AffectedColumn) -> dict[str, object]:
    table, _, column = hit.column.rpartition(".")
    return {"table": table, "column": column, "owner": hit.owner}


def _of_tracker(record: TrackedIncident | None, opened: OpenIncident | None) -> dict[str, object]:
    scope = record.scope if record else None
    return {
        "origin_kind": str(scope.origin if scope else AlertOrigin.RUN),
        "monitor_id": scope.monitor_id if scope else None,
        "monitor_name": record.monitor_name if record else None,
        "monitor_run_id": record.monitor_run_id if record else None,
        "commit": record.commit_id if record else None,
        "seen": record.seen if record else 1,
        "seen_at": record.seen_at if record else opened.run.started_at if opened else None,
        "reopened": record.reopened if record else 0,
        "assignee": record.assignee if record else None,
        "acknowledged_at": record.acknowledged_at if record else None,
        "acknowledged_by": record.acknowledged_by if record else None,
        "resolved_at": record.resolved_at if record else None,
        "resolved_by": record.resolved_by if record else None,
    }
