"""/api/v1/runs: start, list, follow, cancel."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse

from forge.api.auth import ThePrincipal
from forge.api.events import HEADERS, MEDIA_TYPE
from forge.api.paging import AWindow
from forge.api.runs.run_views import RecordedRun, find_one, is_over, list_views, run_detail, run_view
from forge.api.runs.wire.runs import RunDetail, RunStart, RunView
from forge.api.site import TheSite
from forge.api.wire import Page
from forge.flows.runs.run_jobs import RunSpec
from forge.flows.upkeep.access import TokenScope
from forge.model.errors import ForgeError

router = APIRouter(prefix="/api/v1/runs", tags=["runs"])

RunIdentity = Annotated[str, Path(max_length=64, examples=["r20261115_061000_4f9a1c"])]


@router.post("", status_code=202)
def start_run(body: RunStart, site: TheSite, caller: ThePrincipal, response: Response) -> RunView:
    """Put a run into the queue. Its address is in `Location`."""
    order = RunSpec.of({**body.model_dump(), "branch": body.branch or site.wiring.default_branch})
    job = site.jobs.submit(order.to_dict())
    response.headers["Location"] = f"{router.prefix}/{job.id}"
    return run_view(site, caller, RecordedRun(None, job))


@router.get("")
def list_runs(
    site: TheSite,
    caller: ThePrincipal,
    window: AWindow,
    branch: Annotated[str | None, Query(max_length=255)] = None,
    status: Annotated[str | None, Query(max_length=40)] = None,
    table: Annotated[str | None, Query(max_length=300, description="Only runs that had this output.")] = None,
) -> Page[RunView]:
    """Newest first; those that wait, too. What others ask is hidden from a token that may only read."""
    return list_views(site, caller, window, branch=branch, status=status, table=table)


@router.get("/{run_id}")
def one_run(run_id: RunIdentity, site: TheSite, caller: ThePrincipal) -> RunDetail:
    """One run with its outputs, verdicts and, while it works, where each table is. Why a question failed is for who
    asked it."""
    return run_detail(site, caller, run_id)


@router.delete("/{run_id}", status_code=202)
def cancel_run(run_id: RunIdentity, site: TheSite, caller: ThePrincipal) -> RunView:
    """Cancel a run that waits or works here. Nothing of it is published. Who may only read cancels what he asked."""
    task = site.executor.task(run_id)
    if caller.scope is not TokenScope.WRITE and (task is None or not task.is_read or task.owner != caller.owner):
        raise ForgeError(
            "E904",
            "This token may only read",
            why="It cancels queries of its own; anything else needs the scope write.",
            fix="Make one that may write: forge token create NAME --scope write",
        )
    if not site.executor.cancel(run_id):
        site.jobs.cancel(run_id)
    return run_view(site, caller, find_one(site, run_id))


@router.get(
    "/{run_id}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
)
async def run_events(run_id: RunIdentity, site: TheSite, principal: ThePrincipal) -> StreamingResponse:
    """Server-sent events: `run` with the whole RunDetail, at once and whenever something changed; `end` when it has
    ended. A comment every 15 seconds keeps the connection open."""
    token = principal.token  # None: the secret that was printed at the start, which ends with the server
    may_see = partial(site.access.is_active, token) if token else lambda: True
    look = partial(run_detail, site, principal, run_id)
    task = site.executor.task(run_id)
    audience = f"{principal.scope} {principal.user}" if task is not None and task.is_read else ""
    stream = await site.feed.open(run_id, look, is_over, may_see, principal.origin, audience)
    return StreamingResponse(stream, media_type=MEDIA_TYPE, headers=HEADERS)
