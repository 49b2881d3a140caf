"""The record of lineage as the specification says it, in plain Python: time is a row of ticks, and of each producer and
edge it is written down tick by tick what is said. Nothing here is shared with the code it is held against."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

TICKS = 12  # the last one stands for all that comes after

Edge = tuple[str, str]
Said = tuple[float, str]  # how sure, and the expression


@dataclass(frozen=True)
class Claim:
    """From tick `start` up to `end`, or for good; None starts with its batch."""

    edge: Edge
    said: Said
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Write:
    producer: str
    at: int
    claims: tuple[Claim, ...] = ()
    nodes: tuple[tuple[str, Mapping[str, object]], ...] = ()
    complete: bool = True
    closes: tuple[Edge, ...] = ()


@dataclass
class LineageModel:
    """`edges[producer, edge][tick]` and `nodes[producer, node][tick]`; None where nothing is said."""

    edges: dict[tuple[str, Edge], list[Said | None]] = field(default_factory=dict)
    nodes: dict[tuple[str, str], list[Mapping[str, object] | None]] = field(default_factory=dict)
    newest: dict[str, int] = field(default_factory=dict)

    def accepts(self, write: Write) -> bool:
        return not write.complete or write.at >= self.newest.get(write.producer, 0)

    def apply(self, write: Write) -> None:
        self.newest[write.producer] = max(write.at, self.newest.get(write.producer, 0))
        for (producer, edge), ticks in self.edges.items():
            if producer == write.producer and (write.complete or edge in write.closes):
                ticks[write.at :] = [None] * (TICKS - write.at)
        for claim in write.claims:
            ticks = self.edges.setdefault((write.producer, claim.edge), [None] * TICKS)
            start = write.at if claim.start is None else claim.start
            end = TICKS if claim.end is None else claim.end
            ticks[start:end] = [claim.said] * (end - start)
        self._apply_nodes(write)

    def _apply_nodes(self, write: Write) -> None:
        claimed = dict(write.nodes)
        for (producer, node), details in self.nodes.items():
            if producer == write.producer and write.complete and node not in claimed:
                details[write.at :] = [None] * (TICKS - write.at)
        for node, said in claimed.items():
            told = self.nodes.setdefault((write.producer, node), [None] * TICKS)
            told[write.at :] = [said] * (TICKS - write.at)

    def edges_at(self, tick: int) -> dict[Edge, dict[str, Said]]:
        found: dict[Edge, dict[str, Said]] = {}
        for (producer, edge), ticks in self.edges.items():
            said = ticks[tick]
            if said is not None:
                found.setdefault(edge, {})[producer] = said
        return found

    def node_at(self, node: str, tick: int) -> Mapping[str, object] | None:
        """What the producers say together, the newest last; None where none says anything."""
        said = [
            (_since(ticks, tick), producer, ticks[tick])
            for (producer, name), ticks in self.nodes.items()
            if name == node and ticks[tick] is not None
        ]
        if not said:
            return None
        whole: dict[str, object] = {}
        for _, _, details in sorted(said, key=lambda one: one[:2]):
            whole |= details or {}
        return whole


def _since(ticks: list[Mapping[str, object] | None], tick: int) -> int:
    while tick > 0 and ticks[tick - 1] == ticks[tick]:
        tick -= 1
    return tick


def sure(confidences: Iterable[float]) -> float:
    """Of one edge: what is left of the doubt is the product of the doubts; nothing becomes certain by numbers."""
    given = list(confidences)
    best = max(given)
    if len(given) == 1 or best >= 0.99:
        return best
    return min(0.99, 1 - math.prod(1 - one for one in given))
