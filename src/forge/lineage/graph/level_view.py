"""The index as it is seen from one level: which nodes are one entity there, and what those are called that are nodes
of no record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.graph.index import IS_TABLE, Index
from forge.lineage.graph.lens import Lift, columns_for_fields, has_fields, lift_of, tables_for_columns
from forge.lineage.graph.levels import GROUPED, group_of
from forge.lineage.node import NODE_TYPES, Level, Node, NodeType

if TYPE_CHECKING:
    from forge.lineage.graph.graph import GraphSource

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class View:
    """`groups`: schemas, databases or systems by their number."""

    lift: Lift | None
    by_table: bool
    groups: Mapping[int, Node] = field(default_factory=dict)
    by_id: Mapping[str, int] = field(default_factory=dict)

    def entity(self, nodes: Array) -> Array:
        return nodes if self.lift is None else self.lift.up[nodes]

    def group(self, name: str) -> int | None:
        return self.by_id.get(name)

    def tables(self, index: Index, entities: Array) -> Array:
        """Of each entity the table it is in, of what is in none itself, of a group 0."""
        known = entities < index.size
        inner = np.where(known, entities, 0)
        table = index.table[inner]
        grouped = np.isin(entities, np.fromiter(self.groups, np.int64)) | ~known
        return np.where(grouped, 0, np.where(table > 0, table, inner))

    def is_type(self, index: Index, types: Iterable[NodeType], entities: Array) -> Array:
        codes = [NODE_TYPES.index(type_) for type_ in types]
        fits = np.isin(index.node_type[np.where(entities < index.size, entities, 0)], codes)
        if self.groups:
            own = {number: node.type in types for number, node in self.groups.items()}
            grouped = np.flatnonzero(np.isin(entities, np.fromiter(own, np.int64)))
            fits[grouped] = [own[number] for number in entities[grouped].tolist()]
        return fits


def view_of(source: GraphSource, index: Index, level: Level, database: str) -> View:
    """Worked out once for an index and those that follow it without new nodes."""
    if level is Level.FIELD:
        return View(None, by_table=False)
    key = f"{level}/{database}"
    if key not in index.kept:
        index.kept[key] = _view(source, index, level, database)
    found: View = index.kept[key]
    return found


def _view(source: GraphSource, index: Index, level: Level, database: str) -> View:
    if level is Level.COLUMN:
        lift = lift_of(columns_for_fields(index), own_loops=True) if has_fields(index) else None
        return View(lift, by_table=False)
    tables = tables_for_columns(index)
    if level not in GROUPED:
        return View(lift_of(tables, own_loops=False), by_table=True)
    numbers = np.flatnonzero(IS_TABLE[index.node_type] & (index.table > 0))
    named = source.nodes(numbers.tolist())
    group = {number: group_of(node.id, level, database=database) for number, node in named.items()}
    ids = sorted({entity.id for entity in group.values()})
    known = {id_: number for id_, number in source.numbers(ids).items() if number < index.size}
    fresh = iter(range(index.size, index.size + len(ids)))
    by_id = {id_: known.get(id_) or next(fresh) for id_ in ids}
    up = np.arange(index.size, dtype=np.int32)
    for number, entity in group.items():
        up[number] = by_id[entity.id]
    groups = {by_id[entity.id]: Node(id=entity.id, type=entity.type, name=entity.name) for entity in group.values()}
    return View(lift_of(up[tables], own_loops=False), True, groups, by_id)
