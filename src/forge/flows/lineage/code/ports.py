"""How a codebase is read, and what that needs."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forge.lineage.extract.codebase import Run, in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from forge.flows.lineage.code.records import SourceStore
    from forge.flows.lineage.openlineage.ingest import OpenLineagePorts
    from forge.flows.lineage.ports import LineagePorts
    from forge.lineage.extract.codebase import Done, Shared, Unit
    from forge.lineage.extract.definition import Definition, Schemas

READER = 2  # goes up when the same text is read otherwise, so that everything is read again


@dataclass(frozen=True, slots=True)
class Options:
    """How code is read. `again`: also files that did not change."""

    db: str | None = None
    default_schema: str | None = None
    schemas: Schemas = field(default_factory=dict)
    dialect: str = "spark"
    again: bool = False

    def mark(self) -> str:
        return json.dumps([READER, self.db, self.default_schema, self.dialect, self.schemas], sort_keys=True)


@dataclass(frozen=True, slots=True)
class Progress:
    done: int
    total: int
    path: str


@dataclass(frozen=True)
class IngestPorts:
    """`read` reads units, in processes of this machine or elsewhere; `known` are the tables of the lake. `events`
    takes in those of OpenLineage; None: they are left alone."""

    lineage: LineagePorts
    sources: SourceStore
    read: Run = in_turn
    known: Callable[[], tuple[Definition, ...]] = tuple
    events: OpenLineagePorts | None = None


def counting(run: Run, tell: Callable[[Progress], None], total: int) -> Run:
    """The same, telling how far it is. A unit that is read again does not count again."""
    seen: set[str] = set()

    def counted(units: Sequence[Unit], shared: Shared) -> Iterable[Done]:
        for one in run(units, shared):
            seen.add(one.unit)
            tell(Progress(len(seen), total, one.unit))
            yield one

    return counted
