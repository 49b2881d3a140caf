"""A subgraph fetched from Neo4j as the source of a graph, with names and details from the records. So one traversal
works on every store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from forge.lineage.facts.fact import EdgeVersion
from forge.lineage.facts.moment import to_micros
from forge.lineage.graph.store import GraphArrays, LineageStore
from forge.lineage.node import NODE_TYPES, Node
from forge.stores.neo4j.subgraph import Subgraph


class SubgraphSource:
    """Numbers follow the order of ids."""

    def __init__(self, part: Subgraph, record: LineageStore) -> None:
        self._part, self._record = part, record
        self._ids = ("", *sorted(part.nodes))
        self._numbers = {node_id: number for number, node_id in enumerate(self._ids) if number}

    def revision(self) -> int:
        return 1

    def changes(self, since: int) -> GraphArrays:
        return self.arrays()

    def arrays(self) -> GraphArrays:
        import numpy as np

        nodes, numbers = self._part.nodes, self._numbers
        edges = [(numbers[key.source], numbers[key.target], one) for key, one in self._part.edges.items()]
        return GraphArrays(
            revision=1,
            node=np.arange(1, len(self._ids), dtype=np.int32),
            node_type=np.array([NODE_TYPES.index(nodes[one][0]) for one in self._ids[1:]], np.uint8),
            parent=np.array([numbers.get(nodes[one][1], 0) for one in self._ids[1:]], np.int32),
            source=np.array([source for source, _, _ in edges], np.int32),
            target=np.array([target for _, target, _ in edges], np.int32),
            kind=np.array([one.key.kind.code for _, _, one in edges], np.uint16),
            confidence=np.array([one.confidence for _, _, one in edges], np.float64),
            valid_from=np.array([to_micros(one.valid_from) for _, _, one in edges], np.int64),
            valid_to=np.array([to_micros(one.valid_to) for _, _, one in edges], np.int64),
        )

    def numbers(self, ids: Sequence[str]) -> dict[str, int]:
        return {node_id: self._numbers[node_id] for node_id in ids if node_id in self._numbers}

    def nodes(self, numbers: Sequence[int], at: datetime | None = None) -> dict[int, Node]:
        ids = {self._ids[number]: number for number in numbers if 0 < number < len(self._ids)}
        recorded = self._record.numbers(list(ids))
        found = self._record.nodes(list(recorded.values()), at)
        return {ids[node.id]: node for node in found.values()}

    def versions(self, ends: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[EdgeVersion, ...]]:
        wanted, found = set(ends), defaultdict(list)
        for key, version in self._part.edges.items():
            pair = self._numbers[key.source], self._numbers[key.target]
            if pair in wanted:
                found[pair].append(version)
        return {pair: tuple(sorted(some, key=lambda one: one.key.kind.code)) for pair, some in found.items()}

    def near(self, name: str, limit: int = 2000) -> tuple[str, ...]:
        return self._record.near(name, limit)
