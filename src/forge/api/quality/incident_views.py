"""Incidents, alerts and deliveries as HTTP shows them: those that the records of runs tell of, joined with what the
tracker keeps of them, and those of monitors beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from forge.api.quality.views import came_in_view, incident_view, judged_by_view, open_incidents, see_branch
from forge.api.quality.wire.health import SparedView
from forge.api.quality.wire.incidents import (
    AlertView,
    AttemptView,
    DeliveryView,
    IncidentDetail,
    MuteView,
    TimelineEntry,
    TrackedIncidentView,
)
from forge.api.site import Site
from forge.api.versioning.commit_views import commit_view
from forge.flows.catalog.personal import PersonalColumns
from forge.flows.quality.incidents.judge_name import judged_by_of_incident
from forge.flows.quality.incidents.listing import Listed, list_incidents
from forge.flows.quality.incidents.open import OpenIncident
from forge.flows.quality.incidents.origin import came_in_with_incident, of_cause, of_origin, result_id_of
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.shown_verdict import shown_message
from forge.model.names import CommitId
from forge.quality.alerts.alert import AlertState
from forge.quality.alerts.delivery import Attempt, Delivery, DeliveryStatus
from forge.quality.alerts.incident import FORGE, Entry, EntryKind, IncidentStatus, TrackedIncident
from forge.quality.alerts.quiet import Mute, muted_until

_TELLING = (EntryKind.OPENED, EntryKind.SEEN, EntryKind.WORSE, EntryKind.REOPENED)  # what the check said


def find_views(
    site: Site,
    branch: str | None,
    statuses: frozenset[IncidentStatus],
    personal: PersonalColumns,
    keep: Callable[[TrackedIncidentView], bool] = lambda view: True,
) -> list[TrackedIncidentView]:
    """The worst first. Without a branch those of the default branch that runs tell of, and all that are tracked."""
    named, seen = see_branch(site, branch)
    found = list_incidents(site.wiring.quality.alerts, open_incidents(site, named, seen), statuses, branch)
    return [view for view in (listed_view(site, one, personal) for one in found) if keep(view)]


def listed_view(site: Site, one: Listed, personal: PersonalColumns) -> TrackedIncidentView:
    if one.opened is not None:
        return joined_view(site, one.opened, one.record, personal)
    assert one.record is not None
    return tracked_view(site, one.record, personal)


def joined_view(
    site: Site, opened: OpenIncident, record: TrackedIncident | None, personal: PersonalColumns
) -> TrackedIncidentView:
    """What the runs say, with what was done about it."""
    one = Listed(opened, record)
    facts = dict(incident_view(opened, one.id, personal))
    cause = came_in_view(site, of_cause(record.cause) if record is not None and record.cause else of_origin(one))
    if record is None:
        return TrackedIncidentView(**facts, seen_at=opened.run.started_at, cause=cause, result_id=result_id_of(one))
    return TrackedIncidentView(**facts, **_record_facts(record), cause=cause)


def tracked_view(site: Site, one: TrackedIncident, personal: PersonalColumns) -> TrackedIncidentView:
    commit = site.wiring.metadata.commit(CommitId(one.cause.commit_id)) if one.cause and one.cause.commit_id else None
    origin = None
    if one.cause is not None:
        origin = f"{one.cause.table}.{one.cause.column}" if one.cause.column else one.cause.table
    return TrackedIncidentView(
        id=one.id,
        table=one.table,
        column=one.columns[0] if one.columns else None,
        check_id=one.check_id,
        check_type=one.check_type,
        severity=one.severity.value,
        message=shown_message(one.table, one.check_type, one.columns, one.message, personal),
        branch=one.branch,
        run_id=one.run_id or one.monitor_run_id or "",
        since=one.opened_at,
        previous=None,
        origin=origin,
        origin_commit=commit_view(commit) if commit else None,
        spared=[_spared(hit.column, hit.owner) for hit in one.hit],
        held_back=[],
        kept=[],
        cause=came_in_view(site, of_cause(one.cause) if one.cause else None),
        **_record_facts(one),
    )


def _spared(column: str, owner: str | None) -> SparedView:
    table, _, name = column.rpartition(".")
    return SparedView(table=table, column=name, owner=owner)


def _record_facts(one: TrackedIncident) -> dict[str, Any]:
    return {
        "incident_id": one.id,
        "status": one.status.value,
        "origin_kind": one.scope.origin.value,
        "monitor_id": one.scope.monitor_id,
        "monitor_name": one.monitor_name,
        "monitor_run_id": one.monitor_run_id,
        "result_id": result_id_of(Listed(None, one)),
        "commit": one.commit_id,
        "seen": one.seen,
        "seen_at": one.seen_at,
        "reopened": one.reopened,
        "assignee": one.assignee,
        "acknowledged_at": one.acknowledged_at,
        "acknowledged_by": one.acknowledged_by,
        "resolved_at": one.resolved_at,
        "resolved_by": one.resolved_by,
    }


def detail_of(site: Site, one: Listed, personal: PersonalColumns) -> IncidentDetail:
    """With all that happened to it. The cause may have been found out after it was opened."""
    ports, store = site.wiring.quality.alerts, site.wiring.quality.monitors
    view = listed_view(site, one, personal)
    facts = {
        **dict(view),
        "result_id": result_id_of(one),
        "judged_by": judged_by_view(judged_by_of_incident(one, store)),
        "cause": came_in_view(site, came_in_with_incident(ports, store, one)),
    }
    if one.record is None:
        line = TimelineEntry(time=view.since, kind="opened", text=view.message, by=None, run_id=view.run_id)
        return IncidentDetail(**facts, timeline=[line])
    entries = [entry_view(_shown(entry, one.record, personal)) for entry in ports.store.timeline(one.record.id)]
    deliveries = delivery_views(ports, ports.store.deliveries(incident_id=one.record.id, limit=100))
    return IncidentDetail(**facts, timeline=entries, deliveries=deliveries)


def _shown(entry: Entry, one: TrackedIncident, personal: PersonalColumns) -> Entry:
    if entry.kind not in _TELLING:
        return entry
    return replace(entry, text=shown_message(one.table, one.check_type, one.columns, entry.text, personal))


def entry_view(entry: Entry) -> TimelineEntry:
    return TimelineEntry(
        time=entry.at,
        kind=EntryKind(entry.kind).value,
        text=entry.text,
        by=None if entry.by == FORGE else entry.by,
        commit=entry.commit_id,
        run_id=entry.run_id,
        result_id=entry.result_id,
        count=entry.count,
        until=entry.until,
    )


def delivery_views(ports: AlertPorts, deliveries: Sequence[Delivery]) -> list[DeliveryView]:
    attempts = ports.store.attempts([one.id for one in deliveries])
    now = ports.clock()
    return [_delivery_view(ports, one, attempts, now) for one in deliveries]


def _delivery_view(
    ports: AlertPorts, one: Delivery, attempts: Mapping[str, tuple[Attempt, ...]], now: datetime
) -> DeliveryView:
    channel = ports.channels.get(one.channel)
    waits = one.status is DeliveryStatus.WAITING
    sending = waits and one.claimed_until is not None and one.claimed_until > now
    return DeliveryView(
        id=one.id,
        channel=one.channel,
        type=channel.type if channel else None,
        kind=one.notice.kind.value,
        state="sending" if sending else one.status.value,
        reason=one.reason,
        severity=one.notice.severity.value,
        dataset=one.notice.table,
        branch=one.notice.branch,
        monitor_id=one.notice.scope.monitor_id,
        check_ids=[check.check_id for check in one.notice.checks],
        incident_ids=list(dict.fromkeys(c.incident_id for c in one.notice.checks if c.incident_id)),
        created_at=one.created_at,
        next_try_at=one.next_at if waits else None,
        sent_at=one.sent_at,
        message_id=one.message_id,
        attempts=[AttemptView(time=a.at, ok=a.ok, detail=a.detail, ms=a.ms) for a in attempts.get(one.id, ())],
    )


def alert_view(state: AlertState, mutes: Iterable[Mute], now: datetime, personal: PersonalColumns) -> AlertView:
    return AlertView(
        scope=str(state.scope),
        monitor_id=state.scope.monitor_id,
        check_id=state.check_id,
        check_type=state.check_type,
        dataset=state.table,
        branch=state.branch,
        status=state.status.value,
        severity=state.severity.value,
        message=shown_message(state.table, state.check_type, state.columns, state.message, personal),
        since=state.since,
        seen_at=state.seen_at,
        failures=state.failures,
        told=list(state.told),
        muted_until=muted_until(mutes, state.scope, state.table, state.check_id, now),
        incident_id=state.incident_id,
        commit=state.commit_id,
        run_id=state.run_id,
        monitor_run_id=state.monitor_run_id,
    )


def mute_view(mute: Mute) -> MuteView:
    return MuteView(
        id=mute.id,
        monitor_id=mute.scope.monitor_id if mute.scope else None,
        check_id=mute.check_id,
        dataset=mute.table,
        until=mute.until,
        reason=mute.reason,
        by=mute.by,
        created_at=mute.created_at,
    )
