"""Rolls a traversal up to a coarser level. Traversals of columns follow columns; by table, schema or system only the
reached columns are grouped, not everything else that the tables in between derive from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.graph.index import COLUMN, FIELD, IS_TABLE, GraphIndex
from forge.lineage.graph.index_query import IndexQuery
from forge.lineage.graph.walk import WalkResult
from forge.lineage.node import GraphLevel

if TYPE_CHECKING:
    from forge.lineage.graph.paths import FoundPath

Array = NDArray[Any]
MORE_PATHS = 8  # paths of columns that are looked at for each one of tables: some may be the same

_COARSE = (GraphLevel.SCHEMA, GraphLevel.DATABASE, GraphLevel.SYSTEM)


def level_of_walk(index: GraphIndex, start: int, level: GraphLevel, lenses: Iterable[IndexQuery]) -> GraphLevel:
    """Of a level from table up, as fine as what is asked for: a column is walked by columns, a table by tables. A
    dashboard and the like are walked by columns where columns are all they touch, as `lenses` over columns see it."""
    type_ = index.node_type[start]
    if type_ in (COLUMN, FIELD):
        return GraphLevel.COLUMN
    if IS_TABLE[type_]:
        return GraphLevel.TABLE if level in _COARSE else level
    far = [lens.leave(np.array([start], np.int32)).far for lens in lenses]
    touched = np.concatenate(far)
    whole = IS_TABLE[index.node_type[touched]].any()
    return GraphLevel.COLUMN if len(touched) and not whole else level


@dataclass(frozen=True, slots=True)
class RolledWalk:
    """`nodes`: entities of the coarser level, nearest first, without that of the start, each with its lowest depth
    and highest confidence. `first`: the traversed entities by which each was reached: the most confident, of
    these the nearest."""

    walked: WalkResult
    nodes: Array
    depths: Array
    confidence: Array
    first: Array = field(default_factory=lambda: np.zeros(0, np.int32))


def rolled(walked: WalkResult, up: Array | None) -> RolledWalk:
    """`up`: of each entity of the walk the one it is in; None where the walk was of the level that is seen."""
    if up is None:
        return RolledWalk(walked, walked.nodes, walked.depths, walked.confidence, walked.nodes)
    seen = up[walked.nodes]
    other = np.flatnonzero(~np.isin(seen, up[walked.starts]))
    nodes, place = np.unique(seen[other], return_inverse=True)
    depths = np.full(len(nodes), np.iinfo(np.int32).max, np.int32)
    np.minimum.at(depths, place, walked.depths[other])
    confidence = np.zeros(len(nodes))
    np.maximum.at(confidence, place, walked.confidence[other])
    best = other[walked.confidence[other] == confidence[place]]
    where = np.searchsorted(nodes, seen[best])
    fewest = np.full(len(nodes), np.iinfo(np.int32).max, np.int32)
    np.minimum.at(fewest, where, walked.hops[best])
    first = walked.nodes[best[walked.hops[best] == fewest[where]]]
    order = np.argsort(depths, kind="stable")
    return RolledWalk(walked, nodes[order], depths[order], confidence[order], first)


def rolled_paths(found: Iterable[FoundPath], up: Array, count: int) -> Iterator[FoundPath]:
    """Without hops inside an entity, without duplicates and cycles."""
    from forge.lineage.graph.paths import FoundPath

    seen: set[tuple[int, ...]] = set()
    for path in found:
        here, kept = int(up[path.start]), []
        for at, node in enumerate(path.nodes):
            if int(up[node]) != here:
                here = int(up[node])
                kept.append((at, here))
        nodes = (int(up[path.start]), *(node for _, node in kept))
        if len(seen) == count or nodes in seen or len(set(nodes)) < len(nodes):
            continue
        seen.add(nodes)
        places = tuple(path.places[at] for at, _ in kept)
        base = tuple(path.base[at] for at, _ in kept)
        yield FoundPath(nodes[0], nodes[1:], places, base, path.confidence)
