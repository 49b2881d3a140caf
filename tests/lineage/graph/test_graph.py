"""What the graph answers, in names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.edge import Edge, TableEdge, Transformation, level_of
from forge.lineage.facts.fact import EdgeFact
from forge.lineage.graph.facts_source import FactsSource
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.request import EdgeFilter, TraversalRequest
from forge.lineage.graph.store import GraphArrays
from forge.lineage.graph.traversal import Traversal
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import Entity, Node, NodeType, column_of
from forge.model.errors import ForgeError
from forge.model.names import ColumnName


def column(name: str) -> ColumnName:
    table, _, name = name.rpartition(".")
    return ColumnName(table, name)


def edge(source: str, target: str, confidence: float = 1.0, expression: str = "") -> Edge:
    return Edge(
        source=column(source),
        target=column(target),
        transformation=Transformation.IDENTITY,
        expression=expression,
        confidence=confidence,
    )


def reached(traversal: Traversal) -> list[tuple[str, int]]:
    return [(item.name, item.depth) for item in traversal.items]


SHOP = Graph.of(
    [
        edge("raw.orders.amount", "core.orders.amount"),
        edge("core.orders.amount", "marts.revenue.total", expression="sum(amount)"),
        edge("core.orders.day", "marts.revenue.day"),
        edge("marts.revenue.total", "marts.kpi.value", 0.8),
        edge("marts.revenue.day", "marts.kpi.value", 0.3),
    ],
    [TableEdge("core.orders", "marts.count"), TableEdge("core.orders", "marts.revenue")],
)


def test_downstream_of_a_column_is_everything_made_from_it() -> None:
    assert reached(SHOP.downstream(column("raw.orders.amount"))) == [
        ("core.orders.amount", 1),
        ("marts.revenue.total", 2),
        ("marts.kpi.value", 3),
    ]


def test_upstream_of_a_column_is_everything_it_is_made_from() -> None:
    assert reached(SHOP.upstream("marts.revenue.total")) == [("core.orders.amount", 1), ("raw.orders.amount", 2)]


def test_a_table_starts_from_all_its_columns_and_from_itself() -> None:
    found = SHOP.upstream("marts.revenue")
    assert reached(found) == [
        ("core.orders", 1),
        ("core.orders.amount", 1),
        ("core.orders.day", 1),
        ("raw.orders.amount", 2),
    ]
    assert [node.id for node in found.starts] == ["marts.revenue", "marts.revenue.day", "marts.revenue.total"]


def test_both_directions_are_told_apart() -> None:
    found = SHOP.both("core.orders.amount")
    assert [(item.direction, item.name) for item in found.items] == [
        ("downstream", "marts.revenue.total"),
        ("downstream", "marts.kpi.value"),
        ("upstream", "raw.orders.amount"),
    ]
    assert [link.id for link in found.links] == [
        "core.orders.amount->marts.revenue.total#copied",
        "marts.revenue.total->marts.kpi.value#copied",
        "raw.orders.amount->core.orders.amount#copied",
    ]


def test_depth_limits_the_hops() -> None:
    assert reached(SHOP.downstream("raw.orders.amount", depth=1)) == [("core.orders.amount", 1)]
    assert reached(SHOP.downstream("raw.orders.amount", depth=0)) == []


def test_unsure_edges_are_hidden_and_counted() -> None:
    sure, everything = SHOP.downstream("core.orders.day"), SHOP.downstream("core.orders.day", min_confidence=0.1)
    assert reached(sure) == [("marts.revenue.day", 1)]
    assert sure.hidden == 1
    assert reached(everything) == [("marts.revenue.day", 1), ("marts.kpi.value", 2)]
    assert everything.hidden == 0


def test_an_unsure_edge_of_a_cycle_is_hidden_once() -> None:
    graph = Graph.of(
        [edge("t.a.x", "t.b.x"), edge("t.b.x", "t.a.x"), edge("t.b.x", "t.a.x2"), edge("t.b.x", "t.b.x", 0.1)]
    )
    assert graph.both("t.a.x").hidden == 1


def test_the_last_hop_is_told_with_its_expression() -> None:
    first, last = SHOP.downstream("core.orders.amount").items
    assert (first.via.id, first.via.expression) == ("core.orders.amount->marts.revenue.total#copied", "sum(amount)")
    assert (last.confidence, last.via.source) == (0.8, "marts.revenue.total")


def test_the_surest_way_counts_and_the_shortest_is_the_depth() -> None:
    graph = Graph.of([edge("t.a", "t.c", 0.6), edge("t.a", "t.b", 0.9), edge("t.b", "t.c", 0.9)])
    item = graph.downstream("t.a").items[1]
    assert (item.name, item.depth, item.via.source) == ("t.c", 1, "t.b")
    assert item.confidence == pytest.approx(0.81)
    near = graph.downstream("t.a", depth=1).items[1]
    assert (near.confidence, near.via.source) == (0.6, "t.a")


def test_of_equally_sure_ways_the_shorter_and_then_the_smaller_name_is_told() -> None:
    ways = [edge("t.a", "t.n"), edge("t.a", "t.m"), edge("t.m", "t.z"), edge("t.n", "t.z")]
    assert Graph.of(ways).downstream("t.a").items[-1].via.source == "t.m"
    assert Graph.of([*ways, edge("t.a", "t.z")]).downstream("t.a").items[-1].via.source == "t.a"


def test_cycles_and_self_edges_end() -> None:
    graph = Graph.of([edge("t.a", "t.a"), edge("t.a", "t.b"), edge("t.b", "t.a")])
    found = graph.downstream("t.a", depth=None)
    assert reached(found) == [("t.b", 1)]
    assert [link.id for link in found.links] == ["t.a->t.a#copied", "t.a->t.b#copied", "t.b->t.a#copied"]
    assert reached(graph.upstream("t.b", depth=None)) == [("t.a", 1)]


def test_of_the_same_edge_from_several_runs_the_surest_counts() -> None:
    graph = Graph.of([edge("t.a", "t.b", 0.9, "new"), edge("t.a", "t.b", 0.3, "old")])
    assert [(link.expression, link.confidence) for link in graph.downstream("t.a").links] == [("new", 0.9)]


def test_an_unknown_name_is_an_error_with_the_nearest() -> None:
    with pytest.raises(ForgeError) as caught:
        SHOP.upstream("core.order.amount")
    assert caught.value.code == "E801"
    assert "core.orders.amount" in (caught.value.fix or "")


def test_the_dictionary_has_the_counts() -> None:
    found = SHOP.downstream("core.orders.amount").to_dict()
    assert (found["total_entities"], found["greatest_depth"], found["hidden"]) == (2, 2, 0)
    assert found["levels"] == {"certain": 1, "high": 1}


@pytest.mark.parametrize(
    ("confidence", "level"),
    [(1.0, "certain"), (0.99, "high"), (0.8, "high"), (0.6, "medium"), (0.5, "low"), (0.3, "low"), (0.1, "uncertain")],
)
def test_a_level_is_the_highest_anchor_not_above(confidence: float, level: str) -> None:
    assert level_of(confidence) == level


# --- what is shown ---------------------------------------------------------------------------------------------------


def test_a_limit_keeps_the_nearest_and_says_how_many_there_are() -> None:
    fan = [edge("t.a", f"t.b{number}") for number in (3, 1, 2)] + [edge("t.b3", "t.c", 0.7)]
    found = Graph.of(fan).downstream("t.a", limit=2)
    assert reached(found) == [("t.b1", 1), ("t.b2", 1)]
    assert (found.total, found.truncated, found.greatest_depth) == (4, True, 2)
    assert found.levels == {"certain": 3, "medium": 1}
    assert [link.target for link in found.links] == ["t.b1", "t.b2"]


def test_the_way_to_something_shown_may_come_from_something_cut_off() -> None:
    graph = Graph.of([edge("t.a", "t.b", 0.6), edge("t.a", "t.z", 0.9), edge("t.z", "t.b", 0.9)])
    (item,) = graph.downstream("t.a", limit=1).items
    assert (item.name, item.via.source) == ("t.b", "t.z")


def test_a_limit_of_nothing_shows_nothing() -> None:
    found = SHOP.both("core.orders.amount", limit=0)
    assert (found.items, found.total, found.links) == ((), 3, ())


def entity(name: str) -> Entity:
    type_, colon, rest = name.partition(":")
    if colon:
        return Entity(NodeType(type_), rest)
    table, _, own = name.rpartition(".")
    return column_of(table, own)


EARLY = datetime(2024, 1, 1, tzinfo=UTC)
DERIVED = EdgeKind()


def fact(source: str, target: str, kind: EdgeKind = DERIVED, start: int = 0, end: int | None = None) -> EdgeFact:
    until = None if end is None else EARLY + timedelta(days=end)
    return EdgeFact(
        source=entity(source),
        target=entity(target),
        kind=kind,
        producer="test",
        confidence=1.0,
        valid_from=EARLY + timedelta(days=start),
        valid_to=until,
    )


CONSUMES = EdgeKind(EdgeType.CONSUMES, None)
MIXED = [
    fact("raw.a.x", "tmp.cte.x"),
    fact("tmp.cte.x", "core.b.x"),
    fact("core.b.x", "dashboard:sales", CONSUMES),
    fact("core.b.x", "other.c.x"),
]
DETAILS = [
    Node(id="tmp.cte", type=NodeType.TABLE, name="cte", table="tmp.cte", details={"kind": "cte"}),
    Node(id="core.b", type=NodeType.TABLE, name="b", table="core.b", details={"source_file": "jobs/b.sql"}),
]


def names_of(traversal: Traversal) -> list[str]:
    return [item.name for item in traversal.items]


def test_what_exists_only_inside_a_statement_is_hidden_unless_asked_for() -> None:
    graph = Graph.of_facts(MIXED, DETAILS)
    assert names_of(graph.downstream("raw.a.x")) == ["core.b.x", "dashboard:sales", "other.c.x"]
    assert names_of(graph.downstream("raw.a.x", intermediate=True))[0] == "tmp.cte.x"


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"node_types": frozenset({NodeType.DASHBOARD})}, ["dashboard:sales"]),
        ({"schemas": frozenset({"core", "other"})}, ["core.b.x", "other.c.x"]),
        ({"schemas": frozenset({"lake.core"})}, ["core.b.x"]),
        ({"files": frozenset({"b.sql"})}, ["core.b.x"]),
    ],
    ids=["type", "schema", "qualified_schema", "file"],
)
def test_filters_choose_what_is_shown_not_where_the_walk_goes(options: dict[str, Any], shown: list[str]) -> None:
    found = Graph.of_facts(MIXED, DETAILS).downstream("raw.a.x", **options)
    assert names_of(found) == shown
    assert found.total == len(shown)


def test_edge_types_and_relationships_choose_where_the_walk_goes() -> None:
    graph = Graph.of_facts(MIXED)
    assert names_of(graph.downstream("core.b.x", types=frozenset({EdgeType.CONSUMES}))) == ["dashboard:sales"]
    assert names_of(graph.downstream("core.b.x", relationships=frozenset({"derived"}))) == ["other.c.x"]


def test_at_a_time_the_graph_is_what_it_was() -> None:
    graph = Graph.of_facts([fact("s.t.a", "s.u.a", end=10), fact("s.t.a", "s.v.a", start=10)])
    day = timedelta(days=1)
    assert names_of(graph.downstream("s.t.a")) == ["s.v.a"]
    assert names_of(graph.downstream("s.t.a", at=EARLY + 9 * day)) == ["s.u.a"]
    assert names_of(graph.downstream("s.t.a", at=EARLY + 10 * day)) == ["s.v.a"]
    assert names_of(graph.downstream("s.t.a", at=EARLY - day)) == []
    (link,) = graph.downstream("s.t.a", at=EARLY + 9 * day).links
    assert (link.valid_from, link.valid_to) == (EARLY, EARLY + 10 * day)


# --- paths -----------------------------------------------------------------------------------------------------------


def test_paths_are_told_best_first_and_with_all_their_hops() -> None:
    graph = Graph.of([edge("t.a", "t.c", 0.6), edge("t.a", "t.b", 0.9, "x + 1"), edge("t.b", "t.c", 0.9)])
    best, other = graph.paths("t.c", TraversalRequest(start="t.a", direction="downstream"), 5)
    assert [hop.node.id for hop in best.hops] == ["t.b", "t.c"]
    assert (best.start, best.hops[0].link.expression, best.hops[1].depth) == ("t.a", "x + 1", 2)
    assert best.confidence == pytest.approx(0.81)
    assert (other.confidence, len(other.hops)) == (0.6, 1)
    assert graph.paths("t.c", TraversalRequest(start="t.a", direction="downstream", depth=1), 5) == (other,)
    up = graph.paths("t.a", TraversalRequest(start="t.c", direction="upstream"), 1)
    assert [hop.node.id for hop in up[0].hops] == ["t.b", "t.a"]
    assert graph.paths("t.a", TraversalRequest(start="t.c", direction="both"), 1) == up


def test_paths_to_a_table_end_in_any_of_its_columns() -> None:
    found = SHOP.paths("marts.revenue", TraversalRequest(start="core.orders", direction="downstream"), 5)
    assert [(path.start, path.hops[-1].node.id) for path in found] == [
        ("core.orders", "marts.revenue"),
        ("core.orders.amount", "marts.revenue.total"),
        ("core.orders.day", "marts.revenue.day"),
    ]


def test_a_walk_tells_paths_to_its_ends_on_request() -> None:
    graph = Graph.of([edge("t.a", "t.b"), edge("t.b", "t.c", 0.9), edge("t.a", "t.c", 0.8), edge("t.b", "t.d", 0.7)])
    ends = [(path.hops[-1].node.id, path.confidence) for path in graph.downstream("t.a", paths=2).paths]
    assert ends == [("t.c", 0.9), ("t.c", 0.8), ("t.d", 0.7)]
    assert graph.downstream("t.a").paths == ()


def test_a_walk_in_circles_tells_the_path_to_the_farthest() -> None:
    graph = Graph.of([edge("t.a", "t.b"), edge("t.b", "t.c"), edge("t.c", "t.b")])
    (path,) = graph.downstream("t.a", paths=1).paths
    assert [hop.node.id for hop in path.hops] == ["t.b", "t.c"]


def test_no_path_where_nothing_leads_there_and_an_error_for_unknown_names() -> None:
    assert SHOP.paths("raw.orders.amount", TraversalRequest(start="marts.kpi.value", direction="downstream"), 3) == ()
    with pytest.raises(ForgeError, match="E801"):
        SHOP.paths("raw.ordres.amount", TraversalRequest(start="marts.kpi.value"), 3)


# --- following the store ---------------------------------------------------------------------------------------------


class _Growing(FactsSource):
    """A source whose facts are replaced; it counts what is read from it."""

    def __init__(self, facts: Sequence[EdgeFact]) -> None:
        super().__init__(facts)
        self.number, self.reads = 1, 0

    def write(self, facts: Sequence[EdgeFact], nodes: Sequence[Node] = ()) -> None:
        FactsSource.__init__(self, facts, nodes)
        self.number += 1

    def revision(self) -> int:
        return self.number

    def arrays(self) -> GraphArrays:
        self.reads += 1
        return replace(super().arrays(), revision=self.number)


def test_the_index_is_read_once_and_follows_what_is_written() -> None:
    source = _Growing([fact("s.t.a", "s.u.a")])
    graph = Graph(source)
    assert source.reads == 0
    assert names_of(graph.downstream("s.t.a")) == names_of(graph.downstream("s.t.a")) == ["s.u.a"]
    assert source.reads == 1
    source.write([fact("s.t.a", "s.u.a"), fact("s.u.a", "s.v.a")])
    assert names_of(graph.downstream("s.t.a")) == ["s.u.a", "s.v.a"]
    assert source.reads == 2


def test_a_store_that_was_put_back_is_read_anew() -> None:
    source = _Growing([fact("s.t.a", "s.u.a"), fact("s.u.a", "s.v.a")])
    source.number = 7
    graph = Graph(source)
    assert names_of(graph.downstream("s.t.a")) == ["s.u.a", "s.v.a"]
    source.write([fact("s.t.a", "s.u.a")])
    source.number = 3
    assert names_of(graph.downstream("s.t.a")) == ["s.u.a"]


def test_what_is_hidden_follows_what_is_written() -> None:
    source = _Growing([fact("s.t.a", "s.u.a")])
    graph = Graph(source)
    assert names_of(graph.downstream("s.t.a")) == ["s.u.a"]
    source.write(
        [fact("s.t.a", "s.u.a")], [Node(id="s.u", type=NodeType.TABLE, name="u", table="s.u", details={"kind": "cte"})]
    )
    assert names_of(graph.downstream("s.t.a")) == []


# --- beside networkx -------------------------------------------------------------------------------------------------

NODES = [f"s.t{table}.c{name}" for table in range(4) for name in range(4)]
EDGES = st.lists(
    st.tuples(st.sampled_from(NODES), st.sampled_from(NODES), st.sampled_from([0.2, 0.5, 0.7, 0.9, 1.0])),
    min_size=1,
    max_size=60,
    unique_by=lambda item: item[:2],
)


@given(triples=EDGES, depth=st.one_of(st.none(), st.integers(0, 5)), least=st.sampled_from([0.0, 0.5, 0.8]))
def test_reach_links_and_surest_ways_are_those_of_networkx(
    triples: list[tuple[str, str, float]], depth: int | None, least: float
) -> None:
    start = triples[0][0]
    net: nx.DiGraph[str] = nx.DiGraph()
    net.add_nodes_from(name for source, target, _ in triples for name in (source, target))
    net.add_edges_from((a, b, {"weight": -math.log(sure), "sure": sure}) for a, b, sure in triples if sure >= least)
    found = Graph.of(edge(*triple) for triple in triples).downstream(start, depth, least)
    lengths = nx.single_source_shortest_path_length(net, start, cutoff=depth)
    assert {item.name: item.depth for item in found.items} == {n: d for n, d in lengths.items() if n != start}
    assert [(item.depth, item.name) for item in found.items] == sorted((i.depth, i.name) for i in found.items)
    followed = {(a, b) for a, b in net.edges if a in lengths and (depth is None or lengths[a] < depth)}
    assert {(link.source, link.target) for link in found.links} == followed
    sure = {item.name: item.confidence for item in found.items} | {start: 1.0}
    for item in found.items:
        assert (item.via.target, item.via.confidence) == (item.name, net.edges[item.via.source, item.name]["sure"])
        assert item.confidence <= sure[item.via.source] * item.via.confidence + 1e-12
        if depth is None:
            assert item.confidence == pytest.approx(math.exp(-nx.dijkstra_path_length(net, start, item.name)))


def test_an_ask_is_kept_with_its_answer() -> None:
    ask = TraversalRequest(
        start="core.orders.amount", direction="downstream", depth=3, edges=EdgeFilter(min_confidence=0.2)
    )
    assert SHOP.walk(ask).ask == ask
    assert SHOP.walk(ask).links[0].kind == EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED)
