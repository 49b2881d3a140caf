"""/api/v1/catalog: recommendations, popular and similar assets, and usage."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from forge.api.auth import ThePrincipal
from forge.api.catalog.wire.discovery import (
    PeriodWord,
    PopularAssetView,
    RecommendedAssetView,
    SimilarAssetView,
    UsageView,
)
from forge.api.paging import best_of
from forge.api.site import TheSite
from forge.api.wire import Page
from forge.catalog.discovery.usage import UsagePeriod
from forge.flows.catalog.discovery.popular import find_popular, find_usage
from forge.flows.catalog.discovery.recommend import recommend

router = APIRouter(prefix="/api/v1/catalog", tags=["catalog discovery"])

AssetIdentity = Annotated[str, Path(max_length=1000, examples=["core.orders"])]  # may hold slashes


@router.get("/recommendations")
def list_recommendations(
    site: TheSite,
    caller: ThePrincipal,
    context: Annotated[str | None, Query(max_length=600, description="The asset that is looked at.")] = None,
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
) -> Page[RecommendedAssetView]:
    """For the caller, best first, each with its reasons: people who used the same, neighbours in the lineage, the same
    domain or tags, popular and unseen."""
    ports = site.wiring.catalog.discovery.recommendation_ports()
    found = recommend(ports, caller.user, context=context, limit=limit)
    return best_of([RecommendedAssetView.model_validate(one.to_dict()) for one in found])


@router.get("/popular")
def list_popular(
    site: TheSite,
    domain: Annotated[str | None, Query(max_length=255)] = None,
    time_range: PeriodWord = "month",
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Page[PopularAssetView]:
    """Most used first: by how many people, then how often."""
    parts, wiring = site.wiring.catalog.discovery, site.wiring
    found = find_popular(
        parts.usage, wiring.catalog.assets, wiring.clock, domain=domain, period=UsagePeriod(time_range), limit=limit
    )
    return best_of([PopularAssetView.model_validate(one.to_dict()) for one in found])


@router.get("/assets/{asset_id:path}/similar")
def similar_assets(
    asset_id: AssetIdentity, site: TheSite, limit: Annotated[int, Query(ge=1, le=50)] = 10
) -> Page[SimilarAssetView]:
    """By columns, words and domain, best first, each with its reasons."""
    found = site.wiring.catalog.discovery.similar.find(asset_id, limit)
    return best_of([SimilarAssetView.model_validate(one.to_dict()) for one in found])


@router.get("/assets/{asset_id:path}/usage")
def asset_usage(asset_id: AssetIdentity, site: TheSite, time_range: PeriodWord = "month") -> UsageView:
    """Views, queries and readings by runs, in sum and by day."""
    wiring = site.wiring
    found = find_usage(
        wiring.catalog.discovery.usage, wiring.catalog.assets, wiring.clock, asset_id, UsagePeriod(time_range)
    )
    return UsageView.model_validate(found.to_dict())
