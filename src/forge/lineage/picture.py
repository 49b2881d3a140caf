"""A picture of the part of a graph that one table or column reaches: which tables, which of their columns, in which
layer and order. The whole graph is never drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from forge.lineage.graph import Direction, Graph, Link

Way = Literal["upstream", "downstream", "both"]
SWEEPS = 4


@dataclass(frozen=True, slots=True)
class PictureTable:
    """`columns` are the touched ones, by name. `layer` 0 has no inputs in this picture; `order` is the place within the
    layer."""

    name: str
    layer: int
    order: int
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """`links` are between columns, or between tables where `by_table`. `reached` counts what was come to from the
    root, `hidden` the edges that were not sure enough to follow."""

    root: str
    direction: Way
    depth: int
    by_table: bool
    tables: tuple[PictureTable, ...]
    links: tuple[Link, ...]
    reached: int
    greatest_depth: int
    hidden: int


@dataclass(frozen=True, slots=True)
class _Walk:
    depths: Mapping[str, int]
    links: frozenset[Link]
    hidden: frozenset[Link]


def picture_of(
    graph: Graph,
    root: str,
    *,
    direction: Way = "both",
    depth: int = 5,
    min_confidence: float = 0.5,
    by_table: bool = False,
) -> Picture:
    """What is reached within `depth` hops and by which edges. A table starts from all its columns. E801 where no edge
    touches the root."""
    graph = graph.by_table() if by_table else graph
    starts = graph.starts_of(root)
    ways: tuple[Direction, ...] = ("upstream", "downstream") if direction == "both" else (direction,)
    walks = [_walk(graph, starts, way, depth, min_confidence) for way in ways]
    names = {name for walk in walks for name in walk.depths}
    links = tuple(sorted({link for walk in walks for link in walk.links}))
    places = {name: graph.place_of(name) for name in names}
    columns: dict[str, set[str]] = defaultdict(set)
    for place in places.values():
        columns[place.table].add(place.column)
    pairs = {(places[link.source].table, places[link.target].table) for link in links}
    return Picture(
        root,
        direction,
        depth,
        by_table,
        tuple(
            PictureTable(name, layer, order, tuple(sorted(columns[name] - {""})))
            for name, layer, order in arrange(columns, pairs)
        ),
        links,
        len(names - set(starts)),
        max((hops for walk in walks for hops in walk.depths.values()), default=0),
        len({link for walk in walks for link in walk.hidden}),
    )


def lone_table(root: str, table: str, direction: Way, depth: int, *, column: str | None = None) -> Picture:
    """Of something that exists and that no edge touches."""
    alone = PictureTable(table, 0, 0, (column,) if column else ())
    return Picture(root, direction, depth, column is None, (alone,), (), 0, 0, 0)


def _walk(graph: Graph, starts: Sequence[str], direction: Direction, limit: int, min_confidence: float) -> _Walk:
    depths = dict.fromkeys(starts, 0)
    links: set[Link] = set()
    hidden: set[Link] = set()
    frontier = list(starts)
    for hops in range(1, limit + 1):
        found: dict[str, None] = {}
        for link in (link for name in frontier for link in graph.links_of(name, direction)):
            if link.confidence < min_confidence:
                hidden.add(link)
                continue
            links.add(link)
            other = link.source if direction == "upstream" else link.target
            if other not in depths:
                found[other] = None
        depths |= dict.fromkeys(found, hops)
        frontier = list(found)
    return _Walk(depths, frozenset(links), frozenset(hidden))


def arrange(names: Iterable[str], pairs: Iterable[tuple[str, str]]) -> list[tuple[str, int, int]]:
    """Name, layer and place within the layer, in reading order."""
    nodes = sorted(names)
    forward = _without_cycles(nodes, sorted({pair for pair in pairs if pair[0] != pair[1]}))
    layers = _layers(nodes, forward)
    rows: dict[int, list[str]] = defaultdict(list)
    for name in nodes:
        rows[layers[name]].append(name)
    _untangle(rows, forward)
    return [(name, layer, place) for layer in sorted(rows) for place, name in enumerate(rows[layer])]


def _without_cycles(nodes: Sequence[str], pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Without the pairs that lead back to where a walk in order of names is coming from. What nothing leads to is
    walked first, so that a cycle is cut where one enters it."""
    after: dict[str, list[str]] = defaultdict(list)
    for source, target in pairs:
        after[source].append(target)
    entered = {target for _, target in pairs}
    back: set[tuple[str, str]] = set()
    done: set[str] = set()
    for start in sorted(nodes, key=lambda name: (name in entered, name)):
        path: dict[str, list[str]] = {} if start in done else {start: list(after[start])}
        while path:
            name, rest = next(reversed(path.items()))
            if not rest:
                done.add(name)
                del path[name]
                continue
            target = rest.pop(0)
            if target in path:
                back.add((name, target))
            elif target not in done:
                path[target] = list(after[target])
    return [pair for pair in pairs if pair not in back]


def _layers(nodes: Sequence[str], pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """The longest way to each node."""
    before = dict.fromkeys(nodes, 0)
    after: dict[str, list[str]] = defaultdict(list)
    for source, target in pairs:
        before[target] += 1
        after[source].append(target)
    layers = dict.fromkeys(nodes, 0)
    ready = [name for name in nodes if before[name] == 0]
    while ready:
        name = ready.pop()
        for target in after[name]:
            layers[target] = max(layers[target], layers[name] + 1)
            before[target] -= 1
            if before[target] == 0:
                ready.append(target)
    return layers


def _untangle(rows: dict[int, list[str]], pairs: Sequence[tuple[str, str]]) -> None:
    """Each table goes to the mean place of what it comes from, then of what comes from it, a few times over: few
    crossings for little work."""
    near: dict[bool, dict[str, list[str]]] = {True: defaultdict(list), False: defaultdict(list)}
    for source, target in pairs:
        near[True][target].append(source)
        near[False][source].append(target)
    places = {name: _place(row, number) for row in rows.values() for number, name in enumerate(row)}
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for layer in sorted(rows, reverse=not down):
            row = rows[layer]
            means = {n: _mean([places[other] for other in near[down][n]], places[n]) for n in row}
            row.sort(key=lambda name, means=means: (means[name], places[name], name))  # type: ignore[misc]
            places |= {name: _place(row, number) for number, name in enumerate(row)}


def _place(row: Sequence[str], number: int) -> float:
    """Between 0 and 1, so that a short layer stands beside the middle of a long one."""
    return (number + 0.5) / len(row)


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
