"""Declared lineage: edges, derivations and anonymizations of dataset versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from forge.flows.lineage.ports import LineagePorts
from forge.flows.lineage.reader import GraphReader, open_graph
from forge.flows.lineage.versions import split_version, version_details, with_versions
from forge.flows.runs.records import AuditRecord
from forge.lineage.edge import Transformation
from forge.lineage.errors import BadEdgeError, NotInGraphError
from forge.lineage.facts.claim import MANUAL, ClaimBatch, EdgeClaim, NodeClaim, WriteCounts, claim_of
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.facts.fact import EdgeFact
from forge.lineage.graph.store import LineageStore
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import TABLE_LIKE, Entity, NodeType
from forge.model.errors import ForgeError


@dataclass(frozen=True, slots=True)
class ProcessDefinition:
    """A transformation or a policy: name, version, parameters and code hash identify it."""

    name: str
    version: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    code_hash: str = ""

    @classmethod
    def of(cls, given: ProcessDefinition | str | Mapping[str, object]) -> ProcessDefinition:
        if isinstance(given, ProcessDefinition):
            return given
        if isinstance(given, str):
            name, _, version = given.partition("@")
            return cls(name, version)
        unknown = given.keys() - {"name", "version", "parameters", "code_hash"}
        parameters = given.get("parameters") or {}
        if unknown or not isinstance(given.get("name"), str) or not isinstance(parameters, Mapping):
            raise BadEdgeError(
                "A transformation or policy is a name, with version, parameters and code_hash where known",
                why=f"Not known: {', '.join(sorted(unknown))}." if unknown else None,
            )
        text = {key: str(given.get(key) or "") for key in ("version", "code_hash")}
        return cls(str(given["name"]), text["version"], dict(parameters), text["code_hash"])

    @property
    def id(self) -> str:
        return f"{self.name}@{self.version}" if self.version else self.name

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "version": self.version,
            "parameters": dict(self.parameters),
            "code_hash": self.code_hash,
        }


def record_edges(
    ports: LineagePorts,
    edges: Sequence[EdgeClaim],
    nodes: Sequence[NodeClaim] = (),
    *,
    actor: str | None = None,
    reason: str = "",
) -> WriteCounts:
    """Edges that someone declares. They join nodes that are known or declared here; one bad edge and nothing is
    written."""
    open_graph(ports)  # tables of commits that the graph has not seen yet are known, too
    who = actor or ports.actor
    claims = with_versions(ports.store, [_by_hand(claim, reason) for claim in edges])
    batch = ClaimBatch(
        producer=MANUAL, at=ports.clock(), edges=claims, nodes=tuple(nodes), complete=False, strict=True, actor=who
    )
    return _record(ports, [batch], "lineage.declare", reason)


def _record(ports: LineagePorts, batches: Sequence[ClaimBatch], action: str, reason: str = "") -> WriteCounts:
    """Writes the batch and an audit entry."""
    recorded = ports.store.record(batches)
    first = batches[0]
    ids = [claim.key.id for claim in first.edges] or [claim.entity.id for claim in first.nodes]
    detail = {"edges": len(first.edges), "nodes": len(first.nodes), "reason": reason, "first": ids[:20]}
    ports.metadata.note(AuditRecord(ports.clock(), first.actor, action, ids[0] if ids else "", detail))
    return recorded


def _by_hand(claim: EdgeClaim, reason: str) -> EdgeClaim:
    metadata = {**claim.metadata, "reason": reason} if reason else claim.metadata
    evidence = claim.evidence or (Evidence(basis=Basis.DECLARED, extractor=MANUAL),)
    return replace(claim, metadata=metadata, evidence=evidence)


def close_edge(ports: LineagePorts, edge_id: str, *, actor: str | None = None, reason: str = "") -> WriteCounts:
    """Takes back what was declared by hand. The edge stays in the history; E815 where others still say it."""
    view = open_graph(ports)
    now = ports.clock()
    version = view.lives(edge_id)[-1]
    if version.valid_to is not None and version.valid_to <= now:
        raise ForgeError("E815", f"{edge_id} ended at {version.valid_to.isoformat()} already")
    others = sorted({fact.producer for fact in version.facts if fact.producer != MANUAL})
    mine = [fact for fact in version.facts if fact.producer == MANUAL]
    if not mine:
        raise ForgeError(
            "E815",
            f"{edge_id} was not declared by hand",
            why=f"{', '.join(others)} still produces it.",
            fix="Change what produces it; the edge closes with its next run.",
        )
    at = max(now, *(fact.valid_from for fact in mine))
    why = {"closed_by": actor or ports.actor, **({"closed_because": reason} if reason else {})}
    retractions = tuple(_retraction(fact, why) for fact in mine)
    batch = ClaimBatch(producer=MANUAL, at=at, edges=retractions, complete=False, actor=actor or ports.actor)
    closing = ClaimBatch(
        producer=MANUAL, at=at, complete=False, actor=actor or ports.actor, closes=tuple(f.key for f in mine)
    )
    return _record(ports, [batch, closing], "lineage.close", reason)


def _retraction(fact: EdgeFact, why: Mapping[str, object]) -> EdgeClaim:
    """The same claim, with who takes it back and why."""
    return replace(claim_of(fact), valid_to=None, metadata={**fact.metadata, **why})


def record_derivation(
    ports: LineagePorts,
    source: str,
    target: str,
    transformation: ProcessDefinition | str | Mapping[str, object],
    actor: str | None = None,
) -> WriteCounts:
    """`target` was made from `source` by a transformation. Both are datasets, with `@version` where one is meant, or
    columns; what is not known yet is declared by this."""
    made = ProcessDefinition.of(transformation)
    return _record_made(ports, source, target, made, EdgeRelationship.DERIVED, actor, masking=False)


def record_anonymization(
    ports: LineagePorts,
    source: str,
    target: str,
    policy: ProcessDefinition | str | Mapping[str, object],
    actor: str | None = None,
) -> WriteCounts:
    """`target` holds what is in `source` made anonymous under a policy: what is personal ends there."""
    named = ProcessDefinition.of(policy)
    return _record_made(ports, source, target, named, EdgeRelationship.ANONYMIZED, actor, masking=True)


def _record_made(
    ports: LineagePorts,
    source: str,
    target: str,
    made: ProcessDefinition,
    relationship: EdgeRelationship,
    actor: str | None,
    *,
    masking: bool,
) -> WriteCounts:
    view = open_graph(ports)
    ends = entity_of(view, source), entity_of(view, target)
    transform = Entity(NodeType.TRANSFORM, made.id)
    role = "policy" if masking else "transformation"
    evidence = (Evidence(basis=Basis.DECLARED, extractor=role),)
    details = {key: value for key, value in made.to_dict().items() if value}
    kind = EdgeKind(EdgeType.DERIVES_FROM, relationship)
    edges = (
        EdgeClaim(
            source=ends[0],
            target=ends[1],
            kind=kind,
            transformation=Transformation.TRANSFORMATION,
            masking=masking,
            evidence=evidence,
            metadata={role: made.to_dict()},
        ),
        EdgeClaim(source=ends[0], target=transform, kind=EdgeKind(EdgeType.CONSUMES, None), evidence=evidence),
        EdgeClaim(
            source=transform, target=ends[1], kind=EdgeKind(EdgeType.PRODUCES, None), masking=masking, evidence=evidence
        ),
    )
    new = tuple(NodeClaim(end, version_details(end)) for end in ends if end.type is NodeType.DATASET)
    nodes = (NodeClaim(transform, {"transform_type": role, **details}), *new)
    claims = with_versions(ports.store, edges)
    batch = ClaimBatch(
        producer=MANUAL,
        at=ports.clock(),
        edges=claims,
        nodes=nodes,
        complete=False,
        strict=True,
        actor=actor or ports.actor,
    )
    return _record(ports, [batch], f"lineage.{'anonymize' if masking else 'derive'}")


def entity_of(view: GraphReader, text: str) -> Entity:
    """What a name means: something known, else a dataset, which may be one version of it."""
    name = text.strip()
    known = _known(view, name)
    if known is not None:
        return known
    base, version = split_version(name)
    table = _known(view, base) if version else None
    if table is not None and table.type in TABLE_LIKE:
        return Entity(NodeType.DATASET, f"{table.id}@{version}")
    return Entity(NodeType.DATASET, name)


def _known(view: GraphReader, name: str) -> Entity | None:
    try:
        return view.find(name).entity
    except NotInGraphError:
        if not name:
            raise
        return None


def total_of(done: Sequence[WriteCounts], store: LineageStore) -> WriteCounts:
    """What several writes changed; the revision is the store's where there was none."""
    revision = max((one.revision for one in done), default=None)
    counted = ("added", "extended", "changed", "closed", "nodes")
    sums = {name: sum(getattr(one, name) for one in done) for name in counted}
    return WriteCounts(store.revision() if revision is None else revision, **sums)
