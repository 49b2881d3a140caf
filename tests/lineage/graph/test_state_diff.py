"""The graph at a time is a function of the facts, and a diff names all in which two states differ."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lineage_history import DAY, START, histories
from quick_examples import examples

from forge.lineage.edge import Transformation
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.graph.diff import diff
from forge.lineage.graph.state import GraphState, state_at
from forge.lineage.kind import EdgeKind
from forge.lineage.node import NodeType, column_of, table_of
from forge.stores.memory.lineage import MemoryLineage


def recorded(batches: list[ClaimBatch]) -> MemoryLineage:
    store = MemoryLineage()
    for batch in batches:
        store.record([batch])
    return store


def state(store: MemoryLineage, day: float | None) -> GraphState:
    at = None if day is None else START + day * DAY
    return state_at(store.edge_facts(), store.node_facts(), at)


def edge(source: str, target: str, **said: object) -> EdgeClaim:
    ends = [column_of(*name.rsplit(".", 1)) for name in (source, target)]
    return EdgeClaim(source=ends[0], target=ends[1], **{"kind": EdgeKind(), **said})  # type: ignore[arg-type]


def batch(day: float, *edges: EdgeClaim, nodes: tuple[NodeClaim, ...] = (), producer: str = "p") -> ClaimBatch:
    return ClaimBatch(producer=producer, at=START + day * DAY, edges=edges, nodes=nodes)


@pytest.mark.slow
@settings(max_examples=examples(25))  # drawing a history costs more than what is shown with it
@given(histories(), st.integers(-1, 10), st.integers(-1, 10))
def test_a_diff_names_all_that_one_of_two_states_lacks(history: list[ClaimBatch], one: int, other: int) -> None:
    store = recorded(history)
    a, b = state(store, one), state(store, other)
    found = diff(a, b)
    assert {node.id for node in found.nodes_added} == b.nodes.keys() - a.nodes.keys()
    assert {node.id for node in found.nodes_removed} == a.nodes.keys() - b.nodes.keys()
    assert {edge.id for edge in found.edges_added} == b.edges.keys() - a.edges.keys()
    assert {edge.id for edge in found.edges_removed} == a.edges.keys() - b.edges.keys()
    there, back = diff(a, b).counts, diff(b, a).counts
    for what in ("nodes", "edges"):
        assert there[what]["added"] == back[what]["removed"]
        assert there[what]["modified"] == back[what]["modified"]


@settings(max_examples=examples(25))  # drawing a history costs more than what is shown with it
@given(histories(), st.one_of(st.none(), st.integers(-1, 10)))
def test_nothing_changed_between_a_state_and_itself(history: list[ClaimBatch], day: int | None) -> None:
    a = state(recorded(history), day)
    assert diff(a, a).empty


@settings(max_examples=examples(25))  # drawing a history costs more than what is shown with it
@given(histories(), st.integers(0, 9))
def test_the_state_at_a_time_is_what_held_when_the_later_had_not_been_said(history: list[ClaimBatch], day: int) -> None:
    then = state(recorded([one for one in history if one.at <= START + day * DAY]), None)
    now = state(recorded(history), day)
    assert now.nodes == then.nodes
    assert set(now.edges) == set(then.edges)
    for name, was in then.edges.items():
        version = now.edges[name]
        assert (version.confidence, version.transformation, version.masking) == (
            (was.confidence, was.transformation, was.masking)
        )


@settings(max_examples=examples(25))  # drawing a history costs more than what is shown with it
@given(histories(), st.randoms(use_true_random=False))
def test_the_order_of_the_facts_does_not_matter(history: list[ClaimBatch], chance: random.Random) -> None:
    store = recorded(history)
    edges, nodes = list(store.edge_facts()), list(store.node_facts())
    at = START + 5 * DAY
    before = state_at(edges, nodes, at)
    chance.shuffle(edges)
    chance.shuffle(nodes)
    assert state_at(edges, nodes, at) == before


@settings(max_examples=examples(25))  # drawing a history costs more than what is shown with it
@given(histories())
def test_the_nodes_of_a_state_are_those_that_the_store_shows(history: list[ClaimBatch]) -> None:
    store = recorded(history)
    now = state(store, None)
    numbers = store.numbers(list(now.nodes))
    shown = store.nodes(list(numbers.values()))
    for name, node in now.nodes.items():
        other = shown[numbers[name]]
        assert (node.type, node.name, node.table, node.parent, node.details, node.unresolved) == (
            (other.type, other.name, other.table, other.parent, other.details, other.unresolved)
        )


def test_a_state_holds_the_tables_of_its_columns_and_says_what_only_edges_tell_of() -> None:
    store = recorded([batch(0, edge("raw.a.x", "core.b.y"), nodes=(NodeClaim(column_of("core.b", "y")),))])
    now = state(store, None)
    assert {name: node.unresolved for name, node in now.nodes.items()} == {
        "core.b": True,
        "core.b.y": False,
        "raw.a": True,
        "raw.a.x": True,
    }
    assert now.node_counts() == {"column": 2, "table": 2}
    assert now.edge_counts() == {"derived": 1}
    assert [link.id for link in now.links()] == ["raw.a.x->core.b.y#derived"]


def test_a_diff_names_what_was_added_removed_and_modified_and_how() -> None:
    typed = NodeClaim(column_of("core.b", "y"), {"data_type": "int"})
    wider = NodeClaim(column_of("core.b", "y"), {"data_type": "bigint"})
    view = NodeClaim(table_of("core.b", NodeType.VIEW))
    store = recorded(
        [
            batch(0, edge("raw.a.x", "core.b.y", confidence=0.8), edge("raw.a.z", "core.b.y"), nodes=(typed,)),
            batch(
                2,
                edge("raw.a.x", "core.b.y", confidence=1.0, transformation=Transformation.AGGREGATION),
                edge("raw.a.x", "core.b.n"),
                nodes=(wider, view),
            ),
        ]
    )
    found = diff(state(store, 1), state(store, 3)).to_dict()
    assert found["seconds"] == timedelta(days=2).total_seconds()
    assert found["counts"] == {
        "nodes": {"added": 1, "removed": 1, "modified": 2},
        "edges": {"added": 1, "removed": 1, "modified": 1},
    }
    nodes, edges = found["nodes"], found["edges"]
    assert isinstance(nodes, dict)
    assert isinstance(edges, dict)
    assert [node["id"] for node in nodes["added"]] == ["core.b.n"]
    assert [node["id"] for node in nodes["removed"]] == ["raw.a.z"]
    assert nodes["modified"] == [
        {
            "id": "core.b",
            "type": "view",
            "changes": [
                {"field": "type", "before": "table", "after": "view"},
                {"field": "unresolved", "before": True, "after": False},
            ],
        },
        {
            "id": "core.b.y",
            "type": "column",
            "changes": [{"field": "attributes.data_type", "before": "int", "after": "bigint"}],
        },
    ]
    assert [one["id"] for one in edges["added"]] == ["raw.a.x->core.b.n#derived"]
    assert [one["id"] for one in edges["removed"]] == ["raw.a.z->core.b.y#derived"]
    assert edges["modified"] == [
        {
            "id": "raw.a.x->core.b.y#derived",
            "source": "raw.a.x",
            "target": "core.b.y",
            "changes": [
                {"field": "confidence", "before": 0.8, "after": 1.0},
                {"field": "transformation", "before": "unknown", "after": "aggregation"},
            ],
        }
    ]


def test_an_edge_that_was_gone_for_a_while_and_says_the_same_is_no_change() -> None:
    same = edge("raw.a.x", "core.b.y")
    store = recorded([batch(0, same), batch(2), batch(4, same)])
    a, b = state(store, 1), state(store, 5)
    assert diff(a, b).empty
    assert a.edges != b.edges
    assert state(store, 3).edges == {}


def test_a_state_without_a_time_has_no_seconds_to_another() -> None:
    store = recorded([batch(0, edge("raw.a.x", "core.b.y"))])
    assert diff(state(store, 1), state(store, None)).seconds is None
