"""Neighbours of an asset in the lineage."""

from __future__ import annotations

from forge.flows.catalog.downstream import AssetLineage
from forge.flows.lineage.ports import LineagePorts
from forge.flows.lineage.reader import open_graph
from forge.lineage.errors import AmbiguousNameError, NotInGraphError
from forge.lineage.node import GraphLevel

_MOST, _FAR = 50, 10_000


def find_neighbours(ports: LineagePorts, name: str) -> tuple[tuple[str, str], ...]:
    """The tables one step away, each with `upstream` or `downstream`; none where lineage does not know the asset."""
    try:
        found = open_graph(ports).walk(name, direction="both", depth=1, level=GraphLevel.TABLE, limit=_MOST)
    except (NotInGraphError, AmbiguousNameError):
        return ()
    return tuple((item.node.id, item.direction) for item in found.items)


def find_lineage(ports: LineagePorts, name: str) -> AssetLineage:
    """Of an asset outside the lake; nothing where lineage does not know it."""
    near = find_neighbours(ports, name)
    if not near:
        return AssetLineage()
    far = open_graph(ports).walk(name, direction="downstream", depth=None, level=GraphLevel.TABLE, limit=_FAR)
    sides = [tuple(sorted(one for one, way in near if way == side)) for side in ("upstream", "downstream")]
    return AssetLineage(sides[0], sides[1], frozenset(item.node.id for item in far.items))
