"""/api/v1/federation/cache: results of queries that are kept."""

from __future__ import annotations

from fastapi import APIRouter

from forge.api.auth import ThePrincipal
from forge.api.federation.wire.cache import CacheInvalidated, CacheInvalidation, CacheStatsView
from forge.api.site import TheSite
from forge.flows.federation.cache_upkeep import cache_stats, forget_results

router = APIRouter(prefix="/api/v1/federation/cache", tags=["federation cache"])


@router.get("/stats")
def kept_results(site: TheSite) -> CacheStatsView:
    """How many results are kept, and how often one was taken."""
    return CacheStatsView.model_validate(cache_stats(site.wiring.federation.results).to_dict())


@router.post("/invalidate")
def let_go_of_results(body: CacheInvalidation, site: TheSite, caller: ThePrincipal) -> CacheInvalidated:
    """Needs a token that may write. The next query of what was named reads its sources. Who may not read a source lets
    go of nothing of it (403)."""
    wiring = site.wiring
    removed = forget_results(
        wiring.federation.results,
        wiring.metadata,
        wiring.clock,
        caller.user,
        source=body.source_id or "",
        table=body.table or "",
        declared=wiring.federation.sources(),
    )
    return CacheInvalidated(removed=removed)
