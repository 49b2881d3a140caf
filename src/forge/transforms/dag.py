"""The dependency order of transforms. Inputs that no transform of the mapping writes are external."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from heapq import heapify, heappop, heappush

from forge.model.errors import ForgeError, raise_errors
from forge.model.names import TableName
from forge.transforms.transform import Transform

Transforms = Mapping[TableName, Transform]


Needs = Mapping[TableName, Collection[TableName]]
"""More that should come first, such as the tables its foreign keys look up. Left out where it would close a circle."""


def dependency_order(transforms: Transforms, extra: Needs | None = None) -> tuple[TableName, ...]:
    """Every table after its inputs; otherwise by name. E204 for cycles."""
    return _sorted(needs_of(transforms, extra))


def needs_of(transforms: Transforms, extra: Needs | None = None) -> dict[TableName, frozenset[TableName]]:
    """For each table its inputs within the mapping. E204 for cycles."""
    raise_errors(find_cycles(transforms))
    needs = {table: _inputs(transforms, table) for table in transforms}
    for table, wanted in sorted((extra or {}).items()):
        for one in sorted(wanted):
            known = table in needs and one in needs and one != table
            if known and table not in _reach(one, needs, None):
                needs[table] |= {one}
    return needs


def upstream_of(transforms: Transforms, table: TableName, steps: int | None = None) -> frozenset[TableName]:
    """Its ancestors, up to that many steps; without itself."""
    return _reach(table, {one: _inputs(transforms, one) for one in transforms}, steps)


def downstream_of(transforms: Transforms, table: TableName, steps: int | None = None) -> frozenset[TableName]:
    """Its descendants, up to that many steps; without itself. The table may be one of the lake."""
    return _reach(table, _readers(transforms), steps)


def find_cycles(transforms: Transforms) -> tuple[ForgeError, ...]:
    """One E204 for each cycle, with the place of every transform in it. Cycles that share a table are reported once."""
    needs = {table: _inputs(transforms, table) for table in transforms}
    left = needs.keys() - frozenset(_sorted(needs))  # those in a cycle, and their descendants
    done: set[TableName] = set()
    errors: list[ForgeError] = []
    for table in sorted(left):
        circle = None if table in done else _shortest_circle(transforms, table)
        if circle:
            done |= circle_of(transforms, table)
            errors.append(_cycle(transforms, circle))
    return tuple(errors)


def circle_of(transforms: Transforms, table: TableName) -> frozenset[TableName]:
    """The tables of all cycles through it, with itself; none where there is none."""
    others = {other for other in upstream_of(transforms, table) if table in upstream_of(transforms, other)}
    return frozenset({table, *others}) if others or table in _inputs(transforms, table) else frozenset()


def _sorted(needs: Mapping[TableName, frozenset[TableName]]) -> tuple[TableName, ...]:
    waiting = {table: len(before) for table, before in needs.items()}
    after: dict[TableName, list[TableName]] = {table: [] for table in needs}
    for table, before in needs.items():
        for one in before:
            after[one].append(table)
    ready = [table for table, count in waiting.items() if count == 0]
    heapify(ready)
    order: list[TableName] = []
    while ready:
        table = heappop(ready)
        order.append(table)
        for reader in after[table]:
            waiting[reader] -= 1
            if waiting[reader] == 0:
                heappush(ready, reader)
    return tuple(order)


def _inputs(transforms: Transforms, table: TableName) -> frozenset[TableName]:
    return frozenset(one for one in transforms[table].inputs if one in transforms)


def _readers(transforms: Transforms) -> dict[TableName, frozenset[TableName]]:
    found: dict[TableName, set[TableName]] = {table: set() for table in transforms}
    for table, transform in transforms.items():
        for one in transform.inputs:
            found.setdefault(one, set()).add(table)
    return {table: frozenset(readers) for table, readers in found.items()}


def _reach(
    start: TableName, neighbours: Mapping[TableName, frozenset[TableName]], steps: int | None
) -> frozenset[TableName]:
    seen = {start}
    edge = {start}
    taken = 0
    while edge and (steps is None or taken < steps):
        edge = {near for table in edge for near in neighbours.get(table, ())} - seen
        seen |= edge
        taken += 1
    return frozenset(seen - {start})


def _shortest_circle(transforms: Transforms, start: TableName) -> tuple[TableName, ...] | None:
    """From a table through its inputs back to itself, breadth first; None where there is no such path."""
    came_from: dict[TableName, TableName] = {}
    edge = [start]
    while edge:
        following: list[TableName] = []
        for table in edge:
            for one in sorted(_inputs(transforms, table)):
                if one == start:
                    return tuple(_path_back(came_from, start, table))
                if one not in came_from:
                    came_from[one] = table
                    following.append(one)
        edge = following
    return None


def _path_back(came_from: Mapping[TableName, TableName], start: TableName, last: TableName) -> Iterator[TableName]:
    path = [last]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    yield from reversed(path)


def _cycle(transforms: Transforms, circle: tuple[TableName, ...]) -> ForgeError:
    following = (*circle[1:], circle[0])
    steps = [
        f"{table} reads {one} ({transforms[table].file}:{transforms[table].line_of_input(one)})"
        for table, one in zip(circle, following, strict=True)
    ]
    first = transforms[circle[0]]
    what = " → ".join(str(table) for table in (*circle, circle[0]))
    return ForgeError(
        "E204",
        f"{circle[0]} reads itself" if len(circle) == 1 else f"transforms read each other in a circle: {what}",
        where=f"{first.file}:{first.line_of_input(following[0])}",
        why="; ".join(steps) + ".",
        fix="Let one of them read something else."
        if len(circle) > 1
        else "Read what it is made from; the kinds incremental_* and append keep the rows that are there.",
    )
