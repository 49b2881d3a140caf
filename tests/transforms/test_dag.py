from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.model.errors import ForgeError, errors_of
from forge.model.names import TableName
from forge.transforms.dag import (
    dependency_order,
    downstream_of,
    find_cycles,
    upstream_of,
)
from forge.transforms.transform import InputRef, SqlQuery, Transform

Edges = frozenset[tuple[int, int]]


def name(number: int) -> TableName:
    return TableName("core", f"t{number:02}")


def transforms_of(count: int, edges: Edges) -> dict[TableName, Transform]:
    """An edge (a, b): b reads a, in line a + 1 of its file. Number 99 is a table of the lake."""
    found = {}
    for number in range(count):
        reads = [name(a) for a, b in sorted(edges) if b == number] + [name(99)]
        found[name(number)] = Transform(
            output=name(number),
            body=SqlQuery("SELECT 1"),
            file=f"transforms/core/t{number:02}.sql",
            line=1,
            code_hash="",
            inputs=tuple(reads),
            references=tuple(InputRef(table, int(table.name[1:]) + 1) for table in reads),
        )
    return found


def graph_of(count: int, edges: Edges) -> nx.DiGraph[TableName]:
    graph: nx.DiGraph[TableName] = nx.DiGraph()
    graph.add_nodes_from(name(number) for number in range(count))
    graph.add_edges_from((name(a), name(b)) for a, b in edges)
    return graph


COUNT = 9
PAIRS = st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1))
ACYCLIC = st.frozensets(PAIRS.filter(lambda pair: pair[0] < pair[1]), max_size=20)
ANY = st.frozensets(PAIRS, max_size=16)


@given(ACYCLIC, st.permutations(range(COUNT)))
def test_every_table_stands_after_what_it_reads_and_the_order_is_always_the_same(
    edges: Edges, renamed: list[int]
) -> None:
    edges = frozenset((renamed[a], renamed[b]) for a, b in edges)
    transforms = transforms_of(COUNT, edges)
    order = dependency_order(transforms)
    # Of all orders the first by name: what networkx calls the lexicographical one.
    assert list(order) == list(nx.lexicographical_topological_sort(graph_of(COUNT, edges), key=str))
    shuffled = dict(reversed(transforms.items()))
    assert dependency_order(shuffled) == order


@given(ANY, st.integers(0, COUNT - 1), st.none() | st.integers(0, 4))
def test_up_and_downstream_are_those_within_so_many_steps(edges: Edges, number: int, steps: int | None) -> None:
    transforms, graph = transforms_of(COUNT, edges), graph_of(COUNT, edges)
    down = nx.single_source_shortest_path_length(graph, name(number), cutoff=steps)
    up = nx.single_source_shortest_path_length(graph.reverse(), name(number), cutoff=steps)
    assert downstream_of(transforms, name(number), steps) == set(down) - {name(number)}
    assert upstream_of(transforms, name(number), steps) == set(up) - {name(number)}


def test_the_readers_of_a_table_of_the_lake_stand_on_it() -> None:
    transforms = transforms_of(3, frozenset())
    assert downstream_of(transforms, name(99)) == set(transforms)


@pytest.mark.slow
@given(ANY)
def test_a_circle_is_found_exactly_where_the_graph_has_one(edges: Edges) -> None:
    transforms, graph = transforms_of(COUNT, edges), graph_of(COUNT, edges)
    knots = [
        knot
        for knot in nx.strongly_connected_components(graph)
        if len(knot) > 1 or any(graph.has_edge(table, table) for table in knot)
    ]
    assert len(find_cycles(transforms)) == len(knots)
    if knots:
        with pytest.raises(ForgeError) as raised:
            dependency_order(transforms)
        assert {error.code for error in errors_of(raised.value)} == {"E204"}


def test_a_circle_is_printed_with_the_line_of_each_step() -> None:
    (error,) = find_cycles(transforms_of(4, frozenset({(0, 1), (1, 2), (2, 0), (2, 3)})))
    assert error.what == "transforms read each other in a circle: core.t00 → core.t02 → core.t01 → core.t00"
    assert error.where == "transforms/core/t00.sql:3"
    assert error.why == (
        "core.t00 reads core.t02 (transforms/core/t00.sql:3); "
        "core.t02 reads core.t01 (transforms/core/t02.sql:2); "
        "core.t01 reads core.t00 (transforms/core/t01.sql:1)."
    )


def test_a_transform_that_reads_itself_is_a_circle() -> None:
    (error,) = find_cycles(transforms_of(1, frozenset({(0, 0)})))
    assert (error.code, error.what, error.where) == ("E204", "core.t00 reads itself", "transforms/core/t00.sql:1")


def test_extra_needs_order_what_the_inputs_leave_open() -> None:
    transforms = transforms_of(3, frozenset({(0, 2)}))
    assert dependency_order(transforms) == (name(0), name(1), name(2))
    assert dependency_order(transforms, {name(1): {name(2)}}) == (name(0), name(2), name(1))


@given(ACYCLIC, ANY)
def test_extra_needs_never_stop_a_run(edges: Edges, extra: Edges) -> None:
    transforms = transforms_of(COUNT, edges)
    wanted = {name(b): {name(a) for a, other in extra if other == b} for _, b in extra}
    order = dependency_order(transforms, wanted)
    assert sorted(order) == sorted(transforms)
    at = {table: position for position, table in enumerate(order)}
    assert all(at[name(a)] < at[name(b)] for a, b in edges)
    if nx.is_directed_acyclic_graph(graph_of(COUNT, edges | extra)):
        assert all(at[name(a)] < at[name(b)] for a, b in extra)
