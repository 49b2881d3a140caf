"""Facts of a graph as the arrays that a store gives to the index, and what a random history of them is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from forge.lineage.edge import IndirectType
from forge.lineage.graph.store import OPEN, GraphArrays
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType, indirect_kind
from forge.lineage.node import NODE_TYPES, NodeType

COPIED = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED)
KINDS = (
    COPIED,
    EdgeKind(),
    EdgeKind(EdgeType.CONSUMES, None),
    EdgeKind(EdgeType.CONTAINS, None),
    indirect_kind(IndirectType.FILTER),
)


@dataclass(frozen=True, slots=True)
class Row:
    """A fact, by numbers."""

    source: int
    target: int
    confidence: float = 1.0
    kind: EdgeKind = COPIED
    start: int = 0
    end: int = OPEN

    @property
    def key(self) -> tuple[int, int, int]:
        return self.source, self.target, self.kind.code


def arrays_of(
    rows: Iterable[Row],
    types: Mapping[int, NodeType] | None = None,
    parents: Mapping[int, int] | None = None,
    *,
    nodes: int = 0,
    revision: int = 1,
    new_nodes: Sequence[int] | None = None,
) -> GraphArrays:
    """Nodes are columns without a table, unless told."""
    given = tuple(rows)
    types, parents = types or {}, parents or {}
    top = max([nodes, *types, *parents, *(end for row in given for end in (row.source, row.target))], default=0)
    numbers = list(range(1, top + 1)) if new_nodes is None else list(new_nodes)
    return GraphArrays(
        revision=revision,
        node=np.array(numbers, np.int32),
        node_type=np.array([NODE_TYPES.index(types.get(number, NodeType.COLUMN)) for number in numbers], np.uint8),
        parent=np.array([parents.get(number, 0) for number in numbers], np.int32),
        source=np.array([row.source for row in given], np.int32),
        target=np.array([row.target for row in given], np.int32),
        kind=np.array([row.kind.code for row in given], np.uint16),
        confidence=np.array([row.confidence for row in given], np.float64),
        valid_from=np.array([row.start for row in given], np.int64),
        valid_to=np.array([row.end for row in given], np.int64),
    )


CONFIDENCES = (0.2, 0.3, 0.5, 0.6, 0.8, 0.9, 0.95, 1.0)


def rows(nodes: int = 9, most: int = 40, kinds: Sequence[EdgeKind] = (COPIED,)) -> st.SearchStrategy[list[Row]]:
    """Open edges, each once."""
    ends = st.integers(1, nodes)
    row = st.builds(Row, ends, ends, st.sampled_from(CONFIDENCES), st.sampled_from(tuple(kinds)))
    return st.lists(row, max_size=most, unique_by=lambda one: one.key)


def histories(nodes: int = 6, most: int = 30) -> st.SearchStrategy[list[Row]]:
    """Facts in intervals of time that may overlap, touch or have gaps."""

    def row(source: int, target: int, sure: float, kind: EdgeKind, start: int, length: int | None) -> Row:
        return Row(source, target, sure, kind, start, OPEN if length is None else start + length)

    ends = st.integers(1, nodes)
    length = st.one_of(st.none(), st.integers(1, 6))
    one = st.builds(row, ends, ends, st.sampled_from(CONFIDENCES), st.sampled_from(KINDS), st.integers(0, 10), length)
    return st.lists(one, max_size=most)
