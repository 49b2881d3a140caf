"""A notice about one dataset under one monitor: data, stored until delivered, rendered only then.

It holds verdict messages, names and ids, never rows or samples, so that personal data is not copied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from forge.quality.alerts.alert import RANKS, AlertScope
from forge.quality.verdict import Severity

MOST_HIT = 50  # downstream columns that are stored; all are counted


class NoticeKind(StrEnum):
    FAILING = "failing"
    REMINDER = "reminder"
    RECOVERED = "recovered"
    NOTE = "note"  # an action `notify`, or a trial of a channel


@dataclass(frozen=True, slots=True)
class AffectedColumn:
    """An affected column downstream, and its owner."""

    column: str  # marts.revenue.total
    owner: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The first dataset upstream whose checks failed."""

    table: str
    check_id: str
    message: str
    since: datetime
    severity: Severity = Severity.ERROR
    commit_id: str | None = None
    run_id: str | None = None
    monitor_run_id: str | None = None
    column: str | None = None
    incident_id: str | None = None

    @property
    def words(self) -> str:
        return f"{self.table} failed first: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckNotice:
    check_id: str
    check_type: str
    severity: Severity
    message: str
    since: datetime  # when it began to fail
    columns: tuple[str, ...] = ()
    incident_id: str | None = None
    result_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    kind: NoticeKind
    scope: AlertScope
    table: str
    branch: str
    at: datetime
    checks: tuple[CheckNotice, ...] = ()
    commit_id: str | None = None
    run_id: str | None = None
    monitor_run_id: str | None = None
    monitor_name: str | None = None
    hit: tuple[AffectedColumn, ...] = ()
    hit_count: int = 0
    cause: Cause | None = None
    upstream: tuple[str, ...] = ()  # tables, nearest first: what a storm is grouped by
    text: str = ""  # of a note
    remarks: tuple[str, ...] = ()  # what could not be found out

    @property
    def severity(self) -> Severity:
        return max((check.severity for check in self.checks), key=lambda one: RANKS[one], default=Severity.INFO)

    @property
    def owners(self) -> tuple[str, ...]:
        return tuple(sorted({hit.owner for hit in self.hit if hit.owner}))

    def to_dict(self) -> dict[str, object]:
        return {
            "kind": str(self.kind),
            "scope": str(self.scope),
            "table": self.table,
            "branch": self.branch,
            "at": self.at.isoformat(),
            "checks": [_check_dict(check) for check in self.checks],
            "commit_id": self.commit_id,
            "run_id": self.run_id,
            "monitor_run_id": self.monitor_run_id,
            "monitor_name": self.monitor_name,
            "hit": [affected_dict(hit) for hit in self.hit],
            "hit_count": self.hit_count,
            "cause": cause_dict(self.cause) if self.cause else None,
            "upstream": list(self.upstream),
            "text": self.text,
            "remarks": list(self.remarks),
        }


def notice_of(data: Mapping[str, object]) -> Notice:
    """The reverse of `to_dict`."""
    cause = data.get("cause")
    return Notice(
        kind=NoticeKind(str(data["kind"])),
        scope=AlertScope.parse(str(data["scope"])),
        table=str(data["table"]),
        branch=str(data["branch"]),
        at=datetime.fromisoformat(str(data["at"])),
        checks=tuple(_check_of(item) for item in _items(data, "checks")),
        commit_id=_text(data, "commit_id"),
        run_id=_text(data, "run_id"),
        monitor_run_id=_text(data, "monitor_run_id"),
        monitor_name=_text(data, "monitor_name"),
        hit=tuple(affected_of(item) for item in _items(data, "hit")),
        hit_count=int(str(data.get("hit_count") or 0)),
        cause=cause_of(cause) if isinstance(cause, Mapping) else None,
        upstream=_texts(data, "upstream"),
        text=str(data.get("text") or ""),
        remarks=_texts(data, "remarks"),
    )


def _check_dict(check: CheckNotice) -> dict[str, object]:
    return {
        "check_id": check.check_id,
        "check_type": check.check_type,
        "severity": str(check.severity),
        "message": check.message,
        "since": check.since.isoformat(),
        "columns": list(check.columns),
        "incident_id": check.incident_id,
        "result_id": check.result_id,
    }


def _check_of(data: Mapping[str, object]) -> CheckNotice:
    return CheckNotice(
        check_id=str(data["check_id"]),
        check_type=str(data["check_type"]),
        severity=Severity(str(data["severity"])),
        message=str(data["message"]),
        since=datetime.fromisoformat(str(data["since"])),
        columns=_texts(data, "columns"),
        incident_id=_text(data, "incident_id"),
        result_id=_text(data, "result_id"),
    )


def affected_dict(hit: AffectedColumn) -> dict[str, object]:
    return {"column": hit.column, "owner": hit.owner}


def affected_of(data: Mapping[str, object]) -> AffectedColumn:
    return AffectedColumn(str(data["column"]), _text(data, "owner"))


def cause_dict(cause: Cause) -> dict[str, object]:
    return {
        "table": cause.table,
        "check_id": cause.check_id,
        "message": cause.message,
        "since": cause.since.isoformat(),
        "severity": str(cause.severity),
        "commit_id": cause.commit_id,
        "run_id": cause.run_id,
        "monitor_run_id": cause.monitor_run_id,
        "column": cause.column,
        "incident_id": cause.incident_id,
    }


def cause_of(data: Mapping[str, object]) -> Cause:
    return Cause(
        table=str(data["table"]),
        check_id=str(data["check_id"]),
        message=str(data["message"]),
        since=datetime.fromisoformat(str(data["since"])),
        severity=Severity(str(data.get("severity") or Severity.ERROR)),
        commit_id=_text(data, "commit_id"),
        run_id=_text(data, "run_id"),
        monitor_run_id=_text(data, "monitor_run_id"),
        column=_text(data, "column"),
        incident_id=_text(data, "incident_id"),
    )


def _text(data: Mapping[str, object], key: str) -> str | None:
    value = data.get(key)
    return None if value is None else str(value)


def _texts(data: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = data.get(key)
    return tuple(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _items(data: Mapping[str, object], key: str) -> tuple[Mapping[str, object], ...]:
    value = data.get(key)
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    return tuple(item for item in value if isinstance(item, Mapping))
