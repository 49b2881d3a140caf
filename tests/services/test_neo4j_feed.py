"""Neo4j is a copy: it catches up after an outage, and whatever happens to it, the record is unharmed."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import half_feed
import pytest
from lineage_lines import LineageSite, names
from migrated import open_migrated
from neo4j_server import PASSWORD, USER

from forge.lineage.graph.graph import Graph
from forge.model.errors import ForgeError
from forge.stores.neo4j.lineage import Neo4jLineage, open_neo4j
from forge.stores.sql.lineage.facts import SqlLineage

if TYPE_CHECKING:
    from neo4j_server import Neo4jServer

pytestmark = pytest.mark.services("neo4j")

MANY = "\n".join(f"a.s{at}.x -> a.t{at % 50}.x 0.9" for at in range(1800))


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/forge.db"


@pytest.fixture
def site(neo4j_server: Neo4jServer, database: str) -> Iterator[LineageSite]:
    neo4j_server.empty()
    engine = open_migrated(database)
    store = SqlLineage(engine)
    answers = open_neo4j(neo4j_server.url, USER, PASSWORD, "neo4j", store)
    yield LineageSite(store, answers)
    answers.close()
    engine.dispose()


def feeder(site: LineageSite) -> Neo4jLineage:
    assert isinstance(site.answers, Neo4jLineage)
    return site.answers


@contextmanager
def half_fed(database: str, server: Neo4jServer) -> Iterator[subprocess.Popen[bytes]]:
    """A process in the middle of a page."""
    command = [sys.executable, half_feed.__file__, database, server.url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half\n"
        yield process


def counts(server: Neo4jServer) -> dict[str, Any]:
    query = """OPTIONAL MATCH (f:LineageFeed) WITH f.revision AS revision
    OPTIONAL MATCH (n:Entity) WITH revision, count(n) AS nodes
    OPTIONAL MATCH ()-[r:DERIVED_FROM]->() RETURN revision, nodes, count(r) AS edges"""
    with server.driver() as driver:
        return driver.execute_query(query).records[0].data()


def test_an_outage_is_told_and_made_up_for(site: LineageSite, neo4j_server: Neo4jServer) -> None:
    site.say("a.a.x -> a.b.x")
    assert names(site.ask("a.a.x")) == ["a.b.x"]
    neo4j_server.stop()
    try:
        site.say("a.b.x -> a.c.x", producer="meanwhile")  # the record does not need it
        with pytest.raises(ForgeError) as caught:
            site.ask("a.a.x")
        assert caught.value.code == "E811"
        assert neo4j_server.url in str(caught.value)
        assert "lineage.store to sql" in str(caught.value.fix)
        assert names(LineageSite(site.store, Graph(site.store)).ask("a.a.x")) == ["a.b.x", "a.c.x"]
    finally:
        neo4j_server.start()
    assert names(site.ask("a.a.x")) == ["a.b.x", "a.c.x"]


def test_a_feed_that_is_killed_in_a_page_leaves_the_old(
    site: LineageSite, neo4j_server: Neo4jServer, database: str
) -> None:
    site.say("a.a.x -> a.b.x")
    feeder(site).catch_up()
    before = counts(neo4j_server)
    site.say("b.a.x -> b.b.x\nb.b.x -> b.c.x", producer="other")
    with half_fed(database, neo4j_server) as process:
        assert counts(neo4j_server) == before
        process.kill()
    assert counts(neo4j_server) == before
    feeder(site).catch_up()
    assert counts(neo4j_server) == {"revision": site.store.revision(), "nodes": 4 + 6, "edges": 3}


def test_a_feed_that_is_killed_in_a_page_of_many_parts_is_finished_by_the_next(
    site: LineageSite, neo4j_server: Neo4jServer, database: str
) -> None:
    site.say(MANY)
    with half_fed(database, neo4j_server) as process:
        process.kill()
    assert (counts(neo4j_server)["revision"] or 0) == 0
    site.say(MANY.replace("0.9", "0.8"), producer="other")
    site.say("", day=1)
    feeder(site).catch_up()
    assert counts(neo4j_server) == {"revision": site.store.revision(), "nodes": 3700, "edges": 3600}
    assert {item.confidence for item in site.ask("a.t7", "upstream").items} == {0.8}


def test_two_who_feed_at_once_feed_once(site: LineageSite, neo4j_server: Neo4jServer) -> None:
    others = [open_neo4j(neo4j_server.url, USER, PASSWORD, "neo4j", site.store) for _ in range(3)]
    for number in range(4):
        site.say(f"a.a.x -> a.b{number}.x", producer=f"p{number}")
    threads = [threading.Thread(target=other.catch_up) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        other.close()
    assert counts(neo4j_server) == {"revision": site.store.revision(), "nodes": 10, "edges": 4}


def test_more_than_one_statement_holds(site: LineageSite, neo4j_server: Neo4jServer) -> None:
    site.say(MANY)
    assert len(site.ask("a.t7", "upstream").items) == 36
    assert counts(neo4j_server) == {"revision": site.store.revision(), "nodes": 3700, "edges": 1800}


def test_a_server_that_was_emptied_is_fed_anew(site: LineageSite, neo4j_server: Neo4jServer) -> None:
    site.say("a.a.x -> a.b.x")
    feeder(site).catch_up()
    neo4j_server.empty()
    assert names(site.ask("a.a.x")) == ["a.b.x"]


def test_a_copy_of_a_record_that_is_no_more_gives_way(
    site: LineageSite, neo4j_server: Neo4jServer, tmp_path: Path
) -> None:
    for number in range(3):
        site.say(f"old.a.x -> old.b.x 0.{number + 5}", day=number)
    feeder(site).catch_up()
    engine = open_migrated(f"sqlite:///{tmp_path}/new.db")
    store = SqlLineage(engine)
    new = LineageSite(store, open_neo4j(neo4j_server.url, USER, PASSWORD, "neo4j", store))
    new.say("a.a.x -> a.b.x")
    assert names(new.ask("a.a.x")) == ["a.b.x"]
    assert counts(neo4j_server) == {"revision": store.revision(), "nodes": 4, "edges": 1}
    feeder(new).close()
    engine.dispose()


def test_a_refused_user_is_told_what_to_correct(site: LineageSite, neo4j_server: Neo4jServer) -> None:
    site.say("a.a.x -> a.b.x")
    other = open_neo4j(neo4j_server.url, USER, "wrong", "neo4j", site.store)
    with pytest.raises(ForgeError) as caught:
        other.catch_up()
    other.close()
    assert caught.value.code == "E811"
    assert "does not let Forge in" in caught.value.what
    assert "lineage.neo4j.password" in str(caught.value.fix)
    assert "wrong" not in str(caught.value)


def test_a_database_that_is_not_there_is_named(site: LineageSite, neo4j_server: Neo4jServer) -> None:
    site.say("a.a.x -> a.b.x")
    other = open_neo4j(neo4j_server.url, USER, PASSWORD, "nowhere", site.store)
    with pytest.raises(ForgeError) as caught:
        other.catch_up()
    other.close()
    assert (caught.value.code, caught.value.where) == ("E811", "database nowhere")
