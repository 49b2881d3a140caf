"""Graph statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forge.lineage.edge import level_of
from forge.lineage.facts.fact import EdgeVersion
from forge.lineage.graph.order import order_of
from forge.lineage.graph.state import GraphState
from forge.lineage.kind import EdgeType
from forge.lineage.node import NodeType

HUBS = 10


@dataclass(frozen=True, slots=True)
class Hub:
    id: str
    incoming: int
    outgoing: int

    def to_dict(self) -> dict[str, object]:
        return {"id": self.id, "in": self.incoming, "out": self.outgoing}


@dataclass(frozen=True, slots=True)
class NameSample:
    """A count, and the first names."""

    count: int
    first: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        return {"count": self.count, "first": list(self.first)}


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphStats:
    """`nodes` and `edges` by type; the others count edges by the named attribute. Degrees, roots, leaves and cycles
    are those of the data flow, without containment. `column_share`: share of derives_from edges between columns
    or fields."""

    nodes: Mapping[str, int]
    edges: Mapping[str, int]
    relationships: Mapping[str, int]
    indirect: Mapping[str, int]
    transformations: Mapping[str, int]
    levels: Mapping[str, int]
    producers: Mapping[str, int]
    masking: int
    column_share: float | None
    hubs_in: tuple[Hub, ...]
    hubs_out: tuple[Hub, ...]
    roots: NameSample
    leaves: NameSample
    cycles: tuple[tuple[str, ...], ...]
    unresolved: NameSample

    def to_dict(self) -> dict[str, object]:
        return {
            "nodes": {"total": sum(self.nodes.values()), "by_type": dict(self.nodes)},
            "edges": {
                "total": sum(self.edges.values()),
                "by_type": dict(self.edges),
                "by_relationship": dict(self.relationships),
                "by_indirect": dict(self.indirect),
                "by_transformation": dict(self.transformations),
                "by_level": dict(self.levels),
                "masking": self.masking,
                "column_share": self.column_share,
            },
            "producers": dict(self.producers),
            "hubs": {"in": [hub.to_dict() for hub in self.hubs_in], "out": [hub.to_dict() for hub in self.hubs_out]},
            "roots": self.roots.to_dict(),
            "leaves": self.leaves.to_dict(),
            "cycles": {"count": len(self.cycles), "first": [list(cycle) for cycle in self.cycles[:HUBS]]},
            "unresolved": self.unresolved.to_dict(),
        }


def stats_of(state: GraphState) -> GraphStats:
    edges = tuple(state.edges.values())
    flows = [(edge.key.source, edge.key.target) for edge in edges if edge.key.kind.flows]
    incoming = Counter(target for _, target in flows)
    outgoing = Counter(source for source, _ in flows)
    return GraphStats(
        nodes=state.node_counts(),
        edges=_counts(str(edge.key.kind.type) for edge in edges),
        relationships=_counts(edge.key.kind.counted for edge in edges if edge.key.kind.type is EdgeType.DERIVES_FROM),
        indirect=_counts(str(edge.key.kind.indirect) for edge in edges if edge.key.kind.indirect),
        transformations=_counts(str(edge.transformation) for edge in edges),
        levels=_counts(level_of(edge.confidence) for edge in edges),
        producers=_counts(producer for edge in edges for producer in {fact.producer for fact in edge.facts}),
        masking=sum(edge.masking for edge in edges),
        column_share=_column_share(state, edges),
        hubs_in=_hubs(incoming, incoming, outgoing),
        hubs_out=_hubs(outgoing, incoming, outgoing),
        roots=_named(outgoing.keys() - incoming.keys()),
        leaves=_named(incoming.keys() - outgoing.keys()),
        cycles=order_of((), flows).cycles,
        unresolved=_named(node.id for node in state.nodes.values() if node.unresolved),
    )


def _counts(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def _column_share(state: GraphState, edges: Iterable[EdgeVersion]) -> float | None:
    derived = [edge.key for edge in edges if edge.key.kind.type is EdgeType.DERIVES_FROM]
    fine = (NodeType.COLUMN, NodeType.FIELD)
    both = sum(all(state.nodes[end].type in fine for end in (key.source, key.target)) for key in derived)
    return both / len(derived) if derived else None


def _hubs(by: Counter[str], incoming: Counter[str], outgoing: Counter[str]) -> tuple[Hub, ...]:
    greatest = sorted(by.items(), key=lambda one: (-one[1], one[0]))[:HUBS]
    return tuple(Hub(name, incoming[name], outgoing[name]) for name, _ in greatest)


def _named(names: Iterable[str]) -> NameSample:
    all_names = sorted(names)
    return NameSample(len(all_names), tuple(all_names[:HUBS]))
