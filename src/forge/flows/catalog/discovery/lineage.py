"""Neighbours of an asset in the lineage."""

from __future__ import annotations

from forge.flows.lineage.ports import LineagePorts
from forge.flows.lineage.reader import open_graph
from forge.lineage.errors import AmbiguousNameError, NotInGraphError
from forge.lineage.node import GraphLevel

_MOST = 50


def find_neighbours(ports: LineagePorts, name: str) -> tuple[tuple[str, str], ...]:
    """The tables one step away, each with `upstream` or `downstream`; none where lineage does not know the asset."""
    try:
        found = open_graph(ports).walk(name, direction="both", depth=1, level=GraphLevel.TABLE, limit=_MOST)
    except (NotInGraphError, AmbiguousNameError):
        return ()
    return tuple((item.node.id, item.direction) for item in found.items)
