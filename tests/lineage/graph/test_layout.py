"""A picture shows exactly what is reached within its depth, in layers that follow the data."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.edge import Edge, IndirectEdge, IndirectType, TableEdge
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.layout import GraphLayout, arrange, layout_of, lone_table
from forge.lineage.graph.request import EdgeFilter, TraversalRequest, WalkDirection
from forge.lineage.node import GraphLevel
from forge.model.errors import ForgeError
from forge.model.names import ColumnName


def column(name: str) -> ColumnName:
    table, _, name = name.rpartition(".")
    return ColumnName(table, name)


def edge(source: str, target: str, confidence: float = 1.0) -> Edge:
    return Edge(source=column(source), target=column(target), confidence=confidence)


SHOP = Graph.of(
    [
        edge("files:data/*.csv.amount", "raw.orders.amount"),
        edge("raw.orders.amount", "core.orders.amount"),
        edge("raw.orders.day", "core.orders.day"),
        edge("core.orders.amount", "marts.revenue.total"),
        edge("core.orders.day", "marts.revenue.day"),
        edge("raw.rates.rate", "core.orders.amount", 0.3),
    ],
    [TableEdge("core.orders", "marts.count")],
    [IndirectEdge(column("core.orders.day"), "marts.recent", IndirectType.FILTER)],
)


def draw(
    graph: Graph,
    root: str,
    *,
    direction: WalkDirection = "both",
    depth: int = 5,
    least: float = 0.5,
    level: GraphLevel = GraphLevel.COLUMN,
    indirect: bool = False,
    limit: int | None = None,
    after: int = 0,
) -> GraphLayout:
    ask = TraversalRequest(
        start=root,
        direction=direction,
        depth=depth,
        edges=EdgeFilter(min_confidence=least, indirect=indirect),
        level=level,
        limit=limit,
    )
    return layout_of(graph.walk(ask), graph.walk(replace(ask, limit=after)) if after else None)


def shown(picture: GraphLayout) -> dict[str, tuple[str, ...]]:
    return {table.name: table.columns for table in picture.tables}


def test_of_a_column_only_touched_columns_are_shown() -> None:
    picture = draw(SHOP, "core.orders.amount")
    assert shown(picture) == {
        "files:data/*.csv": ("amount",),
        "raw.orders": ("amount",),
        "core.orders": ("amount",),
        "marts.revenue": ("total",),
    }
    assert {(link.source, link.target) for link in picture.links} == {
        ("files:data/*.csv.amount", "raw.orders.amount"),
        ("raw.orders.amount", "core.orders.amount"),
        ("core.orders.amount", "marts.revenue.total"),
    }
    assert (picture.reached, picture.greatest_depth, picture.hidden) == (3, 2, 1)


def test_depth_direction_and_confidence_limit_it() -> None:
    near = draw(SHOP, "core.orders.amount", direction="upstream", depth=1, least=0.2)
    assert shown(near) == {"core.orders": ("amount",), "raw.orders": ("amount",), "raw.rates": ("rate",)}
    assert near.hidden == 0


def test_a_table_starts_from_all_its_columns() -> None:
    assert shown(draw(SHOP, "core.orders"))["marts.revenue"] == ("day", "total")


def test_by_table_a_table_that_only_counted_rows_is_there_too() -> None:
    picture = draw(SHOP, "core.orders", level=GraphLevel.TABLE)
    assert shown(picture) == dict.fromkeys(
        ("files:data/*.csv", "raw.orders", "core.orders", "marts.count", "marts.revenue"), ()
    )
    assert ("core.orders", "marts.count") in {(link.source, link.target) for link in picture.links}


def test_a_table_whose_rows_are_shaped_shows_none_of_its_columns_for_that() -> None:
    graph = Graph.of(
        [edge("a.x.k", "a.y.k"), edge("a.y.k", "a.z.k"), edge("a.w.v", "a.y.v")],
        (),
        [IndirectEdge(column("a.x.day"), "a.y", IndirectType.FILTER)],
    )
    picture = draw(graph, "a.x.day", direction="downstream", indirect=True)
    assert shown(picture) == {"a.x": ("day",), "a.y": ("k",), "a.z": ("k",)}
    assert {(link.source, link.target) for link in picture.links} == {("a.x.day", "a.y"), ("a.y.k", "a.z.k")}


def test_an_edge_between_tables_is_drawn_only_where_none_between_their_columns_is() -> None:
    graph = Graph.of([edge("a.x.k", "a.y.k")], [TableEdge("a.x", "a.y"), TableEdge("a.x", "a.z")])
    drawn = {(link.source, link.target) for link in draw(graph, "a.x").links}
    assert drawn == {("a.x.k", "a.y.k"), ("a.x", "a.z")}


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_together_are_the_whole(limit: int) -> None:
    whole = draw(SHOP, "core.orders")
    seen: dict[str, set[str]] = {}
    links: list[tuple[str, str]] = []
    after, more = 0, True
    while more:
        page = draw(SHOP, "core.orders", limit=after + limit, after=after)
        for table in page.tables:
            seen.setdefault(table.name, set()).update(table.columns)
        links += [(link.source, link.target) for link in page.links]
        assert (page.reached, page.truncated) == (whole.reached, after + limit < whole.reached)
        after, more = after + limit, page.truncated
    assert {name: tuple(sorted(columns)) for name, columns in seen.items()} == shown(whole)
    assert sorted(links) == sorted((link.source, link.target) for link in whole.links)


def test_what_no_edge_touches_is_an_error_or_stands_alone() -> None:
    with pytest.raises(ForgeError) as unknown:
        draw(SHOP, "core.ordres")
    assert unknown.value.code == "E801"
    assert shown(lone_table("a.b.c", "a.b", "both", 5, column="c")) == {"a.b": ("c",)}


def test_a_layer_is_the_longest_way_to_it() -> None:
    pairs = [("a", "b"), ("b", "c"), ("a", "c"), ("x", "c")]
    assert {name: layer for name, layer, _ in arrange("abcx", pairs)} == {"a": 0, "b": 1, "c": 2, "x": 0}


def test_a_cycle_is_cut_where_one_comes_into_it() -> None:
    pairs = [("in", "b"), ("b", "c"), ("c", "b"), ("c", "c"), ("c", "out")]
    layers = {name: layer for name, layer, _ in arrange({"in", "b", "c", "out"}, pairs)}
    assert layers == {"in": 0, "b": 1, "c": 2, "out": 3}


def crossings(placed: list[tuple[str, int, int]], pairs: list[tuple[str, str]]) -> int:
    spots = {name: (layer, order) for name, layer, order in placed}
    lines = [(spots[a], spots[b]) for a, b in pairs]
    return sum(
        (first[0][1] - second[0][1]) * (first[1][1] - second[1][1]) < 0
        for first, second in combinations(lines, 2)
        if (first[0][0], first[1][0]) == (second[0][0], second[1][0])
    )


def test_lines_that_need_not_cross_do_not() -> None:
    pairs = [("a", "z"), ("b", "y"), ("c", "x"), ("z", "1"), ("y", "2"), ("x", "3")]
    assert crossings(arrange("abcxyz123", pairs), pairs) == 0


NAMES = [f"{table}.{column}" for table in ("s.a", "s.b", "s.c", "s.d") for column in ("x", "y")]
EDGES = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from([0.3, 0.5, 1.0])), max_size=20
)
WAYS: list[WalkDirection] = ["upstream", "downstream", "both"]


@given(EDGES, st.sampled_from(NAMES), st.sampled_from(WAYS), st.integers(1, 5))
def test_exactly_what_is_reached_within_the_depth_is_shown(
    drawn: list[tuple[str, str, float]], root: str, way: WalkDirection, depth: int
) -> None:
    best = {(source, target): max(c for s, t, c in drawn if (s, t) == (source, target)) for source, target, _ in drawn}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(name for pair in best for name in pair)
    graph.add_edges_from(pair for pair, confidence in best.items() if confidence >= 0.5)
    own = Graph.of(edge(*one) for one in drawn)
    if root not in graph:
        with pytest.raises(ForgeError):
            draw(own, root, direction=way, depth=depth)
        return
    nodes: set[str] = {root}
    edges: set[tuple[str, str]] = set()
    reached = 0  # in each direction: a cycle comes to the same twice
    if way != "upstream":
        far = nx.single_source_shortest_path_length(graph, root, depth)
        nodes |= set(far)
        reached += len(far) - 1
        edges |= {(a, b) for a, b in graph.edges if far.get(a, depth) < depth}
    if way != "downstream":
        far = nx.single_source_shortest_path_length(graph.reverse(), root, depth)
        nodes |= set(far)
        reached += len(far) - 1
        edges |= {(a, b) for a, b in graph.edges if far.get(b, depth) < depth}
    picture = draw(own, root, direction=way, depth=depth)
    assert {f"{table.name}.{name}" for table in picture.tables for name in table.columns} == nodes
    assert {(link.source, link.target) for link in picture.links} == edges
    assert picture.reached == reached


PAIRS = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=25)


@given(PAIRS)
def test_every_table_has_its_own_place_and_data_flows_to_later_layers(pairs: list[tuple[str, str]]) -> None:
    placed = arrange("abcdefgh", pairs)
    assert sorted(name for name, _, _ in placed) == list("abcdefgh")
    assert len({(layer, order) for _, layer, order in placed}) == 8
    graph = nx.DiGraph(pair for pair in pairs if pair[0] != pair[1])
    layers = {name: layer for name, layer, _ in placed}
    if nx.is_directed_acyclic_graph(graph):
        assert all(layers[a] < layers[b] for a, b in graph.edges)
        assert max(layers.values()) == nx.dag_longest_path_length(graph)
    assert placed == arrange(reversed("abcdefgh"), list(reversed(pairs)))
