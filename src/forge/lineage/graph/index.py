"""In-memory adjacency index: incoming and outgoing edges of each node, as arrays. Traversals read only this; names,
expressions and evidence stay in the store."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.edge import IndirectType
from forge.lineage.facts.moment import OPEN
from forge.lineage.graph.intervals import VersionArrays, joined, versions_from
from forge.lineage.graph.packed_rows import PackedRows, pack, ranges
from forge.lineage.graph.request import MIN_CONFIDENCE, EdgeFilter
from forge.lineage.graph.store import GraphArrays
from forge.lineage.kind import CODES, EdgeRelationship, EdgeType, kind_of
from forge.lineage.node import NODE_TYPES, TABLE_LIKE, NodeType

Array = NDArray[Any]
COLUMN, FIELD = NODE_TYPES.index(NodeType.COLUMN), NODE_TYPES.index(NodeType.FIELD)
IS_TABLE = np.array([type_ in TABLE_LIKE for type_ in NODE_TYPES])
# The rows of a node in three classes: what a question without options follows, what it hides as not sure enough, and
# the rest (closed, indirect, …). So the usual question tests nothing at all.
USUAL, UNSURE, REST = range(3)
CLASSES = 3
SHOWN, HIDDEN = 1, 2  # 0: not known yet
NEIGHBOUR_CACHE_SIZE = 50_000  # nodes whose neighbours are kept as Python has them: some megabytes


def codes_taken(edges: EdgeFilter) -> NDArray[np.bool_]:
    """For each code whether the filter takes its kind."""
    return _taken(replace(edges, at=None, min_confidence=MIN_CONFIDENCE))


@lru_cache
def _taken(edges: EdgeFilter) -> NDArray[np.bool_]:
    taken = np.zeros(CODES, bool)
    for code in range(CODES):
        if code & 7 < len(EdgeType) and code >> 3 & 15 <= len(EdgeRelationship) and code >> 7 <= len(IndirectType):
            taken[code] = edges.takes(kind_of(code))
    taken.flags.writeable = False  # many questions share it
    return taken


_USUAL_KINDS = codes_taken(EdgeFilter())


class NeighbourCache(dict[int, tuple[int, ...]]):
    """Cache of default neighbours of recently visited nodes, as Python tuples."""

    def __init__(self, bounds: NDArray[np.int32], other: NDArray[np.int32]) -> None:
        super().__init__()
        self._bounds, self._other = bounds.reshape(-1).data, other.data

    def __missing__(self, node: int) -> tuple[int, ...]:
        if len(self) >= NEIGHBOUR_CACHE_SIZE:
            self.clear()
        found = tuple(self._other[self._bounds[4 * node] : self._bounds[4 * node + 1]].tolist())
        self[node] = found
        return found


@dataclass(frozen=True)
class Adjacency:
    """All edges by one of their ends."""

    packed: PackedRows

    @cached_property
    def near(self) -> NeighbourCache:
        return NeighbourCache(self.bounds, self.other)

    @property
    def bounds(self) -> NDArray[np.int32]:
        """Of each node: where the usual edges begin, the unsure ones, the rest, and where it ends."""
        return self.packed.bounds

    @property
    def other(self) -> NDArray[np.int32]:
        return self.packed.columns[0]

    @property
    def kind(self) -> NDArray[np.uint16]:
        return self.packed.columns[1]

    @property
    def confidence(self) -> NDArray[np.float64]:
        return self.packed.columns[2]

    @property
    def valid_from(self) -> NDArray[np.int64]:
        return self.packed.columns[3]

    @property
    def valid_to(self) -> NDArray[np.int64]:
        return self.packed.columns[4]


@dataclass(frozen=True, kw_only=True)
class GraphIndex:
    """Immutable: `changed` returns a new one that shares what it can. `hidden` and `kept` are lazily derived from
    the nodes."""

    revision: int
    after: Adjacency  # by source
    before: Adjacency  # by target
    node_type: NDArray[np.uint8]
    parent: NDArray[np.int32]
    table: NDArray[np.int32]  # of a column or field its table, of a table itself, else 0
    inside: PackedRows  # of a table its columns and fields
    edges: int  # versions
    hidden: NDArray[np.uint8]  # of tables, as far as was asked: SHOWN or HIDDEN
    kept: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def size(self) -> int:
        """One more than the highest number of a node."""
        return len(self.node_type)

    @property
    def nbytes(self) -> int:
        sides = self.after.packed.nbytes + self.before.packed.nbytes
        nodes = (self.node_type, self.parent, self.table, self.hidden)
        return sides + self.inside.nbytes + sum(one.nbytes for one in nodes)

    @classmethod
    def build(cls, arrays: GraphArrays) -> GraphIndex:
        node_type, parent = _placed(arrays, np.zeros(0, np.uint8), np.zeros(0, np.int32))
        table = _tables(node_type, parent)
        held = np.flatnonzero((table > 0) & (table != np.arange(len(table)))).astype(np.int32)
        inside = pack(len(table), table[held], np.zeros(len(held), np.int64), (held,), 1)
        versions = versions_from(_facts(arrays))
        group = _classes(versions)
        after = pack(len(table), versions.source, group, _columns(versions, versions.target), CLASSES)
        before = pack(len(table), versions.target, group, _columns(versions, versions.source), CLASSES)
        return cls(
            revision=arrays.revision,
            after=Adjacency(after),
            before=Adjacency(before),
            node_type=node_type,
            parent=parent,
            table=table,
            inside=inside,
            edges=len(versions),
            hidden=np.zeros(len(table), np.uint8),
        )

    def changed(self, arrays: GraphArrays) -> GraphIndex:
        """With new nodes, and with these facts replacing all on their edges."""
        node_type, parent, table, inside = self.node_type, self.parent, self.table, self.inside
        hidden, kept = self.hidden, self.kept
        if len(arrays.node):
            node_type, parent = _placed(arrays, self.node_type, self.parent)
            table = _tables(node_type, parent)
            inside = _inside(self, table)
            hidden, kept = np.zeros(len(table), np.uint8), {}
            hidden[: self.size] = self.hidden
            hidden[arrays.node] = 0
        facts = _facts(arrays)
        versions = versions_from(facts)
        size = len(table)
        after, more = _replaced(self.after, facts.source, facts.target, facts.kind, versions, versions.source, size)
        before, _ = _replaced(self.before, facts.target, facts.source, facts.kind, versions, versions.target, size)
        return GraphIndex(
            revision=arrays.revision,
            after=after,
            before=before,
            node_type=node_type,
            parent=parent,
            table=table,
            inside=inside,
            edges=self.edges + more,
            hidden=hidden,
            kept=kept,
        )

    def columns_of(self, tables: Array) -> tuple[Array, Array]:
        """The columns and fields of each table, and of which it is."""
        bounds = self.inside.bounds[tables]
        rows, places = ranges(bounds[:, 0], bounds[:, 1])
        return rows, self.inside.columns[0][places]


def _facts(arrays: GraphArrays) -> VersionArrays:
    return VersionArrays(
        arrays.source, arrays.target, arrays.kind, arrays.confidence, arrays.valid_from, arrays.valid_to
    )


def _classes(versions: VersionArrays) -> Array:
    usual = _USUAL_KINDS[versions.kind] & (versions.valid_to == OPEN)
    return np.where(usual, np.where(versions.confidence >= MIN_CONFIDENCE, USUAL, UNSURE), REST)


def _columns(versions: VersionArrays, other: Array) -> tuple[Array, ...]:
    return (
        other.astype(np.int32, copy=False),
        versions.kind.astype(np.uint16, copy=False),
        versions.confidence.astype(np.float64, copy=False),
        versions.valid_from.astype(np.int64, copy=False),
        versions.valid_to.astype(np.int64, copy=False),
    )


def _placed(arrays: GraphArrays, types: Array, parents: Array) -> tuple[Array, Array]:
    """Type and parent of each node, at the place of its number."""
    ends = [arrays.node, arrays.parent, arrays.source, arrays.target]
    size = max(len(types), *(int(end.max(initial=0)) + 1 for end in ends))
    node_type, parent = np.zeros(size, np.uint8), np.zeros(size, np.int32)
    node_type[: len(types)], parent[: len(parents)] = types, parents
    node_type[arrays.node], parent[arrays.node] = arrays.node_type, arrays.parent
    return node_type, parent


def _tables(node_type: Array, parent: Array) -> Array:
    """A field is in a column or another field, and that in a table."""
    table = np.where(IS_TABLE[node_type], np.arange(len(node_type), dtype=np.int32), np.int32(0))
    columns = np.flatnonzero(node_type == COLUMN)
    table[columns] = parent[columns]
    fields = np.flatnonzero(node_type == FIELD)
    up = parent[fields]
    while len(deep := np.flatnonzero(node_type[up] == FIELD)):
        up[deep] = parent[up[deep]]
    table[fields] = table[up]
    return table


def _inside(index: GraphIndex, table: Array) -> PackedRows:
    """With the new columns in their tables; a column that has got another table leaves the old one."""
    before = np.zeros(len(table), np.int32)
    before[: index.size] = index.table
    moved = np.flatnonzero(before != table)
    touched = np.unique(np.concatenate((before[moved], table[moved])))
    touched = touched[touched > 0]
    old = touched[touched < index.size]
    rows, kept = index.columns_of(old)
    stays = table[kept] == old[rows]
    new = moved[(table[moved] > 0) & (table[moved] != moved)].astype(np.int32)
    held = np.concatenate((kept[stays], new))
    return index.inside.replaced(touched, table[held], np.zeros(len(held), np.int64), (held,), len(table))


def _replaced(
    side: Adjacency, own: Array, other: Array, kind: Array, versions: VersionArrays, owner: Array, size: int
) -> tuple[Adjacency, int]:
    """Replaces the versions of the touched edges (own, other, kind) in one side. Also returns the growth."""
    owners = np.unique(own)
    old = owners[owners < side.packed.owners]
    rows, places = ranges(side.bounds[old, 0], side.bounds[old, -1])
    base = old[rows]
    columns = [column[places] for column in side.packed.columns]
    keep = np.flatnonzero(~_among(base, columns[0], columns[1], own, other, kind))
    outer = versions.target if owner is versions.source else versions.source
    kept = VersionArrays(base[keep], *(column[keep] for column in columns))
    new = VersionArrays(owner, outer, versions.kind, versions.confidence, versions.valid_from, versions.valid_to)
    all_rows = joined([kept, new])
    columns_now = _columns(all_rows, all_rows.target)
    packed = side.packed.replaced(owners, all_rows.source, _classes(all_rows), columns_now, size)
    return Adjacency(packed), len(all_rows) - len(places)


def _among(own: Array, other: Array, kind: Array, own2: Array, other2: Array, kind2: Array) -> Array:
    """Which of the first are also among the second."""
    both = np.unique(np.concatenate((other, other2)))
    owners = np.unique(own2)

    def key(one: Array, two: Array, three: Array) -> Array:
        return (np.searchsorted(owners, one) * np.int64(len(both)) + np.searchsorted(both, two)) * CODES + three

    return np.isin(key(own, other, kind), key(own2, other2, kind2))
