"""Adjacency under a filter: the edges of an entity in one direction, at one level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.facts.moment import OPEN, to_micros
from forge.lineage.graph.index import COLUMN, FIELD, IS_TABLE, Adjacency, GraphIndex, codes_taken
from forge.lineage.graph.packed_rows import PackedRows, pack, places_of, ranges
from forge.lineage.graph.request import MIN_CONFIDENCE, Direction, EdgeFilter
from forge.lineage.kind import CODES

Array = NDArray[Any]
_INDIRECT = np.arange(CODES) >> 7 > 0


@dataclass(frozen=True, slots=True)
class CompiledFilter:
    """A compiled filter. `usual`: current edges of the default kinds, which the index has precomputed; `plain`: also
    with the default confidence, so that nothing need be tested."""

    taken: NDArray[np.bool_]
    least: float
    at: int | None
    indirect: bool
    usual: bool

    @property
    def plain(self) -> bool:
        return self.usual and self.least == MIN_CONFIDENCE


def compile_filter(edges: EdgeFilter) -> CompiledFilter:
    usual = edges.at is None and (edges.types, edges.indirect, edges.parallel, edges.relationships) == (
        (EdgeFilter().types, False, False, frozenset())
    )
    at = None if edges.at is None else to_micros(edges.at)
    return CompiledFilter(codes_taken(edges), edges.min_confidence, at, edges.indirect, usual)


@dataclass(frozen=True, slots=True)
class LevelMapping:
    """Maps nodes to entities of a level. `up[node]` is the number of its entity, `members` the nodes of each entity.
    Edges inside an entity are dropped; `own_loops` keeps those from a node to itself."""

    up: NDArray[np.int32]
    members: PackedRows
    own_loops: bool


def level_mapping(up: Array, *, own_loops: bool) -> LevelMapping:
    size = max(len(up), int(up.max(initial=0)) + 1)
    nodes = np.arange(len(up), dtype=np.int32)
    return LevelMapping(up.astype(np.int32), pack(size, up, np.zeros(len(up), np.int64), (nodes,), 1), own_loops)


@dataclass(frozen=True, slots=True)
class EdgeSteps:
    """Outgoing edges: row of the start entity, target entity, position in the index; `base` is the node that the
    edge leaves."""

    rows: Array
    far: Array
    place: Array
    base: Array

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, which: Array) -> EdgeSteps:
        return EdgeSteps(self.rows[which], self.far[which], self.place[which], self.base[which])


@dataclass(frozen=True)
class IndexQuery:
    """`loose`: tables and their columns are connected in both directions by any edge; for upper bounds."""

    index: GraphIndex
    direction: Direction
    rule: CompiledFilter
    lift: LevelMapping | None = None
    by_table: bool = False  # the level is table or above, where columns and tables are one
    loose: bool = False

    @property
    def side(self) -> Adjacency:
        return self.index.after if self.direction == "downstream" else self.index.before

    @property
    def size(self) -> int:
        return self.index.size if self.lift is None else self.lift.members.owners

    @property
    def plain(self) -> bool:
        """Each entity is a node, and its usual edges are all there is."""
        return self.rule.plain and self.lift is None

    @property
    def spreads(self) -> bool:
        """A table that is reached leads on through its columns."""
        return self.rule.indirect and not self.by_table and (self.loose or self.direction == "downstream")

    @property
    def ports(self) -> bool:
        """From a column also the edges that shape the rows of its table are taken."""
        return self.rule.indirect and not self.by_table and (self.loose or self.direction == "upstream")

    def reversed(self) -> IndexQuery:
        """The opposite direction, for bounds."""
        direction: Direction = "upstream" if self.direction == "downstream" else "downstream"
        return IndexQuery(self.index, direction, self.rule, self.lift, self.by_table, loose=True)

    def entity(self, nodes: Array) -> Array:
        return nodes if self.lift is None else self.lift.up[nodes]

    def members(self, entities: Array) -> tuple[Array, Array]:
        if self.lift is None:
            return np.arange(len(entities)), entities
        bounds = self.lift.members.bounds[entities]
        rows, places = ranges(bounds[:, 0], bounds[:, 1])
        return rows, self.lift.members.columns[0][places]

    def leave(self, entities: Array) -> EdgeSteps:
        """All edges from these, within the confidence limit."""
        return self._steps(entities, sure=True)

    def usual(self, entities: Array) -> tuple[Array, Array, Array]:
        """The same for a plain question, which must be fast: how many lead on from each, to where, at which places."""
        bounds = self.side.bounds.take(entities, axis=0)
        counts = bounds[:, 1] - bounds[:, 0]
        places = places_of(bounds[:, 0], counts)
        return counts, self.side.other.take(places), places

    def count(self, entities: Array) -> int:
        if self.plain:
            bounds = self.side.bounds.take(entities, axis=0)
            return int((bounds[:, 1] - bounds[:, 0]).sum(dtype=np.int64))
        return len(self.leave(entities))

    def hidden(self, entities: Array) -> EdgeSteps:
        """Edges below the confidence limit. At a coarser level only those without a confident parallel."""
        steps = self._steps(entities, sure=False)
        if self.ports:  # a table that is itself walked and one of its columns meet the same edge
            steps = steps.take(np.unique(steps.place, return_index=True)[1])
        if self.lift is None:
            return steps
        keys, sure = self._seen_as(steps), self._seen_as(self.leave(entities))
        open_ = np.flatnonzero(~np.isin(keys, sure))
        return steps.take(open_[np.unique(keys[open_], return_index=True)[1]])

    def _seen_as(self, steps: EdgeSteps) -> Array:
        """One number for each link of the level."""
        kind = 0 if self.by_table else self.side.kind[steps.place]
        far = self.entity(self.side.other[steps.place])
        return (self.entity(steps.base) * np.int64(self.size) + far) * CODES + kind

    def hidden_count(self, entities: Array) -> int:
        if self.plain:
            bounds = self.side.bounds.take(entities, axis=0)
            return int((bounds[:, 2] - bounds[:, 1]).sum(dtype=np.int64))
        return len(self.hidden(entities))

    def columns(self, entities: Array) -> tuple[Array, Array]:
        """Of the tables among these: which one, and an entity inside it."""
        which = np.flatnonzero(IS_TABLE[self.index.node_type[entities]])
        rows, nodes = self.index.columns_of(entities[which])
        rows = which[rows]
        if self.lift is None:
            return rows, nodes
        keys = np.unique(rows * np.int64(self.size) + self.lift.up[nodes])
        return keys // self.size, (keys % self.size).astype(np.int32)

    def _steps(self, entities: Array, *, sure: bool) -> EdgeSteps:
        rows, base = self.members(entities)
        steps = self._edges(rows, base, sure=sure, through=False)
        if self.ports:
            tables = self.index.table[entities]
            below = np.flatnonzero((tables > 0) & (tables != entities))
            more = self._edges(below, tables[below], sure=sure, through=True)
            steps = EdgeSteps(*(np.concatenate(two) for two in zip(_parts(steps), _parts(more), strict=True)))
        if self.lift is not None:
            inner = steps.far == entities[steps.rows]
            if self.lift.own_loops:
                inner &= self.side.other[steps.place] != steps.base
            steps = steps.take(np.flatnonzero(~inner))
        return steps

    def _edges(self, rows: Array, base: Array, *, sure: bool, through: bool) -> EdgeSteps:
        side, rule = self.side, self.rule
        bounds = side.bounds.take(base, axis=0)
        first = bounds[:, 0 if sure or not rule.plain else 1]
        last = bounds[:, (1 if sure else 2) if rule.plain else 2 if rule.usual else 3]
        which, place = ranges(first, last)
        if not rule.plain:
            ok = side.confidence[place] >= rule.least
            if not sure:
                ok = ~ok
            if not rule.usual:
                ok &= rule.taken[side.kind[place]]
                ok &= self._holds(place)
                if through and not self.loose:
                    ok &= _INDIRECT[side.kind[place]]
            kept = np.flatnonzero(ok)
            which, place = which[kept], place[kept]
        return EdgeSteps(rows[which], self.entity(side.other[place]), place, base[which])

    def _holds(self, place: Array) -> Array:
        if self.rule.at is None:
            still: Array = self.side.valid_to[place] == OPEN
            return still
        at = self.rule.at
        then: Array = (self.side.valid_from[place] <= at) & (at < self.side.valid_to[place])
        return then


def _parts(steps: EdgeSteps) -> tuple[Array, Array, Array, Array]:
    return steps.rows, steps.far, steps.place, steps.base


def has_fields(index: GraphIndex) -> bool:
    return bool((index.node_type == FIELD).any())


def columns_for_fields(index: GraphIndex) -> Array:
    """Fields are seen as their columns."""
    up = np.arange(index.size, dtype=np.int32)
    fields = np.flatnonzero(index.node_type == FIELD)
    over = index.parent[fields]
    while len(deep := np.flatnonzero(index.node_type[over] == FIELD)):
        over[deep] = index.parent[over[deep]]
    up[fields] = over
    return up


def tables_for_columns(index: GraphIndex) -> Array:
    """Columns and fields are seen as their tables."""
    below = (index.node_type == COLUMN) | (index.node_type == FIELD)
    return np.where(below & (index.table > 0), index.table, np.arange(index.size, dtype=np.int32))
