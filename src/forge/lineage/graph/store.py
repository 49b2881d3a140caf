"""Two ports: the store of facts, and the engine of traversals. All adapters pass the same suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from forge.lineage.facts.claim import ClaimBatch, WriteCounts
from forge.lineage.facts.fact import EdgeFact, EdgeVersion, NodeFact
from forge.lineage.facts.moment import OPEN as OPEN
from forge.lineage.graph.request import TraversalRequest
from forge.lineage.graph.traversal import Path, Traversal
from forge.lineage.node import Node, NodeType

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphArrays:
    """Nodes and facts as arrays, for the index. A node's number is its position; `parent` is 0 if none. One row per
    fact: an edge with two producers has two. Times are microseconds since the epoch; `OPEN` is no end.
    `revision`: of the store at the time of reading."""

    revision: int
    node: NDArray  # type: ignore[type-arg]  # int32
    node_type: NDArray  # type: ignore[type-arg]  # uint8, place in NODE_TYPES
    parent: NDArray  # type: ignore[type-arg]  # int32
    source: NDArray  # type: ignore[type-arg]  # int32
    target: NDArray  # type: ignore[type-arg]  # int32
    kind: NDArray  # type: ignore[type-arg]  # uint16, Kind.code
    confidence: NDArray  # type: ignore[type-arg]  # float64
    valid_from: NDArray  # type: ignore[type-arg]  # int64
    valid_to: NDArray  # type: ignore[type-arg]  # int64

    @classmethod
    def of(cls, revision: int, nodes: Iterable[NDArray], facts: Iterable[NDArray]) -> GraphArrays:  # type: ignore[type-arg]
        """The columns of nodes and those of facts, each in the order above."""
        node, node_type, parent = nodes
        source, target, kind, confidence, valid_from, valid_to = facts
        return cls(
            revision=revision,
            node=node,
            node_type=node_type,
            parent=parent,
            source=source,
            target=target,
            kind=kind,
            confidence=confidence,
            valid_from=valid_from,
            valid_to=valid_to,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A named time, with the counts of the graph then."""

    name: str
    at: datetime
    description: str = ""
    created_by: str = ""
    created_at: datetime | None = None
    nodes: Mapping[str, int] = field(default_factory=dict)  # by type
    edges: Mapping[str, int] = field(default_factory=dict)  # by relationship

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "at": self.at.isoformat(),
            "description": self.description,
            "created_by": self.created_by,
            "created_at": self.created_at.isoformat() if self.created_at else None,
            "nodes": dict(sorted(self.nodes.items())),
            "edges": dict(sorted(self.edges.items())),
            "node_count": sum(self.nodes.values()),
            "edge_count": sum(self.edges.values()),
        }


@dataclass(frozen=True, slots=True)
class StoreChanges:
    """Changes after a revision, oldest first, up to `revision`, for replicas. Deleted rows are in `gone`."""

    revision: int
    nodes: tuple[Node, ...]
    edges: tuple[EdgeVersion, ...]  # every version of each edge that was touched
    gone: tuple[str, ...] = ()  # ids of edges that have no version left
    more: bool = False


class LineageStore(Protocol):
    """The store of facts. Writes are atomic and idempotent."""

    def record(self, batches: Sequence[ClaimBatch], *, cursor: str | None = None) -> WriteCounts:
        """In one transaction; `cursor` is kept with it. E802–E806, E812 change nothing."""
        ...

    def cursor(self) -> str | None:
        """How far what happens elsewhere has been recorded."""
        ...

    def revision(self) -> int:
        """Goes up with each write, by whichever process."""
        ...

    def arrays(self) -> GraphArrays: ...

    def changes(self, since: int) -> GraphArrays:
        """New nodes, and all facts of the edges that were touched after a revision. An edge that was touched and has
        no fact left has one row with valid_to = valid_from."""
        ...

    def touched(self, since: int, limit: int = 10_000) -> StoreChanges: ...

    def numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """Of the ids that are known."""
        ...

    def nodes(self, numbers: Sequence[int], at: datetime | None = None) -> dict[int, Node]: ...

    def declared(self, at: datetime | None) -> NDArray:  # type: ignore[type-arg]
        """Numbers of the nodes with a fact at a time; None: now."""
        ...

    def redeclared(self, after: int, until: int) -> NDArray:  # type: ignore[type-arg]
        """Numbers of the nodes with a fact that began or ended in an interval, in microseconds."""
        ...

    def versions(self, ends: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[EdgeVersion, ...]]:
        """All edges between each source and target, with their whole lives and evidence."""
        ...

    def near(self, name: str, limit: int = 2000) -> tuple[str, ...]:
        """Ids that may be meant: those that end with it (`users.email` → `shop.public.users.email`), those that
        share a part."""
        ...

    def ending(self, name: str) -> tuple[str, ...]:
        """Ids that are the name, or end with a dot and the name. Case does not matter."""
        ...

    def search(
        self, text: str, types: Sequence[NodeType] = (), *, limit: int = 50, after: str = ""
    ) -> tuple[Node, ...]:
        """Nodes whose id holds all words of the text, by id, after that id. Case does not matter."""
        ...

    def edge_facts(self, *, producer: str | None = None) -> Iterator[EdgeFact]: ...
    def node_facts(self, *, producer: str | None = None) -> Iterator[NodeFact]: ...
    def producers(self) -> tuple[str, ...]: ...
    def save_snapshot(self, snapshot: Snapshot) -> None:
        """E808 where the name is taken."""
        ...

    def snapshot(self, name: str) -> Snapshot | None: ...
    def snapshots(self) -> tuple[Snapshot, ...]:
        """Newest first."""
        ...

    def drop_snapshot(self, name: str) -> bool: ...


class LineageAnswers(Protocol):
    """Traversals of the graph."""

    def walk(self, ask: TraversalRequest) -> Traversal:
        """E801 where the start is not known."""
        ...

    def paths(self, target: str, ask: TraversalRequest, count: int) -> tuple[Path, ...]:
        """The most confident paths from the start to `target`, of equals the shorter."""
        ...
