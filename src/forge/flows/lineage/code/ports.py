"""Options and ports of code ingestion."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forge.lineage.extract.codebase import CodebaseContext, Run, SourceUnit, UnitResult, read_sequentially

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from forge.flows.lineage.code.records import SourceStore
    from forge.flows.lineage.openlineage.ingest import OpenLineagePorts
    from forge.flows.lineage.ports import LineagePorts
    from forge.lineage.extract.definition import Schemas, TableDefinition

READER = 2  # goes up when the same text is read otherwise, so that everything is read again


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Ingest options. `again`: also read unchanged files."""

    db: str | None = None
    default_schema: str | None = None
    schemas: Schemas = field(default_factory=dict)
    dialect: str = "spark"
    again: bool = False

    def mark(self) -> str:
        return json.dumps([READER, self.db, self.default_schema, self.dialect, self.schemas], sort_keys=True)


@dataclass(frozen=True, slots=True)
class IngestProgress:
    done: int
    total: int
    path: str


@dataclass(frozen=True)
class IngestPorts:
    """`read` reads units, in local processes or elsewhere; `known`: tables of the lake. `events` ingests OpenLineage
    events; None: they are skipped."""

    lineage: LineagePorts
    sources: SourceStore
    read: Run = read_sequentially
    known: Callable[[], tuple[TableDefinition, ...]] = tuple
    events: OpenLineagePorts | None = None


def with_progress(run: Run, on_progress: Callable[[IngestProgress], None], total: int) -> Run:
    """Reports progress. A unit that is read again is not counted again."""
    seen: set[str] = set()

    def counted(units: Sequence[SourceUnit], shared: CodebaseContext) -> Iterable[UnitResult]:
        for one in run(units, shared):
            seen.add(one.unit)
            on_progress(IngestProgress(len(seen), total, one.unit))
            yield one

    return counted
