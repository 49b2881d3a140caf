"""The most confident paths between two entities, best first. A backward traversal bounds the confidence of the rest
of a path (A* search), so paths are never enumerated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count as counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.graph.index_query import IndexQuery
from forge.lineage.graph.walk import WalkResult, most_confident

Array = NDArray[Any]
Names = Callable[[Sequence[int]], Mapping[int, str]]
EXPANSIONS = 20_000  # partial paths looked at; what was found by then is the answer
DIGITS, ROUNDING = 12, 1e-12  # products of the same numbers in another order differ beyond these


@dataclass(frozen=True, slots=True)
class FoundPath:
    """From `start` through `nodes`; `places` and `base` are the edges, one per node."""

    start: int
    nodes: tuple[int, ...]
    places: tuple[int, ...]
    base: tuple[int, ...]
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A partial path, sharing its prefix with others."""

    node: int
    confidence: float
    hops: int
    names: tuple[str, ...]
    place: int = -1
    base: int = -1
    before: _Part | None = None

    def holds(self, node: int) -> bool:
        part: _Part | None = self
        while part is not None:
            if part.node == node:
                return True
            part = part.before
        return False

    def whole(self) -> FoundPath:
        parts: list[_Part] = []
        part: _Part | None = self
        while part is not None:
            parts.append(part)
            part = part.before
        start, *rest = reversed(parts)
        return FoundPath(
            start.node,
            tuple(one.node for one in rest),
            tuple(one.place for one in rest),
            tuple(one.base for one in rest),
            self.confidence,
        )


def find_paths(
    lens: IndexQuery, starts: Array, ends: Array, depth: int | None, count: int, names: Names
) -> tuple[FoundPath, ...]:
    """The `count` most confident simple paths of at most `depth` hops; of equals the shorter, then by name."""
    rest = most_confident(lens.reversed(), ends, depth)
    goals, begins = set(ends.tolist()), set(starts.tolist())
    if goals & begins:
        return ()
    queue = _Queue(rest, lens.size if depth is None else depth)
    known = names(sorted(begins))
    for start in sorted(begins):
        queue.push(_Part(node=start, confidence=1.0, hops=0, names=(known[start],)))
    found: list[FoundPath] = []
    for _ in range(EXPANSIONS):
        part = queue.pop()
        if part is None or len(found) == count:
            break
        if part.node in goals:
            found.append(part.whole())
            continue
        for onward in _onward(lens, part, begins, queue, names):
            queue.push(onward)
    return tuple(found)


class _Queue:
    """Partial paths by the upper bound of their confidence."""

    def __init__(self, rest: WalkResult, limit: int) -> None:
        self._rest, self._limit = rest, limit
        self._goals = frozenset(rest.starts.tolist())
        self._known: dict[int, list[tuple[int, float]]] = {}
        self._heap: list[tuple[float, int, tuple[str, ...], int, _Part]] = []
        self._number = counter()

    def push(self, part: _Part) -> None:
        found = self._bound(part.node, self._limit - part.hops)
        if found is None:
            return  # the end cannot be reached from here with the hops that are left
        bound, hops = found
        key = -round(part.confidence * bound, DIGITS)
        heappush(self._heap, (key, part.hops + hops, part.names, next(self._number), part))

    def pop(self) -> _Part | None:
        return heappop(self._heap)[-1] if self._heap else None

    def leads_on(self, node: int) -> bool:
        return bool(self._lives(node))

    def _bound(self, node: int, hops: int) -> tuple[float, int] | None:
        """The highest confidence of the rest with so many hops, and the fewest hops for it."""
        within = [life for life in self._lives(node) if life[0] <= hops]
        if not within:
            return None
        best = within[-1][1]
        return best, next(number for number, value in within if value >= best * (1 - ROUNDING))

    def _lives(self, node: int) -> list[tuple[int, float]]:
        """Improving paths from a node to the end: hops and confidence."""
        if node not in self._known:
            found = [(number, one.find(node), one) for number, one in enumerate(self._rest.rounds, 1)]
            lives = [(number, float(one.confidence[at])) for number, at, one in found if at is not None]
            self._known[node] = [(0, 1.0)] if node in self._goals else lives
        return self._known[node]


def _onward(lens: IndexQuery, part: _Part, begins: set[int], queue: _Queue, names: Names) -> list[_Part]:
    steps = lens.leave(np.array([part.node], np.int32))
    far, place, base = steps.far, steps.place, steps.base
    if lens.spreads:
        which, inner = lens.columns(far)
        far = np.concatenate((far, inner))
        place, base = np.concatenate((place, place[which])), np.concatenate((base, base[which]))
    best: dict[int, tuple[float, int, int, int]] = {}  # the most confident of parallel edges
    columns = far, lens.side.confidence[place], lens.side.kind[place], place, base
    for node, value, kind, at, root in zip(*(column.tolist() for column in columns), strict=True):
        if node not in begins and not part.holds(node):
            best[node] = min(best.get(node, (1.0, 0, 0, 0)), (-value, kind, at, root))
    known = names([node for node in best if queue.leads_on(node)])
    return [
        _Part(
            node=node,
            confidence=part.confidence * -value,
            hops=part.hops + 1,
            names=(*part.names, known[node]),
            place=at,
            base=root,
            before=part,
        )
        for node, (value, _, at, root) in best.items()
        if node in known
    ]
