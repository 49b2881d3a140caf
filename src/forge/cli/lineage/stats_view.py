"""Graph statistics, propagation and row-level lineage as data and as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from forge.cli.answer import AnswerColumn, CommandAnswer, Item, cut_picture
from forge.cli.formatting import count, moment, plural, short

if TYPE_CHECKING:
    from forge.flows.lineage.records import RecordOrigin
    from forge.lineage.graph.propagate import Propagation
    from forge.lineage.stats import GraphStats

MATCHES = {
    "one": "1 row",
    "several": "several rows",
    "none": "no row has these values",
    "unknown": "nothing was copied, so its rows cannot be told",
    "outside": "outside the lake",
}


def answer_of_stats(found: GraphStats) -> CommandAnswer:
    """A line a number, so that every form can hold it; the document has the numbers as they are."""
    document = found.to_dict()
    items: list[Item] = [
        *_counts("nodes", found.nodes),
        *_counts("edges", found.edges),
        *_counts("relationship", found.relationships),
        *_counts("indirect", found.indirect),
        *_counts("transformation", found.transformations),
        *_counts("confidence", found.levels),
        *_counts("producer", found.producers),
        {"what": "edges", "name": "masking", "count": found.masking},
        *({"what": "hub, in", "name": hub.id, "count": hub.incoming} for hub in found.hubs_in),
        *({"what": "hub, out", "name": hub.id, "count": hub.outgoing} for hub in found.hubs_out),
        {"what": "nodes", "name": "roots: nothing comes in", "count": found.roots.count},
        {"what": "nodes", "name": "leaves: nothing goes out", "count": found.leaves.count},
        {"what": "nodes", "name": "unresolved: only edges tell of them", "count": found.unresolved.count},
        {"what": "circles", "name": "", "count": len(found.cycles)},
    ]
    columns = (
        AnswerColumn("what", lambda i: str(i["what"]), style="bold"),
        AnswerColumn("", lambda i: str(i["name"])),
        AnswerColumn("count", lambda i: count(i["count"]), right=True),
    )
    nodes, edges = sum(found.nodes.values()), sum(found.edges.values())
    share = "" if found.column_share is None else f", {found.column_share:.0%} of the derivations between columns"
    head = [f"{plural(nodes, 'node')} and {plural(edges, 'edge')}{share}", ""]
    return CommandAnswer(name="numbers", items=items, columns=columns, facts=document, head=head)


def _counts(what: str, counts: Mapping[str, int]) -> list[Item]:
    return [{"what": what, "name": name, "count": number} for name, number in counts.items()]


def answer_of_propagation(found: Propagation) -> CommandAnswer:
    document = found.to_dict()
    items = document.pop("carriers")
    assert isinstance(items, list)
    columns = (
        AnswerColumn("carries it", lambda i: str(i["id"]), style="bold"),
        AnswerColumn("from", lambda i: str(i["before"])),
        AnswerColumn("hops", lambda i: count(i["hops"]), right=True),
        AnswerColumn("sure", lambda i: f"{i['confidence']:.2f}", right=True),
    )
    name = found.property or "the property"
    head = [f"{name} goes from {', '.join(found.origins[:3])} to {plural(len(items), 'entity', 'entities')}"]
    foot = [
        f"stopped by {one.reason}: {one.link.source} → {one.link.target}"
        + (" (it comes there by another way)" if one.bypassed else "")
        for one in found.stopped[:20]
    ]
    return CommandAnswer(name="carriers", items=items, columns=columns, facts=document, head=head, foot=foot)


def answer_of_trace(found: RecordOrigin) -> CommandAnswer:
    """The items are the records it came from, the nearest first; the document has them as a tree."""
    items = [_origin_item(origin, depth) for depth, origin in _walk(found)]
    lines = _origin_lines(found)
    return CommandAnswer(
        name="records",
        items=items,
        facts={"record": found.to_dict()},
        lines=lambda: lines,
        picture=lambda: cut_picture(lines),
    )


def _walk(origin: RecordOrigin, depth: int = 0) -> list[tuple[int, RecordOrigin]]:
    return [(depth, origin), *(one for below in origin.origins for one in _walk(below, depth + 1))]


def _origin_item(origin: RecordOrigin, depth: int) -> Item:
    document = origin.to_dict()
    names = ("table", "match", "by", "rows", "more", "version", "commit")
    return {"depth": depth, **{name: document[name] for name in names}}


def _origin_lines(origin: RecordOrigin, indent: str = "", mark: str = "") -> list[str]:
    matched = ""
    if mark:
        found = str(origin.match) in ("one", "several")
        matched = f"  ({MATCHES[str(origin.match)]}{' by ' + ', '.join(origin.by) if found else ''})"
    version = f"@v{origin.version}" if origin.version else ""
    written = ""
    if origin.commit is not None:
        written = f", written by {short(origin.commit.id)} on {moment(origin.commit.time)}"
    lines = [f"{indent}{mark}{origin.table}{version}{matched}{written}"]
    indent += {"├─ ": "│  ", "└─ ": "   "}.get(mark, "")
    bar = "│  " if origin.origins else "   "
    rows = [", ".join(f"{name}={value}" for name, value in row.items()) for row in origin.rows]
    lines += [f"{indent}{bar}{row}" for row in (*rows, *(["… and more"] if origin.more else []))]
    for place, below in enumerate(origin.origins, 1):
        lines += _origin_lines(below, indent, "└─ " if place == len(origin.origins) else "├─ ")
    return lines
