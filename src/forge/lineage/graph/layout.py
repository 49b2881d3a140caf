"""Layout of a traversal: tables, their touched columns, layers and order. The whole graph is never laid out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forge.lineage.graph.request import WalkDirection
from forge.lineage.node import GraphLevel, Node

if TYPE_CHECKING:
    from forge.lineage.graph.traversal import Link, ReachedNode, Traversal

SWEEPS = 4


@dataclass(frozen=True, slots=True)
class LayoutTable:
    """A table, or another top-level entity (a dashboard, a schema). `columns`: touched ones, by name. `layer` 0 has
    no inputs here; `order` is the position within the layer."""

    name: str
    layer: int
    order: int
    columns: tuple[str, ...] = ()

    def column_id(self, column: str) -> str:
        return f"{self.name}.{column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphLayout:
    """`reached`: number of entities reached; `levels`: their confidence levels; `hidden`: edges below the confidence
    limit; `truncated`: there are more pages. `items`: new on this page; `entities` and `nodes`, by id, of all
    pages so far."""

    root: str
    direction: WalkDirection
    depth: int | None
    level: GraphLevel
    tables: tuple[LayoutTable, ...]
    links: tuple[Link, ...] = ()
    reached: int = 0
    greatest_depth: int = 0
    hidden: int = 0
    levels: Mapping[str, int] = field(default_factory=dict)
    truncated: bool = False
    items: tuple[ReachedNode, ...] = ()
    entities: Mapping[str, ReachedNode] = field(default_factory=dict)
    nodes: Mapping[str, Node] = field(default_factory=dict)

    @property
    def by_table(self) -> bool:
        return self.level not in (GraphLevel.COLUMN, GraphLevel.FIELD)


@dataclass(frozen=True, slots=True)
class _BoxGraph:
    """Boxes by id with their columns, and the edges."""

    boxes: Mapping[str, frozenset[str]]
    links: tuple[Link, ...]


def layout_of(walk: Traversal, before: Traversal | None = None) -> GraphLayout:
    """What a walk found. `before` is the same walk with a smaller limit: what it has is left out, but places are those
    of the whole."""
    nodes = {node.id: node for node in walk.starts} | {item.node.id: item.node for item in walk.items}
    whole = _shown(walk, nodes)
    shown = whole if before is None else _without(whole, _shown(before, nodes))
    homes = {node.id: node.table or node.id for node in nodes.values()}
    pairs = {(homes.get(link.source, link.source), homes.get(link.target, link.target)) for link in whole.links}
    tables = tuple(
        LayoutTable(name, layer, order, tuple(sorted(shown.boxes[name])))
        for name, layer, order in arrange(whole.boxes, pairs)
        if name in shown.boxes
    )
    return GraphLayout(
        root=walk.start,
        direction=walk.direction,
        depth=walk.depth,
        level=walk.ask.level,
        tables=tables,
        links=shown.links,
        reached=walk.total,
        greatest_depth=walk.greatest_depth,
        hidden=walk.hidden,
        levels=walk.levels,
        truncated=walk.truncated,
        items=walk.items if before is None else _new(walk.items, before.items),
        entities=_nearest(walk.items),
        nodes=nodes,
    )


def lone_table(
    root: str, table: str, direction: WalkDirection, depth: int | None, *, column: str | None = None
) -> GraphLayout:
    """Of something that exists and that no edge touches."""
    alone = LayoutTable(table, 0, 0, (column,) if column else ())
    return GraphLayout(
        root=root,
        direction=direction,
        depth=depth,
        level=GraphLevel.COLUMN if column else GraphLevel.TABLE,
        tables=(alone,),
    )


def _shown(walk: Traversal, nodes: Mapping[str, Node]) -> _BoxGraph:
    """Columns touched by a shown edge: a table reached as a whole has reached all of them. The root is always shown."""
    ends = {end for link in walk.links for end in (link.source, link.target)}
    direct = {item.node.id for item in walk.items if item.node.id in (item.via.source, item.via.target)}
    boxes: dict[str, set[str]] = defaultdict(set)
    for name in [*(node.id for node in walk.starts), *(item.node.id for item in walk.items)]:
        node = nodes[name]
        home = node.table or node.id
        columns = boxes[home]
        if node.column and (name in ends or name in direct or name == walk.start):
            columns.add(node.column)
    return _BoxGraph({name: frozenset(columns) for name, columns in boxes.items()}, _telling(walk, nodes))


def _telling(walk: Traversal, nodes: Mapping[str, Node]) -> tuple[Link, ...]:
    """Without the edges between tables that only say again what those between their columns say."""
    if walk.ask.level not in (GraphLevel.COLUMN, GraphLevel.FIELD):
        return walk.links
    inside = {name: node.table for name, node in nodes.items() if node.column}
    finer = {
        (inside[link.source], inside[link.target]) for link in walk.links if inside.keys() >= {link.source, link.target}
    }
    return tuple(link for link in walk.links if link.kind.indirect or (link.source, link.target) not in finer)


def _without(whole: _BoxGraph, before: _BoxGraph) -> _BoxGraph:
    known = {link.id for link in before.links}
    links = tuple(link for link in whole.links if link.id not in known)
    boxes = {
        name: columns - before.boxes.get(name, frozenset())
        for name, columns in whole.boxes.items()
        if name not in before.boxes or columns - before.boxes[name]
    }
    return _BoxGraph(boxes, links)


def _new(items: Sequence[ReachedNode], before: Sequence[ReachedNode]) -> tuple[ReachedNode, ...]:
    known = {(item.direction, item.node.id) for item in before}
    return tuple(item for item in items if (item.direction, item.node.id) not in known)


def _nearest(items: Sequence[ReachedNode]) -> dict[str, ReachedNode]:
    """A cycle comes to the same entity in both directions: the nearer counts."""
    found: dict[str, ReachedNode] = {}
    for item in items:
        known = found.get(item.node.id)
        if known is None or item.depth < known.depth:
            found[item.node.id] = item
    return found


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
    """The longest path to each node."""
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
    """Between 0 and 1, so that short layers are centred on long ones."""
    return (number + 0.5) / len(row)


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def focus_of(traversal: Traversal) -> str:
    """What a walk is about, at the level of its answer: seen by tables, that of a column is its table."""
    starts = [node.id for node in traversal.starts]
    return starts[0] if starts and traversal.start not in starts else traversal.start
