"""What a person finds who opens Neo4j and asks in Cypher."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from lineage_lines import DAY, START, LineageSite, entity
from neo4j_server import PASSWORD, USER

from forge.lineage.facts.claim import NodeClaim
from forge.stores.memory.lineage import MemoryLineage
from forge.stores.neo4j.lineage import Neo4jLineage, open_neo4j

if TYPE_CHECKING:
    from neo4j_server import Neo4jServer

pytestmark = pytest.mark.services("neo4j")
Cypher = Callable[..., list[dict[str, Any]]]

SHOP = """
raw.orders.amount -> core.orders.amount 0.95 transformed cast(amount AS decimal)
raw.orders.status -filter-> core.orders
raw.users.address.city -> core.users.city
core.orders.amount -> marts.daily.total 0.95 aggregated sum(amount)
core.orders.day -> marts.daily.day 1 copied
raw.calendar -> marts.daily 0.6
marts.daily.total -consumes-> dashboard:revenue
transform:daily -produces-> marts.daily
pipeline:nightly -executes-> transform:daily
"""
NODES = (
    NodeClaim(entity("marts.daily"), {"kind": "physical", "source_file": "jobs/daily.sql"}),
    NodeClaim(entity("marts.daily.total"), {"data_type": "decimal(10,2)", "nullable": True}),
    NodeClaim(entity("marts.daily.day"), {"data_type": "date", "nullable": False}),
)


@pytest.fixture
def site(neo4j_server: Neo4jServer) -> Iterator[LineageSite]:
    neo4j_server.empty()
    store = MemoryLineage()
    answers = open_neo4j(neo4j_server.url, USER, PASSWORD, "neo4j", store)
    yield LineageSite(store, answers)
    answers.close()


@pytest.fixture
def shop_graph(site: LineageSite) -> LineageSite:
    site.say(SHOP, nodes=NODES)
    feed(site)
    return site


@pytest.fixture
def cypher(neo4j_server: Neo4jServer) -> Iterator[Cypher]:
    with neo4j_server.driver() as driver:

        def run(query: str, **parameters: Any) -> list[dict[str, Any]]:
            return [record.data() for record in driver.execute_query(query, parameters).records]

        yield run


def feed(site: LineageSite) -> int:
    assert isinstance(site.answers, Neo4jLineage)
    return site.answers.catch_up()


def everything(cypher: Cypher) -> list[dict[str, Any]]:
    """All nodes and relationships, but for the time of the feeding."""
    nodes = cypher("MATCH (n) WHERE NOT n:LineageFeed RETURN labels(n) AS labels, properties(n) AS said")
    arrows = cypher(
        "MATCH (a)-[r]->(b) RETURN a.qualified_name AS a, type(r) AS type, properties(r) AS said, b.qualified_name AS b"
    )
    return sorted([*nodes, *arrows], key=repr)


@pytest.mark.usefixtures("shop_graph")
def test_the_tables_and_columns_of_a_schema(cypher: Cypher) -> None:
    found = cypher(
        """MATCH (:Database {name: 'lake'})-[:HAS_SCHEMA]->(:Schema {name: 'marts'})-[:HAS_TABLE]->(t:Table)
        MATCH (t)-[:HAS_COLUMN]->(c:Column)
        RETURN t.name AS table, t.type AS type, t.source_file AS file,
               c.name AS column, c.data_type AS data_type, c.is_nullable AS is_nullable ORDER BY column"""
    )
    daily = {"table": "daily", "type": "table", "file": "jobs/daily.sql"}
    assert found == [
        {**daily, "column": "day", "data_type": "date", "is_nullable": False},
        {**daily, "column": "total", "data_type": "decimal(10,2)", "is_nullable": True},
    ]


@pytest.mark.usefixtures("shop_graph")
def test_the_upstream_of_a_column(cypher: Cypher) -> None:
    found = cypher(
        """MATCH (:Column {qualified_name: 'marts.daily.total'})-[hops:DERIVED_FROM*]->(source:Column)
        WHERE all(hop IN hops WHERE hop.valid_to IS NULL)
        RETURN source.qualified_name AS source, size(hops) AS depth ORDER BY depth"""
    )
    assert found == [{"source": "core.orders.amount", "depth": 1}, {"source": "raw.orders.amount", "depth": 2}]


@pytest.mark.usefixtures("shop_graph")
def test_the_tables_downstream_of_a_table(cypher: Cypher) -> None:
    found = cypher(
        """MATCH (:Table {qualified_name: 'raw.orders'})-[:HAS_COLUMN]->(:Column)<-[:DERIVED_FROM*]-(:Column)
              <-[:HAS_COLUMN]-(t:Table)
        RETURN DISTINCT t.qualified_name AS table ORDER BY table"""
    )
    assert found == [{"table": "core.orders"}, {"table": "marts.daily"}]


@pytest.mark.usefixtures("shop_graph")
def test_the_transformations_along_a_path(cypher: Cypher) -> None:
    (found,) = cypher(
        """MATCH p = shortestPath((:Column {qualified_name: 'marts.daily.total'})
              -[:DERIVED_FROM*]->(:Column {qualified_name: 'raw.orders.amount'}))
        RETURN [r IN relationships(p) | r.transformation] AS how,
               [r IN relationships(p) | r.expression] AS said,
               round(reduce(sure = 1.0, r IN relationships(p) | sure * r.confidence), 4) AS sure"""
    )
    assert found == {
        "how": ["aggregation", "transformation"],
        "said": ["sum(amount)", "cast(amount AS decimal)"],
        "sure": 0.9025,
    }


@pytest.mark.usefixtures("shop_graph")
def test_what_shapes_rows_is_apart_from_what_arrives_in_them(cypher: Cypher) -> None:
    assert cypher(
        "MATCH (t:Table)-[r:INFLUENCED_BY]->(c:Column) RETURN t.name AS t, r.subtype AS how, c.name AS c"
    ) == [{"t": "orders", "how": "filter", "c": "status"}]
    assert cypher("MATCH (:Table {name: 'daily'})-[:DERIVED_FROM]->(t:Table) RETURN t.name AS t") == [{"t": "calendar"}]


@pytest.mark.usefixtures("shop_graph")
def test_what_is_no_table_has_its_own_label(cypher: Cypher) -> None:
    found = cypher(
        """MATCH (:Pipeline {name: 'nightly'})-[:EXECUTES]->(t:Transform)-[:PRODUCES]->(:Table)
              -[:HAS_COLUMN]->(c:Column)<-[:CONSUMES]-(d:Dashboard)
        RETURN t.name AS transform, c.name AS column, d.id AS dashboard"""
    )
    assert found == [{"transform": "daily", "column": "total", "dashboard": "dashboard:revenue"}]
    fields = cypher(
        "MATCH (:Column {qualified_name: 'raw.users.address'})-[:HAS_FIELD]->(f:Field) RETURN f.name AS name"
    )
    assert fields == [{"name": "city"}]


@pytest.mark.usefixtures("shop_graph")
def test_names_are_unique_by_constraint(cypher: Cypher) -> None:
    from neo4j.exceptions import ConstraintError

    for label in ("Database", "Schema", "Table", "Column"):
        (first,) = cypher(f"MATCH (n:{label}) RETURN n.qualified_name AS name LIMIT 1")
        with pytest.raises(ConstraintError):
            cypher(f"CREATE (:{label} {{qualified_name: $name}})", **first)


def test_a_closed_edge_stays_with_its_end(site: LineageSite, cypher: Cypher) -> None:
    site.say("a.a.x -> a.b.x 0.9\na.a.x -> a.c.x")
    feed(site)
    site.say("a.a.x -> a.b.x 0.8", day=1)
    feed(site)
    found = cypher(
        """MATCH (t:Column)-[r:DERIVED_FROM]->(:Column)
        RETURN t.qualified_name AS target, r.confidence AS sure, r.valid_from AS begin, r.valid_to AS end
        ORDER BY target, begin"""
    )
    lives = [
        (one["target"], one["sure"], one["begin"].to_native(), one["end"] and one["end"].to_native()) for one in found
    ]
    assert lives == [
        ("a.b.x", 0.9, START, START + DAY),
        ("a.b.x", 0.8, START + DAY, None),
        ("a.c.x", 1.0, START, START + DAY),
    ]
    at = "r.valid_from <= $at AND coalesce($at < r.valid_to, true)"
    then = cypher(f"MATCH (t)-[r:DERIVED_FROM]->() WHERE {at} RETURN t.name AS t, r.confidence AS c", at=START)
    assert sorted(one["c"] for one in then) == [0.9, 1.0]


def test_an_edge_that_was_never_valid_is_gone(site: LineageSite, cypher: Cypher) -> None:
    site.say("a.a.x -> a.b.x\na.a.x -> a.c.x")
    feed(site)
    site.say("a.a.x -> a.b.x")  # at the same moment
    feed(site)
    assert cypher("MATCH (t)-[:DERIVED_FROM]->() RETURN t.qualified_name AS t") == [{"t": "a.b.x"}]


def test_feeding_twice_changes_nothing(shop_graph: LineageSite, cypher: Cypher) -> None:
    before = everything(cypher)
    assert feed(shop_graph) == feed(shop_graph) == shop_graph.store.revision()
    assert everything(cypher) == before
    cypher("MATCH (f:LineageFeed) SET f.revision = 0")  # all of it again
    feed(shop_graph)
    assert everything(cypher) == before


def test_a_table_that_turns_out_to_be_a_view_is_told_as_one(shop_graph: LineageSite, cypher: Cypher) -> None:
    from forge.lineage.node import NodeType, table_of

    shop_graph.say("", producer="other", nodes=[NodeClaim(table_of("core.orders", NodeType.VIEW), {"kind": "view"})])
    feed(shop_graph)
    assert cypher("MATCH (t:Table {qualified_name: 'core.orders'}) RETURN t.type AS type, t.kind AS kind") == [
        {"type": "view", "kind": "view"}
    ]
