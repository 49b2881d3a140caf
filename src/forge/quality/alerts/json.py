"""JSON of alert states, incidents and timeline entries, as stored and exported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from forge.model.record_json import record_json
from forge.quality.alerts.alert import AlertScope, AlertState, AlertStatus
from forge.quality.alerts.incident import EntryKind, IncidentEntry, IncidentStatus, TrackedIncident
from forge.quality.alerts.notice import affected_of, cause_of, text_at, texts_at
from forge.quality.verdict import Severity

Json = dict[str, object]


def state_dict(state: AlertState) -> Json:
    return {
        "told" if name == "notified" else name: value
        for name, value in {**record_json(state), "scope": str(state.scope)}.items()
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
        notified=texts_at(data, "told"),
        told_at=_maybe_time(data, "told_at"),
        commit_id=text_at(data, "commit_id"),
        run_id=text_at(data, "run_id"),
        monitor_run_id=text_at(data, "monitor_run_id"),
        incident_id=text_at(data, "incident_id"),
        columns=texts_at(data, "columns"),
    )


def incident_dict(incident: TrackedIncident) -> Json:
    return {**record_json(incident), "scope": str(incident.scope)}


def incident_of(data: Mapping[str, object]) -> TrackedIncident:
    cause, hit = data.get("cause"), data.get("hit")
    return TrackedIncident(
        id=str(data["id"]),
        scope=AlertScope.parse(str(data["scope"])),
        table=str(data["table"]),
        branch=str(data["branch"]),
        check_id=str(data["check_id"]),
        check_type=str(data["check_type"]),
        columns=texts_at(data, "columns"),
        severity=Severity(str(data["severity"])),
        status=IncidentStatus(str(data["status"])),
        message=str(data["message"]),
        opened_at=_time(data, "opened_at"),
        seen_at=_time(data, "seen_at"),
        seen=_count(data, "seen"),
        commit_id=text_at(data, "commit_id"),
        run_id=text_at(data, "run_id"),
        monitor_run_id=text_at(data, "monitor_run_id"),
        monitor_name=text_at(data, "monitor_name"),
        result_id=text_at(data, "result_id"),
        assignee=text_at(data, "assignee"),
        acknowledged_at=_maybe_time(data, "acknowledged_at"),
        acknowledged_by=text_at(data, "acknowledged_by"),
        resolved_at=_maybe_time(data, "resolved_at"),
        resolved_by=text_at(data, "resolved_by"),
        reopened=_count(data, "reopened"),
        cause=cause_of(cause) if isinstance(cause, Mapping) else None,
        hit=tuple(affected_of(one) for one in hit if isinstance(one, Mapping)) if isinstance(hit, Sequence) else (),
        upstream=texts_at(data, "upstream"),
    )


def entry_dict(entry: IncidentEntry) -> Json:
    return record_json(entry)


def entry_of(data: Mapping[str, object]) -> IncidentEntry:
    details = data.get("details")
    return IncidentEntry(
        at=_time(data, "at"),
        kind=EntryKind(str(data["kind"])),
        text=str(data["text"]),
        by=str(data["by"]),
        commit_id=text_at(data, "commit_id"),
        run_id=text_at(data, "run_id"),
        result_id=text_at(data, "result_id"),
        count=_count(data, "count") or 1,
        until=_maybe_time(data, "until"),
        details=dict(details) if isinstance(details, Mapping) else {},
    )


def _time(data: Mapping[str, object], key: str) -> datetime:
    return datetime.fromisoformat(str(data[key]))


def _maybe_time(data: Mapping[str, object], key: str) -> datetime | None:
    return _time(data, key) if data.get(key) else None


def _count(data: Mapping[str, object], key: str) -> int:
    return int(str(data.get(key) or 0))
