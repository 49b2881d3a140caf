"""The record goes out to a file and comes back as it was."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime

import pytest
from hypothesis import given, settings
from lineage_history import COLUMNS, DAY, START, histories
from quick_examples import examples

from forge.lineage.exchange import import_export, write_export
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.facts.fact import EdgeFact, NodeFact
from forge.lineage.graph.store import Snapshot
from forge.lineage.node import Entity, NodeType
from forge.model.errors import ForgeError
from forge.stores.memory.lineage import MemoryLineage

AWKWARD = 'files:data/"a\nb"/ü.csv'


def recorded(batches: Iterable[ClaimBatch]) -> MemoryLineage:
    store = MemoryLineage()
    for batch in batches:
        store.record([batch])
    return store


def facts(store: MemoryLineage) -> tuple[list[EdgeFact], list[NodeFact]]:
    def edge(fact: EdgeFact) -> tuple[str, str, datetime]:
        return fact.producer, fact.key.id, fact.valid_from

    def node(fact: NodeFact) -> tuple[str, str, datetime]:
        return fact.producer, fact.entity.id, fact.valid_from

    return sorted(store.edge_facts(), key=edge), sorted(store.node_facts(), key=node)


@pytest.mark.slow
@settings(max_examples=examples(25))  # drawing a history costs more than what is shown with it
@given(histories())
def test_an_empty_store_gets_exactly_the_facts_of_the_file(history: list[ClaimBatch]) -> None:
    store = recorded(history)
    other = MemoryLineage()
    import_export(other, write_export(store))
    assert facts(other) == facts(store)
    assert list(write_export(other)) == list(write_export(store))


@pytest.mark.slow
@settings(max_examples=examples(25))  # drawing a history costs more than what is shown with it
@given(histories(), histories())
def test_importing_again_changes_nothing_and_what_is_there_stays(
    mine: list[ClaimBatch], theirs: list[ClaimBatch]
) -> None:
    store, other = recorded(mine), recorded(theirs)
    before = facts(store)
    lines = list(write_export(other))
    first = import_export(store, lines)
    after, revision = facts(store), store.revision()
    held = [_untyped(fact) for fact in after[0]]
    assert all(_untyped(fact) in held for fact in before[0])
    assert all(fact in after[1] for fact in before[1])
    assert first.written + first.same + first.left == len(lines) - 2
    second = import_export(store, lines)
    assert (facts(store), store.revision()) == (after, revision)
    assert second.written == 0


def _untyped(fact: EdgeFact) -> tuple[object, ...]:
    """A store tells the ends of an edge as it knows them: that one is a view may have come with the file."""
    return fact.key, fact.producer, fact.valid_from, fact.valid_to, fact.says(), fact.evidence, fact.created_at


@pytest.mark.slow
@settings(max_examples=examples(25))  # drawing a history costs more than what is shown with it
@given(histories())
def test_a_store_that_reads_its_own_export_is_as_it_was(history: list[ClaimBatch]) -> None:
    store = recorded(history)
    before = facts(store)
    found = import_export(store, write_export(store))
    assert facts(store) == before
    assert (found.written, found.left) == (0, 0)


def shop() -> MemoryLineage:
    external = Entity(NodeType.COLUMN, "amount", AWKWARD)
    seen = Evidence(
        basis=Basis.RESOLVED, extractor="sql", file="jobs/x.sql", line=12, statement='select "a"\n', times=3
    )
    first = ClaimBatch(
        producer="file:jobs/x.sql",
        at=START,
        edges=(EdgeClaim(source=external, target=COLUMNS[0], evidence=(seen,), metadata={"note": "é"}),),
        nodes=(NodeClaim(COLUMNS[0], {"data_type": "decimal(18,2)"}),),
        actor="ada",
    )
    store = recorded([first, ClaimBatch(producer="file:jobs/x.sql", at=START + DAY)])
    store.save_snapshot(
        Snapshot(
            name="before",
            at=START,
            description="the first",
            created_by="ada",
            created_at=START,
            nodes={"column": 2},
            edges={"derived": 1},
        )
    )
    return store


def test_the_file_is_what_it_is_documented_to_be() -> None:
    assert [json.loads(line) for line in write_export(shop())] == [
        {"format": "forge-lineage", "schema_version": 1},
        {
            "node": {
                "producer": "file:jobs/x.sql",
                "entity": {"type": "column", "name": "x", "owner": "raw.a"},
                "valid_from": "2026-11-01T00:00:00+00:00",
                "valid_to": "2026-11-02T00:00:00+00:00",
                "details": {"data_type": "decimal(18,2)"},
            }
        },
        {
            "edge": {
                "producer": "file:jobs/x.sql",
                "source": {"type": "column", "name": "amount", "owner": AWKWARD},
                "target": {"type": "column", "name": "x", "owner": "raw.a"},
                "kind": {"type": "derives_from", "relationship": "derived"},
                "confidence": 0.95,
                "valid_from": "2026-11-01T00:00:00+00:00",
                "valid_to": "2026-11-02T00:00:00+00:00",
                "transformation": "unknown",
                "actor": "ada",
                "created_at": "2026-11-01T00:00:00+00:00",
                "metadata": {"note": "é"},
                "evidence": [
                    {
                        "basis": "resolved",
                        "extractor": "sql",
                        "file": "jobs/x.sql",
                        "line": 12,
                        "statement": 'select "a"\n',
                        "seen_at": "2026-11-01T00:00:00+00:00",
                        "times": 3,
                    }
                ],
            }
        },
        {
            "snapshot": {
                "name": "before",
                "at": "2026-11-01T00:00:00+00:00",
                "description": "the first",
                "created_by": "ada",
                "created_at": "2026-11-01T00:00:00+00:00",
                "nodes": {"column": 2},
                "edges": {"derived": 1},
            }
        },
        {"end": {"nodes": 1, "edges": 1, "snapshots": 1}},
    ]


def test_snapshots_come_along_and_one_of_the_same_name_stays() -> None:
    store = shop()
    other = MemoryLineage()
    mine = Snapshot(name="before", at=START + DAY, description="mine")
    other.save_snapshot(mine)
    assert import_export(other, write_export(store)).snapshots == 0
    assert other.snapshot("before") == mine
    empty = MemoryLineage()
    assert import_export(empty, write_export(store)).snapshots == 1
    assert empty.snapshots() == store.snapshots()


def test_lines_may_end_as_on_any_system_and_empty_ones_do_not_count() -> None:
    lines = ["\ufeff" + next(write_export(shop())) + "\r\n", "\n", *list(write_export(shop()))[1:], ""]
    other = MemoryLineage()
    import_export(other, lines)
    assert facts(other) == facts(shop())


def edited(number: int, **changes: object) -> list[str]:
    """The file with fields of the fact on a line replaced; None takes one away."""
    lines = list(write_export(shop()))
    row = json.loads(lines[number - 1])
    what = next(iter(row))
    row[what] = {name: value for name, value in {**row[what], **changes}.items() if value is not None}
    lines[number - 1] = json.dumps(row)
    return lines


def line_for(number: int, text: str) -> list[str]:
    lines = list(write_export(shop()))
    lines[number - 1] = text
    return lines


BAD = {
    "nothing": ([], 1, "does not begin"),
    "another file": (["a,b,c"], 1, "does not begin"),
    "a list": (["[1]"], 1, "does not begin"),
    "a newer version": (line_for(1, '{"format":"forge-lineage","schema_version":2}'), 1, "this Forge reads 1"),
    "not JSON": (line_for(3, '{"edge": '), 3, "Not JSON"),
    "two things on a line": (line_for(3, '{"edge":{},"node":{}}'), 3, "one field"),
    "an unknown thing": (line_for(3, '{"graph":{}}'), 3, "'graph'"),
    "not an object": (line_for(3, '{"edge":7}'), 3, "Not an object"),
    "no source": (edited(3, source=None), 3, "Source is missing"),
    "a source without a name": (edited(3, source={"type": "table", "name": " "}), 3, "is empty"),
    "a column without a table": (edited(3, source={"type": "column", "name": "x"}), 3, "have an owner"),
    "an unknown type": (edited(3, source={"type": "planet", "name": "x"}), 3, "'planet' is not one of"),
    "an unknown field": (edited(3, colour="red"), 3, "colour"),
    "confidence above 1": (edited(3, confidence=1.5), 3, "1.5 is not a number from 0 to 1"),
    "confidence true": (edited(3, confidence=True), 3, "not a number from 0 to 1"),
    "confidence without a number": (edited(3, confidence="high"), 3, "not a number from 0 to 1"),
    "no time": (edited(3, valid_from="yesterday"), 3, "'yesterday' is not a time"),
    "no zone": (edited(3, valid_from="2026-11-01T00:00:00"), 3, "has no zone"),
    "an end before the start": (edited(3, valid_to="2026-10-01T00:00:00Z"), 3, "is not after valid_from"),
    "a node that ends before": (edited(2, valid_to="2026-10-01T00:00:00Z"), 2, "is not after valid_from"),
    "consumes with a relationship": (
        edited(3, kind={"type": "consumes", "relationship": "copied"}),
        3,
        "derives_from has a relationship",
    ),
    "evidence of no kind": (edited(3, evidence=[{"basis": "rumour"}]), 3, "'rumour'"),
    "a cut off file": (list(write_export(shop()))[:-1], 4, "there is no end"),
    "a line too few": (list(write_export(shop()))[:2] + list(write_export(shop()))[3:], 4, "not whole"),
    "something after the end": ([*write_export(shop()), "{}"], 6, "one field"),
    "a fact after the end": ([*write_export(shop()), list(write_export(shop()))[1]], 6, "after the end"),
    "the same fact twice": (
        [
            *list(write_export(shop()))[:3],
            *list(write_export(shop()))[2:4],
            '{"end":{"nodes":1,"edges":2,"snapshots":1}}',
        ],
        4,
        "two things",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_with_the_line_and_nothing_is_written(case: str) -> None:
    lines, number, why = BAD[case]
    store = MemoryLineage()
    with pytest.raises(ForgeError) as caught:
        import_export(store, lines)
    assert (caught.value.code, caught.value.where) == ("E813", f"line {number}")
    assert why in (caught.value.why or "")
    assert (store.revision(), store.snapshots(), store.producers()) == (0, (), ())
