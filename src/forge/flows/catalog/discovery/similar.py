"""Assets similar to one: the index of all assets, kept up to date by the log of changes."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from forge.catalog.asset import AssetState, CatalogAsset
from forge.catalog.discovery.similar import AssetFeatures, SimilarAsset, SimilarityIndex
from forge.flows.catalog.asset_store import AssetFilter, AssetStore
from forge.flows.catalog.discovery.popular import brief_of
from forge.flows.catalog.edit import find_asset

_PAGE = 2000
_REST = 10.0  # an index is rebuilt at most in a tenth of the time


@dataclass(frozen=True, slots=True)
class SimilarMatch:
    asset: CatalogAsset
    match: SimilarAsset

    def to_dict(self) -> dict[str, object]:
        return {**brief_of(self.asset), **self.match.to_dict(), "name": self.asset.crawled.name}


class SimilarAssets:
    """Safe for threads: one builds, the others wait for it once and use what is there afterwards."""

    def __init__(self, assets: AssetStore) -> None:
        self._assets = assets
        self._lock = threading.Lock()
        self._features: dict[str, AssetFeatures] = {}
        self._index: SimilarityIndex | None = None
        self._cursor = 0
        self._built_at = self._took = 0.0

    def find(self, name: str, limit: int = 10) -> tuple[SimilarMatch, ...]:
        """Best first. An index that is some seconds behind never shows what has vanished since."""
        asset = find_asset(self._assets, name)
        found = self._current().find_like(features_of(asset), limit * 2 + 5)
        named = self._assets.assets_named([one.name for one in found])
        matches: dict[str, SimilarMatch] = {}
        for one in found:
            other = named.get(one.name)
            if other is not None and other.state is AssetState.ACTIVE and other.uid != asset.uid:
                matches.setdefault(other.uid, SimilarMatch(other, one))
        return tuple(matches.values())[:limit]

    def _current(self) -> SimilarityIndex:
        with self._lock:
            now = time.monotonic()
            if self._index is None or (now - self._built_at > self._took * _REST and self._catch_up()):
                if self._index is None:
                    self._read_all()
                self._index = SimilarityIndex(tuple(self._features.values()))
                self._index.prepare()
                self._built_at = time.monotonic()
                self._took = self._built_at - now
            return self._index

    def _read_all(self) -> None:
        """The cursor first: what changes meanwhile is read again."""
        while some := self._assets.changes(self._cursor, limit=_PAGE):
            self._cursor = some[-1].id
        after = ""
        while page := self._assets.assets(AssetFilter(states=(AssetState.ACTIVE,)), after=after, limit=_PAGE):
            self._features |= {asset.qualified_name: features_of(asset) for asset in page}
            after = page[-1].qualified_name

    def _catch_up(self) -> bool:
        """Whether an asset has changed."""
        changed = False
        while some := self._assets.changes(self._cursor, limit=_PAGE):
            names = [one.name for one in some if one.kind == "asset"]
            known = self._assets.assets_named(names)
            for name in names:
                asset = known.get(name)
                if asset is None or asset.state is not AssetState.ACTIVE or asset.qualified_name != name:
                    self._features.pop(name, None)
                else:
                    self._features[name] = features_of(asset)
            changed = changed or bool(names)
            self._cursor = some[-1].id
        return changed


def features_of(asset: CatalogAsset) -> AssetFeatures:
    return AssetFeatures(
        name=asset.qualified_name,
        columns=tuple((column.name, column.type) for column in asset.crawled.columns),
        description=asset.description,
        domain=asset.domain,
        tags=asset.tags,
    )
