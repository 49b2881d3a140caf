"""Graph queries: upstream and downstream of columns and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from forge.lineage.edge import Edge, IndirectEdge, TableEdge
from forge.lineage.facts.fact import EdgeFact, EdgeVersion
from forge.lineage.graph.facts_source import FactsSource, facts_of
from forge.lineage.graph.request import DEPTH, MIN_CONFIDENCE, EdgeFilter, TraversalRequest, WalkDirection
from forge.lineage.graph.store import GraphArrays
from forge.lineage.graph.traversal import Path, Traversal
from forge.lineage.node import Node
from forge.model.names import ColumnName

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forge.lineage.graph.counts import GraphCounts
    from forge.lineage.graph.index import GraphIndex
    from forge.lineage.graph.query import GraphQuery

_FILTER = frozenset({"types", "indirect", "at", "relationships", "subtypes"})


class GraphSource(Protocol):
    """What the graph needs of a store."""

    def revision(self) -> int: ...
    def arrays(self) -> GraphArrays: ...
    def changes(self, since: int) -> GraphArrays: ...
    def numbers(self, ids: Sequence[str]) -> dict[str, int]: ...
    def nodes(self, numbers: Sequence[int], at: datetime | None = None) -> dict[int, Node]: ...
    def versions(self, ends: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[EdgeVersion, ...]]: ...
    def near(self, name: str, limit: int = 2000) -> tuple[str, ...]: ...


class Graph:
    """Traversals over an in-memory index, loaded on first use and kept up to date with writes of any process. Thread
    safe. `database` is the name of the lake's own."""

    def __init__(self, source: GraphSource, *, database: str = "lake") -> None:
        self._source = source
        self._database = database
        self._lock = Lock()
        self._index: GraphIndex | None = None
        self._horizon: tuple[int, datetime | None] | None = None

    @classmethod
    def of(
        cls, edges: Iterable[Edge] = (), table_edges: Iterable[TableEdge] = (), indirect: Iterable[IndirectEdge] = ()
    ) -> Graph:
        """A small graph that is not recorded anywhere."""
        return cls(FactsSource(facts_of(edges, table_edges, indirect)))

    @classmethod
    def of_facts(cls, facts: Iterable[EdgeFact], nodes: Iterable[Node] = (), *, database: str = "lake") -> Graph:
        return cls(FactsSource(facts, nodes), database=database)

    def index(self) -> GraphIndex:
        """As the store is now. A reader that has an older one may go on with it."""
        from forge.lineage.graph.index import GraphIndex

        with self._lock:
            known = -1 if self._index is None else self._index.revision
            now = self._source.revision()
            if self._index is None or now < known:  # less than was there: it is another store
                self._index = GraphIndex.build(self._source.arrays())
            elif now > known:
                self._index = self._index.changed(self._source.changes(known))
            return self._index

    def walk(self, ask: TraversalRequest) -> Traversal:
        """E801 where the start is not known."""
        return self._question(ask).traversal()

    def paths(self, target: str, ask: TraversalRequest, count: int) -> tuple[Path, ...]:
        """The most confident paths from the start to `target`, of equals the shorter."""
        return self._question(ask).paths_to(target, count)

    def count(self, at: datetime | None, declared: NDArray) -> GraphCounts:  # type: ignore[type-arg]
        """What there is at a time, by type and relationship."""
        from forge.lineage.graph.counts import count_at

        return count_at(self.index(), at, declared)

    def horizon(self) -> datetime | None:
        """The latest time at which an edge begins or ends."""
        from forge.lineage.graph.counts import horizon_of

        index = self.index()
        known = self._horizon
        if known is None or known[0] != index.revision:
            known = self._horizon = (index.revision, horizon_of(index))
        return known[1]

    def _question(self, ask: TraversalRequest) -> GraphQuery:
        from forge.lineage.graph.query import GraphQuery

        return GraphQuery(self._source, self.index(), ask, self._database)

    def upstream(
        self,
        start: ColumnName | str,
        depth: int | None = DEPTH,
        min_confidence: float = MIN_CONFIDENCE,
        **options: Any,
    ) -> Traversal:
        """Upstream of `start`. `depth=None`: unlimited. `options`: fields of the request and its edge filter."""
        return self.walk(_ask(start, "upstream", depth, min_confidence, options))

    def downstream(
        self,
        start: ColumnName | str,
        depth: int | None = DEPTH,
        min_confidence: float = MIN_CONFIDENCE,
        **options: Any,
    ) -> Traversal:
        """What comes from `start`."""
        return self.walk(_ask(start, "downstream", depth, min_confidence, options))

    def both(
        self,
        start: ColumnName | str,
        depth: int | None = DEPTH,
        min_confidence: float = MIN_CONFIDENCE,
        **options: Any,
    ) -> Traversal:
        return self.walk(_ask(start, "both", depth, min_confidence, options))


def _ask(
    start: ColumnName | str, direction: WalkDirection, depth: int | None, min_confidence: float, options: dict[str, Any]
) -> TraversalRequest:
    edges = EdgeFilter(min_confidence=min_confidence, **{key: options[key] for key in options if key in _FILTER})
    return TraversalRequest(
        start=str(start),
        direction=direction,
        depth=depth,
        edges=edges,
        **{key: options[key] for key in options if key not in _FILTER},
    )
