"""The life of an edge, from the facts on it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.evidence import Basis, Evidence, combine
from forge.lineage.facts.fact import EdgeFact, EdgeKey, EdgeVersion, at_time, versions_of
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind
from forge.lineage.node import column_of

A, B = column_of("raw.orders", "amount"), column_of("core.orders", "amount")
COPIED = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED)


def day(number: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)


def fact(producer: str, start: int, end: int | None = None, sure: float = 0.8, **values: Any) -> EdgeFact:
    return EdgeFact(
        source=A,
        target=B,
        kind=COPIED,
        producer=producer,
        confidence=sure,
        valid_from=day(start),
        valid_to=None if end is None else day(end),
        **values,
    )


def told(versions: tuple[EdgeVersion, ...]) -> list[tuple[datetime, datetime | None, float]]:
    return [(version.valid_from, version.valid_to, round(version.confidence, 9)) for version in versions]


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        (COPIED, "copied"),
        (EdgeKind(EdgeType.CONSUMES, None), "consumes"),
        (indirect_kind(IndirectType.FILTER), "filter"),
        (EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.JOINED, IndirectType.FILTER), "filter:joined"),
    ],
    ids=["direct", "no relationship", "indirect", "another relationship"],
)
def test_the_id_of_an_edge_can_be_read(kind: EdgeKind, word: str) -> None:
    assert EdgeKey(A.id, B.id, kind).id == f"raw.orders.amount->core.orders.amount#{word}"


def test_no_facts_no_life() -> None:
    assert versions_of([]) == ()


def test_one_fact_is_one_version() -> None:
    (version,) = versions_of([fact("a", 1, 5, expression="x", masking=True)])
    assert (version.valid_from, version.valid_to, version.expression, version.masking) == (day(1), day(5), "x", True)


def test_two_producers_support_each_other_while_both_say_it() -> None:
    versions = versions_of([fact("a", 1, 5), fact("b", 3, 8)])
    assert told(versions) == [(day(1), day(3), 0.8), (day(3), day(5), 0.96), (day(5), day(8), 0.8)]
    assert [[one.producer for one in version.facts] for version in versions] == [["a"], ["a", "b"], ["b"]]


def test_the_surest_says_what_the_edge_is() -> None:
    low = fact("a", 1, sure=0.5, expression="low")
    high = fact("b", 1, sure=0.9, expression="high", transformation=Transformation.IDENTITY)
    (version,) = versions_of([low, high])
    assert (version.expression, version.transformation) == ("high", "identity")
    assert version.facts == (high, low)


def test_of_equals_the_one_that_knows_the_transformation() -> None:
    knows = fact("b", 1, transformation=Transformation.WINDOW)
    assert versions_of([fact("a", 1), knows])[0].transformation == "window"


def test_a_time_without_facts_is_a_gap() -> None:
    assert told(versions_of([fact("a", 1, 3), fact("a", 5)])) == [(day(1), day(3), 0.8), (day(5), None, 0.8)]


def test_neighbours_that_say_the_same_are_one_version() -> None:
    assert told(versions_of([fact("a", 1, 3), fact("b", 3, 6)])) == [(day(1), day(6), 0.8)]


def test_at_a_time() -> None:
    versions = versions_of([fact("a", 1, 3, expression="x"), fact("a", 3, 5, expression="y")])
    found = [at_time(versions, day(number)) for number in range(6)]
    assert [version and version.expression for version in found] == [None, "x", "x", "y", "y", None]
    assert at_time(versions, None) is None
    assert at_time(versions_of([fact("a", 1)]), None) is not None


def test_what_it_is_over_http() -> None:
    evidence = Evidence(basis=Basis.OBSERVED, extractor="spark-plan", run_id="r-1", seen_at=day(2), times=3)
    one = fact("table:core.orders", 1, sure=1.0, evidence=(evidence,), actor="Ada", created_at=day(1))
    body = versions_of([one, fact("file:a", 1, sure=0.5)])[0].to_dict()
    assert body["id"] == "raw.orders.amount->core.orders.amount#copied"
    assert (body["type"], body["relationship"], body["kind"], body["subtype"]) == (
        "derives_from",
        "copied",
        "direct",
        None,
    )
    assert (body["confidence"], body["level"], body["actor"], body["valid_to"]) == (1.0, "certain", "Ada", None)
    assert body["evidence"] == [{"producer": "table:core.orders", **evidence.to_dict()}]


TICKS = 8
STRETCH = st.tuples(st.integers(0, TICKS - 2), st.integers(1, 4) | st.none())


def facts_of(drawn: list[tuple[tuple[int, int | None], float]]) -> list[EdgeFact]:
    return [
        fact(f"p{number}", start, None if length is None else start + length, sure)
        for number, ((start, length), sure) in enumerate(drawn)
    ]


@given(st.lists(st.tuples(STRETCH, st.sampled_from([0.3, 0.8, 1.0])), max_size=5), st.randoms())
def test_at_every_time_a_version_is_what_the_facts_say_in_whatever_order(
    drawn: list[tuple[tuple[int, int | None], float]], dice: Any
) -> None:
    facts = facts_of(drawn)
    versions = versions_of(facts)
    mixed = list(facts)
    dice.shuffle(mixed)
    assert told(versions_of(mixed)) == told(versions)
    for tick in range(TICKS + 4):
        at = day(tick)
        valid = [one.confidence for one in facts if one.valid_from <= at and (not one.valid_to or at < one.valid_to)]
        found = [v for v in versions if v.valid_from <= at and (v.valid_to is None or at < v.valid_to)]
        assert len(found) == (1 if valid else 0)
        if valid:
            assert found[0].confidence == pytest.approx(combine(valid), abs=1e-12)
