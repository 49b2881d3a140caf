"""Node and edge counts at a time, from the index alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.facts.moment import OPEN, time_of, to_micros
from forge.lineage.graph.packed_rows import ranges
from forge.lineage.kind import kind_of
from forge.lineage.node import NODE_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.lineage.graph.index import GraphIndex


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """Nodes by type, edges by relationship, or by type if they have none."""

    nodes: Mapping[str, int] = field(default_factory=dict)
    edges: Mapping[str, int] = field(default_factory=dict)


def count_at(index: GraphIndex, at: datetime | None, declared: NDArray[Any]) -> GraphCounts:
    """`declared`: nodes with a fact at that time; the ends of edges and the tables of columns are added."""
    bounds = index.after.bounds
    rows, places = ranges(bounds[:, 0], bounds[:, -1])
    valid_to = index.after.valid_to[places]
    if at is None:
        held = np.flatnonzero(valid_to == OPEN)
    else:
        moment = to_micros(at)
        held = np.flatnonzero((index.after.valid_from[places] <= moment) & (moment < valid_to))
    there = np.zeros(index.size, bool)
    there[declared[declared < index.size]] = True
    there[rows[held]] = True
    there[index.after.other[places[held]]] = True
    for _ in range(2):  # the column of a field, the table of that
        there[index.parent[np.flatnonzero(there)]] = True
    there[0] = False
    types = np.bincount(index.node_type[np.flatnonzero(there)], minlength=len(NODE_TYPES))
    codes = np.bincount(index.after.kind[places[held]])
    edges: Counter[str] = Counter()
    for code in np.flatnonzero(codes).tolist():
        kind = kind_of(code)
        edges[kind.counted] += int(codes[code])
    nodes = {str(type_): int(types[number]) for number, type_ in enumerate(NODE_TYPES) if types[number]}
    return GraphCounts(dict(sorted(nodes.items())), dict(sorted(edges.items())))


def horizon_of(index: GraphIndex) -> datetime | None:
    """The latest time at which an edge begins or ends: after it, what holds still is what holds now."""
    bounds = index.after.bounds
    _, places = ranges(bounds[:, 0], bounds[:, -1])
    if not len(places):
        return None
    ends = index.after.valid_to[places]
    latest = max(int(index.after.valid_from[places].max()), int(ends[ends < OPEN].max(initial=0)))
    return time_of(latest)
