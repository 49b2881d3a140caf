"""Readers affected by an added column. It breaks nobody, but readers of `*` or of the whole table get it; readers that
name their columns do not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from forge.lineage.edge import Transformation
from forge.lineage.graph.traversal import Link, ReachedNode
from forge.lineage.impact.change import ProposedChange
from forge.lineage.impact.path import DataUse, ImpactPaths, copies_name
from forge.lineage.impact.verdict import ImpactFinding
from forge.lineage.node import Node


def readers_of_column(
    change: ProposedChange, paths: ImpactPaths, table: Callable[[str], Node]
) -> Iterable[tuple[ReachedNode, DataUse, ImpactFinding]]:
    """The direct readers that may take every column. A table copies them all by name where it has a copy of each that
    is known to be read at all."""
    start = paths.changed.id
    by_asset: dict[str, list[Link]] = defaultdict(list)
    for link in paths.links:
        if link.source in paths.starts and link.target not in paths.starts and link.target in paths.items:
            node = paths.items[link.target].node
            by_asset[node.table or node.id].append(link)
    columns = {link.source for links in by_asset.values() for link in links if link.source != start}
    for asset, links in sorted(by_asset.items()):
        reason = _reason(change, asset, links, start, columns)
        if reason:
            node = paths.items[asset].node if asset in paths.items else table(asset)
            via = min(links, key=lambda link: (-link.confidence, link.sort_key))
            item = ReachedNode(node, "downstream", 1, via.confidence, via)
            yield item, DataUse.PASSED_THROUGH, ImpactFinding(False, reason, via)


def _reason(change: ProposedChange, asset: str, links: list[Link], start: str, columns: set[str]) -> str | None:
    of_columns = [link for link in links if link.source != start]
    if not of_columns:
        return f"{asset} reads {start} as a whole: it may get {change.name} as well"
    if any(link.transformation is Transformation.UNION for link in of_columns):
        return f"{asset} puts {start} into a UNION: where that takes *, the numbers of columns no longer agree"
    copied = {link.source for link in of_columns if copies_name(link)}
    if columns and copied == columns:
        return f"{asset} copies every column of {start}: where its query takes *, it gets {change.name} as well"
    return None
