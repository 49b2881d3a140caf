"""Each who answers questions on lineage, over an empty record."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lineage_lines import LineageSite
from migrated import open_migrated

from forge.lineage.graph.graph import Graph
from forge.stores.memory.lineage import MemoryLineage
from forge.stores.sql.lineage.facts import SqlLineage

if TYPE_CHECKING:
    from neo4j_server import Neo4jServer

SQLITE_AND_NEO4J = ("sqlite", pytest.param("neo4j", marks=pytest.mark.services("neo4j")))
ALL = ("memory", *SQLITE_AND_NEO4J)


def memory_site() -> LineageSite:
    store = MemoryLineage()
    return LineageSite(store, Graph(store))


@contextmanager
def opened_site(request: pytest.FixtureRequest, folder: Path) -> Iterator[LineageSite]:
    """The one that the parameter of the fixture names."""
    if request.param == "memory":
        yield memory_site()
        return
    engine = open_migrated(f"sqlite:///{folder}/forge.db")
    store = SqlLineage(engine)
    if request.param == "sqlite":
        yield LineageSite(store, Graph(store))
    else:
        from neo4j_server import PASSWORD, USER

        from forge.stores.neo4j.lineage import open_neo4j

        server: Neo4jServer = request.getfixturevalue("neo4j_server")
        server.empty()
        answers = open_neo4j(server.url, USER, PASSWORD, "neo4j", store)
        yield LineageSite(store, answers)
        answers.close()
    engine.dispose()
