"""Breadth-first traversal over the index, one layer at a time, so that each edge is visited once however many paths
there are. Small layers are walked in plain Python, large ones with numpy: one numpy call costs as much as some
hundred edges."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.graph.index_query import IndexQuery

Array = NDArray[Any]
DENSE = 4  # an entity more is looked at than an edge is met
FEW, FEW_SURE = 256, 64  # entities at one distance up to which plain Python is faster, without and with confidence


@dataclass(slots=True)
class WalkRound:
    """Entities to which a more confident path was found with this many hops: predecessor, edge, confidence."""

    nodes: Array
    before: Array
    place: Array
    confidence: Array
    _ordered: bool = False

    def take(self, which: Array) -> WalkRound:
        return WalkRound(
            self.nodes.take(which), self.before.take(which), self.place.take(which), self.confidence.take(which)
        )

    def find(self, node: int) -> int | None:
        """Its position in this round."""
        if not self._ordered:
            order = np.argsort(self.nodes, kind="stable")
            self.nodes, self.before = self.nodes[order], self.before[order]
            self.place, self.confidence = self.place[order], self.confidence[order]
            self._ordered = True
        at = int(np.searchsorted(self.nodes, node))
        return at if at < len(self.nodes) and self.nodes[at] == node else None


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkResult:
    """Reached nodes by distance, without the starts. With confidence: `hops` is the length of the most confident
    path, and `rounds[n - 1]` what was found with n hops."""

    lens: IndexQuery
    starts: Array
    depth: int | None
    nodes: Array
    depths: Array
    confidence: Array = field(default_factory=lambda: np.zeros(0))
    hops: Array = field(default_factory=lambda: np.zeros(0, np.int32))
    rounds: tuple[WalkRound, ...] = ()

    def expanded(self) -> Array:
        """The entities whose edges were followed."""
        if self.depth == 0:
            return self.starts[:0]
        inner = self.nodes if self.depth is None else self.nodes[self.depths < self.depth]
        return np.concatenate((self.starts, inner))

    @property
    def hidden(self) -> int:
        return self.lens.hidden_count(self.expanded())

    @property
    def visited(self) -> int:
        """Number of visited edges; those of a revisited node count again."""
        inner = self.rounds if self.depth is None else self.rounds[: max(0, self.depth - 1)]
        again = sum(self.lens.count(found.nodes) for found in inner)
        return again + self.lens.count(self.starts if self.rounds else self.expanded())


def closure(lens: IndexQuery, starts: Array, depth: int | None = None, *, few: int = FEW) -> WalkResult:
    """What is reached and how far it is."""
    starts = np.asarray(starts, np.int32)
    order, sizes = _few_reached(lens, starts.tolist(), depth, few) if lens.plain else (starts.tolist(), [])
    reached = np.array(order, np.int32)
    frontier = reached[len(order) - (sizes[-1] if sizes else len(starts)) :]
    layers = [reached[len(starts) :]]
    if len(frontier) and (depth is None or len(sizes) < depth):
        seen = np.zeros(lens.size, np.uint8)
        seen[reached] = 1
        slots = np.empty(lens.size, np.int32)
        while len(frontier) and (depth is None or len(sizes) < depth):
            frontier = _reached(lens, frontier, seen, slots)
            layers.append(frontier)
            sizes.append(len(frontier))
    nodes = layers[0] if len(layers) == 1 else np.concatenate(layers)
    return WalkResult(lens=lens, starts=starts, depth=depth, nodes=nodes, depths=_depths(sizes))


def _few_reached(lens: IndexQuery, starts: list[int], depth: int | None, few: int) -> tuple[list[int], list[int]]:
    """The first distances, as far as few entities are at each; no array of all entities is needed."""
    order, seen = list(starts), set(starts)
    sizes: list[int] = []
    first, last, near = 0, len(starts), lens.side.near.__getitem__
    while first < last <= first + few and (depth is None or len(sizes) < depth):
        for far in chain.from_iterable(map(near, order[first:last])):
            if far not in seen:
                seen.add(far)
                order.append(far)
        first, last = last, len(order)
        sizes.append(last - first)
    return order, sizes


def _reached(lens: IndexQuery, frontier: Array, seen: Array, slots: Array) -> Array:
    far = lens.usual(frontier)[1] if lens.plain else lens.leave(frontier).far
    found = _fresh(far, seen, slots)
    if lens.spreads:
        found = np.concatenate((found, _fresh(lens.columns(found)[1], seen, slots)))
    return found


def _fresh(far: Array, seen: Array, slots: Array) -> Array:
    """Those not seen before, each once."""
    if len(far) * DENSE > len(seen):  # so many that looking at every entity is less work; and they come in order
        before = seen.copy()
        seen[far] = 1
        return np.flatnonzero(seen != before).astype(np.int32)
    far = far.take(np.flatnonzero(seen.take(far) == 0))
    seen[far] = 1
    return far.take(np.flatnonzero(_firsts(far, slots)))


def _firsts(far: Array, slots: Array) -> Array:
    """One place of each value, without sorting: the last to write its place into the slot of the value has it."""
    places = np.arange(len(far), dtype=np.int32)
    slots[far] = places
    kept: Array = slots.take(far) == places
    return kept


def _depths(sizes: list[int]) -> Array:
    """Of entities in order of distance, so many at each."""
    return np.repeat(np.arange(1, len(sizes) + 1, dtype=np.int32), sizes)


def most_confident(lens: IndexQuery, starts: Array, depth: int | None = None, *, few: int = FEW_SURE) -> WalkResult:
    """Reached nodes, their distance, and the confidence of the most confident path of at most `depth` hops. A node
    is revisited when a more confident path is found; a cycle never is, and paths of n hops extend those of n - 1,
    so the limit holds for the most confident path too."""
    starts = np.asarray(starts, np.int32)
    state = _State(lens)
    state.seen[starts], state.best[starts] = 1, 1.0
    layers: list[Array] = []
    rounds: list[WalkRound] = []
    nodes, sure = starts, np.ones(len(starts))
    while len(nodes) and (depth is None or len(rounds) < depth):
        if lens.plain and len(nodes) <= few:
            found, fresh = state.few_improved(nodes, sure)
        else:
            found, fresh = state.improved(nodes, sure)
        if not len(found.nodes):
            break
        rounds.append(found)
        layers.append(fresh)
        nodes, sure = found.nodes, found.confidence
    reached = np.concatenate(layers) if layers else starts[:0]
    depths = _depths([len(layer) for layer in layers])
    hops = np.empty(lens.size, np.int32)
    for number, one in enumerate(rounds, 1):
        hops[one.nodes] = number
    return WalkResult(
        lens=lens,
        starts=starts,
        depth=depth,
        nodes=reached,
        depths=depths,
        confidence=state.best[reached],
        hops=hops[reached],
        rounds=tuple(rounds),
    )


class _State:
    """The state of a traversal."""

    def __init__(self, lens: IndexQuery) -> None:
        self.lens = lens
        self.seen = np.zeros(lens.size, np.uint8)
        self.best = np.zeros(lens.size, np.float64)
        self.slots = np.empty(lens.size, np.int32)
        side = lens.side
        self.views = side.bounds.reshape(-1).data, side.other.data, side.confidence.data

    def few_improved(self, nodes: Array, sure: Array) -> tuple[WalkRound, Array]:
        bounds, other, edge_sure = self.views
        seen, best = self.seen.data, self.best.data
        found: dict[int, tuple[int, int]] = {}
        fresh: list[int] = []
        for node, own in zip(nodes.tolist(), sure.tolist(), strict=True):
            for place in range(bounds[4 * node], bounds[4 * node + 1]):
                far, value = other[place], own * edge_sure[place]
                new = not seen[far]
                if new or value > best[far]:
                    if new:
                        seen[far] = 1
                        fresh.append(far)
                    best[far] = value
                    found[far] = node, place
        far_nodes = np.fromiter(found, np.int32, len(found))
        hops = np.array(list(found.values()), np.int64).reshape(-1, 2)
        return WalkRound(far_nodes, hops[:, 0], hops[:, 1], self.best[far_nodes]), np.array(fresh, np.int32)

    def improved(self, nodes: Array, sure: Array) -> tuple[WalkRound, Array]:
        if self.lens.plain:
            counts, far, place = self.lens.usual(nodes)
            rows = np.repeat(np.arange(len(nodes), dtype=np.int32), counts)
            reach = np.repeat(sure, counts)
        else:
            steps = self.lens.leave(nodes)
            far, place, rows = steps.far, steps.place, steps.rows
            reach = sure[rows]
        reach *= self.lens.side.confidence.take(place)
        better = self._better(far, reach)
        before = nodes.take(rows.take(better))
        found = self._best_of(WalkRound(far.take(better), before, place.take(better), reach.take(better)))
        fresh = self._note(found.nodes)
        if self.lens.spreads:
            which, inner = self.lens.columns(found.nodes)
            more = WalkRound(inner, found.before[which], found.place[which], found.confidence[which])
            found = self._best_of(_both(found, more.take(self._better(inner, more.confidence))))
            fresh = np.concatenate((fresh, self._note(found.nodes)))
        return found, fresh

    def _better(self, far: Array, reach: Array) -> Array:
        """Which of these improve the known confidence. A path of confidence 0 is still a path."""
        surer = reach > self.best.take(far)
        if not reach.all():
            surer |= self.seen.take(far) == 0
        return np.flatnonzero(surer)

    def _best_of(self, found: WalkRound) -> WalkRound:
        """The most confident path to one entity, which becomes the best known."""
        np.maximum.at(self.best, found.nodes, found.confidence)
        found = found.take(np.flatnonzero(found.confidence == self.best.take(found.nodes)))
        return found.take(np.flatnonzero(_firsts(found.nodes, self.slots)))

    def _note(self, nodes: Array) -> Array:
        fresh: Array = nodes.take(np.flatnonzero(self.seen.take(nodes) == 0))
        self.seen[fresh] = 1
        return fresh


def _both(one: WalkRound, other: WalkRound) -> WalkRound:
    return WalkRound(
        np.concatenate((one.nodes, other.nodes)),
        np.concatenate((one.before, other.before)),
        np.concatenate((one.place, other.place)),
        np.concatenate((one.confidence, other.confidence)),
    )
