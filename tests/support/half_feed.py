"""Feeds Neo4j and stops in the middle of a page, for who wants to kill it there: `half_feed.py DATABASE_URL NEO4J_URL`.
Says `half` when the nodes of the page are written and its edges are not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from neo4j_server import PASSWORD, USER

from forge.lineage.facts.fact import EdgeVersion
from forge.lineage.graph.store import StoreChanges
from forge.stores.neo4j.lineage import open_neo4j
from forge.stores.sql.database import open_database
from forge.stores.sql.lineage.facts import SqlLineage


class Endless(tuple[EdgeVersion, ...]):
    __slots__ = ()

    def __iter__(self) -> Iterator[EdgeVersion]:
        print("half", flush=True)
        sys.stdin.read()
        return super().__iter__()


class HalfLineage(SqlLineage):
    def touched(self, since: int, limit: int = 10_000) -> StoreChanges:
        page = super().touched(since, limit)
        return replace(page, edges=Endless(page.edges))


if __name__ == "__main__":
    open_neo4j(sys.argv[2], USER, PASSWORD, "neo4j", HalfLineage(open_database(sys.argv[1]))).catch_up()
