"""A question to the graph, as data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from forge.lineage.edge import Indirect
from forge.lineage.kind import FLOWS, EdgeType, Kind
from forge.lineage.node import Level, NodeType

Direction = Literal["upstream", "downstream"]
Way = Literal["upstream", "downstream", "both"]
DEPTH = 10
MIN_CONFIDENCE = 0.5
# Who makes data: shown, with the edges that lead there, to who asks for them.
DOERS = frozenset({NodeType.TRANSFORM, NodeType.PIPELINE, NodeType.PROCESS})
WITH_DOERS = FLOWS | {EdgeType.EXECUTES}


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeFilter:
    """Which edges a walk follows. `at`: None for now. Edges that pass all but `min_confidence` are counted as
    hidden. `indirect`: also edges that only shape rows; they lead to tables, and from there on by all their columns.
    `beside`: also those to and from who makes the data, which say again what edges between data say."""

    types: frozenset[EdgeType] = FLOWS
    min_confidence: float = MIN_CONFIDENCE
    indirect: bool = False
    at: datetime | None = None
    relationships: frozenset[str] = frozenset()  # none given: all
    subtypes: frozenset[Indirect] = frozenset()
    beside: bool = False

    def takes(self, kind: Kind) -> bool:
        if kind.type not in self.types or (kind.beside and not self.beside):
            return False
        if kind.indirect is not None and not self.indirect:
            return False
        if self.subtypes and kind.indirect is not None and kind.indirect not in self.subtypes:
            return False
        return not self.relationships or str(kind.relationship) in self.relationships


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """`start` is the id of a node; a table starts from all its columns. `depth`: None for all the way. The filters by
    node type, schema and file choose what is shown, not where the walk goes. `limit` bounds the entities answered
    (nearest first), `paths` asks for that many best paths to each end of the walk."""

    start: str
    direction: Way = "upstream"
    depth: int | None = DEPTH
    edges: EdgeFilter = EdgeFilter()
    level: Level = Level.COLUMN
    node_types: frozenset[NodeType] = frozenset()
    schemas: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    intermediate: bool = False
    limit: int | None = None
    paths: int = 0

    @property
    def taken(self) -> EdgeFilter:
        """The edges that are followed: also those through what is inside programs, where that is asked for."""
        if not self.intermediate or self.edges.types not in (FLOWS, WITH_DOERS):
            return self.edges
        return replace(self.edges, types=self.edges.types | {EdgeType.PASSES})
