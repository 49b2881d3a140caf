"""`forge.connect().cache`: results of queries that are kept."""

from __future__ import annotations

from dataclasses import dataclass

from forge.flows.federation.cache_upkeep import cache_stats, forget_results
from forge.flows.federation.result_cache import CacheStats
from forge.wiring import Wiring


@dataclass(frozen=True, slots=True)
class KeptResults:
    """As `federation.cache` of the settings says; `f.query(…, cache=False)` goes past it."""

    wiring: Wiring

    def stats(self) -> CacheStats:
        """Entries, bytes, hits, misses, evictions."""
        return cache_stats(self.wiring.federation.results)

    def invalidate(self, source: str = "", table: str = "") -> int:
        """Lets go of results of a source, of a table, or of a table of a source; how many. None named: all."""
        parts = self.wiring
        return forget_results(
            parts.federation.results, parts.metadata, parts.clock, parts.author.email, source=source, table=table
        )

    def clear(self) -> int:
        return self.invalidate()
