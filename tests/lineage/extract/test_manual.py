"""Lineage declared in YAML: what it says, and where it is wrong."""

from __future__ import annotations

import pytest

from forge.lineage.extract.manual import claims_of_declared, read_declared
from forge.lineage.extract.manual_name import entity_of_text
from forge.lineage.facts.evidence import Basis
from forge.lineage.node import Entity, NodeType
from forge.model.errors import ForgeError, errors_of

GOOD = """\
author: ada@example.com
reason: The billing job is not in this repository.
nodes:
  - {id: "dashboard:revenue", attributes: {url: "https://example.com"}}
  - {id: billing.public.invoices.total, type: column, attributes: {data_type: int}}
edges:
  - source: core.orders.amount
    target: billing.public.invoices.total
    transformation: aggregation
    expression: sum(amount)
    confidence: 0.9
  - {source: core.people.mail, target: core.hashed.mail, transformation: expression, masking: true}
  - {source: core.orders.day, target: marts.daily, indirect: filter, author: bob, reason: He knows.}
  - {source: marts.daily.total, target: "dashboard:revenue", type: consumes}
"""


def faults(text: str) -> list[tuple[str | None, str]]:
    with pytest.raises(ForgeError) as caught:
        read_declared(text, "lineage/a.yaml")
    found = errors_of(caught.value)
    assert {error.code for error in found} == {"E820"}
    return [(error.where, error.what) for error in found]


def test_a_file_becomes_claims_that_tell_who_says_so_and_why() -> None:
    edges, nodes = claims_of_declared(read_declared(GOOD, "lineage/a.yaml"))
    assert [claim.key.id for claim in edges] == [
        "core.orders.amount->billing.public.invoices.total#aggregated",
        "core.people.mail->core.hashed.mail#anonymized",
        "core.orders.day->marts.daily#filter",
        "marts.daily.total->dashboard:revenue#consumes",
    ]
    first, third = edges[0], edges[2]
    assert (first.expression, first.confidence, edges[1].masking) == ("sum(amount)", 0.9, True)
    assert first.metadata == {"author": "ada@example.com", "reason": "The billing job is not in this repository."}
    assert third.metadata == {"author": "bob", "reason": "He knows."}
    (seen,) = third.evidence
    assert (seen.basis, seen.extractor, seen.place) == (Basis.DECLARED, "declared", "lineage/a.yaml:13")
    assert [(node.entity.id, node.entity.owner) for node in nodes] == [
        ("dashboard:revenue", ""),
        ("billing.public.invoices.total", "billing.public.invoices"),
    ]
    assert edges[0].target == nodes[1].entity


def test_what_the_graph_knows_goes_before_the_parts_of_a_name() -> None:
    known = Entity(NodeType.TABLE, "core.orders.amount")
    edges, _ = claims_of_declared(read_declared(GOOD, "a"), {"core.orders.amount": known}.get)
    assert edges[0].source == known


def test_all_faults_of_a_file_are_told_at_once_with_their_lines() -> None:
    text = """\
author: ada
why: none
edges:
  - {source: core.orders.amount}
  - {source: a.b, target: c.d, reason: x, transformation: aggregated}
  - {source: a.b, target: c..d, reason: x, confidence: 2}
  - {source: a.b, target: c.d, reason: 7, masking: "yes"}
  - 17
nodes: {}
"""
    assert faults(text) == [
        ("lineage/a.yaml:2", "There is no key 'why' here"),
        ("lineage/a.yaml:9", "nodes is no list"),
        ("lineage/a.yaml:4", "target is missing"),
        ("lineage/a.yaml:4", "The edge has no reason"),
        ("lineage/a.yaml:5", "'aggregated' is no transformation"),
        ("lineage/a.yaml:6", "'c..d' is not the name of anything"),
        ("lineage/a.yaml:6", "confidence is a number from 0 to 1"),
        ("lineage/a.yaml:7", "reason is no text"),
        ("lineage/a.yaml:7", "The edge has no reason"),
        ("lineage/a.yaml:7", "masking is true or false"),
        ("lineage/a.yaml:8", "An edge or node is a mapping of keys to values"),
    ]


@pytest.mark.parametrize("text", ["", "[]", "a: [", "edges: []", "just words", "edges:\n- a\n- a: 1\n  a: 2"])
def test_what_is_no_such_file_is_told(text: str) -> None:
    assert faults(text)[0][0].startswith("lineage/a.yaml:")  # type: ignore[union-attr]


def test_only_what_derives_is_indirect_or_has_a_relationship() -> None:
    text = "edges: [{source: a.b, target: c.d, author: x, reason: y, type: consumes, indirect: filter}]"
    assert "Only derives_from" in faults(text)[0][1]


@pytest.mark.parametrize(
    ("text", "type_", "owner"),
    [
        ("core.orders", "table", ""),
        ("core.orders.amount", "column", "core.orders"),
        ("shop.core.orders.amount", "column", "shop.core.orders"),
        ("shop.core.orders.home.city", "field", "shop.core.orders.home"),
        ("billing:db.public.invoices", "external", ""),
        ("billing:db.public.invoices.total", "column", "billing:db.public.invoices"),
        ("dashboard:revenue", "dashboard", ""),
        ("s3://bucket/a.csv", "external", ""),
        ("answers", "dataset", ""),
    ],
)
def test_a_name_that_nobody_knows_is_taken_by_its_parts(text: str, type_: str, owner: str) -> None:
    entity = entity_of_text(text)
    assert (entity.id, str(entity.type), entity.owner) == (text, type_, owner)
