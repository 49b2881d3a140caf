"""What may be claimed, and what is said of what may not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from forge.lineage.edge import IndirectType
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim, check_batch, check_known
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import Entity, NodeType, column_of, table_of
from forge.model.errors import ForgeError

AT = datetime(2026, 1, 5, tzinfo=UTC)
GOOD = EdgeClaim(source=column_of("raw.orders", "amount"), target=column_of("core.orders", "amount"))
SMALLEST = timedelta(microseconds=1)


def refusal(batch: ClaimBatch) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        check_batch(batch)
    return caught.value


def test_a_claim_without_a_confidence_has_that_of_its_evidence() -> None:
    assert replace(GOOD, evidence=(Evidence(basis=Basis.POSITION),)).sure == 0.8
    assert replace(GOOD, evidence=(Evidence(basis=Basis.POSITION),), confidence=0.2).sure == 0.2
    assert replace(GOOD, confidence=0.0).sure == 0.0


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="plain"),
        pytest.param({"confidence": 0}, id="surely not"),
        pytest.param({"confidence": 1}, id="certain"),
        pytest.param({"valid_to": AT + SMALLEST}, id="the shortest time"),
        pytest.param({"valid_from": AT - timedelta(days=9), "valid_to": AT}, id="in the past"),
        pytest.param({"target": GOOD.source}, id="to itself"),
        pytest.param({"target": Entity(NodeType.FIELD, "city", "core.orders.address")}, id="to a field"),
        pytest.param({"target": Entity(NodeType.MODEL, "churn@3")}, id="to a model"),
        pytest.param({"kind": EdgeKind(EdgeType.CONSUMES, None)}, id="of another type"),
        pytest.param({"source": column_of("files:data/ü 1.csv", "a.b")}, id="from a file"),
    ],
)
def test_good_edges_pass(changes: dict[str, Any]) -> None:
    check_batch(ClaimBatch(producer="manual", at=AT, edges=(replace(GOOD, **changes),)))


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        pytest.param("E803", {"confidence": 1.0000001}, id="more than certain"),
        pytest.param("E803", {"confidence": -0.0000001}, id="less than nothing"),
        pytest.param("E803", {"confidence": float("inf")}, id="infinitely sure"),
        pytest.param("E803", {"confidence": float("nan")}, id="no number"),
        pytest.param("E804", {"valid_to": AT}, id="ends as the batch begins"),
        pytest.param("E804", {"valid_from": AT, "valid_to": AT - SMALLEST}, id="ends before it begins"),
        pytest.param("E805", {"source": column_of("raw.orders", "")}, id="no column"),
        pytest.param("E805", {"target": table_of(" ")}, id="no table"),
        pytest.param("E805", {"target": column_of(" ", "x")}, id="no owner"),
        pytest.param("E805", {"target": Entity(NodeType.FIELD, "city", "address")}, id="a field of no table"),
        pytest.param("E805", {"expression": "a\0"}, id="an expression that is no text"),
        pytest.param("E805", {"target": table_of("core.\ud800")}, id="a name that is no text"),
        pytest.param(
            "E805", {"kind": EdgeKind(EdgeType.PRODUCES, EdgeRelationship.COPIED)}, id="a relationship too much"
        ),
        pytest.param("E805", {"kind": EdgeKind(EdgeType.DERIVES_FROM, None)}, id="a relationship too few"),
        pytest.param("E805", {"kind": EdgeKind(EdgeType.CONSUMES, None, IndirectType.JOIN)}, id="indirect by nothing"),
        pytest.param("E805", {"valid_to": datetime(2027, 1, 1)}, id="a time without a zone"),
    ],
)
def test_bad_edges_are_named_by_their_place_in_the_batch(code: str, changes: dict[str, Any]) -> None:
    error = refusal(ClaimBatch(producer="manual", at=AT, edges=(GOOD, GOOD, replace(GOOD, **changes), GOOD)))
    assert error.code == code
    assert str(error.where).startswith("edge 3 of 4: ")


def test_a_batch_without_a_zone_is_refused() -> None:
    assert refusal(ClaimBatch(producer="manual", at=datetime(2026, 1, 1), edges=(GOOD,))).code == "E805"


def test_bad_nodes_are_named_by_their_place_in_the_batch() -> None:
    nodes = NodeClaim(table_of("core.orders")), NodeClaim(Entity(NodeType.COLUMN, "amount"))
    error = refusal(ClaimBatch(producer="manual", at=AT, edges=(GOOD,), nodes=nodes))
    assert (error.code, error.where) == ("E805", "node 2 of 2: amount")


def test_an_edge_to_nothing_is_told_with_the_nearest_name() -> None:
    batch = ClaimBatch(producer="manual", at=AT, edges=(GOOD, replace(GOOD, source=column_of("raw.orders", "amuont"))))
    with pytest.raises(ForgeError) as caught:
        check_known(batch, ["raw.orders.amuont"], {"raw.orders.amuont": "Did you mean raw.orders.amount?"})
    error = caught.value
    assert (error.code, error.fix) == ("E802", "Did you mean raw.orders.amount?")
    assert error.where == "edge 2 of 2: raw.orders.amuont->core.orders.amount#derived"
    check_known(batch, [], {})


def test_the_keys_of_a_batch_are_what_it_claims_and_what_it_takes_back() -> None:
    back = replace(GOOD, target=table_of("core.orders")).key
    assert ClaimBatch(producer="manual", at=AT, edges=(GOOD, GOOD), closes=(back,), complete=False).keys == {
        GOOD.key,
        back,
    }


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]], ids=str)
def test_what_is_told_beside_must_be_json(value: object) -> None:
    assert refusal(ClaimBatch(producer="p", at=AT, edges=(replace(GOOD, metadata={"x": value}),))).code == "E805"
    assert refusal(ClaimBatch(producer="p", at=AT, nodes=(NodeClaim(GOOD.source, {"x": value}),))).code == "E805"
