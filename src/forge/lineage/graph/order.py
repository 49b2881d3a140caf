"""Topological order of dependencies. A cycle is one step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from forge.lineage.graph.traversal import Link


@dataclass(frozen=True, slots=True)
class DependencyStep:
    """`members`: one name, or all of a cycle. `stage`: the longest path from a root; steps of one stage are
    independent."""

    members: tuple[str, ...]
    stage: int

    @property
    def cycle(self) -> bool:
        return len(self.members) > 1


@dataclass(frozen=True, slots=True)
class DependencyOrder:
    """`looped`: nodes with an edge to themselves (`UPDATE t SET a = a + 1`), which does not affect the order."""

    steps: tuple[DependencyStep, ...]
    looped: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for step in self.steps for name in step.members)

    @property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        return tuple(step.members for step in self.steps if step.cycle)

    def to_dict(self) -> dict[str, object]:
        return {
            "order": [{"members": list(step.members), "stage": step.stage, "cycle": step.cycle} for step in self.steps],
            "cycles": [list(cycle) for cycle in self.cycles],
            "looped": list(self.looped),
            "total": len(self.names),
        }


def dependency_order(
    links: Iterable[Link], *, lift: Callable[[str], str] | None = None, names: Iterable[str] = ()
) -> DependencyOrder:
    """`lift` gives the table of an id, for the order of tables; links within one table then do not count. `names`: to
    be in the order even where no link touches them."""
    flows = (link for link in links if link.kind.flows)
    if lift is None:
        return order_of(names, ((link.source, link.target) for link in flows))
    lifted = ((lift(link.source), lift(link.target)) for link in flows)
    return order_of((lift(name) for name in names), ((one, other) for one, other in lifted if one != other))


def order_of(names: Iterable[str], pairs: Iterable[tuple[str, str]]) -> DependencyOrder:
    """Of all that may come next the smallest name comes next, so that one graph has one order. Linear, but for the
    sorting."""
    all_pairs = set(pairs)
    nodes = sorted({*names, *(name for pair in all_pairs for name in pair)})
    after: dict[str, list[str]] = {name: [] for name in nodes}
    for source, target in sorted(all_pairs):
        if source != target:
            after[source].append(target)
    groups = [tuple(sorted(group)) for group in strong_components(nodes, after)]
    group_of = {name: group for group in groups for name in group}
    next_groups: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
    for source, targets in after.items():
        mine = group_of[source]
        next_groups[mine] |= {group_of[target] for target in targets if group_of[target] is not mine}
    return DependencyOrder(_in_order(groups, next_groups), tuple(sorted(a for a, b in all_pairs if a == b)))


def _in_order(
    groups: Sequence[tuple[str, ...]], after: Mapping[tuple[str, ...], set[tuple[str, ...]]]
) -> tuple[DependencyStep, ...]:
    waits = dict.fromkeys(groups, 0)
    for targets in after.values():
        for target in targets:
            waits[target] += 1
    stages = dict.fromkeys(groups, 0)
    ready = [group for group in groups if waits[group] == 0]
    heapify(ready)
    steps: list[DependencyStep] = []
    while ready:
        group = heappop(ready)
        steps.append(DependencyStep(group, stages[group]))
        for target in after.get(group, ()):
            stages[target] = max(stages[target], stages[group] + 1)
            waits[target] -= 1
            if waits[target] == 0:
                heappush(ready, target)
    return tuple(steps)


def strong_components(nodes: Iterable[str], after: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Tarjan's, without recursion: a chain may be longer than the stack."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_names: list[str] = []
    is_open: set[str] = set()
    found: list[list[str]] = []
    for start in nodes:
        if start in number:
            continue
        path = [(start, iter(after.get(start, ())))]
        number[start] = lowest[start] = len(number)
        open_names.append(start)
        is_open.add(start)
        while path:
            name, rest = path[-1]
            target = next(rest, None)
            if target is None:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[name])
                if lowest[name] == number[name]:
                    found.append(_closed(name, open_names, is_open))
            elif target not in number:
                number[target] = lowest[target] = len(number)
                open_names.append(target)
                is_open.add(target)
                path.append((target, iter(after.get(target, ()))))
            elif target in is_open:
                lowest[name] = min(lowest[name], number[target])
    return found


def _closed(name: str, open_names: list[str], is_open: set[str]) -> list[str]:
    """Takes from the pile all that came since the first of a component."""
    group: list[str] = []
    while not group or group[-1] != name:
        group.append(open_names.pop())
        is_open.discard(group[-1])
    return group
