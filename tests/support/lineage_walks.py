"""Answers of walks, made by hand."""

from __future__ import annotations

from collections.abc import Iterable

from forge.lineage.graph.request import TraversalRequest, WalkDirection
from forge.lineage.graph.state import node_of
from forge.lineage.graph.traversal import Link, ReachedNode, Traversal
from forge.lineage.node import Node, NodeType, column_of, table_of


def node(name: str) -> Node:
    """`a.b.c` is a column, `a.b` a table, `dashboard:x` a dashboard."""
    before, colon, rest = name.partition(":")
    if colon and before in set(NodeType):
        return Node(id=name, type=NodeType(before), name=rest)
    table, _, column = name.rpartition(".")
    return node_of(column_of(table, column) if "." in table or ":" in table else table_of(name))


def walk(
    start: str,
    links: Iterable[Link],
    *,
    direction: WalkDirection = "upstream",
    depths: dict[str, int] | None = None,
    hidden: int = 0,
    total: int | None = None,
) -> Traversal:
    """All that the links touch is reached, one step away unless `depths` says more."""
    given = tuple(links)
    far = depths or {}
    via = {end: link for link in given for end in (link.target, link.source)}
    names = sorted(via.keys() - {start}, key=lambda name: (far.get(name, 1), name))
    side = "downstream" if direction == "downstream" else "upstream"
    items = tuple(
        ReachedNode(node(name), side, far.get(name, 1), via[name].confidence, via[name])  # type: ignore[arg-type]
        for name in names
    )
    return Traversal(
        ask=TraversalRequest(start=start, direction=direction),
        items=items,
        links=given,
        hidden=hidden,
        total=len(items) if total is None else total,
        starts=(node(start),),
        greatest_depth=max((item.depth for item in items), default=0),
    )
