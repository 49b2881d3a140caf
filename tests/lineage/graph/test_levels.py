"""A coarser level is the finer graph with entities put together: nothing of it is stored."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.edge import Transformation
from forge.lineage.facts.fact import EdgeFact
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.levels import group_of
from forge.lineage.graph.request import TraversalRequest
from forge.lineage.graph.traversal import Traversal
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import Entity, GraphLevel, NodeType, column_of

THEN = datetime(2024, 1, 1, tzinfo=UTC)
COPIED = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED)
CONSUMES = EdgeKind(EdgeType.CONSUMES, None)


def table(name: str) -> Entity:
    return Entity(NodeType.EXTERNAL if ":" in name else NodeType.TABLE, name)


def column(name: str) -> Entity:
    of, _, own = name.rpartition(".")
    return column_of(of, own)


def field(name: str) -> Entity:
    of, _, own = name.rpartition(".")
    return Entity(NodeType.FIELD, own, of)


def fact(
    source: Entity, target: Entity, confidence: float = 1.0, kind: EdgeKind = COPIED, expression: str = ""
) -> EdgeFact:
    return EdgeFact(
        source=source,
        target=target,
        kind=kind,
        producer="p",
        confidence=confidence,
        valid_from=THEN,
        transformation=Transformation.IDENTITY,
        expression=expression,
    )


SALES = Entity(NodeType.DASHBOARD, "sales")
SHOP = Graph.of_facts(
    [
        fact(column("files:data/o.csv.amount"), column("raw.orders.amount")),
        fact(column("raw.orders.amount"), column("core.orders.amount"), 0.8, expression="cast(amount as int)"),
        fact(column("core.orders.amount"), column("core.orders.doubled")),
        fact(column("core.orders.amount"), column("marts.revenue.total"), 0.6),
        fact(column("core.orders.day"), column("marts.revenue.day"), 0.9),
        fact(column("core.orders.day"), column("marts.guess.day"), 0.3),
        fact(column("core.orders.day"), column("marts.revenue.guess"), 0.3),
        fact(table("core.orders"), table("marts.count"), kind=EdgeKind()),
        fact(column("marts.revenue.total"), SALES, kind=CONSUMES),
        fact(column("marts.revenue.day"), SALES, kind=CONSUMES),
    ]
)


def reached(found: Traversal) -> list[tuple[str, int, float]]:
    return [(item.name, item.depth, item.confidence) for item in found.items]


def test_by_table_columns_are_their_tables_and_the_surest_edge_counts() -> None:
    found = SHOP.downstream("core.orders", level=GraphLevel.TABLE)
    assert reached(found) == [("marts.count", 1, 1.0), ("marts.revenue", 1, 0.9), ("dashboard:sales", 2, 0.9)]
    assert all(item.column is None for item in found.items)
    assert found.hidden == 1  # to marts.guess; to marts.revenue there is a sure one


def test_a_link_of_one_edge_tells_what_that_edge_tells() -> None:
    (link,) = (one for one in SHOP.upstream("core.orders", depth=1, level=GraphLevel.TABLE).links)
    assert (link.id, link.expression) == ("raw.orders->core.orders#copied", "cast(amount as int)")
    assert (link.transformation, link.valid_from) == (Transformation.IDENTITY, THEN)


def test_a_link_of_several_edges_is_derived_and_has_no_expression() -> None:
    links = {link.id: link for link in SHOP.downstream("core.orders", level=GraphLevel.TABLE).links}
    assert set(links) == {
        "core.orders->marts.count#derived",
        "core.orders->marts.revenue#derived",
        "marts.revenue->dashboard:sales#consumes",
    }
    several = links["core.orders->marts.revenue#derived"]
    assert (several.transformation, several.expression, several.confidence) == (Transformation.UNKNOWN, "", 0.9)


def test_edges_inside_a_table_are_not_seen_by_table() -> None:
    assert "core.orders" not in [item.name for item in SHOP.both("core.orders", level=GraphLevel.TABLE).items]
    assert SHOP.downstream("core.orders.amount", depth=1).items[0].name == "core.orders.doubled"


@pytest.mark.parametrize(
    ("level", "start", "names"),
    [
        (GraphLevel.SCHEMA, "core.orders", ["schema:marts", "dashboard:sales", "schema:raw", "schema:files.default"]),
        (GraphLevel.SCHEMA, "schema:core", ["schema:marts", "dashboard:sales", "schema:raw", "schema:files.default"]),
        (GraphLevel.DATABASE, "core.orders", ["dashboard:sales", "database:files"]),
        (GraphLevel.SYSTEM, "system:lake", ["dashboard:sales", "system:files"]),
    ],
    ids=["schema", "schema_by_its_own_name", "database", "system"],
)
def test_higher_levels_are_seen_by_the_names_of_tables(level: GraphLevel, start: str, names: list[str]) -> None:
    found = SHOP.both(start, level=level)
    assert [item.name for item in found.items] == names
    assert found.items[-1].node.type == NodeType(str(level))


@pytest.mark.parametrize(
    ("name", "level", "group"),
    [
        ("core.orders", GraphLevel.SCHEMA, "schema:core"),
        ("orders", GraphLevel.SCHEMA, "schema:default"),
        ("shop.public.users", GraphLevel.SCHEMA, "schema:shop.public"),
        ("pg:shop.public.users", GraphLevel.SCHEMA, "schema:pg:shop.public"),
        ("pg:shop.public.users", GraphLevel.DATABASE, "database:pg:shop"),
        ("pg:shop.public.users", GraphLevel.SYSTEM, "system:pg"),
        ("files:data/x.csv", GraphLevel.DATABASE, "database:files"),
        ("core.orders", GraphLevel.DATABASE, "database:lake"),
    ],
)
def test_a_table_is_in_one_schema_database_and_system(name: str, level: GraphLevel, group: str) -> None:
    assert group_of(name, level).id == group


def test_the_own_database_of_the_lake_may_have_another_name() -> None:
    assert group_of("core.orders", GraphLevel.DATABASE, database="shop").id == "database:shop"
    assert group_of("shop.core.orders", GraphLevel.SCHEMA, database="shop").id == "schema:core"


def test_fields_are_their_columns_unless_asked_for() -> None:
    graph = Graph.of_facts(
        [
            fact(column("a.t.home"), column("b.u.address")),
            fact(field("b.u.address.city"), column("c.v.city")),
            fact(field("b.u.address.city"), column("c.v.city"), kind=EdgeKind()),
            fact(field("b.u.address.city"), field("b.u.address.zip")),
            fact(column("c.v.city"), column("c.v.city")),
        ]
    )
    assert [item.name for item in graph.upstream("c.v.city").items] == ["b.u.address", "a.t.home"]
    assert [link.id for link in graph.upstream("c.v.city").links] == [
        "a.t.home->b.u.address#copied",
        "b.u.address->c.v.city#derived",
        "b.u.address->c.v.city#copied",
        "c.v.city->c.v.city#copied",
    ]
    fine = graph.upstream("c.v.city", level=GraphLevel.FIELD)
    assert [item.name for item in fine.items] == ["b.u.address.city"]
    assert [item.name for item in graph.downstream("a.t", level=GraphLevel.TABLE).items] == ["b.u", "c.v"]
    assert graph.downstream("b.u.address").total == 1


def test_paths_by_table_go_through_tables() -> None:
    (path,) = SHOP.paths(
        "dashboard:sales", TraversalRequest(start="raw.orders", direction="downstream", level=GraphLevel.TABLE), 5
    )
    assert [hop.node.id for hop in path.hops] == ["core.orders", "marts.revenue", "dashboard:sales"]
    assert path.confidence == pytest.approx(0.8 * 0.9)


NAMES = [f"s{schema}.t{of}.c{own}" for schema in range(2) for of in range(3) for own in range(3)]
EDGES = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from([0.3, 0.5, 0.8, 1.0])),
    max_size=40,
    unique_by=lambda triple: triple[:2],
)
TABLE_EDGES = st.lists(st.tuples(st.sampled_from(range(6)), st.sampled_from(range(6))), max_size=4)


@pytest.mark.slow
@given(
    edges=EDGES,
    table_edges=TABLE_EDGES,
    level=st.sampled_from([GraphLevel.TABLE, GraphLevel.SCHEMA]),
    depth=st.one_of(st.none(), st.integers(0, 3)),
)
def test_a_level_equals_a_graph_of_its_own_with_the_surest_edges(
    edges: list[tuple[str, str, float]], table_edges: list[tuple[int, int]], level: GraphLevel, depth: int | None
) -> None:
    tables = [table(name.rpartition(".")[0]) for name in NAMES[::3]]
    facts = [fact(column(a), column(b), sure) for a, b, sure in edges]
    facts += [fact(tables[a], tables[b], kind=EdgeKind()) for a, b in table_edges]
    facts.append(fact(column(NAMES[0]), Entity(NodeType.REPORT, "always"), kind=CONSUMES))
    best: dict[tuple[str, str], float] = defaultdict(float)
    for one in facts:
        source, target = (seen_from(level, end) for end in (one.source, one.target))
        if source != target:
            best[source, target] = max(best[source, target], one.confidence)
    own = Graph.of_facts(
        [fact(Entity(NodeType.REPORT, a), Entity(NodeType.REPORT, b), c) for (a, b), c in best.items()]
    )
    start = seen_from(level, column(NAMES[0]))
    for way in ("upstream", "downstream"):
        found = Graph.of_facts(facts).walk(TraversalRequest(start=start, direction=way, depth=depth, level=level))
        expected = own.walk(TraversalRequest(start=f"report:{start}", direction=way, depth=depth))
        assert reached(found) == [(name.removeprefix("report:"), d, c) for name, d, c in reached(expected)]
        assert found.hidden == expected.hidden
        assert [(link.source, link.target, link.confidence) for link in found.links] == [
            (link.source.removeprefix("report:"), link.target.removeprefix("report:"), link.confidence)
            for link in expected.links
        ]


def seen_from(level: GraphLevel, entity: Entity) -> str:
    if entity.type is NodeType.REPORT:
        return entity.id
    name = entity.owner or entity.name
    return name if level is GraphLevel.TABLE else group_of(name, level).id
