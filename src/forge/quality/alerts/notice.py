"""A notice about one dataset under one monitor: data, stored until delivered, rendered only then.

It holds verdict messages, names and ids, never rows or samples, so that personal data is not copied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from forge.model.record_json import record_json
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
        return {**record_json(self), "scope": str(self.scope)}


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
        commit_id=text_at(data, "commit_id"),
        run_id=text_at(data, "run_id"),
        monitor_run_id=text_at(data, "monitor_run_id"),
        monitor_name=text_at(data, "monitor_name"),
        hit=tuple(affected_of(item) for item in _items(data, "hit")),
        hit_count=int(str(data.get("hit_count") or 0)),
        cause=cause_of(cause) if isinstance(cause, Mapping) else None,
        upstream=texts_at(data, "upstream"),
        text=str(data.get("text") or ""),
        remarks=texts_at(data, "remarks"),
    )


def _check_of(data: Mapping[str, object]) -> CheckNotice:
    return CheckNotice(
        check_id=str(data["check_id"]),
        check_type=str(data["check_type"]),
        severity=Severity(str(data["severity"])),
        message=str(data["message"]),
        since=datetime.fromisoformat(str(data["since"])),
        columns=texts_at(data, "columns"),
        incident_id=text_at(data, "incident_id"),
        result_id=text_at(data, "result_id"),
    )


def affected_of(data: Mapping[str, object]) -> AffectedColumn:
    return AffectedColumn(str(data["column"]), text_at(data, "owner"))


def cause_of(data: Mapping[str, object]) -> Cause:
    return Cause(
        table=str(data["table"]),
        check_id=str(data["check_id"]),
        message=str(data["message"]),
        since=datetime.fromisoformat(str(data["since"])),
        severity=Severity(str(data.get("severity") or Severity.ERROR)),
        commit_id=text_at(data, "commit_id"),
        run_id=text_at(data, "run_id"),
        monitor_run_id=text_at(data, "monitor_run_id"),
        column=text_at(data, "column"),
        incident_id=text_at(data, "incident_id"),
    )


def text_at(data: Mapping[str, object], key: str) -> str | None:
    value = data.get(key)
    return None if value is None else str(value)


def texts_at(data: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = data.get(key)
    return tuple(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _items(data: Mapping[str, object], key: str) -> tuple[Mapping[str, object], ...]:
    value = data.get(key)
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    return tuple(item for item in value if isinstance(item, Mapping))
