"""Results of traversals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from forge.lineage.edge import Transformation, level_of
from forge.lineage.graph.request import Direction, TraversalRequest, WalkDirection
from forge.lineage.kind import EdgeKind
from forge.lineage.node import Node, NodeType
from forge.model.record_json import record_json

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A traversed edge, between two entities of one level."""

    source: str
    target: str
    kind: EdgeKind = field(default_factory=EdgeKind)
    transformation: Transformation = Transformation.UNKNOWN
    expression: str = ""
    masking: bool = False
    confidence: float = 1.0
    valid_from: datetime | None = None
    valid_to: datetime | None = None

    @property
    def id(self) -> str:
        return f"{self.source}->{self.target}#{self.kind.word}"

    @property
    def sort_key(self) -> tuple[str, str, int]:
        return self.source, self.target, self.kind.code

    @property
    def how(self) -> str:
        """How a hop was made, in a few words."""
        return self.expression or (self.kind.word if self.kind.indirect else str(self.transformation))

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "source": self.source,
            "target": self.target,
            "type": str(self.kind.type),
            "relationship": str(self.kind.relationship) if self.kind.relationship else None,
            "kind": "indirect" if self.kind.indirect else "direct",
            "subtype": str(self.kind.indirect) if self.kind.indirect else None,
            "transformation": str(self.transformation),
            "expression": self.expression,
            "masking": self.masking,
            "confidence": self.confidence,
            "level": level_of(self.confidence),
            "valid_from": self.valid_from.isoformat() if self.valid_from else None,
            "valid_to": self.valid_to.isoformat() if self.valid_to else None,
        }


_OF_LAST_HOP = ("relationship", "kind", "subtype", "transformation", "expression", "masking")


@dataclass(frozen=True, slots=True)
class ReachedNode:
    """A reached entity. `depth`: fewest hops; `confidence`: product along the most confident path, and `via` its
    last hop."""

    node: Node
    direction: Direction
    depth: int
    confidence: float
    via: Link

    @property
    def name(self) -> str:
        return self.node.id

    @property
    def table(self) -> str:
        return self.node.table or self.node.id

    @property
    def column(self) -> str | None:
        return self.node.column

    def to_dict(self) -> dict[str, object]:
        via = self.via.to_dict()
        return {
            "id": self.node.id,
            "type": str(self.node.type),
            "name": self.node.name,
            "table": self.table,
            "column": self.column,
            "direction": self.direction,
            "depth": self.depth,
            "confidence": self.confidence,
            "level": level_of(self.confidence),
            **{name: via[name] for name in _OF_LAST_HOP},
        }


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a path: an entity and the edge to it."""

    node: Node
    link: Link
    depth: int

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.node.id,
            "type": str(self.node.type),
            "qualified_name": self.node.qualified_name,
            "relationship": self.link.kind.word,
            "transformation": str(self.link.transformation),
            "expression": self.link.expression,
            "confidence": self.link.confidence,
            "depth": self.depth,
        }


@dataclass(frozen=True, slots=True)
class Path:
    """A simple path from `start` along `hops`."""

    start: str
    hops: tuple[Hop, ...]
    confidence: float

    def to_dict(self) -> dict[str, object]:
        return {
            "start": self.start,
            "end": self.hops[-1].node.id if self.hops else self.start,
            "hops": [hop.to_dict() for hop in self.hops],
            "confidence": self.confidence,
            "length": len(self.hops),
        }


@dataclass(frozen=True, slots=True)
class ReachedTable:
    name: str
    depth: int
    confidence: float
    columns: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        return record_json(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Traversal:
    """`items` by direction, depth and name; `links`: edges between the start and the items. `hidden`: edges below the
    confidence limit. `total`: matching entities, of which `items` may be the first page (`truncated`)."""

    ask: TraversalRequest
    items: tuple[ReachedNode, ...]
    links: tuple[Link, ...]
    hidden: int
    total: int
    paths: tuple[Path, ...] = ()
    starts: tuple[Node, ...] = ()
    levels: Mapping[str, int] = field(default_factory=dict)  # of all that were reached, not of the shown alone
    greatest_depth: int = 0

    @property
    def start(self) -> str:
        return self.ask.start

    @property
    def direction(self) -> WalkDirection:
        return self.ask.direction

    @property
    def depth(self) -> int | None:
        return self.ask.depth

    @property
    def truncated(self) -> bool:
        return len(self.items) < self.total

    def of(self, *types: NodeType) -> tuple[ReachedNode, ...]:
        return tuple(item for item in self.items if item.node.type in types)

    def tables(self) -> tuple[ReachedTable, ...]:
        """The same, rolled up."""
        of_table: dict[str, list[ReachedNode]] = defaultdict(list)
        for item in self.items:
            of_table[item.table].append(item)
        rolled = (
            ReachedTable(
                table,
                min(item.depth for item in items),
                max(item.confidence for item in items),
                tuple(sorted({item.column for item in items if item.column})),
            )
            for table, items in of_table.items()
        )
        return tuple(sorted(rolled, key=lambda table: (table.depth, table.name)))

    def to_pandas(self) -> pandas.DataFrame:
        import pandas

        rows = [
            (item.direction, item.depth, item.table, item.column, str(item.node.type), item.confidence, item.via.how)
            for item in self.items
        ]
        columns = ["direction", "depth", "table", "column", "type", "confidence", "how"]
        return pandas.DataFrame(rows, columns=columns)

    def _repr_html_(self) -> str:
        """Self-contained SVG for notebooks."""
        from forge.lineage.graph.drawing import draw

        return draw(self)

    def to_dict(self) -> dict[str, object]:
        return {
            "root_id": self.start,
            "direction": self.direction,
            "depth": self.depth,
            "level": str(self.ask.level),
            "min_confidence": self.ask.edges.min_confidence,
            "indirect": self.ask.edges.indirect,
            "total_entities": self.total,
            "truncated": self.truncated,
            "greatest_depth": self.greatest_depth,
            "levels": dict(self.levels),
            "hidden": self.hidden,
            "items": [item.to_dict() for item in self.items],
            "tables": [table.to_dict() for table in self.tables()],
            "edges": [link.to_dict() for link in self.links],
            "paths": [path.to_dict() for path in self.paths],
        }
