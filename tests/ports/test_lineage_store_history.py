"""Any history of writes: the record is what it says, replayed by hand."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lineage_claims import (
    NewStore,
    claim,
    day,
    graph,
    nodes_of,
    refused,
    rows_of,
)
from lineage_model import TICKS, Claim, LineageModel, Write, sure
from quick_examples import examples

from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.facts.fact import at_time
from forge.lineage.graph.store import LineageStore
from forge.lineage.node import Entity, column_of

PRODUCERS = ("file:a", "file:b", "manual")
COLUMNS = ("s.t.a", "s.t.b", "s.u.a")
SAID = ((0.5, ""), (0.8, "x + 1"), (0.95, "x"), (1.0, "y"))


def claims() -> st.SearchStrategy[Claim]:
    ends = st.tuples(st.sampled_from(COLUMNS), st.sampled_from(COLUMNS))
    interval = st.none() | st.tuples(st.integers(0, TICKS - 2), st.integers(1, 4) | st.none())
    return st.builds(_claimed, ends, st.sampled_from(SAID), interval)


def _claimed(edge: tuple[str, str], said: tuple[float, str], interval: tuple[int, int | None] | None) -> Claim:
    if interval is None:
        return Claim(edge, said)
    start, length = interval
    end = None if length is None or start + length >= TICKS - 1 else start + length
    return Claim(edge, said, start, end)


DETAILS = st.sampled_from(({}, {"data_type": "int"}, {"data_type": "string", "nullable": True}))


def writes(complete: st.SearchStrategy[bool]) -> st.SearchStrategy[Write]:
    edge = st.tuples(st.sampled_from(COLUMNS), st.sampled_from(COLUMNS))
    return st.builds(
        Write,
        st.sampled_from(PRODUCERS),
        st.integers(0, TICKS - 2),
        st.lists(claims(), max_size=4, unique_by=lambda one: one.edge).map(tuple),
        st.lists(st.tuples(st.sampled_from(COLUMNS), DETAILS), max_size=2, unique_by=lambda one: one[0]).map(tuple),
        complete,
        st.lists(edge, max_size=1).map(tuple),
    )


def entity(name: str) -> Entity:
    return column_of(*name.rsplit(".", 1))


def as_batch(write: Write) -> ClaimBatch:
    def edge(one: Claim) -> EdgeClaim:
        source, target = map(entity, one.edge)
        start = None if one.start is None else day(one.start)
        end = None if one.end is None else day(one.end)
        values = {"confidence": one.said[0], "expression": one.said[1], "valid_from": start, "valid_to": end}
        return claim(source, target, **values)

    # an edge that is claimed in the same breath is not taken back
    claimed = {one.edge for one in write.claims}
    closes = tuple(claim(*map(entity, ends)).key for ends in write.closes if ends not in claimed)
    nodes = tuple(NodeClaim(entity(name), details) for name, details in write.nodes)
    edges = tuple(edge(one) for one in write.claims)
    return ClaimBatch(
        producer=write.producer, at=day(write.at), edges=edges, nodes=nodes, complete=write.complete, closes=closes
    )


def said_at(lineage: LineageStore, at: datetime) -> dict[tuple[str, str], dict[str, tuple[float, str]]]:
    found: dict[tuple[str, str], dict[str, tuple[float, str]]] = {}
    for fact in lineage.edge_facts():
        if fact.valid_from <= at and (fact.valid_to is None or at < fact.valid_to):
            told = found.setdefault((fact.source.id, fact.target.id), {})
            assert fact.producer not in told  # one producer says one thing of an edge at a time
            told[fact.producer] = fact.confidence, fact.expression
    return found


def without_claimed(write: Write) -> Write:
    claimed = {one.edge for one in write.claims}
    return replace(write, closes=tuple(edge for edge in write.closes if edge not in claimed))


@pytest.mark.slow
@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(history=st.lists(writes(st.booleans()).map(without_claimed), max_size=8))
def test_at_every_time_the_graph_is_the_history_replayed(new_lineage: NewStore, history: list[Write]) -> None:
    store, model = new_lineage(), LineageModel()
    for write in history:
        if not model.accepts(write):
            assert refused(store, as_batch(write)).code == "E806"
            continue
        store.record([as_batch(write)])
        model.apply(write)
    numbers = store.numbers(COLUMNS)
    pairs = [(a, b) for a in numbers.values() for b in numbers.values()]
    versions = store.versions(pairs)
    for tick in range(TICKS):
        expected = model.edges_at(tick)
        assert said_at(store, day(tick)) == expected
        for (source, target), found in versions.items():
            now = at_time(found, day(tick))
            names = {number: name for name, number in numbers.items()}
            told = expected.get((names[source], names[target]))
            assert (now is None) == (told is None)
            if now is not None and told is not None:
                assert now.confidence == pytest.approx(sure(one[0] for one in told.values()), abs=1e-12)
                assert now.expression in {one[1] for one in told.values() if one[0] == max(told.values())[0]}
        nodes = store.nodes(list(numbers.values()), day(tick))
        for name, number in numbers.items():
            details, node = model.node_at(name, tick), nodes[number]
            assert node.unresolved == (details is None)
            assert dict(node.details) == (details or {})


@pytest.mark.slow
@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(history=st.lists(writes(st.booleans()).map(without_claimed), max_size=8), seed=st.integers(0, 2**32))
def test_the_order_in_which_producers_come_does_not_matter(
    new_lineage: NewStore, history: list[Write], seed: int
) -> None:
    model, accepted = LineageModel(), []
    for write in history:
        if model.accepts(write):
            model.apply(write)
            accepted.append(write)
    queues = {name: [write for write in accepted if write.producer == name] for name in PRODUCERS}
    order, dice = [], random.Random(seed)
    while any(queues.values()):
        name = dice.choice([name for name, queue in queues.items() if queue])
        order.append(queues[name].pop(0))
    assert _told(new_lineage(), order) == _told(new_lineage(), accepted)


def _told(store: LineageStore, history: list[Write]) -> tuple[Any, ...]:
    for write in history:
        store.record([as_batch(write)])
    return graph(store), nodes_of(store), [nodes_of(store, day(tick)) for tick in range(0, TICKS, 3)]


@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(history=st.lists(writes(st.just(True)), max_size=8), stop=st.integers(0, 8))
def test_arrays_and_then_changes_are_arrays(new_lineage: NewStore, history: list[Write], stop: int) -> None:
    """Whoever has the arrays of a revision and puts the changes in the place of the edges they name has the newest."""
    store = new_lineage()
    known: dict[tuple[int, int, int], list[tuple[Any, ...]]] = {}
    nodes: set[tuple[int, int, int]] = set()
    model, kept = LineageModel(), store.arrays()
    for number, write in enumerate(write for write in history if _applied(model, write)):
        if number == stop:
            kept = store.arrays()
        store.record([as_batch(write)])
    for source, target, kind, *rest in rows_of(kept):
        known.setdefault((source, target, kind), []).append(tuple(rest))
    changes = store.changes(kept.revision)
    renewed: dict[tuple[int, int, int], list[tuple[Any, ...]]] = {}
    for source, target, kind, *rest in rows_of(changes):
        facts = renewed.setdefault((source, target, kind), [])
        facts += [tuple(rest)] if rest[-1] != rest[-2] else []
    known |= renewed
    for arrays in (kept, changes):
        columns = (arrays.node.tolist(), arrays.node_type.tolist(), arrays.parent.tolist())
        nodes |= set(zip(*columns, strict=True))
    now = store.arrays()
    assert sorted((*edge, *fact) for edge, facts in known.items() for fact in facts) == rows_of(now)
    assert nodes == set(zip(now.node.tolist(), now.node_type.tolist(), now.parent.tolist(), strict=True))


def _applied(model: LineageModel, write: Write) -> bool:
    if not model.accepts(write):
        return False
    model.apply(write)
    return True
