"""Incidents, alerts and deliveries as HTTP shows them: those that the records of runs tell of, joined with what the
tracker keeps of them, and those of monitors beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from forge.api.quality.views import came_in_view, incident_facts, open_incidents, see_branch
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
from forge.flows.catalog.personal import PersonalColumns
from forge.flows.quality.incidents.deliveries import delivery_records
from forge.flows.quality.incidents.judge_name import judged_by_of_incident
from forge.flows.quality.incidents.listed import Listed
from forge.flows.quality.incidents.listing import list_incidents
from forge.flows.quality.incidents.origin import came_in_with_incident
from forge.flows.quality.incidents.ports import AlertPorts
from forge.flows.quality.shown_verdict import shown_message
from forge.quality.alerts.alert import AlertState
from forge.quality.alerts.delivery import Delivery
from forge.quality.alerts.incident import Entry, EntryKind, IncidentStatus, TrackedIncident
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
    facts = incident_facts(one, personal)
    facts["cause"] = cause = came_in_view(site, one.cause)
    if one.opened is None:
        facts["origin_commit"] = cause.commit if cause else None
    return TrackedIncidentView.model_validate(facts)


def detail_of(site: Site, one: Listed, personal: PersonalColumns) -> IncidentDetail:
    """With all that happened to it. The cause may have been found out after it was opened."""
    ports, store = site.wiring.quality.alerts, site.wiring.quality.monitors
    view = listed_view(site, one, personal)
    facts = {
        **dict(view),
        "judged_by": JudgedByView.model_validate(judged_by_of_incident(one, store).to_dict()),
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
    return TimelineEntry.model_validate(entry.to_dict())


def delivery_views(ports: AlertPorts, deliveries: Sequence[Delivery]) -> list[DeliveryView]:
    return [DeliveryView.model_validate(record) for record in delivery_records(ports, deliveries)]


def alert_view(state: AlertState, mutes: Iterable[Mute], now: datetime, personal: PersonalColumns) -> AlertView:
    message = shown_message(state.table, state.check_type, state.columns, state.message, personal)
    until = muted_until(mutes, state.scope, state.table, state.check_id, now)
    return AlertView.model_validate({**state.to_dict(), "message": message, "muted_until": until})


def mute_view(mute: Mute) -> MuteView:
    return MuteView.model_validate(mute.to_dict())
