from __future__ import annotations

import math
import time

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.edge import Edge, TableEdge, Transformation, level_of
from forge.lineage.graph import Graph, Traversal
from forge.model.errors import ForgeError
from forge.model.names import ColumnName


def column(name: str) -> ColumnName:
    table, _, name = name.rpartition(".")
    return ColumnName(table, name)


def edge(source: str, target: str, confidence: float = 1.0, expression: str = "") -> Edge:
    return Edge(column(source), column(target), Transformation.IDENTITY, expression, confidence=confidence)


def reached(traversal: Traversal) -> list[tuple[str, int]]:
    return [(item.name, item.depth) for item in traversal.items]


SHOP = Graph(
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


def test_a_table_starts_from_all_its_columns() -> None:
    assert reached(SHOP.upstream("marts.revenue")) == [
        ("core.orders.amount", 1),
        ("core.orders.day", 1),
        ("raw.orders.amount", 2),
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


def test_the_path_is_told_with_its_confidence() -> None:
    last = SHOP.downstream("core.orders.amount").items[-1]
    assert last.confidence == 0.8
    assert [(link.source, link.target) for link in last.path] == [
        ("core.orders.amount", "marts.revenue.total"),
        ("marts.revenue.total", "marts.kpi.value"),
    ]
    assert last.path[0].expression == "sum(amount)"


def test_the_surest_path_is_told_and_the_shortest_counts_as_depth() -> None:
    graph = Graph([edge("t.a", "t.c", 0.6), edge("t.a", "t.b", 0.9), edge("t.b", "t.c", 0.9)])
    item = graph.downstream("t.a").items[1]
    assert (item.name, item.depth, len(item.path)) == ("t.c", 1, 2)
    assert item.confidence == pytest.approx(0.81)
    assert graph.downstream("t.a", depth=1).items[1].confidence == 0.6


def test_cycles_and_self_edges_end() -> None:
    graph = Graph([edge("t.a", "t.a"), edge("t.a", "t.b"), edge("t.b", "t.a")])
    assert reached(graph.downstream("t.a", depth=None)) == [("t.b", 1)]
    assert reached(graph.upstream("t.b", depth=None)) == [("t.a", 1)]


def test_of_the_same_edge_from_several_runs_the_surest_counts() -> None:
    graph = Graph([edge("t.a", "t.b", 0.9, "new"), edge("t.a", "t.b", 0.3, "old")])
    assert graph.downstream("t.a").items[0].path[0].expression == "new"


def test_a_traversal_rolls_up_to_tables() -> None:
    tables = SHOP.upstream("marts.kpi", min_confidence=0.0).tables()
    assert [(t.name, t.depth, t.columns) for t in tables] == [
        ("marts.revenue", 1, ("day", "total")),
        ("core.orders", 2, ("amount", "day")),
        ("raw.orders", 3, ("amount",)),
    ]
    assert tables[2].confidence == 0.8


def test_the_graph_of_tables_knows_tables_of_which_no_column_arrives() -> None:
    found = SHOP.by_table().downstream("core.orders")
    assert reached(found) == [("marts.count", 1), ("marts.revenue", 1), ("marts.kpi", 2)]
    assert all(item.column is None for item in found.items)


def test_an_unknown_name_is_an_error_with_the_nearest() -> None:
    with pytest.raises(ForgeError) as caught:
        SHOP.upstream("core.order.amount")
    assert caught.value.code == "E801"
    assert "core.orders.amount" in (caught.value.fix or "")


def test_the_dictionary_has_the_counts_and_the_paths() -> None:
    found = SHOP.downstream("core.orders.amount").to_dict()
    assert found["total"] == 2
    assert found["greatest_depth"] == 2
    assert found["levels"] == {"certain": 1, "high": 1}
    assert found["hidden"] == 0
    items = found["items"]
    assert isinstance(items, list)
    assert items[0]["path"] == [
        {
            "source": "core.orders.amount",
            "target": "marts.revenue.total",
            "transformation": "identity",
            "expression": "sum(amount)",
            "masking": False,
            "confidence": 1.0,
        }
    ]


@pytest.mark.parametrize(
    ("confidence", "level"),
    [(1.0, "certain"), (0.99, "high"), (0.8, "high"), (0.6, "medium"), (0.5, "low"), (0.3, "low"), (0.1, "uncertain")],
)
def test_a_level_is_the_highest_anchor_not_above(confidence: float, level: str) -> None:
    assert level_of(confidence) == level


NODES = [f"s.t{table}.c{name}" for table in range(4) for name in range(4)]
EDGES = st.lists(
    st.tuples(st.sampled_from(NODES), st.sampled_from(NODES), st.sampled_from([0.2, 0.5, 0.7, 0.9, 1.0])),
    min_size=1,
    max_size=60,
    unique_by=lambda item: item[:2],
)


def reference(triples: list[tuple[str, str, float]], least: float) -> nx.DiGraph[str]:
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(name for source, target, _ in triples for name in (source, target))
    # The surest path is the shortest one by the sum of -log.
    graph.add_edges_from(
        (source, target, {"weight": -math.log(confidence)})
        for source, target, confidence in triples
        if confidence >= least
    )
    return graph


@given(triples=EDGES, depth=st.one_of(st.none(), st.integers(0, 5)), least=st.sampled_from([0.0, 0.5, 0.8]))
def test_reach_and_depth_are_those_of_networkx(
    triples: list[tuple[str, str, float]], depth: int | None, least: float
) -> None:
    graph, oracle = Graph(edge(*triple) for triple in triples), reference(triples, least)
    start = triples[0][0]
    for found, net in (
        (graph.downstream(start, depth, least), oracle),
        (graph.upstream(start, depth, least), oracle.reverse()),
    ):
        lengths = nx.single_source_shortest_path_length(net, start, cutoff=depth)
        assert {item.name: item.depth for item in found.items} == {n: d for n, d in lengths.items() if n != start}
        assert [(item.depth, item.name) for item in found.items] == sorted((i.depth, i.name) for i in found.items)


@given(triples=EDGES)
def test_the_surest_path_is_that_of_dijkstra(triples: list[tuple[str, str, float]]) -> None:
    start = triples[0][0]
    found = Graph(edge(*triple) for triple in triples).downstream(start, None, 0.0)
    distances = nx.single_source_dijkstra_path_length(reference(triples, 0.0), start)
    for item in found.items:
        assert item.confidence == pytest.approx(math.exp(-distances[item.name]))
        assert item.confidence == pytest.approx(math.prod(link.confidence for link in item.path))
        assert item.path[0].source == start
        assert item.path[-1].target == item.name


@given(triples=EDGES, depth=st.integers(1, 4))
def test_the_surest_path_keeps_within_the_depth(triples: list[tuple[str, str, float]], depth: int) -> None:
    found = Graph(edge(*triple) for triple in triples).downstream(triples[0][0], depth, 0.0)
    assert all(item.depth <= len(item.path) <= depth for item in found.items)


def test_twenty_thousand_edges_are_walked_in_seconds() -> None:
    edges = [
        edge(f"s.t{i}.c{j}", f"s.t{i + 1}.c{(j * 7 + k) % 100}")
        for i in range(50)
        for j in range(100)
        for k in (0, 1, 2, 3)
    ]
    graph = Graph(edges)
    start = time.process_time()
    found = graph.downstream("s.t0", depth=None)
    assert time.process_time() - start < 5
    assert len(found.items) == 50 * 100
    assert found.greatest_depth == 50
