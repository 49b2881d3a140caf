"""Popular assets, and the usage of one over time."""

from __future__ import annotations

from dataclasses import dataclass

from forge.catalog.asset import AssetState, CatalogAsset
from forge.catalog.discovery.usage import (
    AssetUsage,
    UsageHistory,
    UsagePeriod,
    total_usage,
    under_current_names,
    usage_by_day,
)
from forge.flows.catalog.asset_store import AssetStore
from forge.flows.catalog.discovery.ports import UsageStore
from forge.flows.catalog.edit import find_asset
from forge.model.time import Clock

_AT_ONCE = 200
_MOST_RANKED = 5000
"""So many of the most used are looked through for those of a domain."""


@dataclass(frozen=True, slots=True)
class PopularAsset:
    asset: CatalogAsset
    usage: AssetUsage

    def to_dict(self) -> dict[str, object]:
        return {**brief_of(self.asset), **self.usage.to_dict(), "asset": self.asset.qualified_name}


def brief_of(asset: CatalogAsset) -> dict[str, object]:
    """An asset in a list."""
    name = asset.qualified_name
    return {
        "id": name,
        "name": asset.crawled.name,
        "qualified_name": name,
        "type": str(asset.crawled.type),
        "description": asset.description[:300],
        "domain": asset.domain,
        "owner": asset.owner,
        "tags": list(asset.tags),
    }


def find_popular(
    usage: UsageStore,
    assets: AssetStore,
    clock: Clock,
    *,
    domain: str | None = None,
    period: UsagePeriod = UsagePeriod.MONTH,
    limit: int = 20,
) -> tuple[PopularAsset, ...]:
    """Most used first; only what is in the catalog and has not vanished."""
    today = clock().date()
    since = period.since(today)
    ranked = usage.totals(since, today, limit=_MOST_RANKED)
    found: dict[str, CatalogAsset] = {}
    for begin in range(0, len(ranked), _AT_ONCE):
        some = ranked[begin : begin + _AT_ONCE]
        for asset in assets.assets_named([one.asset for one in some]).values():
            if asset.state is AssetState.ACTIVE and domain in (None, asset.domain):
                found[asset.qualified_name] = asset
        if len(found) >= limit:
            break
    names = {former: name for name, asset in found.items() for former in (name, *asset.former_names)}
    joined = under_current_names(usage.totals(since, today, assets=names, limit=len(names)), names)
    return tuple(PopularAsset(found[one.asset], one) for one in joined[:limit])


def find_usage(
    usage: UsageStore, assets: AssetStore, clock: Clock, name: str, period: UsagePeriod = UsagePeriod.MONTH
) -> UsageHistory:
    """Of one asset, under its former names too."""
    asset = find_asset(assets, name)
    today = clock().date()
    since = period.since(today)
    counts = usage.counts((asset.qualified_name, *asset.former_names), since, today)
    return UsageHistory(total_usage(asset.qualified_name, counts), period, usage_by_day(counts, since, today))
