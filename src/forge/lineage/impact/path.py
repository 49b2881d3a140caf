"""How a change reaches an entity: edges, path, and use of the changed data.

The use is that of the edges by which an entity is first reached, from entities one hop nearer to the change. An
indirect edge means join key, filter or aggregated (group_by, and window, whose partitions group); a direct one
aggregated if it aggregates; all others pass through. The heaviest counts. A column without such an edge, of
a table that is reached as a whole, has the use of its table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.graph.traversal import Hop, Link, Path, ReachedNode, Traversal
from forge.lineage.kind import EdgeRelationship
from forge.lineage.node import TABLE_LIKE, Node, NodeType


class DataUse(StrEnum):
    """In order of weight."""

    PASSED_THROUGH = "passed_through"
    AGGREGATED = "aggregated"
    FILTER = "filter"
    JOIN_KEY = "join_key"


_BY_WAY = {
    IndirectType.JOIN: DataUse.JOIN_KEY,
    IndirectType.FILTER: DataUse.FILTER,
    IndirectType.GROUP_BY: DataUse.AGGREGATED,
    IndirectType.WINDOW: DataUse.AGGREGATED,
    IndirectType.SORT: DataUse.PASSED_THROUGH,
}
_ORDER = tuple(DataUse)


def use_of(link: Link) -> DataUse:
    if link.kind.indirect is not None:
        return _BY_WAY[link.kind.indirect]
    aggregates = (
        link.transformation is Transformation.AGGREGATION or link.kind.relationship is EdgeRelationship.AGGREGATED
    )
    return DataUse.AGGREGATED if aggregates else DataUse.PASSED_THROUGH


def heaviest(links: Iterable[Link]) -> Link:
    """By use; of equals the most confident, then by name."""
    return min(links, key=lambda link: (-_ORDER.index(use_of(link)), -link.confidence, link.sort_key))


def copies_name(link: Link) -> bool:
    """A plain copy under the same name, as `SELECT *` makes them."""
    same = link.source.rpartition(".")[2].lower() == link.target.rpartition(".")[2].lower()
    return same and link.kind.indirect is None and link.transformation is Transformation.IDENTITY


@dataclass(frozen=True, slots=True)
class TableReader:
    """A reader of a whole table, besides those reached from one of its columns."""

    node: Node
    link: Link  # from the table


class ImpactPaths:
    """The paths of one traversal from a change."""

    def __init__(self, traversal: Traversal, readers: Iterable[TableReader] = ()) -> None:
        self.starts = {node.id: node for node in traversal.starts}
        self.changed = self.starts.get(traversal.start) or _part_of(traversal.start, self.starts)
        self.starts.setdefault(traversal.start, self.changed)
        self.depths = dict.fromkeys(self.starts, 0)
        self.items = {item.node.id: item for item in traversal.items}
        self.depths |= {item.node.id: item.depth for item in traversal.items}
        self.links = list(traversal.links)
        self._from: dict[str, list[Link]] = defaultdict(list)
        self._into: dict[str, list[Link]] = defaultdict(list)
        self._of_table: dict[str, list[str]] = defaultdict(list)
        for item in traversal.items:
            if item.node.table and item.node.table != item.node.id:
                self._of_table[item.node.table].append(item.node.id)
        for link in traversal.links:
            self._take(link)
        self._add_readers(readers)

    def _take(self, link: Link) -> None:
        self._from[link.source].append(link)
        self._into[link.target].append(link)

    def _add_readers(self, readers: Iterable[TableReader]) -> None:
        """They are one hop behind what they read: another reader, or the nearest and most confident of the affected
        columns of a table."""
        waiting = list(readers)
        while waiting:
            later = [reader for reader in waiting if not self._add(reader)]
            if len(later) == len(waiting):
                return
            waiting = later

    def _add(self, reader: TableReader) -> bool:
        """False where what it reads is not hit, or not yet."""
        source, name = reader.link.source, reader.node.id
        if name in self.items or name in self.starts:
            return True
        hit = [self.items[column] for column in self._of_table.get(source, ())]
        hit += [self.items[source]] if source in self.items else []
        own = source in self.starts or any(node.table == source for node in self.starts.values())
        if not (hit or own):
            return False
        depth = 0 if own else min(item.depth for item in hit)
        sure = 1.0 if own else max(item.confidence for item in hit)
        self.items[name] = ReachedNode(reader.node, "downstream", depth + 1, sure * reader.link.confidence, reader.link)
        self.depths[name] = depth + 1
        self.depths.setdefault(source, depth)
        self.links.append(reader.link)
        self._take(reader.link)
        return True

    def into(self, item: ReachedNode) -> tuple[Link, ...]:
        """The edges that lead to it, or else to what it is a part of."""
        for name in (item.node.id, item.node.parent, item.node.table):
            found = [link for link in self._into.get(name, ()) if link.source in self.depths and link.source != name]
            if found:
                return tuple(found)
        return (item.via,)

    def nearest(self, item: ReachedNode) -> tuple[Link, ...]:
        """Of these the ones by which it is first reached."""
        links = self.into(item)
        return tuple(link for link in links if self.depths.get(link.source, 0) < item.depth) or links

    def carried(self, carries: Callable[[Link], bool]) -> frozenset[str]:
        """Where the change itself arrives, and not only its consequences: all that edges which carry it lead to from
        the start. What a table that is reached as a whole has, has it too."""
        reached = set(self.starts)
        waiting = sorted(reached)
        while waiting:
            name = waiting.pop()
            after = [link.target for link in self._from.get(name, ()) if carries(link)]
            if name not in self.starts:
                after += self._of_table.get(name, ())
            for target in after:
                if target not in reached:
                    reached.add(target)
                    waiting.append(target)
        return frozenset(reached)

    def holds_carried(self, table: str, carried: frozenset[str]) -> bool:
        """Whether a column of the table is among them."""
        own = (node.id for node in self.starts.values() if node.table == table)
        return table in carried or any(name in carried for name in (*self._of_table.get(table, ()), *own))

    def path_to(self, item: ReachedNode) -> Path:
        """The most confident one: each entity knows its last hop on it."""
        hops: list[tuple[Node, Link]] = []
        seen: set[str] = set()
        here: ReachedNode | None = item
        while here is not None and here.node.id not in seen:
            seen.add(here.node.id)
            hops.append((here.node, here.via))
            here = self.items.get(here.via.source) or self._hit_column(here)
        start = hops[-1][1].source if hops else self.changed.id
        found = tuple(Hop(node, link, depth) for depth, (node, link) in enumerate(reversed(hops), 1))
        return Path(start if start in self.starts else self.changed.id, found, item.confidence)

    def _hit_column(self, item: ReachedNode) -> ReachedNode | None:
        """For a reader of a whole table: its most confident affected column."""
        if item.via.source in self.starts:
            return None
        columns = [self.items[name] for name in self._of_table.get(item.via.source, ())]
        return min(columns, key=lambda one: (-one.confidence, one.depth, one.node.id), default=None)


def _part_of(name: str, starts: Mapping[str, Node]) -> Node:
    """A walk over columns begins at the column of a field."""
    owner = next((node for node in starts.values() if name.startswith(f"{node.id}.") and not is_table(node)), None)
    if owner is None:
        return Node(id=name, type=NodeType.TABLE, name=name, table=name)
    return Node(id=name, type=NodeType.FIELD, name=name[len(owner.id) + 1 :], table=owner.table, parent=owner.id)


def is_table(node: Node) -> bool:
    return node.type in TABLE_LIKE
