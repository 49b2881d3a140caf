"""/api/v1/quality/monitors: create, change, run and read monitors. A change needs a token that may write."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from forge.api.auth import ThePrincipal
from forge.api.paging import FARTHEST, AWindow, Window, offset_of
from forge.api.quality.monitor_views import monitor_views, planned_views, sla_view
from forge.api.quality.views import result_view
from forge.api.quality.wire.health import ResultView
from forge.api.quality.wire.monitors import (
    ChannelView,
    ChecksToValidate,
    FaultView,
    MonitorChange,
    MonitorCreate,
    MonitorPreview,
    MonitorRunView,
    MonitorStateWord,
    MonitorTicket,
    MonitorView,
    SlaView,
    ValidationView,
)
from forge.api.site import Site, TheSite
from forge.api.wire import OutcomeWord, Page
from forge.flows.quality.monitors.check_preview import PreviewTarget, find_target, preview_checks
from forge.flows.quality.monitors.jobs import start_by_hand
from forge.flows.quality.monitors.preview import preview_monitor as draft_of
from forge.flows.quality.monitors.scheduler import MonitorStatus
from forge.flows.quality.monitors.sla import find_sla
from forge.flows.quality.monitors.store import change_monitor, create_monitor, find_monitor, remove_monitor
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.monitors.monitor import Monitor
from forge.quality.monitors.schedule import FieldFault
from forge.quality.verdict import Outcome

router = APIRouter(prefix="/api/v1/quality", tags=["quality monitors"])

MonitorIdentity = Annotated[str, Path(max_length=255, description="Its id, or its name.")]


@router.get("/monitors")
def list_monitors(
    site: TheSite,
    window: AWindow,
    dataset_id: Annotated[str | None, Query(max_length=600, description="schema.table, or schema.table@branch")] = None,
    enabled: bool | None = None,
    q: Annotated[str, Query(max_length=200, description="A part of the name or of the dataset.")] = "",
    state: Annotated[tuple[MonitorStateWord, ...], Query(max_length=10, description="Only these; repeated.")] = (),
) -> Page[MonitorView]:
    """By name."""
    store = site.wiring.quality.monitors
    name, _, branch = (dataset_id or "").partition("@")
    found = store.monitors(table=TableName.parse(name) if name else None, enabled=enabled)
    words = q.strip().lower()
    wanted = [
        one
        for one in found
        if (not branch or one.branch == branch) and (not words or words in f"{one.name}\n{one.dataset}".lower())
    ]
    now = site.wiring.clock()
    if not state:
        shown = wanted[window.offset : window.offset + window.limit]
        views = {view.id: view for view in monitor_views(shown, store, now)}
        return window.page(wanted, lambda one: views[one.id], total=len(wanted))
    standing = [view for view in monitor_views(wanted, store, now) if view.state in state]
    return window.page(standing, lambda view: view, total=len(standing))


@router.post("/monitors", status_code=201)
def add_monitor(
    body: MonitorCreate,
    site: TheSite,
    caller: ThePrincipal,
    response: Response,
) -> MonitorView:
    """Create a monitor. Its address is in `Location`."""
    made = create_monitor(body.model_dump(), site.wiring.quality.monitor_ports(caller.user))
    response.headers["Location"] = f"{router.prefix}/monitors/{made.id}"
    return _view(site, made)


@router.post("/monitors/preview")
def preview_monitor(body: dict[str, Any], site: TheSite) -> MonitorPreview:
    """What a monitor would be, when it would run, and all that is wrong with it. Nothing is kept."""
    wiring, now = site.wiring, site.wiring.clock()
    draft = draft_of(
        body,
        wiring.quality.monitor_ports(),
        partial(_look, site),
        lambda table: wiring.project().checks_of(table),
        now,
    )
    return MonitorPreview.of(
        draft,
        errors=draft.faults,
        checks=planned_views(draft.checks),
        monitor=MonitorStatus(draft.monitor, None, None, now).to_dict() if draft.monitor else None,
    )


@router.get("/monitors/{monitor_id}")
def one_monitor(monitor_id: MonitorIdentity, site: TheSite) -> MonitorView:
    return _view(site, find_monitor(site.wiring.quality.monitors, monitor_id))


@router.patch("/monitors/{monitor_id}")
def edit_monitor(monitor_id: MonitorIdentity, body: MonitorChange, site: TheSite, caller: ThePrincipal) -> MonitorView:
    """Change what the body has; the rest stays. One that a file of the project has is refused (409)."""
    fields = body.model_dump(exclude_unset=True)
    return _view(site, change_monitor(monitor_id, fields, site.wiring.quality.monitor_ports(caller.user)))


@router.delete("/monitors/{monitor_id}", status_code=204)
def delete_monitor(monitor_id: MonitorIdentity, site: TheSite, caller: ThePrincipal) -> None:
    """Its results stay."""
    remove_monitor(monitor_id, site.wiring.quality.monitor_ports(caller.user))


@router.post("/monitors/{monitor_id}/run", status_code=202)
def run_monitor(monitor_id: MonitorIdentity, site: TheSite, caller: ThePrincipal, response: Response) -> MonitorTicket:
    """Put a run into the queue. `Location` is where to follow it."""
    monitor = find_monitor(site.wiring.quality.monitors, monitor_id)
    run = start_by_hand(monitor, site.jobs, site.wiring.quality.judge_ports(caller.user))
    response.headers["Location"] = f"/api/v1/runs/{run.id}"
    return MonitorTicket(run_id=run.id, monitor_id=monitor.id)


@router.get("/monitors/{monitor_id}/runs")
def monitor_runs(monitor_id: MonitorIdentity, site: TheSite, window: AWindow) -> Page[MonitorRunView]:
    """Newest first, those that wait or were skipped included."""
    store = site.wiring.quality.monitors
    monitor = find_monitor(store, monitor_id)
    runs = store.runs(monitor_id=monitor.id, limit=window.needed)
    return window.page(runs, lambda run: MonitorRunView.model_validate(run.to_dict()))


@router.get("/monitors/{monitor_id}/results")
def monitor_results(
    monitor_id: MonitorIdentity,
    site: TheSite,
    limit: Annotated[int, Query(ge=1, le=500, description="How many at most.")] = 100,
    cursor: Annotated[str | None, Query(max_length=100, description="`next_cursor` of the page before.")] = None,
    offset: Annotated[int, Query(ge=0, le=FARTHEST, description="How many to leave out, without a cursor.")] = 0,
    monitor_run_id: Annotated[str | None, Query(max_length=64)] = None,
    verdict: OutcomeWord | None = None,
) -> Page[ResultView]:
    """Results of its checks, newest first."""
    store = site.wiring.quality.monitors
    monitor = find_monitor(store, monitor_id)
    window = Window(limit, offset_of(cursor) if cursor else offset)
    found = store.results(
        monitor_id=monitor.id,
        run_ids=[monitor_run_id] if monitor_run_id else None,
        verdict=Outcome(verdict) if verdict else None,
        limit=window.needed,
    )
    return window.page(found, partial(result_view, personal=site.wiring.catalog.hidden_at()))


@router.get("/monitors/{monitor_id}/sla")
def monitor_sla(
    monitor_id: MonitorIdentity,
    site: TheSite,
    window_days: Annotated[int | None, Query(ge=1, le=3660, description="Default: the monitor's own.")] = None,
) -> SlaView:
    """How the promise is kept: pass rate, error budget, burn rate. Runs that could not be measured are shown apart."""
    store = site.wiring.quality.monitors
    monitor = find_monitor(store, monitor_id)
    return sla_view(monitor, find_sla(store, monitor, site.wiring.clock(), window_days))


@router.get("/channels")
def list_channels(site: TheSite) -> list[ChannelView]:
    """The channels of forge.yaml, by name; nothing of how they are reached."""
    channels = site.wiring.settings.alerts.channels
    return [ChannelView(name=name, type=channels[name].type) for name in sorted(channels)]


@router.post("/checks/validate")
def validate_checks(body: ChecksToValidate, site: TheSite) -> ValidationView:
    """All that is wrong with checks, and what judging them would take. Nothing is run."""
    faults: list[FieldFault] = []
    seen = None
    if body.dataset is not None:
        try:
            seen = _look(site, body.dataset)
        except ForgeError as error:
            faults.append(FieldFault("dataset", error.what, error.why or error.fix))
    preview = preview_checks(body.checks, seen)
    errors = [FaultView.model_validate(fault) for fault in (*preview.faults, *faults)]
    return ValidationView(valid=not errors, errors=errors, checks=planned_views(preview.checks))


def _look(site: Site, dataset: str) -> PreviewTarget:
    wiring = site.wiring
    return find_target(dataset, wiring.metadata, wiring.lake, wiring.default_branch)


def _view(site: Site, monitor: Monitor) -> MonitorView:
    return monitor_views([monitor], site.wiring.quality.monitors, site.wiring.clock())[0]
