"""A difference is the same whether the whole graph is read for it or only what changed."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lineage_history import DAY, START, histories
from quick_examples import examples

from forge.lineage.edge import IndirectType
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.graph.comparison import states_between
from forge.lineage.graph.diff import diff
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.state import state_at
from forge.lineage.kind import indirect_kind
from forge.lineage.node import Entity, NodeType, column_of, table_of
from forge.stores.memory.lineage import MemoryLineage

Days = st.one_of(st.none(), st.integers(-1, 10))
CITY = Entity(NodeType.FIELD, "city", "core.b.address")
# an edge ends at what is a table for all it knows; a day later that is declared a view
VIEW_LATER = [
    ClaimBatch(
        producer="p",
        at=START,
        edges=(
            EdgeClaim(
                source=column_of("raw.a", "x"), target=table_of("core.b"), kind=indirect_kind(IndirectType.FILTER)
            ),
        ),
    ),
    ClaimBatch(producer="q", at=START + DAY, nodes=(NodeClaim(table_of("core.b", NodeType.VIEW)),)),
]


def time_of(day: int | None) -> datetime | None:
    return None if day is None else START + day * DAY


def compare(store: MemoryLineage, one: int | None, other: int | None) -> tuple[int, int]:
    a, b = time_of(one), time_of(other)
    whole = diff(*(state_at(store.edge_facts(), store.node_facts(), at) for at in (a, b)))
    states = states_between(store, Graph(store).index(), a, b)
    found = diff(*states)
    for part in ("nodes_added", "nodes_removed", "nodes_modified", "edges_added", "edges_removed", "edges_modified"):
        assert getattr(found, part) == getattr(whole, part), part
    assert found.counts == whole.counts
    return len(states[0].edges), len(states[1].edges)


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(histories(), Days, Days)
@example(VIEW_LATER, None, 0)
def test_only_what_changed_gives_the_same_difference(
    history: list[ClaimBatch], one: int | None, other: int | None
) -> None:
    store = MemoryLineage()
    for batch in history:
        store.record([batch])
    compare(store, one, other)


def test_a_field_that_comes_brings_its_column_and_its_table() -> None:
    store = MemoryLineage()
    claim = EdgeClaim(source=column_of("raw.a", "x"), target=CITY)
    store.record(
        [
            ClaimBatch(producer="p", at=START, nodes=(NodeClaim(table_of("raw.a")),)),
            ClaimBatch(producer="p", at=START + DAY, edges=(claim,)),
        ]
    )
    compare(store, 0, 1)
    store.record([ClaimBatch(producer="p", at=START + 2 * DAY)])
    compare(store, 1, 2)
    compare(store, 0, 2)


def test_a_column_that_another_edge_still_holds_stays() -> None:
    store = MemoryLineage()
    edges = [EdgeClaim(source=column_of("raw.a", "x"), target=column_of("core.b", name)) for name in ("y", "z")]
    store.record(
        [
            ClaimBatch(producer="p", at=START, edges=tuple(edges)),
            ClaimBatch(producer="p", at=START + DAY, edges=tuple(edges[:1])),
        ]
    )
    compare(store, 0, 1)


@pytest.mark.slow
def test_what_did_not_change_is_not_read() -> None:
    store = MemoryLineage()
    many = tuple(EdgeClaim(source=column_of("raw.a", f"x{n}"), target=column_of("core.b", f"y{n}")) for n in range(200))
    store.record([ClaimBatch(producer="p", at=START, edges=many)])
    store.record(
        [
            ClaimBatch(
                producer="q",
                at=START + 5 * DAY,
                edges=(EdgeClaim(source=column_of("raw.a", "x1"), target=column_of("core.c", "z")),),
            )
        ]
    )
    assert compare(store, 1, 6) == (0, 1)
