"""Consumers of a contract's tables, found in the lineage, with their owners."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field

from forge.flows.lineage.impact import find_owners
from forge.flows.lineage.ports import LineagePorts
from forge.flows.lineage.reader import GraphReader, open_graph
from forge.flows.quality.incidents.impact import lake_table
from forge.lineage.errors import AmbiguousNameError, NotInGraphError
from forge.lineage.graph.traversal import ReachedNode
from forge.lineage.node import GraphLevel, Node
from forge.model.names import TableName


@dataclass(frozen=True, slots=True)
class Consumer:
    """A table, report or other dataset downstream of a contract's tables."""

    name: str
    owner: str | None
    depth: int  # 1: it reads one of them itself
    reads: tuple[str, ...] = ()  # tables of the contract
    columns: tuple[str, ...] = ()  # of the contract: core.orders.amount

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "owner": self.owner,
            "depth": self.depth,
            "reads": list(self.reads),
            "columns": list(self.columns),
        }


@dataclass(slots=True)
class _Consumption:
    depth: int
    node: Node
    reads: set[str] = field(default_factory=set)
    columns: set[str] = field(default_factory=set)


def find_consumers(
    ports: LineagePorts,
    tables: Mapping[str, Iterable[str]],
    *,
    owner: Callable[[TableName], str | None] | None = None,
    own: Collection[str] = (),
) -> tuple[Consumer, ...]:
    """The nearest first. `tables`: each with the columns to follow. `own`: excluded tables, such as those of the same
    contract."""
    view = open_graph(ports)
    left_out = {name.lower() for name in (*tables, *own)}
    found: dict[str, _Consumption] = {}
    for table, columns in tables.items():
        for item in _walk(view, table, None):
            if item.table.lower() not in left_out:
                one = found.setdefault(item.table, _Consumption(item.depth, item.node))
                one.depth = min(one.depth, item.depth)
                one.reads.add(table)
        for column in columns if found else ():
            for item in _walk(view, table, column):
                if item.table in found:
                    found[item.table].columns.add(f"{table}.{column}")
    owner_of = find_owners(view)

    def answers_for(name: str, node: Node) -> str | None:
        table = lake_table(name) if owner is not None else None
        return owner_of(node) or (owner(table) if owner is not None and table is not None else None)

    consumers = [
        Consumer(name, answers_for(name, one.node), one.depth, tuple(sorted(one.reads)), tuple(sorted(one.columns)))
        for name, one in found.items()
    ]
    return tuple(sorted(consumers, key=lambda one: (one.depth, one.name)))


def _walk(view: GraphReader, table: str, column: str | None) -> tuple[ReachedNode, ...]:
    """Transitively downstream; indirect edges (a filter, a join) count, too."""
    level = GraphLevel.COLUMN if column else GraphLevel.TABLE
    try:
        return view.walk(table, column, direction="downstream", depth=None, indirect=True, level=level).items
    except (NotInGraphError, AmbiguousNameError):
        return ()
