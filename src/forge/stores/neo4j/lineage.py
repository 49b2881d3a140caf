"""Answers from Neo4j. It is fed from the record before each answer, so it never tells less than the record does."""

from __future__ import annotations

from forge.lineage.graph.graph import Graph
from forge.lineage.graph.request import Ask
from forge.lineage.graph.store import LineageStore
from forge.lineage.graph.traversal import Path, Traversal
from forge.stores.neo4j.feed import Feed
from forge.stores.neo4j.gather import gather
from forge.stores.neo4j.part import PartSource
from forge.stores.neo4j.server import Server


class Neo4jLineage:
    """`LineageAnswers` from a Neo4j server. `store` is the record; E811 where the server does not answer, and the
    record goes on without it. `lake`: what the database of tables is called whose names say none."""

    def __init__(
        self,
        url: str,
        auth: tuple[str, str] | None,
        database: str,
        store: LineageStore,
        *,
        lake: str = "lake",
    ) -> None:
        self._server = Server(url, auth, database)
        self._store, self._lake = store, lake
        self._feed = Feed(self._server, store, lake)

    def catch_up(self) -> int:
        """Feeds what was recorded since; gives the revision of the record that Neo4j has then."""
        return self._feed.catch_up()

    def walk(self, ask: Ask) -> Traversal:
        """E801 where the start is not known."""
        return self._graph(ask).walk(ask)

    def paths(self, target: str, ask: Ask, count: int) -> tuple[Path, ...]:
        """The surest ways from the start of the ask to `target`, of equals the shorter."""
        return self._graph(ask, target).paths(target, ask, count)

    def close(self) -> None:
        self._server.close()

    def _graph(self, ask: Ask, *also: str) -> Graph:
        self.catch_up()
        part = self._server.reading(lambda transaction: gather(transaction, ask, self._lake, also))
        return Graph(PartSource(part, self._store), database=self._lake)


def open_neo4j(
    url: str, user: str, password: str, database: str, store: LineageStore, *, lake: str = "lake"
) -> Neo4jLineage:
    """Connects at the first question. Without a password the server is asked without one, too."""
    return Neo4jLineage(url, (user, password) if password else None, database, store, lake=lake)
