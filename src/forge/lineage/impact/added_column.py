"""Who is told of a new column. It breaks nobody, but who takes `*`, or reads a table as a whole, gets it too; who names
the columns it reads does not notice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from forge.lineage.edge import Transformation
from forge.lineage.graph.traversal import Link, Reached
from forge.lineage.impact.change import Change
from forge.lineage.impact.path import Use, Ways, copies_name
from forge.lineage.impact.verdict import Finding
from forge.lineage.node import Node


def told_of_column(change: Change, ways: Ways, table: Callable[[str], Node]) -> Iterable[tuple[Reached, Use, Finding]]:
    """The direct readers that may take every column. A table copies them all by name where it has a copy of each that
    is known to be read at all."""
    start = ways.changed.id
    by_asset: dict[str, list[Link]] = defaultdict(list)
    for link in ways.links:
        if link.source in ways.starts and link.target not in ways.starts and link.target in ways.items:
            node = ways.items[link.target].node
            by_asset[node.table or node.id].append(link)
    columns = {link.source for links in by_asset.values() for link in links if link.source != start}
    for asset, links in sorted(by_asset.items()):
        reason = _reason(change, asset, links, start, columns)
        if reason:
            node = ways.items[asset].node if asset in ways.items else table(asset)
            via = min(links, key=lambda link: (-link.confidence, link.sort_key))
            item = Reached(node, "downstream", 1, via.confidence, via)
            yield item, Use.PASSED_THROUGH, Finding(False, reason, via)


def _reason(change: Change, asset: str, links: list[Link], start: str, columns: set[str]) -> str | None:
    of_columns = [link for link in links if link.source != start]
    if not of_columns:
        return f"{asset} reads {start} as a whole: it may get {change.name} as well"
    if any(link.transformation is Transformation.UNION for link in of_columns):
        return f"{asset} puts {start} into a UNION: where that takes *, the numbers of columns no longer agree"
    copied = {link.source for link in of_columns if copies_name(link)}
    if columns and copied == columns:
        return f"{asset} copies every column of {start}: where its query takes *, it gets {change.name} as well"
    return None
