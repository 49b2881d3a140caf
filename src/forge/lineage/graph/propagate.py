"""Propagation of a property (a tag, a class of personal data, an incident) along edges, and what stops it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Literal

from forge.lineage.edge import Transformation, level_of
from forge.lineage.graph.request import MIN_CONFIDENCE, Direction
from forge.lineage.graph.traversal import Link
from forge.lineage.kind import EdgeRelationship

Reason = Literal["masking", "aggregation", "confidence"]


@dataclass(frozen=True, slots=True)
class PropagationRule:
    """What stops a property. Masking does by default; `aggregation`: aggregates do too; `min_confidence`: less
    confident edges do not carry it. `indirect`: indirect edges carry it too (an incident in a filter column
    affects the whole table, a class of personal data does not)."""

    masking: bool = True
    aggregation: bool = False
    min_confidence: float = MIN_CONFIDENCE
    indirect: bool = False

    def stops(self, link: Link) -> Reason | None:
        if self.masking and (link.masking or link.kind.relationship is EdgeRelationship.ANONYMIZED):
            return "masking"
        if self.aggregation and (
            link.transformation is Transformation.AGGREGATION or link.kind.relationship is EdgeRelationship.AGGREGATED
        ):
            return "aggregation"
        return "confidence" if link.confidence < self.min_confidence else None


@dataclass(frozen=True, slots=True)
class Carrier:
    """An entity that gets the property: from `origin`, by the last hop `via` from `before`, along the most confident
    path, of these the shortest."""

    id: str
    origin: str
    before: str
    via: Link
    hops: int
    confidence: float


@dataclass(frozen=True, slots=True)
class StoppedEdge:
    """An edge from a carrier that does not carry the property. `bypassed`: its other end has it by another path."""

    link: Link
    reason: Reason
    bypassed: bool

    def to_dict(self) -> dict[str, object]:
        return {"edge": self.link.to_dict(), "reason": self.reason, "bypassed": self.bypassed}


@dataclass(frozen=True, slots=True)
class Propagation:
    """`carriers` by hops and id, without the origins."""

    property: str
    direction: Direction
    origins: tuple[str, ...]
    carriers: tuple[Carrier, ...]
    stopped: tuple[StoppedEdge, ...]
    _by_id: Mapping[str, Carrier] = field(default_factory=dict, repr=False, compare=False)

    def path_to(self, name: str) -> tuple[Link, ...]:
        """The edges from the origin to a carrier, in that order; none for an origin."""
        links: list[Link] = []
        while name in self._by_id:
            carrier = self._by_id[name]
            links.append(carrier.via)
            name = carrier.before
        return tuple(reversed(links))

    def to_dict(self) -> dict[str, object]:
        return {
            "property": self.property,
            "direction": self.direction,
            "origins": list(self.origins),
            "total": len(self.carriers),
            "carriers": [
                {
                    "id": one.id,
                    "origin": one.origin,
                    "before": one.before,
                    "hops": one.hops,
                    "confidence": one.confidence,
                    "level": level_of(one.confidence),
                    "via": one.via.id,
                    "path": [link.id for link in self.path_to(one.id)],
                }
                for one in self.carriers
            ],
            "stopped": [one.to_dict() for one in self.stopped],
        }


# -confidence, hops, entity, where from, by which edge, origin: the smallest is the best path.
_Entry = tuple[float, int, str, str, tuple[str, str, int], str]


def propagate(
    links: Iterable[Link],
    origins: Iterable[str],
    *,
    property: str = "",
    direction: Direction = "downstream",
    rule: PropagationRule | None = None,
    tables: Mapping[str, str] | None = None,
) -> Propagation:
    """Visits each edge once. `tables` maps a column to its table; without it an indirect or table edge ends at the
    table. A table starts from all its columns."""
    neighbours = _Neighbours(links, direction, rule or PropagationRule(), tables or {})
    given = tuple(sorted(set(origins)))
    starts = {*given, *(column for name in given for column in neighbours.columns(name))}
    found, stopped = _spread(neighbours, starts)
    carriers = tuple(sorted(found.values(), key=lambda one: (one.hops, one.id)))
    has_it = {*starts, *found}
    return Propagation(
        property,
        direction,
        given,
        carriers,
        tuple(
            StoppedEdge(link, reason, (link.target if direction == "downstream" else link.source) in has_it)
            for link, reason in sorted(stopped.items(), key=lambda one: one[0].sort_key)
        ),
        found,
    )


class _Neighbours:
    """Neighbours of entities in one direction."""

    def __init__(
        self, links: Iterable[Link], direction: Direction, rule: PropagationRule, tables: Mapping[str, str]
    ) -> None:
        self.rule = rule
        self._downstream = direction == "downstream"
        self._tables = tables
        self._columns: dict[str, list[str]] = defaultdict(list)
        for column, table in sorted(tables.items()):
            self._columns[table].append(column)
        self._links: dict[str, list[Link]] = defaultdict(list)
        self._into_table: dict[str, list[Link]] = defaultdict(list)
        for link in links:
            if not link.kind.flows or (link.kind.indirect and not rule.indirect):
                continue
            self._links[link.source if self._downstream else link.target].append(link)
            if link.kind.indirect:
                self._into_table[link.target].append(link)

    def columns(self, name: str) -> tuple[str, ...]:
        return tuple(self._columns.get(name, ()))

    def links(self, name: str) -> Iterator[Link]:
        """Upstream, what shapes the rows of a column's table shapes the column."""
        yield from self._links.get(name, ())
        if not self._downstream and name in self._tables:
            yield from self._into_table.get(self._tables[name], ())

    def ends(self, link: Link) -> Iterator[str]:
        """Downstream, what comes to a table comes to all its columns."""
        end = link.target if self._downstream else link.source
        yield end
        if self._downstream:
            yield from self.columns(end)


def _spread(neighbours: _Neighbours, starts: Iterable[str]) -> tuple[dict[str, Carrier], dict[Link, Reason]]:
    """Dijkstra by confidence: a path never gets more confident by being longer."""
    by_key: dict[tuple[str, str, int], Link] = {}
    nothing = ("", "", -1)
    heap: list[_Entry] = [(-1.0, 0, start, "", nothing, start) for start in starts]
    heapify(heap)
    done: set[str] = set()
    found: dict[str, Carrier] = {}
    stopped: dict[Link, Reason] = {}
    while heap:
        doubt, hops, name, before, key, origin = heappop(heap)
        if name in done:
            continue
        done.add(name)
        if before:
            found[name] = Carrier(name, origin, before, by_key[key], hops, -doubt)
        for link in neighbours.links(name):
            reason = neighbours.rule.stops(link)
            if reason is not None:
                stopped[link] = reason
                continue
            by_key.setdefault(link.sort_key, link)
            for end in neighbours.ends(link):
                if end not in done:
                    heappush(heap, (doubt * link.confidence, hops + 1, end, name, link.sort_key, origin))
    return found, stopped
