"""Export and import of the graph as a file. One JSON object per line, in a canonical order:

    {"format": "forge-lineage", "schema_version": 1}      first
    {"node": {…}}                                          a fact about a node: one producer, one interval
    {"edge": {…}}                                          the same of an edge, with its evidence
    {"snapshot": {…}}                                      a named time
    {"end": {"nodes": 2, "edges": 1, "snapshots": 0}}      last, to detect truncated files

Facts are all that is recorded: nodes known only from edges are restored with them. Facts are sorted by producer, first
those of nodes by time and id, then those of edges by id and time. `forge.lineage.fact_json` has their fields."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from typing import TypeVar

from forge.lineage.fact_json import (
    counts_from,
    edge_fact_from,
    edge_fact_json,
    node_fact_from,
    node_fact_json,
    snapshot_from,
    snapshot_json,
)
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim, WriteCounts, claim_of
from forge.lineage.facts.fact import EdgeFact, NodeFact
from forge.lineage.graph.store import LineageStore, Snapshot
from forge.model.errors import ForgeError

FORMAT = "forge-lineage"
SCHEMA_VERSION = 1

F = TypeVar("F", EdgeFact, NodeFact)
V = TypeVar("V")


def write_export(store: LineageStore) -> Iterator[str]:
    """Lines without their ends. Holds the facts of one producer at a time."""
    yield _line({"format": FORMAT, "schema_version": SCHEMA_VERSION})
    counts = {"nodes": 0, "edges": 0, "snapshots": 0}
    for producer in sorted(store.producers()):
        for fact in sorted(store.node_facts(producer=producer), key=lambda one: (one.valid_from, one.entity.id)):
            counts["nodes"] += 1
            yield _line({"node": node_fact_json(fact)})
        for edge in sorted(store.edge_facts(producer=producer), key=lambda one: (one.key.id, one.valid_from)):
            counts["edges"] += 1
            yield _line({"edge": edge_fact_json(edge)})
    for snapshot in sorted(store.snapshots(), key=lambda one: one.name):
        counts["snapshots"] += 1
        yield _line({"snapshot": snapshot_json(snapshot)})
    yield _line({"end": counts})


def _line(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class GraphExport:
    """A validated export; facts by producer."""

    nodes: Mapping[str, tuple[NodeFact, ...]] = field(default_factory=dict)
    edges: Mapping[str, tuple[EdgeFact, ...]] = field(default_factory=dict)
    snapshots: tuple[Snapshot, ...] = ()

    @property
    def producers(self) -> tuple[str, ...]:
        return tuple(sorted({*self.nodes, *self.edges}))


def load_export(lines: Iterable[str]) -> GraphExport:
    """E813 with the number of the first line that is not right."""
    rows = ((n, text) for n, line in enumerate(lines, 1) if (text := line.strip().lstrip("\ufeff")))
    _check_header(*next(rows, (1, "")))
    nodes: dict[str, list[tuple[int, NodeFact]]] = defaultdict(list)
    edges: dict[str, list[tuple[int, EdgeFact]]] = defaultdict(list)
    snapshots: dict[str, Snapshot] = {}
    counts = {"nodes": 0, "edges": 0, "snapshots": 0}
    ended: dict[str, int] | None = None
    number = 1
    for number, text in rows:
        what, value = _row(number, text)
        if ended is not None:
            raise _bad(number, "there is something after the end")
        match what:
            case "node":
                node = _read(number, node_fact_from, value)
                nodes[node.producer].append((number, node))
            case "edge":
                edge = _read(number, edge_fact_from, value)
                edges[edge.producer].append((number, edge))
            case "snapshot":
                snapshot = _read(number, snapshot_from, value)
                snapshots[snapshot.name] = snapshot
            case "end":
                ended = _read(number, counts_from, value)
                continue
            case _:
                raise _bad(number, f"nobody knows what {what!r} is")
        counts[f"{what}s"] += 1
    if ended != counts:
        reason = "there is no end" if ended is None else f"its end tells of {ended}, there are {counts}"
        raise _bad(number, f"the file is not whole: {reason}")
    return GraphExport(
        {producer: _apart(facts, lambda one: one.entity.id) for producer, facts in nodes.items()},
        {producer: _apart(facts, lambda one: one.key.id) for producer, facts in edges.items()},
        tuple(snapshots.values()),
    )


@dataclass(frozen=True, slots=True)
class GraphImport:
    """`same`: facts already present. `left`: facts not written because the store has one of the same producer on the
    same node or edge."""

    written: int
    same: int
    left: int
    snapshots: int
    recorded: WriteCounts


def import_export(store: LineageStore, lines: Iterable[str]) -> GraphImport:
    """Writes what the store lacks, in one go; again, it changes nothing. E813 writes nothing."""
    export = load_export(lines)
    known = set(store.producers())
    batches: list[ClaimBatch] = []
    written = same = left = 0
    for producer in export.producers:
        nodes, edges = export.nodes.get(producer, ()), export.edges.get(producer, ())
        if producer in known:
            total = len(nodes) + len(edges)
            held_nodes = tuple(store.node_facts(producer=producer))
            held_edges = tuple(store.edge_facts(producer=producer))
            alike = _common(nodes, held_nodes) + _common(edges, held_edges)
            nodes, edges = _lacking_nodes(nodes, held_nodes), _lacking_edges(edges, held_edges)
            same += alike
            left += total - alike - len(nodes) - len(edges)
        written += len(nodes) + len(edges)
        batches += _node_batches(producer, nodes)
        batches += _edge_batches(producer, edges)
    recorded = store.record(batches) if batches else WriteCounts(store.revision())
    new = [snapshot for snapshot in export.snapshots if store.snapshot(snapshot.name) is None]
    for snapshot in new:
        store.save_snapshot(snapshot)
    return GraphImport(written, same, left, len(new), recorded)


def _common(facts: Iterable[F], held: Iterable[F]) -> int:
    known = {(_id(fact), fact.valid_from): fact for fact in held}
    return sum(_alike(fact, known.get((_id(fact), fact.valid_from))) for fact in facts)


def _id(fact: EdgeFact | NodeFact) -> str:
    return fact.key.id if isinstance(fact, EdgeFact) else fact.entity.id


def _alike(fact: F, other: F | None) -> bool:
    """The ends of an edge have one id; whether they are tables or views is not the edge's to say."""
    if isinstance(fact, EdgeFact) and isinstance(other, EdgeFact):
        return replace(fact, source=other.source, target=other.target) == other
    return fact == other


def _lacking_edges(facts: Iterable[EdgeFact], held: Iterable[EdgeFact]) -> tuple[EdgeFact, ...]:
    known = {fact.key for fact in held}
    return tuple(fact for fact in facts if fact.key not in known)


def _lacking_nodes(facts: Iterable[NodeFact], held: Iterable[NodeFact]) -> tuple[NodeFact, ...]:
    """The open ones: to close one takes a complete batch, which would close what the producer says here too."""
    known = {fact.entity.id for fact in held}
    return tuple(fact for fact in facts if fact.entity.id not in known and fact.valid_to is None)


def _node_batches(producer: str, facts: Iterable[NodeFact]) -> Iterator[ClaimBatch]:
    """The node claims of a producer, replayed at their times. Where one ended, all others of that time are repeated."""
    begun: dict[datetime, list[NodeFact]] = defaultdict(list)
    ended: dict[datetime, list[NodeFact]] = defaultdict(list)
    for fact in facts:
        begun[fact.valid_from].append(fact)
        if fact.valid_to is not None:
            ended[fact.valid_to].append(fact)
    holding: dict[str, NodeFact] = {}
    for at in sorted(begun.keys() | ended.keys()):
        for fact in ended[at]:
            del holding[fact.entity.id]
        holding |= {fact.entity.id: fact for fact in begun[at]}
        silent = any(fact.entity.id not in holding for fact in ended[at])
        claimed = holding.values() if silent else begun[at]
        claims = tuple(NodeClaim(fact.entity, fact.details) for fact in claimed)
        yield ClaimBatch(producer=producer, at=at, nodes=claims, complete=silent)


def _edge_batches(producer: str, facts: Iterable[EdgeFact]) -> Iterator[ClaimBatch]:
    """One for each time and person; two intervals of one edge are never in the same, where they would become one."""
    groups: dict[tuple[datetime, str, int], list[EdgeClaim]] = defaultdict(list)
    intervals: dict[tuple[str, datetime, str], int] = defaultdict(int)
    for fact in facts:
        written = fact.created_at or fact.valid_from
        place = (fact.key.id, written, fact.actor)
        groups[written, fact.actor, intervals[place]].append(claim_of(fact))
        intervals[place] += 1
    for (at, actor, _), claims in sorted(groups.items(), key=lambda one: one[0]):
        yield ClaimBatch(producer=producer, at=at, edges=tuple(claims), complete=False, actor=actor)


def _apart(facts: Iterable[tuple[int, F]], id_of: Callable[[F], str]) -> tuple[F, ...]:
    """A producer says one thing of one node or edge at a time."""
    ordered = sorted(facts, key=lambda one: (id_of(one[1]), one[1].valid_from))
    for (_, one), (number, other) in pairwise(ordered):
        if id_of(one) == id_of(other) and (one.valid_to is None or other.valid_from < one.valid_to):
            raise _bad(number, f"{one.producer} says two things of {id_of(one)} at the same time")
    return tuple(fact for _, fact in ordered)


def _check_header(number: int, text: str) -> None:
    try:
        header = json.loads(text)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _bad(number, f'it does not begin with {{"format":"{FORMAT}","schema_version":{SCHEMA_VERSION}}}')
    if header.get("schema_version") != SCHEMA_VERSION:
        raise _bad(
            number, f"its schema_version is {header.get('schema_version')}, and this Forge reads {SCHEMA_VERSION}"
        )


def _row(number: int, text: str) -> tuple[str, object]:
    try:
        row = json.loads(text)
    except ValueError as error:
        raise _bad(number, f"not JSON: {error}") from error
    if not isinstance(row, dict) or len(row) != 1:
        raise _bad(number, "a line is an object with one field: node, edge, snapshot or end")
    return next(iter(row.items()))


def _read(number: int, read: Callable[[object], V], value: object) -> V:
    try:
        return read(value)
    except ValueError as error:
        raise _bad(number, str(error)) from error


def _bad(number: int, why: str) -> ForgeError:
    return ForgeError(
        "E813",
        "This is not an export of lineage that can be read. Nothing was written",
        where=f"line {number}",
        why=f"{why[:1].upper()}{why[1:]}.",
        fix="Write it again with `forge lineage export`.",
    )
