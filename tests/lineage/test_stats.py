"""The graph in numbers."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from lineage_history import histories
from quick_examples import examples

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.graph.state import GraphState, state_at
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind
from forge.lineage.node import Entity, NodeType, column_of, table_of
from forge.lineage.stats import stats_of
from forge.stores.memory.lineage import MemoryLineage

AT = datetime(2026, 11, 1, tzinfo=UTC)
COPIED = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED)


def state(*batches: ClaimBatch) -> GraphState:
    store = MemoryLineage()
    store.record(batches)
    return state_at(store.edge_facts(), store.node_facts(), None)


def test_what_is_in_the_graph_is_counted() -> None:
    a, b, c = column_of("raw.t", "a"), column_of("core.t", "b"), column_of("marts.t", "c")
    board = Entity(NodeType.DASHBOARD, "sales")
    edges = (
        EdgeClaim(source=a, target=b, kind=COPIED, transformation=Transformation.IDENTITY, confidence=1.0),
        EdgeClaim(
            source=b, target=c, kind=EdgeKind(), transformation=Transformation.AGGREGATION, masking=True, confidence=0.8
        ),
        EdgeClaim(source=c, target=b, kind=EdgeKind(), confidence=0.3),
        EdgeClaim(source=a, target=table_of("core.t"), kind=indirect_kind(IndirectType.FILTER), confidence=0.8),
        EdgeClaim(source=c, target=board, kind=EdgeKind(EdgeType.CONSUMES, None), confidence=1.0),
        EdgeClaim(source=table_of("raw.t"), target=a, kind=EdgeKind(EdgeType.CONTAINS, None), confidence=1.0),
    )
    again = ClaimBatch(producer="other", at=AT, edges=edges[:1])
    found = stats_of(
        state(ClaimBatch(producer="p", at=AT, edges=edges, nodes=(NodeClaim(a), NodeClaim(board))), again)
    ).to_dict()
    assert found == {
        "nodes": {"total": 7, "by_type": {"column": 3, "dashboard": 1, "table": 3}},
        "edges": {
            "total": 6,
            "by_type": {"consumes": 1, "contains": 1, "derives_from": 4},
            "by_relationship": {"copied": 1, "derived": 2, "filtered": 1},
            "by_indirect": {"filter": 1},
            "by_transformation": {"aggregation": 1, "identity": 1, "unknown": 4},
            "by_level": {"certain": 3, "high": 2, "low": 1},
            "masking": 1,
            "column_share": 0.75,
        },
        "producers": {"other": 1, "p": 6},
        "hubs": {
            "in": [
                {"id": "core.t.b", "in": 2, "out": 1},
                {"id": "core.t", "in": 1, "out": 0},
                {"id": "dashboard:sales", "in": 1, "out": 0},
                {"id": "marts.t.c", "in": 1, "out": 2},
            ],
            "out": [
                {"id": "marts.t.c", "in": 1, "out": 2},
                {"id": "raw.t.a", "in": 0, "out": 2},
                {"id": "core.t.b", "in": 2, "out": 1},
            ],
        },
        "roots": {"count": 1, "first": ["raw.t.a"]},
        "leaves": {"count": 2, "first": ["core.t", "dashboard:sales"]},
        "cycles": {"count": 1, "first": [["core.t.b", "marts.t.c"]]},
        "unresolved": {"count": 5, "first": ["core.t", "core.t.b", "marts.t", "marts.t.c", "raw.t"]},
    }


def test_an_empty_graph_has_numbers_too() -> None:
    found = stats_of(GraphState(AT))
    assert (found.nodes, found.column_share, found.cycles) == ({}, None, ())


def test_of_hubs_and_names_the_first_ten_are_told() -> None:
    edges = tuple(
        EdgeClaim(source=column_of("a.b", f"c{n:02}"), target=column_of("d.e", f"f{n:02}")) for n in range(12)
    )
    found = stats_of(state(ClaimBatch(producer="p", at=AT, edges=edges)))
    assert len(found.hubs_in) == 10
    assert (found.roots.count, len(found.roots.first)) == (12, 10)


@settings(max_examples=examples(25))  # drawing a history costs more than what is shown with it
@given(histories())
def test_the_parts_add_up_to_the_whole(history: list[ClaimBatch]) -> None:
    store = MemoryLineage()
    for batch in history:
        store.record([batch])
    now = state_at(store.edge_facts(), store.node_facts(), None)
    found = stats_of(now)
    assert sum(found.nodes.values()) == len(now.nodes)
    assert sum(found.edges.values()) == sum(found.levels.values()) == len(now.edges)
    assert sum(found.transformations.values()) == len(now.edges)
