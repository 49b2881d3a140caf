"""The state of the graph at a time: a function of the facts alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from forge.lineage.facts.fact import EdgeFact, EdgeKey, EdgeVersion, NodeFact, at_time, holds, version_of, versions_of
from forge.lineage.facts.record import details_of
from forge.lineage.graph.traversal import Link
from forge.lineage.node import TABLE_LIKE, Entity, Node, NodeType, short_name


@dataclass(frozen=True, slots=True)
class GraphState:
    """What was valid at `at` (None: now), by id. Nodes are those named by a fact or an edge, and the tables of their
    columns. Write times are not part of the state."""

    at: datetime | None
    nodes: Mapping[str, Node] = field(default_factory=dict)
    edges: Mapping[str, EdgeVersion] = field(default_factory=dict)

    def links(self) -> Iterator[Link]:
        for edge in self.edges.values():
            yield link_of(edge)

    def node_counts(self) -> dict[str, int]:
        """By type."""
        return dict(sorted(Counter(str(node.type) for node in self.nodes.values()).items()))

    def edge_counts(self) -> dict[str, int]:
        """By relationship; of the edges that have none by type."""
        kinds = (edge.key.kind for edge in self.edges.values())
        return dict(sorted(Counter(kind.counted for kind in kinds).items()))


def link_of(edge: EdgeVersion) -> Link:
    key = edge.key
    return Link(
        source=key.source,
        target=key.target,
        kind=key.kind,
        transformation=edge.transformation,
        expression=edge.expression,
        masking=edge.masking,
        confidence=edge.confidence,
        valid_from=edge.valid_from,
        valid_to=edge.valid_to,
    )


def state_at(edge_facts: Iterable[EdgeFact], node_facts: Iterable[NodeFact], at: datetime | None) -> GraphState:
    """Linear in the facts; their order does not matter."""
    lives: dict[EdgeKey, list[EdgeFact]] = defaultdict(list)
    for fact in edge_facts:
        lives[fact.key].append(fact)
    edges = {version.id: version for facts in lives.values() if (version := _version_at(facts, at))}
    by_node: dict[str, list[NodeFact]] = defaultdict(list)
    for word in node_facts:
        if at is None or word.valid_from <= at:
            by_node[word.entity.id].append(word)
    entities = _entities(edges.values(), by_node, at)
    nodes = {node_id: _node(entity, by_node.get(node_id, ()), at) for node_id, entity in entities.items()}
    return GraphState(at, dict(sorted(nodes.items())), dict(sorted(edges.items())))


def _entities(
    edges: Iterable[EdgeVersion], by_node: Mapping[str, Sequence[NodeFact]], at: datetime | None
) -> dict[str, Entity]:
    """All that is there: what a fact that holds speaks of, what an edge that holds ends at, and what contains these."""
    found: dict[str, Entity] = {}
    for edge in edges:
        for fact in edge.facts:
            _name(fact.source, found)
            _name(fact.target, found)
    for facts in by_node.values():
        for word in facts:
            if holds(word, at):
                _name(word.entity, found)
    return found


def _name(entity: Entity | None, found: dict[str, Entity]) -> None:
    while entity is not None:
        known = found.get(entity.id)
        if known == entity:
            return
        if known is None or _specificity(known.type) < _specificity(entity.type):
            found[entity.id] = entity
        entity = entity.parent


# Least specific first: every column has a table.
_BY_SPECIFICITY = (NodeType.TABLE, NodeType.DATASET, NodeType.VIEW, NodeType.EXTERNAL)


def _specificity(type_: NodeType) -> int:
    return _BY_SPECIFICITY.index(type_) if type_ in _BY_SPECIFICITY else -1


def _node(entity: Entity, facts: Sequence[NodeFact], at: datetime | None) -> Node:
    """Its type is that of the newest fact; where none holds, of the last that did."""
    held = [fact for fact in facts if holds(fact, at)]
    newest = max(facts, key=lambda fact: (holds(fact, at), fact.valid_from, fact.producer), default=None)
    entity = entity if newest is None else newest.entity
    return node_of(entity, details_of(held), unresolved=not held)


def node_of(entity: Entity, details: Mapping[str, object] | None = None, *, unresolved: bool = False) -> Node:
    """An entity as a node, with the table and parent derived from its name."""
    parent, table = entity.parent, entity.id if entity.type in TABLE_LIKE else ""
    if parent is not None:
        above = parent.parent
        table = parent.id if above is None else above.id
    above_it = "" if parent is None else parent.id
    name = short_name(entity)
    return Node(
        id=entity.id,
        type=entity.type,
        name=name,
        table=table,
        parent=above_it,
        details=details or {},
        unresolved=unresolved,
    )


def _version_at(facts: Sequence[EdgeFact], at: datetime | None) -> EdgeVersion | None:
    if not any(holds(fact, at) for fact in facts):
        return None
    if len(facts) > 1:
        return at_time(versions_of(facts), at)
    return version_of(tuple(facts), facts[0].valid_from, facts[0].valid_to)
