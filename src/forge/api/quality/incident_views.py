"""JSON views of incidents, alerts and deliveries: incidents derived from run records are joined with the tracked ones;
those of monitors are added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from forge.api.quality.views import failure_origin_view, incident_facts, open_incidents, read_branch
from forge.api.quality.wire.health import JudgedByView
from forge.api.quality.wire.incidents import (
    AlertView,
    DeliveryView,
    IncidentDetail,
    MuteView,
    TimelineEntry,
    TrackedIncidentView,
)
from forge.api.site import Site
from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.quality.incidents.deliveries import delivery_records
from forge.flows.quality.incidents.judge_reference import judge_of_incident
from forge.flows.quality.incidents.listed_incident import ListedIncident
from forge.flows.quality.incidents.listing import list_incidents
from forge.flows.quality.incidents.origin import origin_of_incident
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.verdict_masking import shown_message
from forge.quality.alerts.alert import AlertState
from forge.quality.alerts.delivery import Delivery
from forge.quality.alerts.incident import EntryKind, IncidentEntry, IncidentStatus, TrackedIncident
from forge.quality.alerts.quiet import Mute, muted_until

_WITH_MESSAGE = (EntryKind.OPENED, EntryKind.SEEN, EntryKind.WORSE, EntryKind.REOPENED)  # the check's message


def find_views(
    site: Site,
    branch: str | None,
    statuses: frozenset[IncidentStatus],
    personal: PersonalColumns,
    keep: Callable[[TrackedIncidentView], bool] = lambda view: True,
) -> list[TrackedIncidentView]:
    """The worst first. Without a branch: open ones of the default branch from run records, and all tracked ones."""
    named, seen = read_branch(site, branch)
    found = list_incidents(site.wiring.quality.alerts, open_incidents(site, named, seen), statuses, branch)
    return [view for view in (listed_view(site, one, personal) for one in found) if keep(view)]


def listed_view(site: Site, one: ListedIncident, personal: PersonalColumns) -> TrackedIncidentView:
    facts = incident_facts(one, personal)
    facts["cause"] = cause = failure_origin_view(site, one.cause)
    if one.opened is None:
        facts["origin_commit"] = cause.commit if cause else None
    return TrackedIncidentView.model_validate(facts)


def detail_of(site: Site, one: ListedIncident, personal: PersonalColumns) -> IncidentDetail:
    """With its timeline. The cause may have been found after it was opened."""
    ports, store = site.wiring.quality.alerts, site.wiring.quality.monitors
    view = listed_view(site, one, personal)
    facts = {
        **dict(view),
        "judged_by": JudgedByView.model_validate(judge_of_incident(one, store).to_dict()),
        "cause": failure_origin_view(site, origin_of_incident(ports, store, one)),
    }
    if one.record is None:
        line = TimelineEntry(time=view.since, kind="opened", text=view.message, by=None, run_id=view.run_id)
        return IncidentDetail(**facts, timeline=[line])
    shown = (_shown(entry, one.record, personal) for entry in ports.store.timeline(one.record.id))
    entries = [TimelineEntry.model_validate(entry.to_dict()) for entry in shown]
    deliveries = delivery_views(ports, ports.store.deliveries(incident_id=one.record.id, limit=100))
    return IncidentDetail(**facts, timeline=entries, deliveries=deliveries)


def _shown(entry: IncidentEntry, one: TrackedIncident, personal: PersonalColumns) -> IncidentEntry:
    if entry.kind not in _WITH_MESSAGE:
        return entry
    return replace(entry, text=shown_message(one.table, one.check_type, one.columns, entry.text, personal))


def delivery_views(ports: AlertPorts, deliveries: Sequence[Delivery]) -> list[DeliveryView]:
    return [DeliveryView.model_validate(record) for record in delivery_records(ports, deliveries)]


def alert_view(state: AlertState, mutes: Iterable[Mute], now: datetime, personal: PersonalColumns) -> AlertView:
    message = shown_message(state.table, state.check_type, state.columns, state.message, personal)
    until = muted_until(mutes, state.scope, state.table, state.check_id, now)
    return AlertView.model_validate({**state.to_dict(), "message": message, "muted_until": until})


def mute_view(mute: Mute) -> MuteView:
    return MuteView.model_validate(mute.to_dict())
