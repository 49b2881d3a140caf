"""/api/v1/quality: health of a dataset, and day by day."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from forge.api.quality.views import day_view, health_view, read_revision
from forge.api.quality.wire.health import HealthView, TrendDay
from forge.api.site import TheSite
from forge.flows.quality.health import find_health, find_trend
from forge.flows.versioning.revisions import find_branch
from forge.model.names import BranchName, TableName

router = APIRouter(prefix="/api/v1/quality", tags=["quality"])


@router.get("/datasets/{dataset_id}/health", response_model=HealthView)
def health(
    dataset_id: Annotated[str, Path(max_length=300)],
    site: TheSite,
    at: Annotated[str, Query(max_length=255)] = "HEAD",
) -> Response:
    """The checks behind the table as it is at that revision, and the newest attempt's verdict if it was held back."""
    metadata, (name, _, branch) = site.wiring.metadata, dataset_id.partition("@")
    table, revision = TableName.parse(name), branch if branch and at == "HEAD" else at

    personal = site.wiring.catalog.hidden_at()
    current = site.wiring.quality.current_checks(table) if at == "HEAD" else None

    def make() -> HealthView:
        seen, store = read_revision(site, revision), site.wiring.quality.monitors
        version = seen.tree.get(table)
        since = store.standing({table: version}) if version else ()
        health = find_health(metadata, table, seen.tree, seen.held, since, current)
        return health_view(health, at, personal, len(store.monitors(table=table)))

    return site.memo.respond(metadata, ("health", table, revision, hash(personal), current), make)


@router.get("/trend")
def trend(
    site: TheSite,
    days: Annotated[int, Query(ge=1, le=365)] = 30,
    branch: Annotated[str | None, Query(max_length=255)] = None,
) -> list[TrendDay]:
    """Verdicts per day, oldest first, days without any included."""
    wiring = site.wiring
    named = find_branch(wiring.metadata, BranchName(branch) if branch else wiring.default_branch)
    also = partial(wiring.quality.monitors.tallies, branch=named.name)
    return [day_view(day) for day in find_trend(wiring.metadata, named.name, wiring.clock(), days, also)]
