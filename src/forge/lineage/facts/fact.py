"""Facts: what one producer claims of one edge or node in one time interval. The graph at any time is a function of the
facts alone, so their order of arrival does not matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from forge.lineage.edge import ConfidenceLevel, Transformation, level_of
from forge.lineage.facts.evidence import FROM_CODE, Basis, Evidence, combine
from forge.lineage.kind import EdgeKind
from forge.lineage.node import Entity


@dataclass(frozen=True, slots=True)
class EdgeKey:
    """The identity of an edge."""

    source: str
    target: str
    kind: EdgeKind

    @property
    def id(self) -> str:
        return f"{self.source}->{self.target}#{self.kind.word}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeFact:
    """Valid in [valid_from, valid_to); open without an end."""

    source: Entity
    target: Entity
    kind: EdgeKind
    producer: str
    confidence: float
    valid_from: datetime
    valid_to: datetime | None = None
    transformation: Transformation = Transformation.UNKNOWN
    expression: str = ""
    masking: bool = False
    evidence: tuple[Evidence, ...] = ()
    actor: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)
    created_at: datetime | None = None

    @property
    def key(self) -> EdgeKey:
        return EdgeKey(self.source.id, self.target.id, self.kind)

    def says(self) -> tuple[object, ...]:
        """The claim without evidence, which may grow without a new fact."""
        return self.confidence, self.transformation, self.expression, self.masking, dict(self.metadata)


@dataclass(frozen=True, slots=True)
class NodeFact:
    """`details`: data_type, nullable, kind, source_file, … as `Node.details`."""

    entity: Entity
    producer: str
    valid_from: datetime
    valid_to: datetime | None = None
    details: Mapping[str, object] = field(default_factory=dict)

    def says(self) -> tuple[object, ...]:
        return self.entity.type, dict(self.details)


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeVersion:
    """An edge in one time interval."""

    key: EdgeKey
    valid_from: datetime
    valid_to: datetime | None
    confidence: float
    transformation: Transformation
    expression: str
    masking: bool
    facts: tuple[EdgeFact, ...] = ()  # most confident first

    @property
    def id(self) -> str:
        return self.key.id

    @property
    def level(self) -> ConfidenceLevel:
        return level_of(self.confidence)

    @property
    def confirmed(self) -> bool:
        """Read out of code, and seen in a run."""
        bases = {one.basis for fact in self.facts for one in fact.evidence}
        return Basis.OBSERVED in bases and not bases.isdisjoint(FROM_CODE)

    def to_dict(self) -> dict[str, object]:
        kind = self.key.kind
        return {
            "id": self.id,
            "source": self.key.source,
            "target": self.key.target,
            "type": str(kind.type),
            "relationship": str(kind.relationship) if kind.relationship else None,
            "kind": "indirect" if kind.indirect else "direct",
            "subtype": str(kind.indirect) if kind.indirect else None,
            "transformation": str(self.transformation),
            "expression": self.expression,
            "masking": self.masking,
            "confidence": self.confidence,
            "level": self.level,
            "confirmed": self.confirmed,
            "valid_from": self.valid_from.isoformat(),
            "valid_to": self.valid_to.isoformat() if self.valid_to else None,
            "actor": self.facts[0].actor if self.facts else "",
            "metadata": dict(self.facts[0].metadata) if self.facts else {},
            "created_at": min((f.created_at for f in self.facts if f.created_at), default=self.valid_from).isoformat(),
            "evidence": [{"producer": f.producer, **one.to_dict()} for f in self.facts for one in f.evidence],
        }


def versions_of(facts: Sequence[EdgeFact]) -> tuple[EdgeVersion, ...]:
    """The life of one edge, from all facts on it: what it was between any two of their ends. Neighbours that say the
    same are one version."""
    moments = sorted({fact.valid_from for fact in facts} | {fact.valid_to for fact in facts if fact.valid_to})
    found: list[EdgeVersion] = []
    for start, end in zip(moments, [*moments[1:], None], strict=False):  # without facts there are no moments
        valid = tuple(sorted((fact for fact in facts if holds(fact, start)), key=_by_confidence))
        if not valid:
            continue
        version = version_of(valid, start, end)
        if found and found[-1].valid_to == start and _same(found[-1], version):
            found[-1] = replace(version, valid_from=found[-1].valid_from)
        else:
            found.append(version)
    return tuple(found)


def version_of(facts: tuple[EdgeFact, ...], valid_from: datetime, valid_to: datetime | None) -> EdgeVersion:
    """What these facts of one edge say together, the most confident first."""
    best = facts[0]
    return EdgeVersion(
        key=best.key,
        valid_from=valid_from,
        valid_to=valid_to,
        confidence=combine(fact.confidence for fact in facts),
        transformation=best.transformation,
        expression=best.expression,
        masking=best.masking,
        facts=facts,
    )


def at_time(versions: Iterable[EdgeVersion], at: datetime | None) -> EdgeVersion | None:
    """The version that held at a time; None asks for the one that holds still."""
    for version in versions:
        if at is None and version.valid_to is None:
            return version
        if at is not None and version.valid_from <= at and (version.valid_to is None or at < version.valid_to):
            return version
    return None


def holds(fact: EdgeFact | NodeFact, at: datetime | None) -> bool:
    """Whether it is valid at a time; None: still."""
    if at is None:
        return fact.valid_to is None
    return fact.valid_from <= at and (fact.valid_to is None or at < fact.valid_to)


def _by_confidence(fact: EdgeFact) -> tuple[float, int, str, datetime]:
    return -fact.confidence, fact.transformation is Transformation.UNKNOWN, fact.producer, fact.valid_from


def _same(one: EdgeVersion, other: EdgeVersion) -> bool:
    return (one.confidence, one.transformation, one.expression, one.masking) == (
        (other.confidence, other.transformation, other.expression, other.masking)
    )
