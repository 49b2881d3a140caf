"""Graph queries as data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from forge.lineage.edge import IndirectType
from forge.lineage.kind import FLOWS, EdgeKind, EdgeType
from forge.lineage.node import GraphLevel, NodeType

Direction = Literal["upstream", "downstream"]
WalkDirection = Literal["upstream", "downstream", "both"]
DEPTH = 10
MIN_CONFIDENCE = 0.5
# Producers of data: traversed and shown on request.
MAKERS = frozenset({NodeType.TRANSFORM, NodeType.PIPELINE, NodeType.PROCESS})
WITH_MAKERS = FLOWS | {EdgeType.EXECUTES}


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeFilter:
    """Which edges a traversal follows. `at`: None for now. Edges that fail only `min_confidence` are counted as
    hidden. `indirect`: also edges that only affect rows; they lead to tables, and on by all their columns.
    `parallel`: also edges to and from transforms and jobs, which duplicate those between data."""

    types: frozenset[EdgeType] = FLOWS
    min_confidence: float = MIN_CONFIDENCE
    indirect: bool = False
    at: datetime | None = None
    relationships: frozenset[str] = frozenset()  # none given: all
    subtypes: frozenset[IndirectType] = frozenset()
    parallel: bool = False

    def takes(self, kind: EdgeKind) -> bool:
        if kind.type not in self.types or (kind.parallel and not self.parallel):
            return False
        if kind.indirect is not None and not self.indirect:
            return False
        if self.subtypes and kind.indirect is not None and kind.indirect not in self.subtypes:
            return False
        return not self.relationships or str(kind.relationship) in self.relationships


@dataclass(frozen=True, slots=True, kw_only=True)
class TraversalRequest:
    """`start` is a node id; a table starts from all its columns. `depth`: None for no limit. Filters by node type,
    schema and file restrict the result, not the traversal. `limit` bounds the returned entities (nearest first),
    `paths` requests that many best paths to each end."""

    start: str
    direction: WalkDirection = "upstream"
    depth: int | None = DEPTH
    edges: EdgeFilter = EdgeFilter()
    level: GraphLevel = GraphLevel.COLUMN
    node_types: frozenset[NodeType] = frozenset()
    schemas: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    intermediate: bool = False
    limit: int | None = None
    paths: int = 0

    @property
    def taken(self) -> EdgeFilter:
        """The edges that are followed: also those through what is inside programs, where that is asked for."""
        if not self.intermediate or self.edges.types not in (FLOWS, WITH_MAKERS):
            return self.edges
        return replace(self.edges, types=self.edges.types | {EdgeType.PASSES})
