"""Records the edges of a query log: each once, with its number of occurrences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from forge.flows.lineage.code.claims import name_in_lake
from forge.flows.lineage.ports import LineagePorts
from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.program import RESOLVED
from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, WriteCounts
from forge.lineage.facts.evidence import CONFIDENCE, Basis, Evidence
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind, relationship_of
from forge.lineage.node import Entity, NodeType, column_of, table_of

PRODUCER = "queries:"
_EXTRACTOR = "query-log"


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeCount:
    """`kind`: direct, indirect, table or gap; for a gap `expression` is the reason. `first`: the id of one query."""

    kind: str
    source: str
    target: str
    transformation: str
    masking: bool
    subtype: str
    expression: str
    confidence: float
    times: int
    first: str
    source_field: str = ""
    target_field: str = ""


@dataclass(frozen=True, slots=True)
class QueryLogResult:
    """`gaps`: number of queries by reason."""

    name: str
    recorded: WriteCounts
    edges: int
    gaps: tuple[tuple[str, int], ...]

    def to_dict(self) -> dict[str, object]:
        return {
            "log": self.name,
            "edges": self.edges,
            "recorded": {
                "added": self.recorded.added,
                "changed": self.recorded.changed,
                "closed": self.recorded.closed,
            },
            "gaps": [{"reason": reason, "queries": times} for reason, times in self.gaps],
        }


def record_log(ports: LineagePorts, name: str, found: Iterable[EdgeCount]) -> QueryLogResult:
    """Records a complete log: edges that it no longer has are closed."""
    claims: dict[object, EdgeClaim] = {}
    gaps: dict[str, int] = {}
    for one in found:
        if one.kind == "gap":
            gaps[one.expression] = gaps.get(one.expression, 0) + one.times
            continue
        claim = _claim(one)
        before = claims.get(claim.key)
        claims[claim.key] = claim if before is None else _both(before, claim)
    batch = ClaimBatch(producer=f"{PRODUCER}{name}", at=ports.clock(), edges=tuple(claims.values()), actor=ports.actor)
    recorded = ports.store.record([batch])
    direct = sum(bool(claim.target.owner) for claim in claims.values())
    return QueryLogResult(name, recorded, direct, tuple(sorted(gaps.items(), key=lambda gap: (-gap[1], gap[0]))))


def _claim(one: EdgeCount) -> EdgeClaim:
    evidence = (Evidence(basis=_basis(one.confidence), extractor=_EXTRACTOR, file=one.first, times=one.times),)
    source, target = name_in_lake(one.source), name_in_lake(one.target)
    match one.kind:
        case "direct":
            how = Transformation(one.transformation)
            kind = EdgeKind(EdgeType.DERIVES_FROM, relationship_of(how, masking=one.masking))
            return EdgeClaim(
                source=_column(source, one.source_field),
                target=_column(target, one.target_field),
                kind=kind,
                transformation=how,
                expression=one.expression,
                masking=one.masking,
                confidence=one.confidence,
                evidence=evidence,
            )
        case "indirect":
            end, kind = _column(source, one.source_field), indirect_kind(IndirectType(one.subtype))
            return EdgeClaim(source=end, target=_table(target), kind=kind, confidence=RESOLVED, evidence=evidence)
    kind = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.DERIVED)
    return EdgeClaim(
        source=_table(source), target=_table(target), kind=kind, confidence=one.confidence, evidence=evidence
    )


def _both(one: EdgeClaim, other: EdgeClaim) -> EdgeClaim:
    best = one if one.sure >= other.sure else other
    times = sum(seen.times for claim in (one, other) for seen in claim.evidence)
    return replace(best, evidence=(replace(best.evidence[0], times=times),))


def _basis(confidence: float) -> Basis:
    return next((one for one in (Basis.RESOLVED, Basis.POSITION) if confidence >= CONFIDENCE[one]), Basis.GUESSED)


def _table(name: str) -> Entity:
    return table_of(name, NodeType.EXTERNAL if "/" in name or ":" in name else NodeType.TABLE)


def _column(name: str, field: str) -> Entity:
    whole = name.removesuffix(f".{field}") if field else name
    table, _, column = whole.rpartition(".")
    return column_of(table, column, field)
