"""The best paths are those that trying all simple paths finds, in the same order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from lineage_arrays import Row, arrays_of, rows

from forge.lineage.graph.index import GraphIndex
from forge.lineage.graph.index_query import IndexQuery, compile_filter
from forge.lineage.graph.paths import FoundPath, find_paths
from forge.lineage.graph.request import Direction, EdgeFilter
from forge.lineage.kind import EdgeKind

WAYS: list[Direction] = ["upstream", "downstream"]


def names(numbers: Sequence[int]) -> Mapping[int, str]:
    """In another order than the numbers."""
    return {number: f"n{1000 - number}" for number in numbers}


def lens_of(facts: list[Row], way: Direction = "downstream") -> IndexQuery:
    return IndexQuery(GraphIndex.build(arrays_of(facts, nodes=7)), way, compile_filter(EdgeFilter(min_confidence=0.3)))


def by_trying(facts: list[Row], way: Direction, depth: int | None, count: int) -> list[tuple[int, ...]]:
    net: nx.DiGraph[int] = nx.DiGraph()
    net.add_nodes_from(range(1, 8))
    for row in facts:
        if row.confidence >= 0.3:
            ends = (row.source, row.target) if way == "downstream" else (row.target, row.source)
            net.add_edge(*ends, sure=row.confidence)
    found = [tuple(path) for path in nx.all_simple_paths(net, 1, 7, cutoff=depth)] if depth != 0 else []

    def order(path: tuple[int, ...]) -> tuple[float, int, list[str]]:
        sure = math.prod(net.edges[pair]["sure"] for pair in pairwise(path))
        return -round(sure, 12), len(path), list(names(path).values())

    return sorted(found, key=order)[:count]


def nodes_of(path: FoundPath) -> tuple[int, ...]:
    return path.start, *path.nodes


@given(
    facts=rows(nodes=7, most=30),
    way=st.sampled_from(WAYS),
    depth=st.one_of(st.none(), st.integers(0, 5)),
    count=st.integers(1, 6),
)
def test_the_best_simple_paths_are_found_in_order(
    facts: list[Row], way: Direction, depth: int | None, count: int
) -> None:
    found = find_paths(lens_of(facts, way), np.array([1]), np.array([7]), depth, count, names)
    assert [nodes_of(path) for path in found] == by_trying(facts, way, depth, count)


@given(facts=rows(nodes=7, most=30))
def test_a_path_has_its_edges_and_their_product(facts: list[Row]) -> None:
    lens = lens_of(facts)
    sure = {(row.source, row.target): row.confidence for row in facts}
    for path in find_paths(lens, np.array([1]), np.array([7]), None, 3, names):
        pairs = list(zip(nodes_of(path), path.nodes, strict=False))
        assert path.confidence == math.prod(sure[pair] for pair in pairs)
        assert list(path.base) == [near for near, _ in pairs]
        assert [int(lens.side.other[place]) for place in path.places] == list(path.nodes)


def test_a_ladder_of_sixty_diamonds_gives_its_best_paths_at_once() -> None:
    facts, asked = [], 0
    for level in range(60):
        top = 3 * level + 1
        facts += [Row(top, top + 1, 0.9), Row(top, top + 2, 0.9), Row(top + 1, top + 3), Row(top + 2, top + 3)]

    def counted(numbers: Sequence[int]) -> Mapping[int, str]:
        nonlocal asked
        asked += 1
        return names(numbers)

    found = find_paths(lens_of(facts), np.array([1]), np.array([181]), None, 3, counted)
    assert [len(path.nodes) for path in found] == [120, 120, 120]
    assert len({path.nodes for path in found}) == 3
    assert asked < 200


def test_of_two_edges_between_the_same_entities_the_surer_is_the_way() -> None:
    facts = [Row(1, 7, 0.6), Row(1, 7, 0.9, EdgeKind())]
    found = find_paths(lens_of(facts), np.array([1]), np.array([7]), None, 5, names)
    assert [path.confidence for path in found] == [0.9]


def test_from_an_entity_to_itself_there_is_no_path() -> None:
    assert find_paths(lens_of([Row(1, 1)]), np.array([1]), np.array([1]), None, 3, names) == ()
