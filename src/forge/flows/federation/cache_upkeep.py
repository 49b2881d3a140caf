"""Kept results: what there are, and letting go of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from forge.federation.rights import may_read, refuse_reader
from forge.federation.source import LAKE
from forge.flows.federation.kept_results import source_tag, table_tag
from forge.flows.federation.result_cache import CacheStats, ResultCache
from forge.flows.runs.records import AuditRecord

if TYPE_CHECKING:
    from forge.federation.source import Source
    from forge.flows.upkeep.query_audit import AuditLog
    from forge.model.time import Clock


def cache_stats(results: ResultCache | None) -> CacheStats:
    return CacheStats(store="off") if results is None else results.stats()


def forget_results(
    results: ResultCache | None,
    log: AuditLog,
    clock: Clock,
    actor: str,
    *,
    source: str = "",
    table: str = "",
    declared: Collection[Source] = (),
) -> int:
    """Of a source, of a table of it or of any source, or all; how many there were. `lake` is a source, too. Of those
    `declared`, the actor is told of none that he may not read: E885."""
    for one in declared:
        if one.name == source.lower():
            refuse_reader(one, actor)
    if results is None:
        return 0
    if table and not source and not all(may_read(one, actor) for one in declared):
        readable = [LAKE, *(one.name for one in declared if may_read(one, actor))]
        removed = sum(results.invalidate(table_tag(name, table)) for name in readable)
    elif table:
        removed = results.invalidate(table_tag(source, table))
    else:
        removed = results.invalidate(source_tag(source)) if source else results.clear()
    detail: dict[str, object] = {"source": source, "table": table, "removed": removed}
    log.note(AuditRecord(clock(), actor, "cache.invalidate", source or table or "all", detail))
    return removed
