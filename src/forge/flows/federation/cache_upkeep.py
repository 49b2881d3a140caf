"""Kept results: what there are, and letting go of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forge.flows.federation.kept_results import source_tag, table_tag
from forge.flows.federation.result_cache import CacheStats, ResultCache
from forge.flows.runs.records import AuditRecord

if TYPE_CHECKING:
    from forge.flows.upkeep.query_audit import AuditLog
    from forge.model.time import Clock


def cache_stats(results: ResultCache | None) -> CacheStats:
    return CacheStats(store="off") if results is None else results.stats()


def forget_results(
    results: ResultCache | None, log: AuditLog, clock: Clock, actor: str, *, source: str = "", table: str = ""
) -> int:
    """Of a source, of a table of it or of any source, or all; how many there were. `lake` is a source, too."""
    if results is None:
        return 0
    if table:
        removed = results.invalidate(table_tag(source, table))
    else:
        removed = results.invalidate(source_tag(source)) if source else results.clear()
    detail: dict[str, object] = {"source": source, "table": table, "removed": removed}
    log.note(AuditRecord(clock(), actor, "cache.invalidate", source or table or "all", detail))
    return removed
