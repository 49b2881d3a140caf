"""Random histories of a lineage graph with something of everything, and random questions. Confidences are binary
fractions, so that equal products are equal however they are multiplied."""

from __future__ import annotations

from datetime import timedelta
from random import Random

from lineage_lines import START, entity

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.graph.request import EdgeFilter, TraversalRequest, WalkDirection
from forge.lineage.kind import FLOWS, EdgeKind, EdgeRelationship, EdgeType, indirect_kind
from forge.lineage.node import GraphLevel, NodeType

DAY = timedelta(days=1)
TABLES = ("raw.a", "raw.b", "core.c", "core.d", "marts.e")
COLUMNS = tuple(f"{table}.{column}" for table in TABLES for column in "xyz")
FIELDS = ("raw.a.x.f", "raw.a.x.g", "core.c.y.f")
OTHERS = ("dashboard:one", "transform:two", "pipeline:three", "model:four@1")
SURE = (1.0, 1.0, 0.5, 0.75, 0.25)


class RandomLineage:
    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def batches(self) -> list[ClaimBatch]:
        """In the order of time."""
        return [self._batch(day) for day in range(5)]

    def asks(self, count: int) -> list[TraversalRequest]:
        return [self._ask() for _ in range(count)]

    @property
    def anywhere(self) -> str:
        """Always the same: the end of paths."""
        return COLUMNS[-1]

    def _batch(self, day: int) -> ClaimBatch:
        pick = self._random
        nodes = [
            NodeClaim(
                entity(name), {"source_file": pick.choice(["a.sql", "b.sql"]), "kind": pick.choice(["cte", "view"])}
            )
            for name in pick.sample(TABLES, 2)
        ]
        return ClaimBatch(
            producer=pick.choice(["one", "two"]),
            at=START + day * DAY,
            edges=tuple(self._edge() for _ in range(pick.randint(5, 25))),
            nodes=tuple(nodes),
            complete=pick.random() < 0.5,
        )

    def _edge(self) -> EdgeClaim:
        pick = self._random
        source, target, kind = pick.choice(COLUMNS + FIELDS), pick.choice(COLUMNS + FIELDS), EdgeKind()
        match pick.randrange(10):
            case 0 | 1:
                target, kind = pick.choice(TABLES), indirect_kind(pick.choice(list(IndirectType)))
            case 2:
                source, target = pick.choice(TABLES), pick.choice(TABLES)
            case 3:
                target, kind = pick.choice(OTHERS), EdgeKind(EdgeType.CONSUMES, None)
            case 4:
                source, target = pick.choice(OTHERS), pick.choice(TABLES + COLUMNS + OTHERS)
                kind = EdgeKind(pick.choice([EdgeType.PRODUCES, EdgeType.EXECUTES, EdgeType.CONTAINS]), None)
            case _:
                kind = EdgeKind(
                    EdgeType.DERIVES_FROM, pick.choice([EdgeRelationship.COPIED, EdgeRelationship.AGGREGATED])
                )
        return EdgeClaim(
            source=entity(source),
            target=entity(target),
            kind=kind,
            transformation=pick.choice(list(Transformation)),
            expression=pick.choice(["", "sum(x)"]),
            masking=pick.random() < 0.2,
            confidence=pick.choice(SURE),
        )

    def _ask(self) -> TraversalRequest:
        pick = self._random
        way: WalkDirection = pick.choice(["upstream", "downstream", "both"])
        return TraversalRequest(
            start=pick.choice((*COLUMNS, *TABLES, *FIELDS, *OTHERS, "schema:core", "nobody.knows")),
            direction=way,
            depth=pick.choice([None, 1, 2, 10]),
            edges=EdgeFilter(
                types=pick.choice([FLOWS, FLOWS, frozenset(EdgeType), frozenset({EdgeType.DERIVES_FROM})]),
                min_confidence=pick.choice([0.5, 0.0, 0.75]),
                indirect=pick.random() < 0.5,
                at=pick.choice([None, None, START + 1.5 * DAY, START + 3 * DAY]),
                relationships=frozenset({"copied"}) if pick.random() < 0.1 else frozenset(),
                subtypes=frozenset({IndirectType.FILTER}) if pick.random() < 0.2 else frozenset(),
            ),
            level=pick.choice(list(GraphLevel)),
            node_types=frozenset({NodeType.COLUMN, NodeType.DASHBOARD}) if pick.random() < 0.2 else frozenset(),
            schemas=frozenset({"core"}) if pick.random() < 0.2 else frozenset(),
            files=frozenset({"a.sql"}) if pick.random() < 0.1 else frozenset(),
            intermediate=pick.random() < 0.7,
            limit=pick.choice([None, None, 3]),
            paths=pick.choice([0, 0, 2]),
        )
