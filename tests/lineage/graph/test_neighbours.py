"""What a picture leaves out is counted: columns, and neighbours one hop away."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.edge import Edge, IndirectEdge, IndirectType
from forge.lineage.graph.facts_source import FactsSource, facts_of
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.neighbours import NeighbourCounts, count_neighbours
from forge.lineage.graph.request import EdgeFilter, TraversalRequest
from forge.lineage.node import Node, NodeType
from forge.model.names import ColumnName


def column(name: str) -> ColumnName:
    table, _, name = name.rpartition(".")
    return ColumnName(table, name)


def edge(source: str, target: str, confidence: float = 1.0) -> Edge:
    return Edge(source=column(source), target=column(target), confidence=confidence)


EDGES = [
    edge("raw.a.x", "core.t.x"),
    edge("raw.b.x", "core.t.x"),
    edge("raw.b.y", "core.t.y"),
    edge("raw.c.x", "core.t.z", 0.3),
    edge("core.t.x", "core.t.y"),
    edge("core.t.z", "marts.m.z"),
]
INDIRECT = [IndirectEdge(column("raw.d.k"), "core.t", IndirectType.JOIN)]


def counted(
    shown: Iterable[str] = ("core.t",), nodes: Iterable[Node] = (), *, intermediate: bool = False, **edges: object
) -> NeighbourCounts:
    source = FactsSource(facts_of(EDGES, (), INDIRECT), nodes)
    asked = EdgeFilter(**edges)  # type: ignore[arg-type]
    index = Graph(source).index()
    return count_neighbours(source, index, ["core.t"], shown, asked, intermediate=intermediate)["core.t"]


def test_columns_and_neighbours_are_counted_once_each() -> None:
    assert counted() == NeighbourCounts(columns=3, upstream=2, downstream=1)


def test_what_the_picture_shows_is_not_beside_it() -> None:
    assert counted(["core.t", "raw.b", "marts.m"]) == NeighbourCounts(3, 1, 0)


def test_only_edges_that_the_picture_would_follow_count() -> None:
    assert counted(min_confidence=0.1).upstream == 3
    assert counted(indirect=True).upstream == 3


def test_tables_inside_a_statement_count_only_where_they_are_asked_for() -> None:
    inner = [Node(id="raw.a", type=NodeType.TABLE, name="raw.a", table="raw.a", details={"kind": "cte"})]
    assert counted(nodes=inner).upstream == 1
    assert counted(nodes=inner, intermediate=True).upstream == 2


def test_a_table_that_nobody_knows_has_nothing_beside_it() -> None:
    source = FactsSource(facts_of(EDGES, (), ()))
    assert count_neighbours(source, Graph(source).index(), ["no.such"], (), EdgeFilter()) == {}


NAMES = [f"{table}.{name}" for table in ("s.a", "s.b", "s.c", "s.d") for name in ("x", "y")]
DRAWN = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from([0.3, 1.0])), min_size=1, max_size=20
)


@pytest.mark.slow
@given(DRAWN)
def test_the_counts_are_those_of_a_walk_of_one_hop(drawn: list[tuple[str, str, float]]) -> None:
    source = FactsSource(facts_of([edge(*one) for one in drawn], (), ()))
    graph = Graph(source)
    tables = sorted({column(end).table for one in drawn for end in one[:2]})
    for table in tables:
        found = count_neighbours(source, graph.index(), [table], (), EdgeFilter())[table]
        walked = graph.walk(TraversalRequest(start=table, direction="both", depth=1)).items
        beside = {way: {i.table for i in walked if i.direction == way} - {table} for way in ("upstream", "downstream")}
        assert (found.upstream, found.downstream) == (len(beside["upstream"]), len(beside["downstream"]))
        assert found.columns == len({end for one in drawn for end in one[:2] if column(end).table == table})
