"""Column and neighbour counts of tables, from the index: no traversal per table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.graph.index import COLUMN, GraphIndex
from forge.lineage.graph.index_query import CompiledFilter, IndexQuery, compile_filter
from forge.lineage.graph.request import Direction, EdgeFilter

if TYPE_CHECKING:
    from forge.lineage.graph.graph import GraphSource

Array = NDArray[Any]
LOOKED_UP = 2000  # neighbours whose kind is looked up: intermediate tables are hidden by default


@dataclass(frozen=True, slots=True)
class NeighbourCounts:
    """Number of columns of a table, and of its direct neighbours that are not shown."""

    columns: int
    upstream: int
    downstream: int


@dataclass(frozen=True, slots=True)
class _Inside:
    """Tables and their columns: the table of each, and its number."""

    rows: Array
    nodes: Array


def count_neighbours(
    source: GraphSource,
    index: GraphIndex,
    tables: Sequence[str],
    shown: Iterable[str],
    edges: EdgeFilter,
    *,
    intermediate: bool = False,
) -> dict[str, NeighbourCounts]:
    """Of the known ones among `tables`. `shown`: tables of the layout."""
    known = source.numbers([*dict.fromkeys((*tables, *shown))])
    known = {name: number for name, number in known.items() if number < index.size}
    names = [name for name in tables if name in known]
    if not names:
        return {}
    numbers = np.array([known[name] for name in names], np.int32)
    inner, columns = index.columns_of(numbers)
    inside = _Inside(np.concatenate((np.arange(len(numbers)), inner)), np.concatenate((numbers, columns)))
    seen = np.fromiter(known.values(), np.int64)
    held = np.bincount(inner[index.node_type[columns] == COLUMN], minlength=len(numbers))
    rule = compile_filter(edges)
    both: tuple[Direction, ...] = ("upstream", "downstream")
    pairs = {direction: _outside(index, rule, direction, inside, seen) for direction in both}
    if not intermediate:
        hidden = _hidden(source, np.unique(np.concatenate([homes for _, homes in pairs.values()])))
        pairs = {direction: _without(found, hidden) for direction, found in pairs.items()}
    counts = {direction: np.bincount(rows, minlength=len(numbers)) for direction, (rows, _) in pairs.items()}
    return {
        name: NeighbourCounts(int(held[row]), int(counts["upstream"][row]), int(counts["downstream"][row]))
        for row, name in enumerate(names)
    }


def _outside(
    index: GraphIndex, rule: CompiledFilter, direction: Direction, inside: _Inside, seen: Array
) -> tuple[Array, Array]:
    """Each neighbour of each table once, without those that are seen."""
    steps = IndexQuery(index, direction, rule).leave(inside.nodes)
    table = index.table[steps.far]
    homes = np.where(table > 0, table, steps.far)
    keys = np.unique(inside.rows[steps.rows] * np.int64(index.size) + homes)
    keys = keys[~np.isin(keys % index.size, seen)]
    return keys // index.size, keys % index.size


def _hidden(source: GraphSource, homes: Array) -> Array:
    nodes = source.nodes(homes.tolist()) if len(homes) <= LOOKED_UP else {}
    return np.array([number for number, node in nodes.items() if node.hidden], np.int64)


def _without(found: tuple[Array, Array], hidden: Array) -> tuple[Array, Array]:
    rows, homes = found
    kept = ~np.isin(homes, hidden)
    return rows[kept], homes[kept]
