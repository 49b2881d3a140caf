"""The picture of where columns come from and where they go."""

from __future__ import annotations

from typing import Any

from forge.api.wire.shape import Wire


class NodeView(Wire):
    """Attributes of a table: columns (how many it has), owner, kind, layer (0 = no inputs in this picture), external.
    Of a column: table, data_type, pii, failing."""

    id: str
    type: str
    name: str
    qualified_name: str
    attributes: dict[str, Any] = {}


class EdgeView(Wire):
    id: str
    source: str
    target: str
    type: str = "derives_from"
    transformation: str = "unknown"
    expression: str = ""
    masking: bool = False
    confidence: float = 1.0
    level: str = "certain"


class GraphView(Wire):
    """Only what is reached from the root: tables, and of their columns those that are touched."""

    root_id: str
    direction: str
    depth: int
    at: str
    nodes: list[NodeView]
    edges: list[EdgeView]
    total_entities: int
    greatest_depth: int
    hidden: int  # edges below the least confidence, not followed
