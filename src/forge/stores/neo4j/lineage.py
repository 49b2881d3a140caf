"""Traversals in Neo4j. It is synchronized from the store before each query, so results are never stale."""

from __future__ import annotations

from forge.lineage.graph.graph import Graph
from forge.lineage.graph.request import TraversalRequest
from forge.lineage.graph.store import LineageStore
from forge.lineage.graph.traversal import Path, Traversal
from forge.stores.neo4j.feed import Neo4jFeed
from forge.stores.neo4j.server import Neo4jServer
from forge.stores.neo4j.subgraph import fetch_subgraph
from forge.stores.neo4j.subgraph_source import SubgraphSource


class Neo4jLineage:
    """Traversals on a Neo4j server. `store` is the source of truth; E811 if the server is unavailable, while writes
    go on. `lake`: database name of tables without one."""

    def __init__(
        self,
        url: str,
        auth: tuple[str, str] | None,
        database: str,
        store: LineageStore,
        *,
        lake: str = "lake",
    ) -> None:
        self._server = Neo4jServer(url, auth, database)
        self._store, self._lake = store, lake
        self._feed = Neo4jFeed(self._server, store, lake)

    def catch_up(self) -> int:
        """Feeds what was recorded since; returns the revision of the records that Neo4j has then."""
        return self._feed.catch_up()

    def walk(self, ask: TraversalRequest) -> Traversal:
        """E801 where the start is not known."""
        return self._graph(ask).walk(ask)

    def paths(self, target: str, ask: TraversalRequest, count: int) -> tuple[Path, ...]:
        """The most confident paths from the start to `target`, of equals the shorter."""
        return self._graph(ask, target).paths(target, ask, count)

    def close(self) -> None:
        self._server.close()

    def _graph(self, ask: TraversalRequest, *also: str) -> Graph:
        self.catch_up()
        part = self._server.reading(lambda transaction: fetch_subgraph(transaction, ask, self._lake, also))
        return Graph(SubgraphSource(part, self._store), database=self._lake)


def open_neo4j(
    url: str, user: str, password: str, database: str, store: LineageStore, *, lake: str = "lake"
) -> Neo4jLineage:
    """Connects at the first query. Without a password, without authentication."""
    return Neo4jLineage(url, (user, password) if password else None, database, store, lake=lake)
