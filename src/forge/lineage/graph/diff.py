"""The diff of the graph between two times. `apply(diff(a, b), a) == b`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from forge.lineage.facts.fact import EdgeVersion
from forge.lineage.graph.state import GraphState
from forge.lineage.node import Node

T = TypeVar("T", Node, EdgeVersion)


@dataclass(frozen=True, slots=True)
class FieldChange:
    """`field` is a JSON key; keys of a mapping are dotted: `attributes.data_type`."""

    field: str
    before: object
    after: object

    def to_dict(self) -> dict[str, object]:
        return {"field": self.field, "before": self.before, "after": self.after}


@dataclass(frozen=True, slots=True)
class NodeChange:
    before: Node
    after: Node
    changes: tuple[FieldChange, ...]

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.after.id,
            "type": str(self.after.type),
            "changes": [change.to_dict() for change in self.changes],
        }


@dataclass(frozen=True, slots=True)
class EdgeChange:
    before: EdgeVersion
    after: EdgeVersion
    changes: tuple[FieldChange, ...]

    def to_dict(self) -> dict[str, object]:
        key = self.after.key
        return {
            "id": self.after.id,
            "source": key.source,
            "target": key.target,
            "changes": [change.to_dict() for change in self.changes],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphDiff:
    """All by id. What differs only in write time, interval or evidence is no change."""

    a_at: datetime | None
    b_at: datetime | None
    nodes_added: tuple[Node, ...] = ()
    nodes_removed: tuple[Node, ...] = ()
    nodes_modified: tuple[NodeChange, ...] = ()
    edges_added: tuple[EdgeVersion, ...] = ()
    edges_removed: tuple[EdgeVersion, ...] = ()
    edges_modified: tuple[EdgeChange, ...] = ()

    @property
    def empty(self) -> bool:
        return not any((self.counts["nodes"][what] or self.counts["edges"][what]) for what in _WHAT)

    @property
    def seconds(self) -> float | None:
        """From the first to the second; None where one of them is not a time."""
        return (self.b_at - self.a_at).total_seconds() if self.a_at and self.b_at else None

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        nodes = (self.nodes_added, self.nodes_removed, self.nodes_modified)
        edges = (self.edges_added, self.edges_removed, self.edges_modified)
        return {
            "nodes": {what: len(found) for what, found in zip(_WHAT, nodes, strict=True)},
            "edges": {what: len(found) for what, found in zip(_WHAT, edges, strict=True)},
        }

    def to_dict(self) -> dict[str, object]:
        return {
            "a_at": self.a_at.isoformat() if self.a_at else None,
            "b_at": self.b_at.isoformat() if self.b_at else None,
            "seconds": self.seconds,
            "counts": self.counts,
            "nodes": {
                "added": [node.to_dict() for node in self.nodes_added],
                "removed": [node.to_dict() for node in self.nodes_removed],
                "modified": [change.to_dict() for change in self.nodes_modified],
            },
            "edges": {
                "added": [edge.to_dict() for edge in self.edges_added],
                "removed": [edge.to_dict() for edge in self.edges_removed],
                "modified": [change.to_dict() for change in self.edges_modified],
            },
        }


_WHAT = ("added", "removed", "modified")


def diff(a: GraphState, b: GraphState) -> GraphDiff:
    """Linear in the two states."""
    nodes = _common(a.nodes, b.nodes)
    edges = _common(a.edges, b.edges)
    node_changes = [NodeChange(before, after, _node_changes(before, after)) for before, after in nodes]
    edge_changes = [EdgeChange(before, after, _edge_changes(before, after)) for before, after in edges]
    return GraphDiff(
        a_at=a.at,
        b_at=b.at,
        nodes_added=_only(b.nodes, a.nodes),
        nodes_removed=_only(a.nodes, b.nodes),
        nodes_modified=tuple(one for one in node_changes if one.changes),
        edges_added=_only(b.edges, a.edges),
        edges_removed=_only(a.edges, b.edges),
        edges_modified=tuple(one for one in edge_changes if one.changes),
    )


def _common(a: Mapping[str, T], b: Mapping[str, T]) -> list[tuple[T, T]]:
    """Those that are in both and not equal."""
    return [(a[name], b[name]) for name in sorted(a.keys() & b.keys()) if a[name] != b[name]]


def _only(a: Mapping[str, T], b: Mapping[str, T]) -> tuple[T, ...]:
    return tuple(a[name] for name in sorted(a.keys() - b.keys()))


def _node_changes(before: Node, after: Node) -> tuple[FieldChange, ...]:
    changes = [
        FieldChange(name, one, other)
        for name, one, other in (
            ("type", str(before.type), str(after.type)),
            ("unresolved", before.unresolved, after.unresolved),
        )
        if one != other
    ]
    return (*changes, *_mapping_changes("attributes", before.details, after.details))


def _edge_changes(before: EdgeVersion, after: EdgeVersion) -> tuple[FieldChange, ...]:
    one, other = _compared_fields(before), _compared_fields(after)
    changes = [FieldChange(name, one[name], other[name]) for name in one if one[name] != other[name]]
    return (*changes, *_mapping_changes("metadata", _metadata(before), _metadata(after)))


def _compared_fields(edge: EdgeVersion) -> dict[str, object]:
    return {
        "confidence": edge.confidence,
        "transformation": str(edge.transformation),
        "expression": edge.expression,
        "masking": edge.masking,
        "producers": sorted({fact.producer for fact in edge.facts}),
    }


def _metadata(edge: EdgeVersion) -> Mapping[str, object]:
    return edge.facts[0].metadata if edge.facts else {}


def _mapping_changes(name: str, before: Mapping[str, object], after: Mapping[str, object]) -> list[FieldChange]:
    """A key that one of them lacks is None there."""
    return [
        FieldChange(f"{name}.{key}", before.get(key), after.get(key))
        for key in sorted(before.keys() | after.keys())
        if before.get(key) != after.get(key)
    ]
