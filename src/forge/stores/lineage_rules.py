"""Rules shared by all lineage stores: nodes named by a batch, conflicts of ids, the state of a node at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from forge.lineage.errors import IdTakenError
from forge.lineage.facts.claim import ClaimBatch, check_known
from forge.lineage.facts.fact import NodeFact, holds
from forge.lineage.facts.record import details_of
from forge.lineage.graph.store import Snapshot
from forge.lineage.node import TABLE_LIKE, Entity, Node, NodeType, short_name
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.stores.json_values import plain

# Types according to edges: TABLE is the least specific, since every column has one.
_TELLING = (NodeType.TABLE, NodeType.DATASET, NodeType.VIEW, NodeType.EXTERNAL)


def settled(batch: ClaimBatch) -> ClaimBatch:
    """With metadata and details as they are read back, so that the same batch again says the same."""
    if not any(claim.metadata for claim in batch.edges) and not any(claim.details for claim in batch.nodes):
        return batch
    edges = (replace(claim, metadata=_plain(claim.metadata)) if claim.metadata else claim for claim in batch.edges)
    nodes = (replace(claim, details=_plain(claim.details)) if claim.details else claim for claim in batch.nodes)
    return replace(batch, edges=tuple(edges), nodes=tuple(nodes))


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    return {str(key): plain(value) for key, value in values.items()}


def named_by(batch: ClaimBatch) -> dict[str, Entity]:
    """All nodes of a batch and their containers, parents first, with the type according to edges: claims on nodes
    are kept as facts. E812 if two of different types have one id."""
    found: dict[str, Entity] = {}
    for claim in batch.edges:
        _name(claim.source, found)
        _name(claim.target, found)
    for node in batch.nodes:
        claimed = node.entity
        _name(Entity(NodeType.TABLE, claimed.name) if claimed.type in TABLE_LIKE else claimed, found)
    return found


def _name(entity: Entity, found: dict[str, Entity]) -> None:
    node_id = entity.id
    known = found.get(node_id)
    if known is None:
        parent = entity.parent
        if parent is not None:
            _name(parent, found)
        found[node_id] = entity
    elif known != entity:
        check_free(entity, known.type, known.owner)
        found[node_id] = replace(known, type=more_specific_type(known.type, entity.type))


def more_specific_type(one: NodeType, other: NodeType) -> NodeType:
    """Of two types that edges give one node."""
    return max(one, other, key=_TELLING.index) if one in TABLE_LIKE and other in TABLE_LIKE else one


def check_free(entity: Entity, known: NodeType, owner: str) -> None:
    """Tables, views, datasets and what is outside may become each other; otherwise an id is of one type for good."""
    if known in TABLE_LIKE and entity.type in TABLE_LIKE:
        return
    if known is not entity.type:
        raise IdTakenError(
            f"{entity.id} is a {known}, not a {entity.type}",
            why="One id names one thing in the graph. Nothing of the batch was written.",
            fix="Give the other one a longer name: `system:database.schema.table`.",
        )
    if owner != entity.owner:
        raise IdTakenError(
            f"{entity.id} belongs to {owner}, not to {entity.owner}",
            why="One id names one thing in the graph. Nothing of the batch was written.",
            fix="Give the other one a longer name: `system:database.schema.table`.",
        )


def check_strict(batch: ClaimBatch, known: Iterable[str], near: Callable[[str], Sequence[str]]) -> None:
    """E802 with the nearest names, if a strict batch has an unknown end."""
    if not batch.strict:
        return
    there = {*known, *(claim.entity.id for claim in batch.nodes)}
    ends = (end.id for claim in batch.edges for end in (claim.source, claim.target))
    missing = next((end for end in ends if end not in there), None)
    if missing is not None:
        meant = did_you_mean(missing, near(missing))
        check_known(batch, [missing], {missing: meant} if meant else {})


@dataclass(frozen=True, slots=True)
class StoredNode:
    """The stored row of a node besides its facts. `mentioned`: its type according to edges."""

    id: str
    mentioned: NodeType
    parent: str
    table: str
    created_at: datetime


def type_of(mentioned: NodeType, facts: Iterable[NodeFact], at: datetime | None) -> NodeType:
    """The newest word counts; where none holds, the last one that did."""
    known = [fact for fact in facts if at is None or fact.valid_from <= at]
    best = max(known, key=lambda fact: (holds(fact, at), fact.valid_from, fact.producer), default=None)
    return mentioned if best is None else best.entity.type


def node_of(known: StoredNode, facts: Sequence[NodeFact], at: datetime | None) -> Node:
    valid = [fact for fact in facts if holds(fact, at)]
    kind = type_of(known.mentioned, facts, at)
    table = known.id if kind in TABLE_LIKE else known.table
    moments = (moment for fact in facts for moment in (fact.valid_from, fact.valid_to) if moment)
    updated = max([known.created_at, *(moment for moment in moments if at is None or moment <= at)])
    name = short_name(entity_of(known.id, kind, known.parent))
    details = details_of(valid)
    return Node(
        id=known.id,
        type=kind,
        name=name,
        table=table,
        parent=known.parent,
        details=details,
        created_at=known.created_at,
        updated_at=updated,
        unresolved=not valid,
    )


def entity_of(node_id: str, type_: NodeType, owner: str) -> Entity:
    if owner:
        return Entity(type_, node_id[len(owner) + 1 :], owner)
    named = Entity(type_, node_id)
    return named if named.id == node_id else Entity(type_, node_id.partition(":")[2])


def words_of(text: str) -> list[str]:
    return text.lower().split()


def nearest_first(name: str) -> Iterable[str]:
    """The most significant parts of a name, the last first."""
    parts = [part for part in name.lower().replace(":", ".").split(".") if part]
    return dict.fromkeys(reversed(parts))


def snapshot_exists(name: str) -> ForgeError:
    return ForgeError(
        "E808",
        f"There is a snapshot {name} already",
        why="A snapshot names one time for good.",
        fix="Take another name, or let go of it first: forge lineage snapshot NAME --delete",
    )


def snapshot_order(snapshot: Snapshot) -> tuple[datetime, str]:
    return snapshot.at, snapshot.name
