"""/api/v1/quality/incidents and /alerts: incidents, alerts, mutes and deliveries."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response

from forge.api.auth import ThePrincipal
from forge.api.paging import AWindow
from forge.api.quality.incident_views import (
    alert_view,
    delivery_views,
    detail_of,
    find_views,
    mute_view,
)
from forge.api.quality.wire.incidents import (
    AlertView,
    AlertWord,
    ChannelTrial,
    DeliveryView,
    IncidentChange,
    IncidentDetail,
    MuteCreate,
    MuteView,
    TrackedIncidentView,
)
from forge.api.site import Site, TheSite
from forge.api.wire import Page
from forge.flows.quality.incidents.deliveries import retry_delivery as queue_again
from forge.flows.quality.incidents.deliveries import try_channel
from forge.flows.quality.incidents.listing import MOST, find_listed, find_tracked
from forge.flows.quality.incidents.tracker import UNRESOLVED, IncidentRequest, change_incident, mute, unmute
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.alerts.alert import AlertOrigin, AlertScope, AlertStatus
from forge.quality.alerts.delivery import DeliveryStatus
from forge.quality.alerts.incident import IncidentStatus

router = APIRouter(prefix="/api/v1/quality", tags=["quality"])

Identity = Annotated[str, Path(max_length=64)]
AskedTable = Annotated[str | None, Query(max_length=300, description="schema.table", examples=["core.orders"])]
AskedMonitor = Annotated[str | None, Query(max_length=64, description="Id of a monitor.")]
AskedBranch = Annotated[str | None, Query(max_length=255)]
StatusAsked = Literal["unresolved", "open", "acknowledged", "resolved", "all"]
StateAsked = Literal["waiting", "sent", "dropped", "refused", "given up"]


@router.get("/incidents", response_model=Page[TrackedIncidentView])
def incidents(
    site: TheSite,
    window: AWindow,
    branch: AskedBranch = None,
    status: Annotated[StatusAsked, Query(description="unresolved: open and acknowledged.")] = "unresolved",
    dataset_id: AskedTable = None,
    monitor_id: AskedMonitor = None,
) -> Response:
    """What is wrong, the worst first: checks that hold a publish back, and what monitors and runs found beside."""
    table = str(TableName.parse(dataset_id)) if dataset_id else None

    def keep(view: TrackedIncidentView) -> bool:
        return (table is None or view.table == table) and (monitor_id is None or view.monitor_id == monitor_id)

    def make() -> Page[TrackedIncidentView]:
        found = find_views(site, branch, _statuses(status), personal, keep)
        return window.page(found, lambda view: view, total=len(found))

    personal = site.wiring.catalog.hidden_at()
    mark = site.wiring.quality.alerts.store.mark()
    key = ("incidents", branch, window, status, table, monitor_id, mark, hash(personal))
    return site.memo.respond(site.wiring.metadata, key, make)


def _statuses(word: StatusAsked) -> frozenset[IncidentStatus]:
    match word:
        case "all":
            return frozenset(IncidentStatus)
        case "unresolved":
            return frozenset(UNRESOLVED)
        case _:
            return frozenset({IncidentStatus(word)})


@router.get("/incidents/{incident_id}")
def incident(incident_id: Identity, site: TheSite) -> IncidentDetail:
    """One with all that happened to it."""
    return _detail(site, incident_id)


@router.patch("/incidents/{incident_id}")
def patch_incident(incident_id: Identity, body: IncidentChange, site: TheSite, caller: ThePrincipal) -> IncidentDetail:
    """Acknowledge, assign, annotate, resolve or open again."""
    ports = site.wiring.quality.alerts
    request = IncidentRequest(
        IncidentStatus(body.status) if body.status else None,
        body.assignee or None,
        "assignee" in body.model_fields_set and not body.assignee,
        body.note,
    )
    changed = change_incident(ports, find_tracked(ports, incident_id).id, request, caller.user)
    return _detail(site, changed.id)


def _detail(site: Site, incident_id: str) -> IncidentDetail:
    found = find_listed(site.wiring.quality.alerts, incident_id)
    return detail_of(site, found, site.wiring.catalog.hidden_at())


@router.get("/alerts")
def alerts(
    site: TheSite,
    window: AWindow,
    monitor_id: AskedMonitor = None,
    dataset_id: AskedTable = None,
    branch: AskedBranch = None,
    status: AlertWord | None = None,
) -> Page[AlertView]:
    """How each check that ever failed stands, those that fail first."""
    ports = site.wiring.quality.alerts
    found = ports.store.states(
        scope=_scope(monitor_id),
        table=str(TableName.parse(dataset_id)) if dataset_id else None,
        branch=branch,
        statuses=(AlertStatus(status),) if status else None,
        limit=MOST,
    )
    now = ports.clock()
    mutes, personal = ports.store.mutes(now), site.wiring.catalog.hidden_at()
    return window.page(found, lambda state: alert_view(state, mutes, now, personal), total=len(found))


def _scope(monitor_id: str | None) -> AlertScope | None:
    return AlertScope(AlertOrigin.MONITOR, monitor_id) if monitor_id else None


@router.get("/alerts/mutes")
def alert_mutes(site: TheSite, window: AWindow) -> Page[MuteView]:
    """Those that hold now, the one that lasts longest first."""
    ports = site.wiring.quality.alerts
    found = ports.store.mutes(ports.clock())
    return window.page(found, mute_view, total=len(found))


@router.post("/alerts/mutes", status_code=201)
def create_mute(body: MuteCreate, site: TheSite, caller: ThePrincipal) -> MuteView:
    """No messages about a monitor, a check or a dataset until an end. Incidents are kept all the same."""
    ports = site.wiring.quality.alerts
    if (body.until is None) == (body.hours is None):
        raise ForgeError("E732", "The mute needs one end", fix="Give until (a time), or hours.")
    until = body.until or ports.clock() + timedelta(hours=body.hours or 0)
    made = mute(
        ports,
        until=until,
        by=caller.user,
        monitor_id=body.monitor_id,
        check_id=body.check_id,
        table=body.dataset,
        reason=body.reason,
    )
    return mute_view(made)


@router.delete("/alerts/mutes/{mute_id}", status_code=204)
def delete_mute(mute_id: Identity, site: TheSite) -> None:
    """It ends now; alerts are sent for what still fails."""
    unmute(site.wiring.quality.alerts, mute_id)


@router.get("/alerts/deliveries")
def deliveries(
    site: TheSite,
    window: AWindow,
    monitor_id: AskedMonitor = None,
    incident_id: Annotated[str | None, Query(max_length=64)] = None,
    channel: Annotated[str | None, Query(max_length=64)] = None,
    state: StateAsked | None = None,
) -> Page[DeliveryView]:
    """Every notice to every channel, the newest first, with all its tries."""
    ports = site.wiring.quality.alerts
    found = ports.store.deliveries(
        scope=_scope(monitor_id),
        incident_id=incident_id,
        channel=channel,
        statuses=(DeliveryStatus(state),) if state else None,
        limit=window.needed,
    )
    part = found[window.offset : window.offset + window.limit]
    shown = {view.id: view for view in delivery_views(ports, part)}
    return window.page(found, lambda one: shown[one.id])


@router.post("/alerts/deliveries/{delivery_id}/retry", status_code=204)
def retry_delivery(delivery_id: Identity, site: TheSite) -> None:
    """One that was given up or refused is tried once more."""
    queue_again(site.wiring.quality.alerts, delivery_id)


@router.post("/alerts/channels/{channel}/test")
def test_channel(channel: Annotated[str, Path(max_length=64)], site: TheSite) -> ChannelTrial:
    """Sends a trial at once, and says what became of it."""
    ok, detail = try_channel(site.wiring.quality.alerts, channel)
    return ChannelTrial(channel=channel, ok=ok, detail=detail)
