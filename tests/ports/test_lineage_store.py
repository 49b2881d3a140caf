"""What every record of lineage does with what producers say: in memory, in SQLite, in PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from lineage_claims import (
    COPIED,
    CORE,
    MART,
    RAW,
    T0,
    NewStore,
    batch,
    claim,
    day,
    intervals,
    lives,
    nodes_of,
    refused,
    rows_of,
    seen,
    state,
)

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.claim import EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.facts.fact import EdgeFact
from forge.lineage.facts.moment import OPEN
from forge.lineage.graph.state import state_at
from forge.lineage.graph.store import LineageStore
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind, kind_of
from forge.lineage.node import NODE_TYPES, Entity, NodeType, column_of, table_of

# one producer


def test_an_empty_record_has_nothing_and_revision_zero(lineage: LineageStore) -> None:
    assert lineage.revision() == 0
    assert lineage.cursor() is None
    assert lineage.producers() == ()
    assert lineage.search("") == ()
    arrays = lineage.arrays()
    assert (arrays.revision, arrays.node.size, arrays.source.size) == (0, 0, 0)
    assert rows_of(lineage.changes(0)) == []
    touched = lineage.touched(0)
    assert (touched.revision, touched.nodes, touched.edges, touched.gone, touched.more) == (0, (), (), (), False)


def test_a_first_write_creates_the_edge_its_columns_and_their_tables(lineage: LineageStore) -> None:
    done = lineage.record([batch("file:a", 1, claim())])
    assert (done.revision, done.added, done.nodes) == (1, 1, 4)
    (version,) = lives(lineage)
    assert version.id == "raw.orders.amount->core.orders.amount#copied"
    assert (version.valid_from, version.valid_to, version.confidence) == (day(1), None, 0.95)
    assert version.facts[0].evidence == (seen(seen_at=day(1)),)
    assert lineage.producers() == ("file:a",)
    numbers = lineage.numbers(["raw.orders", "raw.orders.amount", "nothing"])
    assert numbers.keys() == {"raw.orders", "raw.orders.amount"}
    column = lineage.nodes([numbers["raw.orders.amount"]])[numbers["raw.orders.amount"]]
    assert (column.type, column.name, column.table, column.parent) == ("column", "amount", "raw.orders", "raw.orders")
    assert column.unresolved
    assert column.created_at == column.updated_at == day(1)


def test_all_that_a_claim_says_is_read_back(lineage: LineageStore) -> None:
    evidence = (
        Evidence(basis=Basis.OBSERVED, extractor="spark-plan", run_id="r-1", seen_at=day(0), times=3),
        Evidence(basis=Basis.DECLARED, file="a ü.sql", line=7, statement="select 'x'\n"),
    )
    metadata = {"reason": "it's 100%", "n": 1.5, "list": (1, "2", None), "deep": {"at": day(0)}, "enum": NodeType.VIEW}
    edge = claim(
        transformation=Transformation.CONDITIONAL,
        expression="case when a = '' then \"b\" end — ü",
        masking=True,
        confidence=0.123456789012345,
        evidence=evidence,
        metadata=metadata,
        valid_from=day(0) + timedelta(microseconds=1),
        valid_to=day(900),
    )
    lineage.record([batch("manual", 1, edge, actor="Ada", complete=False)])
    (fact,) = lineage.edge_facts()
    plain = {"reason": "it's 100%", "n": 1.5, "list": [1, "2", None], "deep": {"at": day(0).isoformat()}}
    assert fact == EdgeFact(
        source=RAW,
        target=CORE,
        kind=COPIED,
        producer="manual",
        confidence=0.123456789012345,
        valid_from=day(0) + timedelta(microseconds=1),
        valid_to=day(900),
        transformation=Transformation.CONDITIONAL,
        expression=edge.expression,
        masking=True,
        evidence=(evidence[0], replace(evidence[1], seen_at=day(1))),
        actor="Ada",
        metadata={**plain, "enum": "view"},
        created_at=day(1),
    )
    assert lineage.record([batch("manual", 1, edge, actor="Ada", complete=False)]).revision == 1


@pytest.mark.parametrize(
    "kind",
    [
        *(pytest.param(EdgeKind(EdgeType.DERIVES_FROM, r), id=str(r)) for r in EdgeRelationship),
        *(pytest.param(EdgeKind(t, None), id=str(t)) for t in EdgeType if t is not EdgeType.DERIVES_FROM),
        *(pytest.param(indirect_kind(way), id=str(way)) for way in IndirectType),
    ],
)
def test_every_kind_of_edge_is_kept_apart(new_lineage: NewStore, kind: EdgeKind) -> None:
    store, other = new_lineage(), EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.DERIVED, IndirectType.JOIN)
    store.record([batch("file:a", 1, claim(kind=kind), claim(kind=other))])
    assert {version.key.kind for version in lives(store)} == {kind, other}
    assert sorted(store.arrays().kind.tolist()) == sorted([kind.code, other.code])


def test_the_same_write_again_changes_nothing(lineage: LineageStore) -> None:
    node = NodeClaim(RAW, {"data_type": "decimal(10,2)", "nullable": False})
    lineage.record([batch("file:a", 1, claim(), nodes=[node])])
    lineage.record([batch("file:a", 2, claim(), nodes=[node])])
    before = state(lineage)
    again = lineage.record([batch("file:a", 2, claim(), nodes=[node])])
    assert (again.revision, again.added, again.extended, again.changed, again.closed, again.nodes) == (2, 0, 0, 0, 0, 0)
    assert state(lineage) == before


def test_the_same_edge_seen_again_extends_its_evidence(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim())])
    done = lineage.record([batch("file:a", 5, claim(evidence=(seen(), seen(9))))])
    assert (done.revision, done.added, done.extended, done.changed) == (2, 0, 1, 0)
    (version,) = lives(lineage)
    assert (version.valid_from, version.valid_to) == (day(1), None)
    assert version.facts[0].evidence == (seen(seen_at=day(5), times=2), seen(9, seen_at=day(5)))


def test_more_evidence_than_is_kept_leaves_the_newest_and_stays_the_same_when_seen_again(lineage: LineageStore) -> None:
    many = claim(evidence=tuple(seen(line) for line in range(1, 31)))
    lineage.record([batch("file:a", 1, claim(evidence=(seen(99),)))])
    lineage.record([batch("file:a", 2, many)])
    (version,) = lives(lineage)
    kept = version.facts[0].evidence
    assert len(kept) == 20
    assert all(one.seen_at == day(2) for one in kept)
    assert lineage.record([batch("file:a", 2, many)]).revision == 2
    assert lives(lineage)[0].facts[0].evidence == kept


def test_two_places_of_one_producer_are_two_sights_of_one_edge(lineage: LineageStore) -> None:
    low = claim(confidence=0.4, expression="a", evidence=(seen(1),))
    high = claim(confidence=0.8, expression="b", evidence=(seen(2),))
    lineage.record([batch("file:a", 1, low, high)])
    (version,) = lives(lineage)
    assert (version.confidence, version.expression) == (0.8, "b")
    assert {one.line for one in version.facts[0].evidence} == {1, 2}


def test_a_complete_batch_closes_what_it_no_longer_says(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim(), claim(CORE, MART))])
    done = lineage.record([batch("file:a", 4, claim())])
    assert (done.closed, done.extended) == (1, 1)
    assert intervals(lineage) == [(1, None)]
    assert intervals(lineage, CORE, MART) == [(1, 4)]


def test_an_edge_that_comes_back_has_two_lives(lineage: LineageStore) -> None:
    for at, edges in ((1, [claim()]), (4, []), (6, [claim()])):
        lineage.record([batch("file:a", at, *edges)])
    assert intervals(lineage) == [(1, 4), (6, None)]


def test_a_batch_that_is_not_complete_closes_nothing(lineage: LineageStore) -> None:
    lineage.record([batch("manual", 1, claim(), complete=False)])
    lineage.record([batch("manual", 4, claim(CORE, MART), complete=False)])
    assert intervals(lineage) == [(1, None)]
    assert intervals(lineage, CORE, MART) == [(4, None)]


def test_what_is_taken_back_is_closed_and_nothing_else(lineage: LineageStore) -> None:
    lineage.record([batch("manual", 1, claim(), claim(CORE, MART), complete=False)])
    done = lineage.record([batch("manual", 3, complete=False, closes=(claim().key, claim(MART, RAW).key))])
    assert done.closed == 1
    assert intervals(lineage) == [(1, 3)]
    assert intervals(lineage, CORE, MART) == [(1, None)]


def test_another_expression_from_a_time_on_is_another_version(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim(expression="a"))])
    done = lineage.record([batch("file:a", 3, claim(expression="b"))])
    assert (done.changed, done.added) == (1, 0)
    assert [(v.expression, v.valid_from, v.valid_to) for v in lives(lineage)] == [
        ("a", day(1), day(3)),
        ("b", day(3), None),
    ]


def test_an_edge_that_is_closed_at_the_moment_it_began_never_held(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim())])
    lineage.record([batch("file:a", 1)])
    assert lives(lineage) == ()
    assert lineage.arrays().source.size == 0
    assert lineage.touched(1).gone == ("raw.orders.amount->core.orders.amount#copied",)
    numbers = lineage.numbers([RAW.id, CORE.id])
    ((source, target, kind, _, start, end),) = rows_of(lineage.changes(1))
    assert (source, target, kind_of(kind)) == (numbers[RAW.id], numbers[CORE.id], COPIED)
    assert start == end
    lineage.record([batch("file:a", 1, claim())])
    assert intervals(lineage) == [(1, None)]
    assert [row[-1] for row in rows_of(lineage.changes(2))] == [OPEN]


def test_explicit_times_say_when_an_edge_held(lineage: LineageStore) -> None:
    past = claim(valid_from=day(2), valid_to=day(4))
    lineage.record([batch("manual", 9, past, complete=False)])
    assert intervals(lineage) == [(2, 4)]
    lineage.record([batch("manual", 9, claim(valid_from=day(6)), complete=False)])
    assert intervals(lineage) == [(2, 4), (6, None)]
    lineage.record([batch("manual", 9, claim(valid_from=day(4), valid_to=day(6)), complete=False)])
    assert intervals(lineage) == [(2, None)]


def test_two_intervals_of_one_edge_in_one_batch_stay_two(lineage: LineageStore) -> None:
    early = claim(valid_from=day(1), valid_to=day(3), confidence=0.5)
    late = claim(valid_from=day(5), confidence=0.9)
    lineage.record([batch("manual", 9, late, early, complete=False)])
    assert [(v.confidence, v.valid_from, v.valid_to) for v in lives(lineage)] == [
        (0.5, day(1), day(3)),
        (0.9, day(5), None),
    ]


def test_an_interval_in_the_middle_splits_what_said_something_else(lineage: LineageStore) -> None:
    lineage.record([batch("manual", 1, claim(expression="a"), complete=False)])
    lineage.record([batch("manual", 9, claim(expression="b", valid_from=day(3), valid_to=day(5)), complete=False)])
    assert [v.expression for v in lives(lineage)] == ["a", "b", "a"]
    assert intervals(lineage) == [(1, 3), (3, 5), (5, None)]


def test_after_a_complete_batch_nothing_holds_but_what_it_says(lineage: LineageStore) -> None:
    """Also what was said to end later, or to begin later."""
    ends, begins = claim(valid_to=day(9)), claim(CORE, MART, valid_from=day(7))
    lineage.record([batch("file:a", 1, ends, begins)])
    lineage.record([batch("file:a", 4)])
    assert intervals(lineage) == [(1, 4)]
    assert intervals(lineage, CORE, MART) == []


def test_an_older_complete_batch_of_the_same_producer_is_refused(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 5, claim())])
    assert refused(lineage, batch("file:a", 4)).code == "E806"
    assert lineage.record([batch("file:b", 4, claim())]).added == 1  # of another it is none of its business
    assert lineage.record([batch("file:a", 5, claim())]).revision == 2  # the same time is not older


# several producers


def test_an_edge_closes_with_its_last_producer(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim())])
    lineage.record([batch("file:b", 2, claim())])
    lineage.record([batch("file:a", 5)])
    assert intervals(lineage)[-1][1] is None
    lineage.record([batch("file:b", 8)])
    assert intervals(lineage) == [(1, 2), (2, 5), (5, 8)]
    assert [v.confidence for v in lives(lineage)] == [0.95, 0.99, 0.95]


def test_evidence_is_kept_by_producer(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim(evidence=(seen(1),)))])
    lineage.record([batch("table:core.orders", 1, claim(evidence=(seen(2),), confidence=1.0))])
    (version,) = lives(lineage)
    assert version.confidence == 1.0
    assert [(f.producer, f.evidence[0].line) for f in version.facts] == [("table:core.orders", 2), ("file:a", 1)]


def test_facts_can_be_asked_for_by_producer(lineage: LineageStore) -> None:
    node = NodeClaim(RAW, {"data_type": "int"})
    lineage.record([batch("file:a", 1, claim(), nodes=[node]), batch("file:b", 1, claim(CORE, MART), nodes=[node])])
    assert [fact.key for fact in lineage.edge_facts(producer="file:b")] == [claim(CORE, MART).key]
    assert [fact.producer for fact in lineage.node_facts(producer="file:b")] == ["file:b"]
    assert sorted(fact.producer for fact in lineage.edge_facts()) == ["file:a", "file:b"]
    assert not [*lineage.edge_facts(producer="file:c"), *lineage.node_facts(producer="file:c")]
    assert lineage.producers() == ("file:a", "file:b")


# what is refused


def test_one_bad_edge_and_nothing_is_written(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim())], cursor="here")
    wrong = claim(confidence=1.5)
    error = refused(lineage, batch("file:b", 2, claim(CORE, MART), wrong, claim(MART, RAW)))
    assert error.code == "E803"
    assert error.where == "edge 2 of 3: raw.orders.amount->core.orders.amount#copied"


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        pytest.param("E803", {"confidence": -0.1}, id="below 0"),
        pytest.param("E803", {"confidence": float("nan")}, id="not a number"),
        pytest.param("E804", {"valid_to": T0}, id="ends before the batch"),
        pytest.param("E804", {"valid_from": day(3), "valid_to": day(3)}, id="no time at all"),
        pytest.param("E805", {"source": column_of("raw.orders", " ")}, id="no name"),
        pytest.param("E805", {"source": Entity(NodeType.COLUMN, "amount")}, id="a column without a table"),
        pytest.param("E805", {"target": Entity(NodeType.TABLE, "orders", "core")}, id="a table inside something"),
        pytest.param("E805", {"target": table_of("core.\0")}, id="a character that is no text"),
        pytest.param(
            "E805", {"kind": EdgeKind(EdgeType.CONSUMES, EdgeRelationship.COPIED)}, id="a relationship too much"
        ),
        pytest.param("E805", {"kind": EdgeKind(EdgeType.DERIVES_FROM, None)}, id="no relationship"),
        pytest.param("E805", {"valid_from": datetime(2026, 1, 1)}, id="a time without a zone"),
    ],
)
def test_bad_edges_are_told_by_their_place(lineage: LineageStore, code: str, wrong: dict[str, Any]) -> None:
    error = refused(lineage, batch("manual", 2, claim(CORE, MART), replace(claim(), **wrong), complete=False))
    assert error.code == code
    assert str(error.where).startswith("edge 2 of 2: ")


def test_a_second_bad_batch_undoes_the_first(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 5, claim())])
    good = batch("file:b", 6, claim(CORE, MART), nodes=[NodeClaim(MART, {"data_type": "int"})])
    assert refused(lineage, good, batch("file:a", 1)).code == "E806"
    assert refused(lineage, good, batch("file:c", 6, claim(table_of(RAW.id)))).code == "E812"
    assert lineage.numbers([MART.id]) == {}


def test_a_strict_batch_joins_known_nodes_only_and_names_the_nearest(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim())])
    wrong = claim(column_of("raw.orders", "amuont"), CORE)
    error = refused(lineage, batch("manual", 2, claim(), wrong, complete=False, strict=True))
    assert error.code == "E802"
    assert error.where == "edge 2 of 2: raw.orders.amuont->core.orders.amount#copied"
    assert "raw.orders.amount" in str(error.fix)


def test_a_strict_batch_may_declare_what_it_joins(lineage: LineageStore) -> None:
    board = Entity(NodeType.DASHBOARD, "revenue")
    edge = EdgeClaim(source=CORE, target=board, kind=EdgeKind(EdgeType.CONSUMES, None))
    assert refused(lineage, batch("manual", 2, edge, complete=False, strict=True)).code == "E802"
    nodes = [NodeClaim(CORE), NodeClaim(board, {"url": "https://example.com"})]
    lineage.record([batch("manual", 2, edge, nodes=nodes, complete=False, strict=True)])
    assert nodes_of(lineage)["dashboard:revenue"][:3] == (NodeType.DASHBOARD, {"url": "https://example.com"}, False)
    assert nodes_of(lineage)["core.orders"][2]  # its table is there, and only known from it


def test_an_id_is_of_one_type(lineage: LineageStore) -> None:
    lineage.record([batch("file:a", 1, claim())])
    for other in (table_of(RAW.id), Entity(NodeType.FIELD, "amount", "raw.orders"), column_of("raw", "orders.amount")):
        assert refused(lineage, batch("file:b", 2, claim(other))).code == "E812", other
    assert refused(lineage, batch("file:b", 2, nodes=[NodeClaim(table_of(CORE.id))])).code == "E812"
    both = batch("file:c", 2, claim(table_of("a.b.c"), MART), claim(column_of("a.b", "c"), MART))
    assert refused(lineage, both).code == "E812"


@pytest.mark.slow
def test_tables_views_datasets_and_what_is_outside_may_become_each_other(lineage: LineageStore) -> None:
    raw = table_of("raw.orders", NodeType.EXTERNAL)
    lineage.record([batch("file:a", 1, claim())])
    lineage.record([batch("file:b", 2, nodes=[NodeClaim(raw)])])
    assert nodes_of(lineage)["raw.orders"][0] is NodeType.EXTERNAL
    lineage.record([batch("file:b", 3, nodes=[NodeClaim(table_of("raw.orders", NodeType.VIEW))])])
    assert nodes_of(lineage)["raw.orders"][0] is NodeType.VIEW
    assert nodes_of(lineage, day(2))["raw.orders"][0] is NodeType.EXTERNAL
    number = lineage.numbers(["raw.orders"])["raw.orders"]
    arrays = lineage.arrays()
    assert NODE_TYPES[arrays.node_type[arrays.node.tolist().index(number)]] is NodeType.VIEW


def test_what_an_end_is_declared_as_later_does_not_change_what_it_was_before(lineage: LineageStore) -> None:
    core = table_of("core.orders")
    lineage.record([batch("file:a", 1, claim(RAW, core))])
    lineage.record([batch("file:b", 3, nodes=[NodeClaim(table_of("core.orders", NodeType.VIEW))])])
    assert [fact.target for fact in lineage.edge_facts()] == [core]
    for at, type_ in ((day(2), NodeType.TABLE), (day(3), NodeType.VIEW), (None, NodeType.VIEW)):
        state = state_at(lineage.edge_facts(), lineage.node_facts(), at)
        assert state.nodes["core.orders"].type is nodes_of(lineage, at)["core.orders"][0] is type_
