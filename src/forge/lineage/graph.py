"""The graph of recorded edges: what a column or a table comes from, and what comes from it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Literal

from forge.lineage.edge import Edge, TableEdge, Transformation, level_of
from forge.model.errors import ForgeError
from forge.model.names import ColumnName
from forge.model.nearest import did_you_mean

if TYPE_CHECKING:
    import pandas

Direction = Literal["upstream", "downstream"]


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """An edge between two entities of one graph: two columns, or two tables."""

    source: str
    target: str
    transformation: Transformation = Transformation.UNKNOWN
    expression: str = ""
    masking: bool = False
    confidence: float = 1.0

    def to_dict(self) -> dict[str, object]:
        return {
            "source": self.source,
            "target": self.target,
            "transformation": str(self.transformation),
            "expression": self.expression,
            "masking": self.masking,
            "confidence": self.confidence,
        }


@dataclass(frozen=True, slots=True)
class Reached:
    """An entity a traversal came to. `depth` is the fewest hops; `path` is the surest way (of those the shortest) from
    the start, and `confidence` the product along it."""

    name: str
    table: str
    column: str | None
    depth: int
    confidence: float
    path: tuple[Link, ...]

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "table": self.table,
            "column": self.column,
            "depth": self.depth,
            "confidence": self.confidence,
            "path": [link.to_dict() for link in self.path],
        }


@dataclass(frozen=True, slots=True)
class ReachedTable:
    name: str
    depth: int
    confidence: float
    columns: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "depth": self.depth,
            "confidence": self.confidence,
            "columns": list(self.columns),
        }


@dataclass(frozen=True, slots=True)
class Traversal:
    """`items` by depth, then name. `hidden`: how many edges were not followed because they are not sure enough."""

    start: str
    direction: Direction
    depth: int | None
    min_confidence: float
    items: tuple[Reached, ...]
    hidden: int

    @property
    def greatest_depth(self) -> int:
        return max((item.depth for item in self.items), default=0)

    def tables(self) -> tuple[ReachedTable, ...]:
        """The same, rolled up."""
        of_table: dict[str, list[Reached]] = defaultdict(list)
        for item in self.items:
            of_table[item.table].append(item)
        rolled = (
            ReachedTable(
                table,
                min(item.depth for item in items),
                max(item.confidence for item in items),
                tuple(sorted(item.column for item in items if item.column)),
            )
            for table, items in of_table.items()
        )
        return tuple(sorted(rolled, key=lambda table: (table.depth, table.name)))

    def to_pandas(self) -> pandas.DataFrame:
        import pandas

        rows = [(item.depth, item.table, item.column, item.confidence, _last(item)) for item in self.items]
        return pandas.DataFrame(rows, columns=["depth", "table", "column", "confidence", "expression"])

    def _repr_html_(self) -> str:
        """A table, in a notebook."""
        rows = "".join(
            f"<tr><td>{item.depth}</td><td>{escape(item.name)}</td><td>{escape(_last(item))}</td>"
            f"<td>{item.confidence:.2f}</td></tr>"
            for item in self.items
        )
        titles = "<tr><th>depth</th><th>column</th><th>by</th><th>confidence</th></tr>"
        return f"<table><caption>{self.direction} of {escape(self.start)}</caption>{titles}{rows}</table>"

    def to_dict(self) -> dict[str, object]:
        return {
            "start": self.start,
            "direction": self.direction,
            "depth": self.depth,
            "min_confidence": self.min_confidence,
            "total": len(self.items),
            "greatest_depth": self.greatest_depth,
            "levels": dict(sorted(Counter(level_of(item.confidence) for item in self.items).items())),
            "hidden": self.hidden,
            "items": [item.to_dict() for item in self.items],
            "tables": [table.to_dict() for table in self.tables()],
        }


def _last(item: Reached) -> str:
    """How the last hop was made."""
    return item.path[-1].expression or str(item.path[-1].transformation) if item.path else ""


@dataclass(frozen=True, slots=True)
class _Way:
    """A path, sharing its beginning with others."""

    confidence: float
    length: int
    link: Link | None = None
    before: _Way | None = None

    def links(self) -> tuple[Link, ...]:
        found: list[Link] = []
        way: _Way | None = self
        while way is not None and way.link is not None:
            found.append(way.link)
            way = way.before
        return tuple(reversed(found))


class Graph:
    """Built once from edges, then asked. Of several edges between the same two columns (from several runs) the surest
    counts, the last given of equals. `table_edges` matter only `by_table()`."""

    def __init__(self, edges: Iterable[Edge], table_edges: Iterable[TableEdge] = ()) -> None:
        places: dict[str, ColumnName] = {}
        links: dict[tuple[str, str], Link] = {}
        for edge in edges:
            link = _link(edge)
            places[link.source], places[link.target] = edge.source, edge.target
            _keep(links, link)
        self._build(places, links.values())
        self._table_edges = tuple(table_edges)

    def _build(self, places: Mapping[str, ColumnName], links: Iterable[Link]) -> None:
        self._places = dict(places)
        self._columns: dict[str, list[str]] = defaultdict(list)
        for name, place in places.items():
            self._columns[place.table].append(name)
        self._after: dict[str, list[Link]] = defaultdict(list)
        self._before: dict[str, list[Link]] = defaultdict(list)
        for link in sorted(links):
            self._after[link.source].append(link)
            self._before[link.target].append(link)

    def by_table(self) -> Graph:
        """The graph of tables: linked where a column of one arrives in a column of the other, or where the table was
        read at all (a count of rows takes no column)."""
        links: dict[tuple[str, str], Link] = {}
        for outgoing in self._after.values():
            for link in outgoing:
                source, target = self._places[link.source].table, self._places[link.target].table
                _keep(links, Link(source, target, confidence=link.confidence))
        for edge in self._table_edges:
            _keep(links, Link(edge.source, edge.target))
        graph = Graph(())
        names = {name for pair in links for name in pair}
        graph._build({name: ColumnName(name, "") for name in names}, links.values())
        return graph

    def upstream(self, start: ColumnName | str, depth: int | None = 10, min_confidence: float = 0.5) -> Traversal:
        """What `start` comes from. `depth=None`: all the way."""
        return self._traverse("upstream", start, depth, min_confidence)

    def downstream(self, start: ColumnName | str, depth: int | None = 10, min_confidence: float = 0.5) -> Traversal:
        """What comes from `start`."""
        return self._traverse("downstream", start, depth, min_confidence)

    def _traverse(
        self, direction: Direction, start: ColumnName | str, limit: int | None, min_confidence: float
    ) -> Traversal:
        starts = self.starts_of(str(start))
        adjacent = self._before if direction == "upstream" else self._after
        depths = dict.fromkeys(starts, 0)
        best = {name: _Way(1.0, 0) for name in starts}
        frontier = dict(best)
        hidden: set[Link] = set()
        hops = 0
        # Round by round: a way found in round n has n hops, so the limit holds for the surest ways too. An entity is
        # looked at again only when a surer way to it was found; a cycle never makes one.
        while frontier and (limit is None or hops < limit):
            hops += 1
            found: dict[str, _Way] = {}
            for name, way in frontier.items():
                for link in adjacent.get(name, ()):
                    if link.confidence < min_confidence:
                        hidden.add(link)
                        continue
                    other = link.source if direction == "upstream" else link.target
                    depths.setdefault(other, hops)
                    candidate = _Way(way.confidence * link.confidence, hops, link, way)
                    known = found.get(other) or best.get(other)
                    if known is None or candidate.confidence > known.confidence:
                        found[other] = candidate
            best.update(found)
            frontier = found
        reached = (self._reached(name, depths[name], best[name]) for name in depths.keys() - set(starts))
        items = tuple(sorted(reached, key=lambda item: (item.depth, item.name)))
        return Traversal(str(start), direction, limit, min_confidence, items, len(hidden))

    def _reached(self, name: str, depth: int, way: _Way) -> Reached:
        place = self._places[name]
        return Reached(name, place.table, place.column or None, depth, way.confidence, way.links())

    def links_of(self, name: str, direction: Direction) -> tuple[Link, ...]:
        """The edges that lead to one entity, or those that lead on from it."""
        return tuple((self._before if direction == "upstream" else self._after).get(name, ()))

    def place_of(self, name: str) -> ColumnName:
        """Table and column of an entity; in a graph of tables the column is empty."""
        return self._places[name]

    def starts_of(self, start: str) -> list[str]:
        """Where a traversal begins: a table starts from all its columns. E801 where no edge touches it."""
        if start in self._columns:
            return sorted(self._columns[start])
        if start in self._places:
            return [start]
        raise ForgeError(
            "E801",
            f"'{start}' is not in the lineage graph",
            why="No recorded edge touches that table or column.",
            fix=did_you_mean(start, (*self._columns, *self._places)) or "Run the transform that makes it.",
        )


def _link(edge: Edge) -> Link:
    return Link(str(edge.source), str(edge.target), edge.transformation, edge.expression, edge.masking, edge.confidence)


def _keep(links: dict[tuple[str, str], Link], link: Link) -> None:
    known = links.get((link.source, link.target))
    if known is None or link.confidence >= known.confidence:
        links[link.source, link.target] = link
