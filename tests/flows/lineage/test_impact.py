"""How far a report looks. What it says is in the cases of tests/lineage/impact/cases."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from forge.flows.lineage.impact import report_impact, report_schema
from forge.flows.lineage.ports import LineagePorts
from forge.flows.lineage.reader import GraphReader
from forge.lineage.edge import Transformation
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim
from forge.lineage.graph.graph import Graph
from forge.lineage.impact.change import ProposedChange
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import column_of
from forge.model.errors import ForgeError
from forge.model.names import BranchName
from forge.stores.memory.lineage import MemoryLineage
from forge.stores.memory.metadata import MemoryMetadata

MONDAY, TUESDAY = datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 1, 6, tzinfo=UTC)


def copy(source: str, target: str, sure: float = 1.0) -> EdgeClaim:
    kind = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED)
    return EdgeClaim(
        source=column_of(f"t.{source}", "x"),
        target=column_of(f"t.{target}", "x"),
        kind=kind,
        transformation=Transformation.IDENTITY,
        confidence=sure,
    )


@pytest.fixture
def store() -> MemoryLineage:
    store = MemoryLineage()
    store.record([ClaimBatch(producer="p", at=MONDAY, edges=(copy("a", "b"), copy("b", "c"), copy("a", "d", 0.3)))])
    store.record([ClaimBatch(producer="p", at=TUESDAY, edges=(copy("a", "b"), copy("a", "d", 0.3)))])
    return store


def look_at(store: MemoryLineage, at: datetime | None = None) -> GraphReader:
    def scratch() -> Any:
        raise AssertionError("a report looks at the graph it is given")

    answers = Graph(store)
    ports = LineagePorts(
        metadata=MemoryMetadata(),
        store=store,
        answers=answers,
        scratch=scratch,
        clock=lambda: TUESDAY,
        default_branch=BranchName("main"),
        actor="Ada",
    )
    return GraphReader(ports, store, answers, at, "then")


def hit(look: GraphReader, **options: Any) -> list[str]:
    report = report_impact(look, ProposedChange.of("drop", "t.a.x"), **options)
    return [one.node.id for one in report.affected]


def test_a_report_is_of_the_time_that_is_looked_at(store: MemoryLineage) -> None:
    assert hit(look_at(store)) == ["t.b.x"]
    assert hit(look_at(store, MONDAY)) == ["t.b.x", "t.c.x"]


def test_a_report_goes_as_far_as_it_is_told(store: MemoryLineage) -> None:
    assert hit(look_at(store, MONDAY), depth=1) == ["t.b.x"]


def test_unsure_edges_are_followed_when_asked_for(store: MemoryLineage) -> None:
    assert hit(look_at(store), min_confidence=0.3) == ["t.b.x", "t.d.x"]


def test_a_report_is_bounded_and_says_so(store: MemoryLineage) -> None:
    report = report_impact(look_at(store, MONDAY), ProposedChange.of("drop", "t.a.x"), limit=1)
    assert ([one.node.id for one in report.affected], report.truncated) == (["t.b.x"], True)


def test_a_short_name_is_found_and_written_out(store: MemoryLineage) -> None:
    assert report_impact(look_at(store), ProposedChange.of("drop", "a.x")).change.entity == "t.a.x"


def test_a_table_is_told_with_changes_of_its_columns_and_of_itself(store: MemoryLineage) -> None:
    report = report_schema(look_at(store), "a", [ProposedChange.of("drop", "x"), ProposedChange.of("permission", "")])
    assert [(str(change.type), change.entity) for change in report.changes] == [
        ("drop", "t.a.x"),
        ("permission", "t.a"),
    ]


def test_the_old_type_may_be_given_with_the_change(store: MemoryLineage) -> None:
    report = report_impact(look_at(store), ProposedChange.of("type", "t.a.x", "bigint", "int"))
    assert report.to_dict()["change"] == {
        "type": "type",
        "entity": "t.a.x",
        "to": "bigint",
        "direction": "widening",
    }


def test_a_least_confidence_out_of_range_is_refused(store: MemoryLineage) -> None:
    with pytest.raises(ForgeError) as caught:
        hit(look_at(store), min_confidence=1.5)
    assert caught.value.code == "E803"
