"""Dependency order: what comes first is made first, and cycles are told."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.graph.order import DependencyStep, dependency_order, order_of
from forge.lineage.graph.traversal import Link
from forge.lineage.kind import EdgeKind, EdgeType

names = st.sampled_from("abcdefghij")
graphs = st.lists(st.tuples(names, names), max_size=30)


@given(st.lists(names, max_size=5), graphs)
def test_the_order_is_that_of_the_condensation(alone: list[str], pairs: list[tuple[str, str]]) -> None:
    graph = nx.DiGraph(pairs)
    graph.add_nodes_from(alone)
    order = order_of(alone, pairs)
    assert {frozenset(step.members) for step in order.steps} == {
        frozenset(group) for group in nx.strongly_connected_components(graph)
    }
    place = {name: number for number, step in enumerate(order.steps) for name in step.members}
    stage = {name: step.stage for step in order.steps for name in step.members}
    for source, target in pairs:
        assert place[source] <= place[target]
        if place[source] != place[target]:
            assert stage[source] < stage[target]
    condensed = nx.condensation(graph)
    longest = dict.fromkeys(condensed, 0)
    for group in nx.topological_sort(condensed):
        for after in condensed.successors(group):
            longest[after] = max(longest[after], longest[group] + 1)
    assert all(stage[name] == longest[condensed.graph["mapping"][name]] for name in graph)
    assert set(order.looped) == {source for source, target in pairs if source == target}


@given(graphs)
def test_without_cycles_the_order_is_the_smallest_by_name(pairs: list[tuple[str, str]]) -> None:
    forward = [(a, b) for a, b in pairs if a < b]
    graph = nx.DiGraph(forward)
    assert list(order_of((), forward).names) == list(nx.lexicographical_topological_sort(graph))


@given(graphs)
def test_the_order_of_the_pairs_does_not_matter(pairs: list[tuple[str, str]]) -> None:
    assert order_of((), pairs) == order_of((), list(reversed(pairs)))


def test_a_cycle_is_one_step_with_its_members() -> None:
    order = order_of((), [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")])
    assert order.steps == (DependencyStep(("a",), 0), DependencyStep(("b", "c"), 1), DependencyStep(("d",), 2))
    assert order.cycles == (("b", "c"),)
    assert order.to_dict()["cycles"] == [["b", "c"]]


def test_tables_are_ordered_by_the_links_of_their_columns_and_containment_does_not_count() -> None:
    links = [
        Link(source="core.b.x", target="marts.c.x"),
        Link(source="raw.a.x", target="core.b.x"),
        Link(source="core.b.x", target="core.b.y"),
        Link(source="marts.c", target="raw.a", kind=EdgeKind(EdgeType.CONTAINS, None)),
    ]
    order = dependency_order(links, lift=lambda name: ".".join(name.split(".")[:2]), names=["other.t.x"])
    assert order.names == ("other.t", "raw.a", "core.b", "marts.c")
    assert order.looped == ()
    assert dependency_order(links).names == ("raw.a.x", "core.b.x", "core.b.y", "marts.c.x")


@pytest.mark.slow
def test_a_chain_longer_than_the_stack_has_an_order() -> None:
    pairs = [(f"n{number:06}", f"n{number + 1:06}") for number in range(20_000)]
    assert order_of((), pairs).steps[-1] == DependencyStep(("n020000",), 20_000)
