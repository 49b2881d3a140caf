"""/api/v1/quality: verdicts, health of a dataset, what is wrong now."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response

from forge.api.paging import AWindow
from forge.api.quality_views import day_view, health_view, incident_view, open_incidents, see, see_branch
from forge.api.site import Site, TheSite
from forge.api.views import verdict_view
from forge.api.wire.quality import HealthView, IncidentView, TrendDay
from forge.api.wire.runs import VerdictView
from forge.api.wire.shape import Page
from forge.flows.health import find_health, find_trend, unknown_table
from forge.flows.revisions import find_branch
from forge.model.errors import ForgeError
from forge.model.names import BranchName, RunId, TableName
from forge.model.nearest import did_you_mean
from forge.quality.verdict import Outcome

router = APIRouter(prefix="/api/v1/quality", tags=["quality"])


@router.get("/datasets/{dataset_id}/health", response_model=HealthView)
def health(
    dataset_id: Annotated[str, Path(max_length=300)],
    site: TheSite,
    at: Annotated[str, Query(max_length=255)] = "HEAD",
) -> Response:
    """The checks behind the table as it is at that revision, and what the newest attempt said if it was held back."""
    metadata, table = site.wiring.metadata, TableName.parse(dataset_id)

    def make() -> HealthView:
        seen = see(site, at)
        return health_view(find_health(metadata, table, seen.tree, seen.held), at)

    return site.memo.respond(metadata, ("health", table, at), make)


@router.get("/results")
def results(
    site: TheSite,
    window: AWindow,
    dataset_id: Annotated[str | None, Query(max_length=300)] = None,
    run_id: Annotated[str | None, Query(max_length=64)] = None,
    outcome: Literal["passed", "failed", "not measured"] | None = None,
) -> Page[VerdictView]:
    """Verdicts, newest run first."""
    metadata = site.wiring.metadata
    table = TableName.parse(dataset_id) if dataset_id else None
    found = metadata.verdicts(
        run_id=RunId(run_id) if run_id else None,
        table=table,
        outcome=Outcome(outcome) if outcome else None,
        limit=window.needed,
    )
    if not found:
        _refuse_unknown(site, table, run_id)
    runs = metadata.find_runs({run for run, _ in found[window.offset : window.offset + window.limit]})
    return window.page(found, lambda said: verdict_view(said[1], runs[said[0]]))


@router.get("/incidents", response_model=Page[IncidentView])
def incidents(site: TheSite, window: AWindow, branch: Annotated[str | None, Query(max_length=255)] = None) -> Response:
    """What is wrong now, the worst first: blocking checks that nothing has put right since."""

    def make() -> Page[IncidentView]:
        named, seen = see_branch(site, branch)
        found = open_incidents(site, named, seen)
        return window.page(found, incident_view, total=len(found))

    return site.memo.respond(site.wiring.metadata, ("incidents", branch, window), make)


@router.get("/trend")
def trend(
    site: TheSite,
    days: Annotated[int, Query(ge=1, le=365)] = 30,
    branch: Annotated[str | None, Query(max_length=255)] = None,
) -> list[TrendDay]:
    """Verdicts per day, oldest first, days without any included."""
    wiring = site.wiring
    named = find_branch(wiring.metadata, BranchName(branch) if branch else wiring.default_branch)
    return [day_view(day) for day in find_trend(wiring.metadata, named.name, wiring.clock(), days)]


def _refuse_unknown(site: Site, table: TableName | None, run_id: str | None) -> None:
    """No verdicts of something that exists are none; of something that does not, an error."""
    metadata = site.wiring.metadata
    if run_id and metadata.run(RunId(run_id)) is None:
        near = did_you_mean(run_id, (run.id for run in metadata.runs()))
        raise ForgeError("E108", f"There is no run {run_id}", why=near, fix="`forge runs` lists them.")
    if table is not None:
        _, seen = see_branch(site, None)
        if table not in seen.tree and not metadata.touching(table) and not metadata.verdicts(table=table, limit=1):
            raise unknown_table(table, seen.tree)
