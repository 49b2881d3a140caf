"""Claims of a producer on edges and nodes, in a batch that is written atomically."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime

from forge.lineage.edge import Transformation
from forge.lineage.errors import BadEdgeError
from forge.lineage.facts.evidence import Evidence, confidence_of
from forge.lineage.facts.fact import EdgeFact, EdgeKey
from forge.lineage.kind import EdgeKind, EdgeType
from forge.lineage.node import Entity, NodeType
from forge.model.errors import ForgeError

MANUAL = "manual"  # the producer of what people declare


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeClaim:
    """`confidence`: None for that of the evidence. `valid_from`: None for the time of the batch."""

    source: Entity
    target: Entity
    kind: EdgeKind = field(default_factory=EdgeKind)
    transformation: Transformation = Transformation.UNKNOWN
    expression: str = ""
    masking: bool = False
    confidence: float | None = None
    evidence: tuple[Evidence, ...] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)

    @property
    def key(self) -> EdgeKey:
        return EdgeKey(self.source.id, self.target.id, self.kind)

    @property
    def sure(self) -> float:
        return confidence_of(self.evidence) if self.confidence is None else self.confidence


def claim_of(fact: EdgeFact) -> EdgeClaim:
    """The same again, for the same interval of time."""
    return EdgeClaim(
        source=fact.source,
        target=fact.target,
        kind=fact.kind,
        transformation=fact.transformation,
        expression=fact.expression,
        masking=fact.masking,
        confidence=fact.confidence,
        evidence=fact.evidence,
        valid_from=fact.valid_from,
        valid_to=fact.valid_to,
        metadata=fact.metadata,
    )


@dataclass(frozen=True, slots=True)
class NodeClaim:
    entity: Entity
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimBatch:
    """All claims of a producer at a time. `complete`: earlier claims that are missing now are closed at `at`.
    `strict`: edges may only name nodes that exist or are claimed here (people and programs); otherwise missing
    ones are created as unresolved (extractors). `closes`: edges retracted by an incomplete batch."""

    producer: str
    at: datetime
    edges: tuple[EdgeClaim, ...] = ()
    nodes: tuple[NodeClaim, ...] = ()
    complete: bool = True
    strict: bool = False
    actor: str = ""
    closes: tuple[EdgeKey, ...] = ()

    @property
    def keys(self) -> frozenset[EdgeKey]:
        """The edges it speaks of; a complete batch also speaks of all that are open."""
        return frozenset((*(claim.key for claim in self.edges), *self.closes))


@dataclass(frozen=True, slots=True)
class WriteCounts:
    """What a write changed. `extended`: seen again, so that only evidence was added."""

    revision: int
    added: int = 0
    extended: int = 0
    changed: int = 0
    closed: int = 0
    nodes: int = 0

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def check_batch(batch: ClaimBatch) -> None:
    """E802–E805 with the place of the bad edge in the batch; nothing of it may then be written."""
    _check_time(batch.at, f"{batch.producer}: the time of the batch")
    for number, node in enumerate(batch.nodes, 1):
        where = f"node {number} of {len(batch.nodes)}: {node.entity.id}"
        _check_entity(node.entity, where)
        _check_json(node.details, where)
    for number, claim in enumerate(batch.edges, 1):
        where = f"edge {number} of {len(batch.edges)}: {claim.key.id}"
        _check_ends(claim, where)
        if batch.strict and claim.kind.parallel:
            raise _odd_relationship(claim.kind, where)
        _check_json(claim.metadata, where)
        if claim.confidence is not None and not (math.isfinite(claim.confidence) and 0 <= claim.confidence <= 1):
            raise ForgeError(
                "E803",
                f"The confidence {claim.confidence} is not between 0 and 1",
                where=where,
                fix="Give a number from 0 to 1, or none: then the evidence decides.",
            )
        start = claim.valid_from or batch.at
        _check_time(start, where)
        if claim.valid_to is not None:
            _check_time(claim.valid_to, where)
            if claim.valid_to <= start:
                raise ForgeError(
                    "E804",
                    f"valid_to {claim.valid_to.isoformat()} is not after valid_from {start.isoformat()}",
                    where=where,
                    why="An edge is valid from its start up to, and not including, its end.",
                    fix="Give a later valid_to, or none for an edge that still holds.",
                )


def check_known(batch: ClaimBatch, missing: Iterable[str], nearest: Mapping[str, str]) -> None:
    """E802 for the first edge of a strict batch with an unknown end."""
    unknown = set(missing)
    for number, claim in enumerate(batch.edges, 1):
        for end in (claim.source.id, claim.target.id):
            if end in unknown:
                raise ForgeError(
                    "E802",
                    f"There is no node {end}",
                    where=f"edge {number} of {len(batch.edges)}: {claim.key.id}",
                    why="An edge can only join nodes that are in the graph. Nothing of the batch was written.",
                    fix=nearest.get(end) or "Declare the node in the same call, or correct the name.",
                )


def _check_ends(claim: EdgeClaim, where: str) -> None:
    for end in (claim.source, claim.target):
        _check_entity(end, where)
    _check_text(claim.expression, where)
    if (claim.kind.relationship is None) == (claim.kind.type is EdgeType.DERIVES_FROM) and not claim.kind.parallel:
        raise _odd_relationship(claim.kind, where)
    if claim.kind.indirect is not None and claim.kind.type is not EdgeType.DERIVES_FROM:
        raise BadEdgeError(f"Only derives_from can be indirect, not {claim.kind.type}", where=where)


def _odd_relationship(kind: EdgeKind, where: str) -> ForgeError:
    what = f"An edge of type {kind.type} with the relationship {kind.relationship}"
    return BadEdgeError(what, where=where, why="derives_from has a relationship, the other types have none.")


def _check_entity(entity: Entity, where: str) -> None:
    if not entity.name.strip() or (entity.owner and not entity.owner.strip()):
        raise BadEdgeError("Whatever is in the graph needs a name", where=where)
    inside = entity.type in (NodeType.COLUMN, NodeType.FIELD)
    if inside != bool(entity.owner) or (entity.type is NodeType.FIELD and "." not in entity.owner):
        raise BadEdgeError(
            f"{entity.id} is no name of a {entity.type}",
            where=where,
            why="A column belongs to a table, a field to a column; nothing else belongs to something.",
        )
    _check_text(entity.id, where)


def _check_text(text: str, where: str) -> None:
    """A database keeps neither the character 0 nor half of a pair."""
    if "\0" in text or (not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)):
        raise BadEdgeError(f"{text!r} holds a character that is no text", where=where)


def _check_json(value: Mapping[str, object], where: str) -> None:
    try:
        json.dumps(value, allow_nan=False, default=str)
    except (ValueError, TypeError, RecursionError):
        raise BadEdgeError(
            "What is told beside a node or an edge must be JSON",
            where=where,
            why="It holds a number that is none, a key that is no text, or itself.",
        ) from None


def _check_time(value: datetime, where: str) -> None:
    if value.tzinfo is None:
        raise BadEdgeError(f"The time {value.isoformat()} has no zone", where=where, fix="Write it with Z.")
