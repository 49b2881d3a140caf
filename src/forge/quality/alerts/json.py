"""JSON of alert states, incidents and timeline entries, as stored and exported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from forge.quality.alerts.alert import AlertScope, AlertState, AlertStatus
from forge.quality.alerts.incident import EntryKind, IncidentEntry, IncidentStatus, TrackedIncident
from forge.quality.alerts.notice import affected_dict, affected_of, cause_dict, cause_of
from forge.quality.verdict import Severity

Json = dict[str, object]


def state_dict(state: AlertState) -> Json:
    return {
        "scope": str(state.scope),
        "table": state.table,
        "branch": state.branch,
        "check_id": state.check_id,
        "check_type": state.check_type,
        "status": str(state.status),
        "severity": str(state.severity),
        "message": state.message,
        "since": _iso(state.since),
        "seen_at": _iso(state.seen_at),
        "failures": state.failures,
        "told": list(state.notified),
        "told_at": _iso(state.told_at),
        "commit_id": state.commit_id,
        "run_id": state.run_id,
        "monitor_run_id": state.monitor_run_id,
        "incident_id": state.incident_id,
        "columns": list(state.columns),
    }


def state_of(data: Mapping[str, object]) -> AlertState:
    return AlertState(
        scope=AlertScope.parse(str(data["scope"])),
        table=str(data["table"]),
        branch=str(data["branch"]),
        check_id=str(data["check_id"]),
        check_type=str(data["check_type"]),
        status=AlertStatus(str(data["status"])),
        severity=Severity(str(data["severity"])),
        message=str(data["message"]),
        since=_time(data, "since"),
        seen_at=_time(data, "seen_at"),
        failures=_count(data, "failures"),
        notified=_texts(data, "told"),
        told_at=_maybe_time(data, "told_at"),
        commit_id=_text(data, "commit_id"),
        run_id=_text(data, "run_id"),
        monitor_run_id=_text(data, "monitor_run_id"),
        incident_id=_text(data, "incident_id"),
        columns=_texts(data, "columns"),
    )


def incident_dict(incident: TrackedIncident) -> Json:
    return {
        "id": incident.id,
        "scope": str(incident.scope),
        "table": incident.table,
        "branch": incident.branch,
        "check_id": incident.check_id,
        "check_type": incident.check_type,
        "columns": list(incident.columns),
        "severity": str(incident.severity),
        "status": str(incident.status),
        "message": incident.message,
        "opened_at": _iso(incident.opened_at),
        "seen_at": _iso(incident.seen_at),
        "seen": incident.seen,
        "commit_id": incident.commit_id,
        "run_id": incident.run_id,
        "monitor_run_id": incident.monitor_run_id,
        "monitor_name": incident.monitor_name,
        "result_id": incident.result_id,
        "assignee": incident.assignee,
        "acknowledged_at": _iso(incident.acknowledged_at),
        "acknowledged_by": incident.acknowledged_by,
        "resolved_at": _iso(incident.resolved_at),
        "resolved_by": incident.resolved_by,
        "reopened": incident.reopened,
        "cause": cause_dict(incident.cause) if incident.cause else None,
        "hit": [affected_dict(hit) for hit in incident.hit],
        "upstream": list(incident.upstream),
    }


def incident_of(data: Mapping[str, object]) -> TrackedIncident:
    cause, hit = data.get("cause"), data.get("hit")
    return TrackedIncident(
        id=str(data["id"]),
        scope=AlertScope.parse(str(data["scope"])),
        table=str(data["table"]),
        branch=str(data["branch"]),
        check_id=str(data["check_id"]),
        check_type=str(data["check_type"]),
        columns=_texts(data, "columns"),
        severity=Severity(str(data["severity"])),
        status=IncidentStatus(str(data["status"])),
        message=str(data["message"]),
        opened_at=_time(data, "opened_at"),
        seen_at=_time(data, "seen_at"),
        seen=_count(data, "seen"),
        commit_id=_text(data, "commit_id"),
        run_id=_text(data, "run_id"),
        monitor_run_id=_text(data, "monitor_run_id"),
        monitor_name=_text(data, "monitor_name"),
        result_id=_text(data, "result_id"),
        assignee=_text(data, "assignee"),
        acknowledged_at=_maybe_time(data, "acknowledged_at"),
        acknowledged_by=_text(data, "acknowledged_by"),
        resolved_at=_maybe_time(data, "resolved_at"),
        resolved_by=_text(data, "resolved_by"),
        reopened=_count(data, "reopened"),
        cause=cause_of(cause) if isinstance(cause, Mapping) else None,
        hit=tuple(affected_of(one) for one in hit if isinstance(one, Mapping)) if isinstance(hit, Sequence) else (),
        upstream=_texts(data, "upstream"),
    )


def entry_dict(entry: IncidentEntry) -> Json:
    return {
        "at": _iso(entry.at),
        "kind": str(entry.kind),
        "text": entry.text,
        "by": entry.by,
        "commit_id": entry.commit_id,
        "run_id": entry.run_id,
        "result_id": entry.result_id,
        "count": entry.count,
        "until": _iso(entry.until),
        "details": dict(entry.details),
    }


def entry_of(data: Mapping[str, object]) -> IncidentEntry:
    details = data.get("details")
    return IncidentEntry(
        at=_time(data, "at"),
        kind=EntryKind(str(data["kind"])),
        text=str(data["text"]),
        by=str(data["by"]),
        commit_id=_text(data, "commit_id"),
        run_id=_text(data, "run_id"),
        result_id=_text(data, "result_id"),
        count=_count(data, "count") or 1,
        until=_maybe_time(data, "until"),
        details=dict(details) if isinstance(details, Mapping) else {},
    )


def _iso(value: datetime | None) -> str | None:
    return value.isoformat() if value else None


def _time(data: Mapping[str, object], key: str) -> datetime:
    return datetime.fromisoformat(str(data[key]))


def _maybe_time(data: Mapping[str, object], key: str) -> datetime | None:
    return _time(data, key) if data.get(key) else None


def _count(data: Mapping[str, object], key: str) -> int:
    return int(str(data.get(key) or 0))


def _text(data: Mapping[str, object], key: str) -> str | None:
    value = data.get(key)
    return None if value is None else str(value)


def _texts(data: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = data.get(key)
    return tuple(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else ()
