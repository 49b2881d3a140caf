"""Wire models of kept results of queries."""

from __future__ import annotations

from typing import Literal

from forge.api.wire import Name, Wire


class CacheStatsView(Wire):
    """Counted since the store was made. `evictions`: results that made room for others."""

    store: Literal["disk", "redis", "memory", "off"]
    entries: int
    bytes: int
    max_bytes: int
    hits: int
    misses: int
    evictions: int


class CacheInvalidation(Wire):
    """Results of a source (`lake` is one, too), of a table, or of a table of a source; nothing named: all."""

    source_id: Name | None = None
    table: Name | None = None


class CacheInvalidated(Wire):
    removed: int
