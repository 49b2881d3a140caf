"""The index at one level: which nodes form one entity, and the names of entities that are not nodes themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.graph.index import IS_TABLE, GraphIndex
from forge.lineage.graph.index_query import (
    LevelMapping,
    columns_for_fields,
    has_fields,
    level_mapping,
    tables_for_columns,
)
from forge.lineage.graph.levels import GROUPED, group_of
from forge.lineage.node import NODE_TYPES, GraphLevel, Node, NodeType

if TYPE_CHECKING:
    from forge.lineage.graph.graph import GraphSource

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class LevelView:
    """`groups`: schemas, databases or systems by number."""

    lift: LevelMapping | None
    by_table: bool
    groups: Mapping[int, Node] = field(default_factory=dict)
    by_id: Mapping[str, int] = field(default_factory=dict)

    def entity(self, nodes: Array) -> Array:
        return nodes if self.lift is None else self.lift.up[nodes]

    def group(self, name: str) -> int | None:
        return self.by_id.get(name)

    def tables(self, index: GraphIndex, entities: Array) -> Array:
        """Of each entity the table it is in, of what is in none itself, of a group 0."""
        known = entities < index.size
        inner = np.where(known, entities, 0)
        table = index.table[inner]
        grouped = np.isin(entities, np.fromiter(self.groups, np.int64)) | ~known
        return np.where(grouped, 0, np.where(table > 0, table, inner))

    def is_type(self, index: GraphIndex, types: Iterable[NodeType], entities: Array) -> Array:
        codes = [NODE_TYPES.index(type_) for type_ in types]
        fits = np.isin(index.node_type[np.where(entities < index.size, entities, 0)], codes)
        if self.groups:
            own = {number: node.type in types for number, node in self.groups.items()}
            grouped = np.flatnonzero(np.isin(entities, np.fromiter(own, np.int64)))
            fits[grouped] = [own[number] for number in entities[grouped].tolist()]
        return fits


def view_of(source: GraphSource, index: GraphIndex, level: GraphLevel, database: str) -> LevelView:
    """Worked out once for an index and those that follow it without new nodes."""
    if level is GraphLevel.FIELD:
        return LevelView(None, by_table=False)
    key = f"{level}/{database}"
    if key not in index.kept:
        index.kept[key] = _view(source, index, level, database)
    found: LevelView = index.kept[key]
    return found


def _view(source: GraphSource, index: GraphIndex, level: GraphLevel, database: str) -> LevelView:
    if level is GraphLevel.COLUMN:
        lift = level_mapping(columns_for_fields(index), own_loops=True) if has_fields(index) else None
        return LevelView(lift, by_table=False)
    tables = tables_for_columns(index)
    if level not in GROUPED:
        return LevelView(level_mapping(tables, own_loops=False), by_table=True)
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
    return LevelView(level_mapping(up[tables], own_loops=False), True, groups, by_id)
