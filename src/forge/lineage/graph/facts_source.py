"""A small graph in memory for unrecorded facts: of a branch, an extraction, a test."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from forge.lineage.edge import Edge, IndirectEdge, TableEdge, Transformation
from forge.lineage.facts.fact import EdgeFact, EdgeVersion, versions_of
from forge.lineage.facts.moment import OPEN
from forge.lineage.graph.store import GraphArrays
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind, relationship_of
from forge.lineage.node import NODE_TYPES, TABLE_LIKE, Entity, Node, NodeType, column_of

_ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)


class FactsSource:
    """Node numbers follow the order of ids."""

    def __init__(self, facts: Iterable[EdgeFact], nodes: Iterable[Node] = ()) -> None:
        self._facts: dict[tuple[str, str], list[EdgeFact]] = defaultdict(list)
        entities: dict[str, Entity] = {}
        for fact in facts:
            self._facts[fact.source.id, fact.target.id].append(fact)
            for end in (fact.source, fact.target):
                entities.setdefault(end.id, end)
        for entity in tuple(entities.values()):
            _add_parents(entity, entities)
        known = {id_: _node_of(entity) for id_, entity in entities.items()} | {node.id: node for node in nodes}
        self._nodes = dict(enumerate((known[id_] for id_ in sorted(known)), 1))
        self._numbers = {node.id: number for number, node in self._nodes.items()}

    def revision(self) -> int:
        return 1

    def arrays(self) -> GraphArrays:
        import numpy as np

        from forge.lineage.facts.moment import to_micros

        nodes = self._nodes.values()
        facts = [fact for some in self._facts.values() for fact in some]
        ends = [None if fact.valid_to is None else to_micros(fact.valid_to) for fact in facts]
        return GraphArrays(
            revision=1,
            node=np.arange(1, len(self._nodes) + 1, dtype=np.int32),
            node_type=np.array([NODE_TYPES.index(node.type) for node in nodes], np.uint8),
            parent=np.array([self._numbers.get(node.parent, 0) for node in nodes], np.int32),
            source=np.array([self._numbers[fact.source.id] for fact in facts], np.int32),
            target=np.array([self._numbers[fact.target.id] for fact in facts], np.int32),
            kind=np.array([fact.kind.code for fact in facts], np.uint16),
            confidence=np.array([fact.confidence for fact in facts], np.float64),
            valid_from=np.array([to_micros(fact.valid_from) for fact in facts], np.int64),
            valid_to=np.array([OPEN if end is None else end for end in ends], np.int64),
        )

    def changes(self, since: int) -> GraphArrays:
        return self.arrays()

    def numbers(self, ids: Sequence[str]) -> dict[str, int]:
        return {id_: self._numbers[id_] for id_ in ids if id_ in self._numbers}

    def nodes(self, numbers: Sequence[int], at: datetime | None = None) -> dict[int, Node]:
        return {number: self._nodes[number] for number in numbers if number in self._nodes}

    def versions(self, ends: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[EdgeVersion, ...]]:
        found = {}
        for source, target in ends:
            by_kind: dict[EdgeKind, list[EdgeFact]] = defaultdict(list)
            for fact in self._facts.get((self._nodes[source].id, self._nodes[target].id), ()):
                by_kind[fact.kind].append(fact)
            found[source, target] = tuple(one for facts in by_kind.values() for one in versions_of(facts))
        return found

    def near(self, name: str, limit: int = 2000) -> tuple[str, ...]:
        return tuple(self._numbers)


def facts_of(
    edges: Iterable[Edge] = (), table_edges: Iterable[TableEdge] = (), indirect: Iterable[IndirectEdge] = ()
) -> tuple[EdgeFact, ...]:
    """Edges of an extractor. Of the same edge from different runs the most confident counts, of equals the last."""
    found: dict[object, EdgeFact] = {}

    def keep(source: Entity, target: Entity, kind: EdgeKind, edge: Edge | None = None) -> None:
        fact = EdgeFact(
            source=source,
            target=target,
            kind=kind,
            producer="",
            confidence=edge.confidence if edge else 1.0,
            valid_from=_ALWAYS,
            transformation=edge.transformation if edge else Transformation.UNKNOWN,
            expression=edge.expression if edge else "",
            masking=edge.masking if edge else False,
        )
        known = found.get(fact.key)
        if known is None or fact.confidence >= known.confidence:
            found[fact.key] = fact

    for edge in edges:
        kind = EdgeKind(EdgeType.DERIVES_FROM, relationship_of(edge.transformation, masking=edge.masking))
        source, target = (column_of(end.table, end.column) for end in (edge.source, edge.target))
        keep(source, target, kind, edge)
    for table_edge in table_edges:
        kind = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.DERIVED)
        keep(_table(table_edge.source), _table(table_edge.target), kind)
    for one in indirect:
        source = column_of(one.source.table, one.source.column, one.source.field)
        keep(source, _table(one.target), indirect_kind(one.subtype))
    return tuple(found.values())


def _table(name: str) -> Entity:
    """What has a system before its name is not in the lake."""
    return Entity(NodeType.EXTERNAL if ":" in name else NodeType.TABLE, name)


def _add_parents(entity: Entity, entities: dict[str, Entity]) -> None:
    parent = entity.parent
    if parent is None or parent.id in entities:
        return
    parent = _table(parent.name) if parent.type in TABLE_LIKE else parent
    entities[parent.id] = parent
    _add_parents(parent, entities)


def _node_of(entity: Entity) -> Node:
    parent = entity.parent
    table = entity
    while (above := table.parent) is not None:
        table = above
    own = table.id if table.type in TABLE_LIKE else ""
    return Node(id=entity.id, type=entity.type, name=entity.name, table=own, parent=parent.id if parent else "")
