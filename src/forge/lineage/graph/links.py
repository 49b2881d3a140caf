"""The edges of a result: which followed edges are returned, by which edge each entity is reached, and their details
from the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.facts.fact import EdgeVersion, at_time
from forge.lineage.facts.moment import from_micros, time_of
from forge.lineage.graph.index_query import EdgeSteps, IndexQuery
from forge.lineage.graph.levels import lifted_link
from forge.lineage.graph.request import Direction
from forge.lineage.graph.roll_up import RolledWalk
from forge.lineage.graph.traversal import Hop, Link, Path
from forge.lineage.graph.walk import WalkResult
from forge.lineage.kind import EdgeKind, kind_of

if TYPE_CHECKING:
    from forge.lineage.graph.paths import FoundPath
    from forge.lineage.graph.query import GraphQuery

Array = NDArray[Any]
MIXED = -1  # in place of the kind, where edges of all kinds are one link


@dataclass(frozen=True, slots=True)
class _FoundEdge:
    """An edge, by numbers."""

    source: int
    target: int
    kind: int
    confidence: float
    valid_from: int
    valid_to: int


class TraversalLinks:
    """Of one traversal."""

    def __init__(self, question: GraphQuery, walks: Sequence[tuple[RolledWalk, Array]]) -> None:
        self.question = question
        self._shown: set[tuple[int, int, int]] = set()  # keys of links
        self._via: dict[tuple[Direction, int], tuple[int, int, int]] = {}
        self._met: dict[tuple[int, int, int], dict[_FoundEdge, None]] = defaultdict(dict)  # in the order they were met
        self._onward: dict[Direction, set[int]] = {}
        for found, shown in walks:
            self._take(found, shown)
        self._links = _made(question, self._met)

    def all(self) -> tuple[Link, ...]:
        return tuple(sorted((self._links[key] for key in self._shown), key=lambda link: link.sort_key))

    def via(self, direction: Direction, entity: int) -> Link:
        return self._links[self._via[direction, entity]]

    def ends(self, found: RolledWalk, shown: Array) -> list[int]:
        """The leaves of the traversal, most confident first; in a cycle, the farthest."""
        onward = self._onward[found.walked.lens.direction]
        place = {number: at for at, number in enumerate(found.nodes.tolist())}
        ends = [number for number in shown.tolist() if number not in onward]
        if not ends and len(shown):
            far = max(int(found.depths[place[number]]) for number in shown.tolist())
            ends = [number for number in shown.tolist() if found.depths[place[number]] == far]
        return sorted(ends, key=lambda number: (-float(found.confidence[place[number]]), number))

    def _take(self, found: RolledWalk, shown: Array) -> None:
        question, walked = self.question, found.walked
        lens, expanded = walked.lens, walked.expanded()
        steps = _spread(lens, lens.leave(expanded))
        near, far = expanded[steps.rows], steps.far
        included = np.zeros(question.size, bool)
        included[shown] = True
        arrives = _arrivals(walked, steps, near, found.first[included[question.seen(found.first)]])
        included[question.seen(walked.starts)] = True
        near, far = question.seen(near), question.seen(far)
        both = included[near] & included[far]
        if question.up is not None:
            both &= near != far
        self._onward[lens.direction] = set(near[both & (near != far)].tolist())
        wanted = np.flatnonzero(both | arrives)
        keys = self._keep(lens, steps.take(wanted))
        self._shown |= {key for key, inner in zip(keys, both[wanted].tolist(), strict=True) if inner}
        self._choose(lens, far[wanted], near[wanted], keys, arrives[wanted])

    def _keep(self, lens: IndexQuery, steps: EdgeSteps) -> list[tuple[int, int, int]]:
        keys = []
        for key, met in _mets(self.question, lens, steps):
            keys.append(key)
            self._met[key][met] = None
        return keys

    def _choose(
        self, lens: IndexQuery, far: Array, near: Array, keys: Sequence[tuple[int, int, int]], arrives: Array
    ) -> None:
        """Of equally confident last hops the one from the smaller name."""
        places = np.flatnonzero(arrives).tolist()
        found: dict[int, list[tuple[int, tuple[int, int, int]]]] = defaultdict(list)
        for at in places:
            found[int(far[at])].append((int(near[at]), keys[at]))
        ambiguous = {number for hops in found.values() if len(hops) > 1 for number, _ in hops}
        names = {number: node.id for number, node in self.question.nodes(ambiguous).items()}
        for entity, hops in found.items():
            best = min(hops, key=lambda hop: (names.get(hop[0], ""), hop[1][2], hop[1]))
            self._via[lens.direction, entity] = best[1]

    @staticmethod
    def of_paths(question: GraphQuery, lens: IndexQuery, found: Iterable[FoundPath]) -> tuple[Path, ...]:
        found = list(found)
        met: dict[tuple[int, int, int], dict[_FoundEdge, None]] = defaultdict(dict)
        all_keys = []
        for path in found:
            base = np.array(path.base, np.int32)
            place = np.array(path.places, np.int64)
            far = np.array(path.nodes, np.int32)
            steps = EdgeSteps(np.arange(len(far)), far, place, base)
            pairs = list(_mets(question, lens, steps))
            all_keys.append([key for key, _ in pairs])
            for key, one in pairs:
                met[key][one] = None
        links = _made(question, met)
        numbers = {number for path in found for number in (path.start, *path.nodes)}
        names = question.nodes(numbers)
        return tuple(
            Path(
                names[path.start].id,
                tuple(
                    Hop(names[number], links[key], depth)
                    for depth, (number, key) in enumerate(zip(path.nodes, keys, strict=True), 1)
                ),
                path.confidence,
            )
            for path, keys in zip(found, all_keys, strict=True)
        )


def _spread(lens: IndexQuery, steps: EdgeSteps) -> EdgeSteps:
    """With the columns that a table leads to, each by the edge that leads to the table."""
    if not lens.spreads:
        return steps
    which, inner = lens.columns(steps.far)
    return EdgeSteps(
        np.concatenate((steps.rows, steps.rows[which])),
        np.concatenate((steps.far, inner)),
        np.concatenate((steps.place, steps.place[which])),
        np.concatenate((steps.base, steps.base[which])),
    )


def _arrivals(walked: WalkResult, steps: EdgeSteps, near: Array, shown: Array) -> Array:
    """The steps that are the last hop of a most confident path to a shown entity: from the layer before, with the
    confidence that counts."""
    lens = walked.lens
    hops, best = np.zeros(lens.size, np.int32), np.zeros(lens.size)
    hops[walked.nodes], best[walked.nodes] = walked.hops, walked.confidence
    asked = np.zeros(lens.size, bool)
    asked[shown] = True
    arrives = np.zeros(len(steps), bool)
    places = np.flatnonzero(asked[steps.far])
    length = hops[steps.far[places]]
    sure = lens.side.confidence[steps.place]
    for number in np.unique(length).tolist():
        some = places[length == number]
        value = _values(walked, number - 1, near[some])
        arrives[some] = (value >= 0) & (value * sure[some] == best[steps.far[some]])
    return arrives


def _values(walked: WalkResult, hops: int, nodes: Array) -> Array:
    """The confidence of each after so many hops, if a path was found just then; else -1."""
    if hops == 0:
        return np.where(np.isin(nodes, walked.starts), 1.0, -1.0)
    found = walked.rounds[hops - 1]
    order = np.argsort(found.nodes, kind="stable")
    ordered = found.nodes[order]
    at = np.minimum(np.searchsorted(ordered, nodes), len(ordered) - 1)
    return np.where(ordered[at] == nodes, found.confidence[order][at], -1.0)


def _mets(
    question: GraphQuery, lens: IndexQuery, steps: EdgeSteps
) -> Iterable[tuple[tuple[int, int, int], _FoundEdge]]:
    """Each edge with the key of the link it belongs to: from table up all between two entities are one."""
    side, down = lens.side, lens.direction == "downstream"
    columns = (
        steps.base,
        side.other[steps.place],
        side.kind[steps.place],
        side.confidence[steps.place],
        side.valid_from[steps.place],
        side.valid_to[steps.place],
        question.seen(lens.entity(steps.base)),
        question.seen(lens.entity(side.other[steps.place])),
    )
    for base, other, kind, sure, start, end, one, two in zip(*(c.tolist() for c in columns), strict=True):
        source, target = (base, other) if down else (other, base)
        ends = (one, two) if down else (two, one)
        yield (*ends, MIXED if question.view.by_table else kind), _FoundEdge(source, target, kind, sure, start, end)


def _made(
    question: GraphQuery, met: dict[tuple[int, int, int], dict[_FoundEdge, None]]
) -> dict[tuple[int, int, int], Link]:
    names = {number: node.id for number, node in question.nodes({n for key in met for n in key[:2]}).items()}
    single = {key: next(iter(edges)) for key, edges in met.items() if len(edges) == 1}
    known = question.source.versions(sorted({(one.source, one.target) for one in single.values()}))
    links = {}
    for key, edges in met.items():
        source, target = (names[number] for number in key[:2])
        best = max(edges, key=lambda edge: edge.confidence)
        version = None
        if len(edges) == 1:
            version = _version(known.get((best.source, best.target), ()), best, question.ask.edges.at)
        kinds = [kind_of(edge.kind) for edge in (edges if key[2] == MIXED else islice(edges, 1))]
        links[key] = (
            lifted_link(source, target, kinds, best.confidence, version)
            if version is not None or len(edges) > 1
            else _bare(source, target, kinds[0], best)
        )
    return links


def _version(versions: Sequence[EdgeVersion], edge: _FoundEdge, at: datetime | None) -> EdgeVersion | None:
    return at_time((one for one in versions if one.key.kind.code == edge.kind), at)


def _bare(source: str, target: str, kind: EdgeKind, edge: _FoundEdge) -> Link:
    """What the index knows, where the store has gone on meanwhile."""
    start, end = time_of(edge.valid_from), from_micros(edge.valid_to)
    return Link(source=source, target=target, kind=kind, confidence=edge.confidence, valid_from=start, valid_to=end)
