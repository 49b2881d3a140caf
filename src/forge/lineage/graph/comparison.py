"""Two states of the graph without their common part: the cost follows the change, not the size of the graph. The index
knows which edges began or ended between the times; only these are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.facts.fact import EdgeVersion, at_time
from forge.lineage.facts.moment import OPEN, to_micros
from forge.lineage.graph.index import FIELD, IS_TABLE, Adjacency, GraphIndex
from forge.lineage.graph.packed_rows import ranges
from forge.lineage.graph.state import GraphState
from forge.lineage.node import Node

if TYPE_CHECKING:
    from forge.lineage.graph.store import LineageStore

Array = NDArray[Any]
AT_ONCE = 5_000


def states_between(
    store: LineageStore, index: GraphIndex, a: datetime | None, b: datetime | None
) -> tuple[GraphState, GraphState]:
    """The states at two times (None: what holds still), of all that may differ between them."""
    early, late = sorted((_moment(a), _moment(b)))
    pairs = _changed(index, early, late)
    versions = {ends: lives for some in _parts(pairs) for ends, lives in store.versions(some).items()}
    numbers = {number for pair in pairs for number in pair} | set(store.redeclared(early, late).tolist())
    for _ in range(2):  # the column of a field, the table of that
        numbers |= {up for up in index.parent[_array(numbers)].tolist() if up}
    one, other = (GraphState(at, _nodes(store, index, numbers, at), _edges(versions.values(), at)) for at in (a, b))
    return one, other


def _moment(at: datetime | None) -> int:
    return OPEN - 1 if at is None else to_micros(at)


def _array(numbers: Iterable[int]) -> Array:
    return np.array(sorted(numbers), np.int32)


def _parts(pairs: list[tuple[int, int]]) -> Iterable[list[tuple[int, int]]]:
    return (pairs[start : start + AT_ONCE] for start in range(0, len(pairs), AT_ONCE))


def _changed(index: GraphIndex, early: int, late: int) -> list[tuple[int, int]]:
    """Source and target of the edges of which a version begins or ends after the one time and until the other."""
    side = index.after
    rows, places = ranges(side.bounds[:, 0], side.bounds[:, -1])
    begins, ends = side.valid_from[places], side.valid_to[places]
    found = np.flatnonzero(((begins > early) & (begins <= late)) | ((ends > early) & (ends <= late)))
    return sorted(set(zip(rows[found].tolist(), side.other[places[found]].tolist(), strict=True)))


def _edges(lives: Iterable[tuple[EdgeVersion, ...]], at: datetime | None) -> dict[str, EdgeVersion]:
    found: dict[str, EdgeVersion] = {}
    for versions in lives:
        ordered = sorted(versions, key=lambda version: version.id)
        for edge_id, same in groupby(ordered, key=lambda version: version.id):
            version = at_time(same, at)
            if version is not None:
                found[edge_id] = version
    return dict(sorted(found.items()))


def _nodes(store: LineageStore, index: GraphIndex, numbers: set[int], at: datetime | None) -> dict[str, Node]:
    """Existing nodes: with a fact or an edge, or containing such."""
    asked = _array(number for number in numbers if number < index.size)
    inner = _inside(index, asked)
    known = {n: node for some in _parts_of(inner) for n, node in store.nodes(some, at).items()}
    there = {number for number, node in known.items() if not node.unresolved}
    there |= set(inner[_touched(index, inner, _moment(at))].tolist())
    for _ in range(2):
        there |= {up for up in index.parent[_array(there)].tolist() if up}
    nodes = [replace(known[n], created_at=None, updated_at=None) for n in asked.tolist() if n in there and n in known]
    return {node.id: node for node in sorted(nodes, key=lambda node: node.id)}


def _inside(index: GraphIndex, asked: Array) -> Array:
    """With everything inside these tables, and inside the tables of columns with fields."""
    tables = asked[IS_TABLE[index.node_type[asked]]]
    if (index.node_type == FIELD).any():
        above = index.table[asked]
        tables = np.unique(np.concatenate((tables, above[above > 0])))
    return np.unique(np.concatenate((asked, index.columns_of(tables)[1]))).astype(np.int32)


def _parts_of(numbers: Array) -> Iterable[list[int]]:
    return (numbers[start : start + AT_ONCE].tolist() for start in range(0, len(numbers), AT_ONCE))


def _touched(index: GraphIndex, nodes: Array, at: int) -> Array:
    """Which of these have an edge at that time."""
    found = np.zeros(len(nodes), bool)
    for side in (index.after, index.before):
        found |= _has_edge(side, nodes, at)
    return found


def _has_edge(side: Adjacency, nodes: Array, at: int) -> Array:
    bounds = side.bounds[nodes]
    rows, places = ranges(bounds[:, 0], bounds[:, -1])
    holds = (side.valid_from[places] <= at) & (at < side.valid_to[places])
    found = np.zeros(len(nodes), bool)
    found[rows[holds]] = True
    return found
