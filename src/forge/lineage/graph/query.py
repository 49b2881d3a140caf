"""Executes one query: resolves the start, traverses the index by number, and fetches from the store only what is
returned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forge.lineage.edge import level_of
from forge.lineage.errors import NotInGraphError
from forge.lineage.graph.index import HIDDEN, IS_TABLE, SHOWN, GraphIndex
from forge.lineage.graph.index_query import CompiledFilter, EdgeSteps, IndexQuery, compile_filter
from forge.lineage.graph.level_view import LevelView, view_of
from forge.lineage.graph.links import TraversalLinks
from forge.lineage.graph.request import Direction, TraversalRequest
from forge.lineage.graph.roll_up import MORE_PATHS, RolledWalk, level_of_walk, rolled, rolled_paths
from forge.lineage.graph.traversal import Path, ReachedNode, Traversal
from forge.lineage.graph.walk import WalkResult, most_confident
from forge.lineage.node import Node, place_of
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

if TYPE_CHECKING:
    from forge.lineage.graph.graph import GraphSource

Array = NDArray[Any]
WIDE = 20_000  # entities at one distance that are put in order of their names before the rest is cut off
AT_ONCE = 2_000  # entities that are fetched before it is known whether they are shown
ENDS = 100  # ends of a traversal to which paths are returned


@dataclass(frozen=True, slots=True)
class _DirectionView:
    """One direction: positions in `found` of what matches the filters, and of what is returned."""

    found: RolledWalk
    wanted: Array
    chosen: Array

    @property
    def walked(self) -> WalkResult:
        return self.found.walked

    @property
    def nodes(self) -> Array:
        return self.found.nodes[self.chosen]


class GraphQuery:
    def __init__(self, source: GraphSource, index: GraphIndex, ask: TraversalRequest, database: str) -> None:
        self.source, self.index, self.ask, self.database = source, index, ask, database
        self._nodes: dict[int, Node] = {}

    @cached_property
    def view(self) -> LevelView:
        return view_of(self.source, self.index, self.ask.level, self.database)

    @cached_property
    def ground(self) -> LevelView:
        """The level of the walk: that which is seen, or the finer one of the start."""
        if not self.view.by_table:
            return self.view
        number = self.source.numbers([self.ask.start]).get(self.ask.start)
        if number is None or number >= self.index.size:
            return self.view
        fine = [IndexQuery(self.index, direction, self.rule) for direction in self.directions]
        level = level_of_walk(self.index, number, self.ask.level, fine)
        return self.view if level is self.ask.level else view_of(self.source, self.index, level, self.database)

    @cached_property
    def up(self) -> Array | None:
        """Of each entity of the walk the one it is seen as; None where they are the same."""
        return None if self.ground is self.view or self.view.lift is None else self.view.lift.up

    def seen(self, entities: Array) -> Array:
        return entities if self.up is None else self.up[entities]

    @property
    def size(self) -> int:
        """One more than the highest number of what is seen."""
        return self.index.size if self.view.lift is None else self.view.lift.members.owners

    @cached_property
    def rule(self) -> CompiledFilter:
        return compile_filter(self.ask.taken)

    @property
    def directions(self) -> tuple[Direction, ...]:
        return ("upstream", "downstream") if self.ask.direction == "both" else (self.ask.direction,)

    def lens(self, direction: Direction) -> IndexQuery:
        return IndexQuery(self.index, direction, self.rule, self.ground.lift, self.ground.by_table)

    def entities_of(self, name: str) -> Array:
        """The start entities of a name: a table starts with everything inside it. E801 if unknown."""
        number = self.source.numbers([name]).get(name)
        if number is None or number >= self.index.size:
            group = self.view.group(name)
            if group is None:
                raise self._unknown(name)
            return np.array([group], np.int32) if self.up is None else np.flatnonzero(self.up == group)
        nodes = np.array([number], np.int32)
        if IS_TABLE[self.index.node_type[number]]:
            nodes = np.concatenate((nodes, self.index.columns_of(nodes)[1]))
        return np.unique(self.ground.entity(nodes)).astype(np.int32)

    def nodes(self, numbers: Iterable[int]) -> dict[int, Node]:
        """Of entities; what was fetched once is kept."""
        wanted = set(numbers)
        missing = sorted(wanted - self._nodes.keys())
        for number in missing:
            if (group := self.view.groups.get(number)) is not None:
                self._nodes[number] = group
        missing = [number for number in missing if number not in self._nodes]
        if missing:
            self._nodes |= self.source.nodes(missing, self.ask.edges.at)
            if self.ask.edges.at is not None and (later := [n for n in missing if n not in self._nodes]):
                self._nodes |= self.source.nodes(later)
        return {number: self._nodes[number] for number in wanted}

    def traversal(self) -> Traversal:
        starts = self.entities_of(self.ask.start)
        found = [
            self._wanted(rolled(most_confident(self.lens(direction), starts, self.ask.depth), self.up))
            for direction in self.directions
        ]
        found = self._cut(found)
        begins = np.unique(self.seen(starts)).tolist()
        names = self.nodes({number for one in found for number in one.nodes.tolist()} | set(begins))
        links = TraversalLinks(self, [(one.found, one.nodes) for one in found])
        items = [item for one in found for item in self._reached(one, links)]
        paths = self._paths(found, links)
        confidences = np.concatenate([one.found.confidence[one.wanted] for one in found])
        depths = np.concatenate([one.found.depths[one.wanted] for one in found])
        return Traversal(
            ask=self.ask,
            items=tuple(sorted(items, key=lambda item: (item.direction, item.depth, item.name))),
            links=links.all(),
            hidden=self._hidden([one.walked for one in found]),
            total=len(depths),
            paths=paths,
            starts=tuple(sorted((names[number] for number in begins), key=lambda node: node.id)),
            levels=_levels(confidences),
            greatest_depth=int(depths.max(initial=0)),
        )

    def _reached(self, found: _DirectionView, links: TraversalLinks) -> list[ReachedNode]:
        names = self.nodes(found.nodes.tolist())
        rows = zip(
            found.nodes.tolist(),
            found.found.depths[found.chosen].tolist(),
            found.found.confidence[found.chosen].tolist(),
            strict=True,
        )
        direction = found.walked.lens.direction
        return [ReachedNode(names[n], direction, depth, sure, links.via(direction, n)) for n, depth, sure in rows]

    def _hidden(self, walks: Sequence[WalkResult]) -> int:
        if len(walks) == 1 and self.up is None:
            return walks[0].hidden
        edges: set[tuple[int, int, int]] = set()
        sure: set[tuple[int, int, int]] = set()
        for walked in walks:
            entities = walked.expanded()
            edges |= self.ends_of(walked, walked.lens.hidden(entities))
            if self.up is not None:
                sure |= self.ends_of(walked, walked.lens.leave(entities))
        return sum(1 for edge in edges - sure if self.up is None or edge[0] != edge[1])

    def ends_of(self, walked: WalkResult, steps: EdgeSteps) -> set[tuple[int, int, int]]:
        """Source, target and kind of each, as the level sees them."""
        lens = walked.lens
        near, far = self.seen(lens.entity(steps.base)), self.seen(lens.entity(lens.side.other[steps.place]))
        kind = lens.side.kind[steps.place] * (not self.view.by_table)
        source, target = (near, far) if walked.lens.direction == "downstream" else (far, near)
        return set(zip(source.tolist(), target.tolist(), kind.tolist(), strict=True))

    # --- what is shown ---------------------------------------------------------------------------------------------

    def _wanted(self, found: RolledWalk) -> _DirectionView:
        ask, nodes = self.ask, found.nodes
        wanted = np.ones(len(nodes), bool)
        if ask.node_types:
            wanted &= self.view.is_type(self.index, ask.node_types, nodes)
        keys = self.view.tables(self.index, nodes)
        unique, places = np.unique(keys, return_inverse=True)
        if len(nodes) <= AT_ONCE:  # then all that the answer can name is fetched in one go
            self.nodes({*unique[unique > 0].tolist(), *nodes.tolist(), *found.walked.starts.tolist()})
        wanted &= self._fitting(unique)[places]
        chosen = np.flatnonzero(wanted)
        return _DirectionView(found, chosen, chosen)

    def _fitting(self, tables: Array) -> Array:
        """Which tables are asked for. That something is inside a statement only is asked once and kept."""
        ask, kept = self.ask, self.index.hidden
        if ask.intermediate and not ask.schemas and not ask.files:
            return np.ones(len(tables), bool)
        if ask.schemas or ask.files or ask.edges.at is not None:
            about = self.nodes(tables[tables > 0].tolist())
            return np.array([number == 0 or self._fits(about[number]) for number in tables.tolist()], bool)
        unknown = tables[(tables > 0) & (kept[tables] == 0)].tolist()
        for number, node in self.nodes(unknown).items():
            kept[number] = HIDDEN if node.hidden else SHOWN
        fits: Array = kept[tables] != HIDDEN
        return fits

    def _fits(self, table: Node) -> bool:
        """Whether the table of an entity (of what has none: itself) is asked for."""
        ask = self.ask
        if table.hidden and not ask.intermediate:
            return False
        if ask.schemas:
            place = place_of(table.id, database=self.database)
            if not table.table or not {place.schema, f"{place.database}.{place.schema}"} & ask.schemas:
                return False
        file = str(table.details.get("source_file", ""))
        return not ask.files or any(file == one or file.endswith(f"/{one}") for one in ask.files)

    def _cut(self, found: Sequence[_DirectionView]) -> list[_DirectionView]:
        """The nearest, up to the limit; of the same distance by name."""
        limit = self.ask.limit
        if limit is None or sum(len(one.wanted) for one in found) <= limit:
            return list(found)
        which = np.concatenate([np.full(len(one.wanted), number) for number, one in enumerate(found)])
        place = np.concatenate([one.wanted for one in found])
        depth = np.concatenate([one.found.depths[one.wanted] for one in found])
        last = np.sort(depth)[limit - 1] if limit else 0
        sure, edge = np.flatnonzero(depth < last), np.flatnonzero(depth == last)
        numbers = np.concatenate([one.found.nodes[one.wanted] for one in found])
        if len(edge) <= WIDE:
            names = self.nodes(numbers[edge].tolist())
            ordered = sorted(edge.tolist(), key=lambda at: (names[int(numbers[at])].id, int(which[at])))
        else:
            ordered = edge.tolist()
        kept = np.concatenate((sure, np.array(ordered[: limit - len(sure)], np.int64)))
        return [replace(one, chosen=np.sort(place[kept[which[kept] == number]])) for number, one in enumerate(found)]

    # --- paths -----------------------------------------------------------------------------------------------------

    def _paths(self, found: Sequence[_DirectionView], links: TraversalLinks) -> tuple[Path, ...]:
        if not self.ask.paths:
            return ()
        paths: list[Path] = []
        for one in found:
            for end in links.ends(one.found, one.nodes)[:ENDS]:
                walked = one.walked.nodes
                inside = np.array([end], np.int32) if self.up is None else walked[self.up[walked] == end]
                paths += self._search(one.walked.lens, inside, self.ask.paths)
        return tuple(sorted(paths, key=path_order))

    def paths_to(self, target: str, count: int) -> tuple[Path, ...]:
        ends = self.entities_of(target)
        found = [path for direction in self.directions for path in self._search(self.lens(direction), ends, count)]
        return tuple(sorted(found, key=path_order)[:count])

    def _search(self, lens: IndexQuery, ends: Array, count: int) -> tuple[Path, ...]:
        from forge.lineage.graph.paths import find_paths

        starts = self.entities_of(self.ask.start)

        def names(numbers: Sequence[int]) -> Mapping[int, str]:
            return {number: node.id for number, node in self.nodes(numbers).items()}

        if self.up is None:
            return TraversalLinks.of_paths(self, lens, find_paths(lens, starts, ends, self.ask.depth, count, names))
        fine = find_paths(lens, starts, ends, self.ask.depth, count * MORE_PATHS, names)
        return TraversalLinks.of_paths(self, lens, rolled_paths(fine, self.up, count))

    def _unknown(self, name: str) -> ForgeError:
        return NotInGraphError(
            f"'{name}' is not in the lineage graph",
            why="No recorded edge touches that table or column.",
            fix=did_you_mean(name, self.source.near(name)) or "Run the transform that makes it.",
        )


def path_order(path: Path) -> tuple[float, int, tuple[str, ...]]:
    """Most confident first, then the shorter, then by name. Products of the same numbers differ in their last
    digits."""
    return -round(path.confidence, 12), len(path.hops), (path.start, *(hop.node.id for hop in path.hops))


def _levels(confidences: Array) -> dict[str, int]:
    values, counts = np.unique(confidences, return_counts=True)
    found: Counter[str] = Counter()
    for value, count in zip(values.tolist(), counts.tolist(), strict=True):
        found[level_of(value)] += count
    return dict(sorted(found.items()))
