"""Lineage graphs as lines that a person can read, and whoever answers questions on them.

raw.orders.amount -> core.orders.amount 0.9 aggregated sum(amount)
raw.orders.status -filter-> core.orders
core.orders.amount -consumes-> dashboard:revenue
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.graph.request import EdgeFilter, TraversalRequest, WalkDirection
from forge.lineage.graph.store import LineageAnswers, LineageStore
from forge.lineage.graph.traversal import Path, Traversal
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind
from forge.lineage.node import UNPREFIXED, Entity, NodeType, column_of, table_of

START = datetime(2026, 11, 1, tzinfo=UTC)
DAY = timedelta(days=1)

_LINE = re.compile(r"(\S+)\s+-(?:(\w+)-)?>\s+(\S+)(?:\s+([\d.]+))?(?:\s+([a-z]+))?(?:\s+(.+))?")
_TRANSFORMATIONS = {
    EdgeRelationship.COPIED: Transformation.IDENTITY,
    EdgeRelationship.TRANSFORMED: Transformation.TRANSFORMATION,
    EdgeRelationship.AGGREGATED: Transformation.AGGREGATION,
}


def entity(name: str) -> Entity:
    """`core.orders` is a table, with one more part a column, with two more a field."""
    prefix, colon, rest = name.partition(":")
    if colon and prefix in set(map(str, NodeType)) - set(map(str, UNPREFIXED)):
        return Entity(NodeType(prefix), rest)
    parts = name.split(".")
    match len(parts):
        case 2:
            return table_of(name)
        case 3:
            return column_of(".".join(parts[:2]), parts[2])
        case _:
            return Entity(NodeType.FIELD, parts[-1], ".".join(parts[:-1]))


def claim(line: str) -> EdgeClaim:
    found = _LINE.fullmatch(line.strip())
    assert found, line
    source, way, target, confidence, relationship, expression = found.groups()
    if way is None:
        kind = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship(relationship or "derived"))
    elif way in set(map(str, IndirectType)):
        kind = indirect_kind(IndirectType(way))
    else:
        kind = EdgeKind(EdgeType(way), None)
    return EdgeClaim(
        source=entity(source),
        target=entity(target),
        kind=kind,
        transformation=_TRANSFORMATIONS.get(kind.relationship, Transformation.UNKNOWN)
        if kind.relationship and not kind.indirect
        else Transformation.UNKNOWN,
        expression=expression or "",
        confidence=float(confidence or 1.0),
    )


@dataclass(frozen=True)
class LineageSite:
    """A record and who answers on it."""

    store: LineageStore
    answers: LineageAnswers

    def say(self, lines: str, *, day: float = 0, producer: str = "test", nodes: Iterable[NodeClaim] = ()) -> None:
        """All that the producer says on that day."""
        edges = tuple(claim(line) for line in lines.strip().splitlines() if line.strip())
        self.store.record([ClaimBatch(producer=producer, at=START + day * DAY, edges=edges, nodes=tuple(nodes))])

    def ask(self, start: str, direction: WalkDirection = "downstream", **options: Any) -> Traversal:
        """`options` are those of `TraversalRequest` and `EdgeFilter`."""
        return self.answers.walk(_ask_of(start, direction, options))

    def paths(self, start: str, target: str, count: int, **options: Any) -> tuple[Path, ...]:
        return self.answers.paths(target, _ask_of(start, options.pop("direction", "downstream"), options), count)


def _ask_of(start: str, direction: WalkDirection, options: dict[str, Any]) -> TraversalRequest:
    fields = EdgeFilter.__dataclass_fields__
    edges = EdgeFilter(**{key: value for key, value in options.items() if key in fields})
    return replace(
        TraversalRequest(start=start, direction=direction, edges=edges),
        **{key: value for key, value in options.items() if key not in fields},
    )


def names(traversal: Traversal) -> list[str]:
    return [item.name for item in traversal.items]


def depths(traversal: Traversal) -> dict[str, int]:
    return {item.name: item.depth for item in traversal.items}


def sureness(traversal: Traversal) -> dict[str, float]:
    return {item.name: round(item.confidence, 9) for item in traversal.items}


def links(traversal: Traversal) -> list[str]:
    return [link.id for link in traversal.links]


def routes(paths: Iterable[Path]) -> list[str]:
    return [" > ".join([path.start, *(hop.node.id for hop in path.hops)]) for path in paths]
