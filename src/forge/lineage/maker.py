"""Producers of data: a transform consumes tables and produces others, a pipeline executes transforms. These edges
duplicate, at job level, the edges between data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from forge.lineage.facts.claim import EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Evidence
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import Entity, NodeType

CONSUMES = EdgeKind(EdgeType.CONSUMES, EdgeRelationship.DERIVED)
PRODUCES = EdgeKind(EdgeType.PRODUCES, EdgeRelationship.DERIVED)
EXECUTES = EdgeKind(EdgeType.EXECUTES, None)
OUTPUT = "output"  # of a transform that makes one table: its name


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """`pipeline`: what runs it; its details have the location."""

    entity: Entity
    reads: frozenset[Entity] = frozenset()
    writes: frozenset[Entity] = frozenset()
    details: Mapping[str, object] = field(default_factory=dict)
    pipeline: NodeClaim | None = None
    evidence: tuple[Evidence, ...] = ()
    confidence: float | None = None


def transform_of(
    name: str, table: Entity, reads: Iterable[Entity], file: str, line: int, evidence: tuple[Evidence, ...]
) -> Maker:
    """One that makes one table. A table that it changes is read, too."""
    place: dict[str, object] = {"source_file": file} if file else {}
    if file and line:
        place["source_line"] = line
    language = file.rpartition(".")[2].lower() if "." in file else ""
    details = {"transform_type": _LANGUAGES.get(language, language or "transform"), OUTPUT: table.id, **place}
    return Maker(
        entity=Entity(NodeType.TRANSFORM, name),
        reads=frozenset(reads),
        writes=frozenset({table}),
        details=details,
        evidence=evidence,
    )


_LANGUAGES = {"py": "python", "ipynb": "notebook", "yaml": "source", "yml": "source"}


def maker_edges(maker: Maker) -> Iterable[EdgeClaim]:
    sure, seen = maker.confidence, maker.evidence
    for table in sorted(maker.reads):
        yield EdgeClaim(source=table, target=maker.entity, kind=CONSUMES, confidence=sure, evidence=seen)
    for table in sorted(maker.writes):
        yield EdgeClaim(source=maker.entity, target=table, kind=PRODUCES, confidence=sure, evidence=seen)
    if maker.pipeline is not None:
        yield EdgeClaim(
            source=maker.pipeline.entity, target=maker.entity, kind=EXECUTES, confidence=sure, evidence=seen
        )


def maker_nodes(maker: Maker) -> Iterable[NodeClaim]:
    yield NodeClaim(maker.entity, maker.details)
    if maker.pipeline is not None:
        yield maker.pipeline
