"""How a graph is seen from farther off: what entities become one, and what the edges between them become. Derived from
the finer graph every time; nothing of it is stored."""

from __future__ import annotations

from collections.abc import Sequence

from forge.lineage.facts.fact import EdgeVersion
from forge.lineage.graph.traversal import Link
from forge.lineage.kind import EdgeType, Kind, Relationship
from forge.lineage.node import Entity, Level, NodeType, place_of

SYSTEM = "lake"
GROUPED = (Level.SCHEMA, Level.DATABASE, Level.SYSTEM)


def group_of(table: str, level: Level, *, database: str = "lake") -> Entity:
    """The schema, database or system of a table. What is not in the lake has its system before its name."""
    place = place_of(table, system=SYSTEM, database=database)
    own = place.system == SYSTEM
    if level is Level.SYSTEM:
        return Entity(NodeType.SYSTEM, place.system)
    before = "" if own or place.database == place.system else f"{place.system}:"
    if level is Level.DATABASE:
        return Entity(NodeType.DATABASE, f"{before}{place.database}")
    usual = own and place.database == database
    return Entity(NodeType.SCHEMA, place.schema if usual else f"{before}{place.database}.{place.schema}")


def lifted_kind(kinds: Sequence[Kind]) -> Kind:
    """Of a link with these edges behind it: of one edge its own, of several the type that they all have."""
    if len(kinds) == 1:
        return kinds[0]
    types = {kind.type for kind in kinds}
    if len(types) == 1 and types != {EdgeType.DERIVES_FROM}:
        return Kind(next(iter(types)), None)
    return Kind(EdgeType.DERIVES_FROM, Relationship.DERIVED)


def lifted_link(
    source: str, target: str, kinds: Sequence[Kind], confidence: float, only: EdgeVersion | None = None
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
