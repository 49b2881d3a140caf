"""Usage, popular, similar and recommended assets from Python; `CatalogView` has them."""

from __future__ import annotations

from forge.catalog.discovery.usage import UsageHistory, UsagePeriod
from forge.connection.tabular import TabularTuple
from forge.flows.catalog.discovery.popular import PopularAsset, find_popular, find_usage
from forge.flows.catalog.discovery.recommend import RecommendedAsset, recommend
from forge.flows.catalog.discovery.similar import SimilarMatch
from forge.wiring import Wiring


class PopularAssets(TabularTuple[PopularAsset]):
    __slots__ = ()


class SimilarMatches(TabularTuple[SimilarMatch]):
    __slots__ = ()


class RecommendedAssets(TabularTuple[RecommendedAsset]):
    __slots__ = ()


def popular_assets(wiring: Wiring, domain: str | None, time_range: str, limit: int) -> PopularAssets:
    period, usage = UsagePeriod(time_range), wiring.catalog.discovery.usage
    return PopularAssets(
        find_popular(usage, wiring.catalog.assets, wiring.clock, domain=domain, period=period, limit=limit)
    )


def asset_usage(wiring: Wiring, name: str, time_range: str) -> UsageHistory:
    usage = wiring.catalog.discovery.usage
    return find_usage(usage, wiring.catalog.assets, wiring.clock, name, UsagePeriod(time_range))


def similar_assets(wiring: Wiring, name: str, limit: int) -> SimilarMatches:
    return SimilarMatches(wiring.catalog.discovery.similar.find(name, limit))


def recommended_assets(wiring: Wiring, context: str | None, limit: int) -> RecommendedAssets:
    ports = wiring.catalog.discovery.recommendation_ports()
    return RecommendedAssets(recommend(ports, wiring.author.email, context=context, limit=limit))
