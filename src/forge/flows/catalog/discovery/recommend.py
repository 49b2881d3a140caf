"""Recommendations for a user, out of usage, lineage and the catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from forge.catalog.asset import AssetState, CatalogAsset
from forge.catalog.discovery.recommend import (
    MOST_OF_A_SOURCE,
    AssetLabels,
    AssetProposal,
    Recommendation,
    RecommendationReason,
    RecommendationSource,
    blend,
    propose_by_domain,
    propose_by_lineage,
    propose_by_people,
    propose_popular,
    seeds_of,
)
from forge.catalog.discovery.usage import UsageCell
from forge.flows.catalog.asset_store import AssetFilter, AssetStore
from forge.flows.catalog.discovery.popular import brief_of, find_popular
from forge.flows.catalog.discovery.ports import UsageStore
from forge.flows.catalog.edit import find_asset
from forge.model.time import Clock

_DAYS = 90
_CELLS = 20_000
_LINEAGE_SEEDS = 5
_LABELS = 3  # domains and tags that are looked for
_CANDIDATES = 200

Neighbours = Callable[[str], Iterable[tuple[str, str]]]
"""Of an asset in the lineage: name, and upstream or downstream."""


@dataclass(frozen=True, slots=True)
class RecommendationPorts:
    usage: UsageStore
    assets: AssetStore
    clock: Clock
    actor_of: Callable[[str], str]
    neighbours: Neighbours = lambda name: ()


@dataclass(frozen=True, slots=True)
class RecommendedAsset:
    asset: CatalogAsset
    recommendation: Recommendation

    def to_dict(self) -> dict[str, object]:
        return {**brief_of(self.asset), **self.recommendation.to_dict(), "asset": self.asset.qualified_name}


def recommend(
    ports: RecommendationPorts, user: str, *, context: str | None = None, limit: int = 10
) -> tuple[RecommendedAsset, ...]:
    """Best first: nothing that the user used in the last months, is looking at, has vanished or is deprecated.
    `context`: the asset that is looked at. Who has used nothing yet gets what is popular, or well described."""
    now_at = find_asset(ports.assets, context).qualified_name if context else None
    today = ports.clock().date()
    since, actor = today - timedelta(days=_DAYS - 1), ports.actor_of(user)
    cells = _by_current_name(ports.usage.cells(since, today, limit=_CELLS), ports.assets, actor)
    seeds = seeds_of(cells, actor, now_at)
    seen = {one.asset for one in cells if one.actor == actor} | ({now_at} if now_at else set())
    popular = find_popular(ports.usage, ports.assets, ports.clock, limit=MOST_OF_A_SOURCE)
    sources = [
        propose_by_people(cells, actor, seeds),
        propose_by_lineage({seed: tuple(ports.neighbours(seed)) for seed in seeds[:_LINEAGE_SEEDS]}),
        _by_labels(ports.assets, seeds),
        propose_popular([one.usage for one in popular]),
    ]
    found = _shown(blend(sources, seen=seen, limit=MOST_OF_A_SOURCE), ports.assets, limit)
    if found or any(sources):
        return found
    return _shown(blend([_described(ports.assets)], seen=seen, limit=MOST_OF_A_SOURCE), ports.assets, limit)


def _by_current_name(cells: Sequence[UsageCell], assets: AssetStore, actor: str) -> tuple[UsageCell, ...]:
    """What the user used under a former name is known under the current one; the names of others are resolved where
    they are shown."""
    mine = assets.assets_named([one.asset for one in cells if one.actor == actor])
    now = {name: asset.qualified_name for name, asset in mine.items()}
    joined: dict[tuple[str, str], int] = {}
    for one in cells:
        key = (one.actor, now.get(one.asset, one.asset))
        joined[key] = joined.get(key, 0) + one.uses
    return tuple(UsageCell(*key, uses) for key, uses in joined.items())


def _by_labels(assets: AssetStore, seeds: Sequence[str]) -> tuple[AssetProposal, ...]:
    mine = [_labels(asset) for asset in assets.assets_named(seeds).values()]
    domains = _most(one.domain for one in mine)
    tags = _most(tag for one in mine for tag in one.tags)
    active = (AssetState.ACTIVE,)
    near: dict[str, CatalogAsset] = {}
    for wanted in (AssetFilter(domains=domains, states=active), AssetFilter(tags=tags, states=active)):
        if wanted.domains or wanted.tags:
            near |= {asset.qualified_name: asset for asset in assets.assets(wanted, limit=_CANDIDATES)}
    return propose_by_domain(mine, [_labels(asset) for asset in near.values()])


def _described(assets: AssetStore) -> tuple[AssetProposal, ...]:
    """Where nothing was used yet: what people have described."""
    first = assets.assets(AssetFilter(states=(AssetState.ACTIVE,)), limit=_CANDIDATES)
    reason = RecommendationReason(RecommendationSource.POPULAR, "nothing was used yet; this one is described")
    described = (asset for asset in first if asset.description)
    return tuple(AssetProposal(asset.qualified_name, 1.0, reason) for asset in described)


def _most(words: Iterable[str | None]) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for word in words:
        if word:
            counts[word] = counts.get(word, 0) + 1
    return tuple(sorted(counts, key=lambda word: (-counts[word], word))[:_LABELS])


def _labels(asset: CatalogAsset) -> AssetLabels:
    return AssetLabels(asset.qualified_name, asset.domain, asset.tags)


def _shown(found: Sequence[Recommendation], assets: AssetStore, limit: int) -> tuple[RecommendedAsset, ...]:
    named = assets.assets_named([one.asset for one in found])
    shown: dict[str, RecommendedAsset] = {}
    for one in found:
        asset = named.get(one.asset)
        if asset is not None and asset.state is AssetState.ACTIVE and not asset.documentation.deprecated:
            shown.setdefault(asset.uid, RecommendedAsset(asset, one))
    return tuple(shown.values())[:limit]
