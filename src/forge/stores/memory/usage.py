"""Usage of assets in memory."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime

from forge.catalog.discovery.usage import (
    AssetUsage,
    UsageCell,
    UsageCount,
    UsageKind,
    UsagePeriod,
    find_moved,
    total_usage,
)

_Key = tuple[date, str, str, UsageKind]


class MemoryUsage:
    """`changed`: called with names of assets, as the log of the catalog's changes is."""

    def __init__(self, changed: Callable[[Sequence[str]], None] = lambda names: None) -> None:
        self._changed = changed
        self._counts: dict[_Key, UsageCount] = {}
        self._lock = threading.Lock()

    def add(self, counts: Sequence[UsageCount]) -> None:
        with self._lock:
            for one in counts:
                key = (one.day, one.asset, one.actor, one.kind)
                known = self._counts.get(key, replace(one, count=0))
                later = max(known.last_at, one.last_at)
                self._counts[key] = replace(one, count=known.count + one.count, last_at=later)
        if counts:
            until = max(one.day for one in counts)
            since = UsagePeriod.MONTH.since(until)
            totals = self.totals(since, until, assets={one.asset for one in counts}, limit=len(counts))
            self._changed(find_moved(counts, totals, since))

    def totals(
        self, since: date, until: date, *, assets: Iterable[str] | None = None, limit: int = 1000
    ) -> tuple[AssetUsage, ...]:
        wanted = None if assets is None else set(assets)
        by_asset: dict[str, list[UsageCount]] = defaultdict(list)
        for one in self._between(since, until):
            if wanted is None or one.asset in wanted:
                by_asset[one.asset].append(one)
        found = (total_usage(asset, counts) for asset, counts in by_asset.items())
        return tuple(sorted(found, key=lambda one: one.rank)[:limit])

    def counts(self, assets: Iterable[str], since: date, until: date) -> tuple[UsageCount, ...]:
        wanted = set(assets)
        found = (one for one in self._between(since, until) if one.asset in wanted)
        return tuple(sorted(found, key=lambda one: (one.day, one.asset, one.actor, one.kind)))

    def cells(
        self, since: date, until: date, *, actor: str | None = None, limit: int = 100_000
    ) -> tuple[UsageCell, ...]:
        uses: dict[tuple[str, str], int] = defaultdict(int)
        newest: dict[tuple[str, str], datetime] = {}
        for one in self._between(since, until):
            if one.kind is not UsageKind.RUN and actor in (None, one.actor):
                key = (one.actor, one.asset)
                uses[key] += one.count
                newest[key] = max(newest.get(key, one.last_at), one.last_at)
        ordered = sorted(sorted(uses), key=lambda key: newest[key], reverse=True)
        return tuple(UsageCell(*key, uses[key]) for key in ordered[:limit])

    def fade(self, since: date, until: date) -> int:
        first, last = UsagePeriod.MONTH.since(since), UsagePeriod.MONTH.since(until)
        left = sorted({one.asset for one in tuple(self._counts.values()) if first <= one.day < last})
        self._changed(left)
        return len(left)

    def forget(self, before: date) -> int:
        with self._lock:
            old = [key for key in self._counts if key[0] < before]
            for key in old:
                del self._counts[key]
            return len(old)

    def _between(self, since: date, until: date) -> tuple[UsageCount, ...]:
        return tuple(one for one in tuple(self._counts.values()) if since <= one.day <= until)
