"""Coarser levels of the graph: how nodes and edges are grouped by table, schema, database or system. Derived on each
query; nothing is stored."""

from __future__ import annotations

from collections.abc import Sequence

from forge.lineage.facts.fact import EdgeVersion
from forge.lineage.graph.traversal import Link
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import Entity, GraphLevel, NodeType, place_of

SYSTEM = "lake"
GROUPED = (GraphLevel.SCHEMA, GraphLevel.DATABASE, GraphLevel.SYSTEM)


def group_of(table: str, level: GraphLevel, *, database: str = "lake") -> Entity:
    """The schema, database or system of a table. What is not in the lake has its system before its name."""
    place = place_of(table, system=SYSTEM, database=database)
    own = place.system == SYSTEM
    if level is GraphLevel.SYSTEM:
        return Entity(NodeType.SYSTEM, place.system)
    before = "" if own or place.database == place.system else f"{place.system}:"
    if level is GraphLevel.DATABASE:
        return Entity(NodeType.DATABASE, f"{before}{place.database}")
    usual = own and place.database == database
    return Entity(NodeType.SCHEMA, place.schema if usual else f"{before}{place.database}.{place.schema}")


def lifted_kind(kinds: Sequence[EdgeKind]) -> EdgeKind:
    """Of a link with these edges behind it: of one edge its own, of more the type that they all have."""
    if len(kinds) == 1:
        return kinds[0]
    types = {kind.type for kind in kinds}
    if len(types) == 1 and types != {EdgeType.DERIVES_FROM}:
        return EdgeKind(next(iter(types)), None)
    return EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.DERIVED)


def lifted_link(
    source: str, target: str, kinds: Sequence[EdgeKind], confidence: float, only: EdgeVersion | None = None
) -> Link:
    """`only`: the edge behind it, where there is just one."""
    kind = lifted_kind(kinds)
    if only is None:
        return Link(source=source, target=target, kind=kind, confidence=confidence)
    return Link(
        source=source,
        target=target,
        kind=kind,
        transformation=only.transformation,
        expression=only.expression,
        masking=only.masking,
        confidence=confidence,
        valid_from=only.valid_from,
        valid_to=only.valid_to,
    )
