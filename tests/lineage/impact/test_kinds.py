"""Every kind of edge has its place in the formula: the enumerations are walked, with every change."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from forge.flows.lineage.impact import report_impact
from forge.flows.lineage.ports import LineagePorts
from forge.flows.lineage.reader import GraphReader
from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.graph.graph import Graph
from forge.lineage.graph.weights import Weights
from forge.lineage.impact.change import OF_TABLES, ChangeType, ProposedChange
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.maker import CONSUMES, PRODUCES
from forge.lineage.node import Entity, NodeType, column_of, table_of
from forge.model.names import BranchName
from forge.stores.memory.lineage import MemoryLineage
from forge.stores.memory.metadata import MemoryMetadata

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TO = {ChangeType.RENAME: ("other",), ChangeType.TYPE: ("bigint", "smallint", "string", "binary")}
PLAIN = (
    EdgeKind(),
    EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED),
)  # with these each transformation is tried
FOLLOWED = frozenset(EdgeType) - {EdgeType.CONTAINS, EdgeType.EXECUTES}


def kinds() -> Iterator[EdgeKind]:
    for relationship in EdgeRelationship:
        for way in (None, *IndirectType):
            yield EdgeKind(EdgeType.DERIVES_FROM, relationship, way)
    for type_ in EdgeType:
        if type_ is not EdgeType.DERIVES_FROM:
            yield EdgeKind(type_, None)
    yield from (CONSUMES, PRODUCES)


def targets(kind: EdgeKind) -> Iterator[Entity]:
    yield table_of("b.u")
    if kind.indirect is None:
        yield column_of("b.u", "y")
    if kind.type is not EdgeType.DERIVES_FROM:
        yield from (Entity(type_, "it") for type_ in (NodeType.TRANSFORM, NodeType.PIPELINE, NodeType.DASHBOARD))


def look_of(*claims: EdgeClaim) -> GraphReader:
    store = MemoryLineage()
    nodes = (NodeClaim(column_of("a.t", "x"), {"data_type": "int"}), NodeClaim(column_of("b.u", "y")))
    store.record([ClaimBatch(producer="test", at=NOW, edges=claims, nodes=nodes)])

    def scratch() -> Any:
        raise AssertionError("a report looks at the graph it is given")

    answers = Graph(store)
    ports = LineagePorts(
        metadata=MemoryMetadata(),
        store=store,
        answers=answers,
        scratch=scratch,
        clock=lambda: NOW,
        default_branch=BranchName("main"),
        actor="Ada",
    )
    return GraphReader(ports, store, answers, None, "now")


@pytest.mark.slow
@pytest.mark.parametrize("change", list(ChangeType))
def test_every_kind_of_edge_has_a_use_and_a_reason_for_every_change(change: ChangeType) -> None:
    behind = EdgeClaim(source=column_of("b.u", "y"), target=column_of("c.v", "z"), confidence=1.0)
    seen: set[str] = set()
    for kind in kinds():
        for target in targets(kind):
            for how in Transformation if kind in PLAIN else (Transformation.UNKNOWN,):
                for start in (table_of("a.t"),) if change in OF_TABLES else (column_of("a.t", "x"), table_of("a.t")):
                    if change is ChangeType.TYPE and start.type is NodeType.TABLE:
                        continue
                    look = look_of(
                        EdgeClaim(
                            source=column_of("a.t", "x"), target=target, kind=kind, transformation=how, confidence=1.0
                        ),
                        behind,
                    )
                    for to in TO.get(change, (None,)):
                        entity = f"{start.owner or start.name}.new" if change is ChangeType.ADD else start.id
                        report = report_impact(look, ProposedChange.of(change, entity, to)).to_dict()
                        for one in report["affected"]:  # type: ignore[attr-defined]
                            assert one["factors"]["use"] == Weights().use[one["use"]]
                            assert one["reason"]
                            seen.add(kind.word)
    if change is not ChangeType.ADD:  # of which only who takes all columns is told
        followed = {kind.word for kind in kinds() if kind.type in FOLLOWED and not kind.parallel}
        assert seen - {CONSUMES.word} == followed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("int", "bigint"),
        ("float", "double"),
        ("decimal(10,2)", "decimal(12,2)"),
        ("varchar(10)", "varchar(20)"),
    ],
)
def test_a_wider_type_is_of_low_risk_and_breaks_nothing(old: str, new: str) -> None:
    look = wide_graph(old)
    report = report_impact(look, ProposedChange.of("type", "a.t.x", new))
    assert (report.risk, report.is_breaking, report.at_least("high")) == ("low", False, False)
    assert len(report.affected) == 12
    assert {one.factors["direction"] for one in report.affected} == {0.1}


@pytest.mark.parametrize(
    ("old", "new"),
    [("bigint", "int"), ("double", "float"), ("timestamp", "date"), ("date", "timestamp"), ("int", "string")],
)
def test_a_narrower_or_another_type_is_of_high_risk(old: str, new: str) -> None:
    report = report_impact(wide_graph(old), ProposedChange.of("type", "a.t.x", new))
    assert (report.risk, report.is_breaking) == ("critical", True)
    assert {one.factors["direction"] for one in report.affected} == {1.0}


def wide_graph(old: str) -> GraphReader:
    """More than ten dashboards read it."""
    boards = (Entity(NodeType.DASHBOARD, f"d{number}") for number in range(12))
    reads = EdgeKind(EdgeType.CONSUMES, None)
    look = look_of(
        *(EdgeClaim(source=column_of("a.t", "x"), target=board, kind=reads, confidence=1.0) for board in boards)
    )
    look.store.record(
        [ClaimBatch(producer="types", at=NOW, edges=(), nodes=(NodeClaim(column_of("a.t", "x"), {"data_type": old}),))]
    )
    return look
