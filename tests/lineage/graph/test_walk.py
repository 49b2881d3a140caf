"""A walk reaches what networkx reaches, and its most confident paths are those of trying all paths."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lineage_arrays import COPIED, KINDS, Row, arrays_of, histories, rows

from forge.lineage.facts.moment import OPEN
from forge.lineage.graph.index import GraphIndex
from forge.lineage.graph.index_query import IndexQuery, compile_filter
from forge.lineage.graph.request import Direction, EdgeFilter
from forge.lineage.graph.walk import WalkResult, closure, most_confident
from forge.lineage.kind import EdgeKind, EdgeType

DEPTHS = st.one_of(st.none(), st.integers(0, 5))
LEAST = st.sampled_from([0.0, 0.5, 0.8])
WAYS: list[Direction] = ["upstream", "downstream"]
USUAL = EdgeFilter()
FEW = st.sampled_from([0, 3, 10_000])


def lens_of(facts: list[Row], way: Direction = "downstream", edges: EdgeFilter = USUAL) -> IndexQuery:
    return IndexQuery(GraphIndex.build(arrays_of(facts, nodes=9)), way, compile_filter(edges))


def net_of(facts: list[Row], way: Direction, least: float) -> nx.DiGraph[int]:
    net: nx.DiGraph[int] = nx.DiGraph()
    net.add_nodes_from(range(1, 10))
    net.add_edges_from((row.source, row.target) for row in facts if row.confidence >= least)
    return net if way == "downstream" else net.reverse()


def best_by_trying(facts: list[Row], way: Direction, start: int, depth: int | None, least: float) -> dict[int, float]:
    """The best product with at most so many hops, by taking every edge in every round."""
    best = {start: 1.0}
    ends = [
        (r.source, r.target, r.confidence) if way == "downstream" else (r.target, r.source, r.confidence) for r in facts
    ]
    for _ in range(9 if depth is None else depth):
        longer = dict(best)
        for near, far, sure in ends:
            if sure >= least and near in best:
                longer[far] = max(longer.get(far, -1.0), best[near] * sure)
        best = longer
    del best[start]
    return best


def depths_of(walked: WalkResult) -> dict[int, int]:
    return dict(zip(walked.nodes.tolist(), walked.depths.tolist(), strict=True))


def sure_of(walked: WalkResult) -> dict[int, float]:
    return dict(zip(walked.nodes.tolist(), walked.confidence.tolist(), strict=True))


@given(facts=rows(), way=st.sampled_from(WAYS), depth=DEPTHS, least=LEAST, few=FEW)
def test_reach_and_distance_are_those_of_networkx(
    facts: list[Row], way: Direction, depth: int | None, least: float, few: int
) -> None:
    lens = lens_of(facts, way, EdgeFilter(min_confidence=least))
    net = net_of(facts, way, least)
    lengths = dict(nx.single_source_shortest_path_length(net, 1, cutoff=depth))
    del lengths[1]
    for walked in (closure(lens, np.array([1]), depth, few=few), most_confident(lens, np.array([1]), depth, few=few)):
        assert depths_of(walked) == lengths
        assert walked.depths.tolist() == sorted(walked.depths.tolist())
        assert len(set(walked.nodes.tolist())) == len(walked.nodes)


@given(facts=rows(), way=st.sampled_from(WAYS), depth=DEPTHS, least=LEAST, few=FEW)
def test_confidence_is_the_best_product_within_the_hops(
    facts: list[Row], way: Direction, depth: int | None, least: float, few: int
) -> None:
    walked = most_confident(lens_of(facts, way, EdgeFilter(min_confidence=least)), np.array([1]), depth, few=few)
    assert sure_of(walked) == best_by_trying(facts, way, 1, depth, least)


@given(facts=rows(), depth=DEPTHS, few=FEW)
def test_the_surest_way_can_be_rebuilt_hop_by_hop(facts: list[Row], depth: int | None, few: int) -> None:
    walked = most_confident(lens_of(facts, "downstream", EdgeFilter(min_confidence=0.0)), np.array([1]), depth, few=few)
    side = walked.lens.side
    for node, sure, hops in zip(walked.nodes.tolist(), walked.confidence.tolist(), walked.hops.tolist(), strict=True):
        assert depth is None or hops <= depth
        product, at = [], node
        for number in range(hops, 0, -1):
            found = walked.rounds[number - 1]
            place = found.find(at)
            assert place is not None
            assert side.other[found.place[place]] == at
            product.append(float(side.confidence[found.place[place]]))
            at = int(found.before[place])
        assert at == 1
        assert math.prod(reversed(product)) == sure


@given(facts=rows(), starts=st.sets(st.integers(1, 9), min_size=1), least=LEAST)
def test_several_starts_are_walked_together(facts: list[Row], starts: set[int], least: float) -> None:
    walked = closure(lens_of(facts, edges=EdgeFilter(min_confidence=least)), np.array(sorted(starts)))
    lengths = nx.multi_source_dijkstra_path_length(net_of(facts, "downstream", least), starts, weight=None)
    assert depths_of(walked) == {node: length for node, length in lengths.items() if node not in starts}


@given(facts=rows(kinds=KINDS[:4]), depth=DEPTHS, least=LEAST, way=st.sampled_from(WAYS))
def test_hidden_are_the_edges_that_leave_what_is_walked_and_are_not_sure_enough(
    facts: list[Row], depth: int | None, least: float, way: Direction
) -> None:
    flows = [row for row in facts if row.kind.type is not EdgeType.CONTAINS]
    walked = most_confident(lens_of(facts, way, EdgeFilter(min_confidence=least)), np.array([1]), depth)
    lengths = nx.single_source_shortest_path_length(net_of(flows, way, least), 1)
    near = [(row.source if way == "downstream" else row.target, row.confidence) for row in flows]
    left = {node for node, length in lengths.items() if depth is None or length < depth}
    assert walked.hidden == sum(node in left and sure < least for node, sure in near)


@given(facts=histories(nodes=9), at=st.integers(0, 18), way=st.sampled_from(WAYS), least=LEAST)
def test_as_of_a_time_is_the_graph_replayed_up_to_it(facts: list[Row], at: int, way: Direction, least: float) -> None:
    """What holds then, as open edges of a graph of its own."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at)
    then = [replace(row, start=0, end=OPEN) for row in facts if row.start <= at < row.end]
    old = lens_of(facts, way, EdgeFilter(min_confidence=least, at=moment))
    new = lens_of(then, way, EdgeFilter(min_confidence=least))
    one, other = most_confident(old, np.array([1])), most_confident(new, np.array([1]))
    assert depths_of(one) == depths_of(other)
    assert sure_of(one) == sure_of(other)
    assert one.hidden == other.hidden


@given(
    facts=rows(kinds=KINDS),
    types=st.sets(st.sampled_from(list(EdgeType)), min_size=1).map(frozenset),
    relationships=st.sampled_from([frozenset(), frozenset({"copied"}), frozenset({"derived", "filtered"})]),
)
def test_filters_by_type_and_relationship_are_those_of_the_filter(
    facts: list[Row], types: frozenset[EdgeType], relationships: frozenset[str]
) -> None:
    edges = EdgeFilter(types=types, relationships=relationships, min_confidence=0.0)
    taken = [row for row in facts if edges.takes(row.kind)]
    lengths = nx.single_source_shortest_path_length(net_of(taken, "downstream", 0.0), 1)
    assert depths_of(closure(lens_of(facts, edges=edges), np.array([1]))) == {
        n: d for n, d in lengths.items() if n != 1
    }


def test_cycles_and_self_edges_end() -> None:
    lens = lens_of([Row(1, 1), Row(1, 2), Row(2, 3), Row(3, 1, 0.9), Row(3, 3, 0.9)])
    assert depths_of(most_confident(lens, np.array([1]))) == {2: 1, 3: 2}
    assert depths_of(closure(lens, np.array([1]))) == {2: 1, 3: 2}


def test_a_way_too_long_to_be_a_number_above_zero_still_reaches() -> None:
    chain = [Row(number, number + 1, 0.5) for number in range(1, 1200)]
    for few in (0, 10_000):
        walked = most_confident(lens_of(chain), np.array([1]), few=few)
        assert len(walked.nodes) == 1199
        assert walked.confidence[-1] == 0.0


@pytest.mark.parametrize("few", [0, 10_000], ids=["by_arrays", "one_by_one"])
def test_a_ladder_of_sixty_diamonds_is_walked_edge_by_edge(few: int) -> None:
    """2^60 paths; each of the 240 edges is met once."""
    facts = []
    for level in range(60):
        top = 3 * level + 1
        facts += [Row(top, top + 1, 0.99), Row(top, top + 2, 0.98)]
        facts += [Row(top + 1, top + 3, 0.99), Row(top + 2, top + 3, 0.98)]
    lens = lens_of(facts, "upstream")
    start = time.perf_counter()
    walked = most_confident(lens, np.array([181]), few=few)
    print(f"a ladder of 60 diamonds: {1000 * (time.perf_counter() - start):.2f} ms")
    assert len(walked.nodes) == 180
    assert (walked.nodes[-1], walked.depths[-1]) == (1, 120)
    assert walked.confidence[-1] == pytest.approx(0.99**120)
    assert walked.visited == 240


def test_a_kind_that_is_not_a_flow_is_not_followed_unless_asked() -> None:
    facts = [Row(1, 2, 1.0, EdgeKind(EdgeType.CONTAINS, None)), Row(1, 3, 1.0, COPIED)]
    assert depths_of(closure(lens_of(facts), np.array([1]))) == {3: 1}
    edges = EdgeFilter(types=frozenset(EdgeType))
    assert depths_of(closure(lens_of(facts, edges=edges), np.array([1]))) == {2: 1, 3: 1}
