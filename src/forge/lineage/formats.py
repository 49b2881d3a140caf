"""Export formats of a traversal: JSON, JSON lines, CSV, Graphviz and Mermaid."""

from __future__ import annotations

import csv
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from io import StringIO

from forge.lineage.graph.layout import focus_of
from forge.lineage.graph.traversal import Link, Traversal
from forge.lineage.node import Node

COLUMNS = (
    "source",
    "target",
    "type",
    "relationship",
    "kind",
    "subtype",
    "transformation",
    "expression",
    "masking",
    "confidence",
    "level",
    "valid_from",
    "valid_to",
)


def to_json(traversal: Traversal) -> str:
    return json.dumps(traversal.to_dict(), ensure_ascii=False, indent=2) + "\n"


def to_ndjson(traversal: Traversal) -> str:
    """One entity or edge a line: `{"node": …}`, `{"edge": …}`."""
    nodes = [{"node": item.to_dict()} for item in traversal.items]
    rows = [*nodes, *({"edge": link.to_dict()} for link in _ordered(traversal.links))]
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def to_csv(links: Iterable[Link]) -> str:
    """With the names of the columns in the first line. A text that a spreadsheet would run as a formula has an
    apostrophe before it."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for link in _ordered(links):
        row = link.to_dict()
        writer.writerow([_cell(row[name]) for name in COLUMNS])
    return out.getvalue()


def to_dot(traversal: Traversal) -> str:
    """Columns are grouped in a box per table."""
    lines = ["digraph lineage {", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif"];']
    for number, (table, members) in enumerate(_by_table(traversal).items()):
        if members == [(table, "")]:
            lines.append(f"  {quoted(table)};")
            continue
        lines.append(f"  subgraph cluster_{number} {{")
        lines.append(f"    label={quoted(table)};")
        lines += [f"    {quoted(name)} [label={quoted(column or table)}];" for name, column in members]
        lines.append("  }")
    for link in _ordered(traversal.links):
        style = ", style=dashed" if link.kind.indirect else ""
        lines.append(f"  {quoted(link.source)} -> {quoted(link.target)} [label={quoted(_word(link))}{style}];")
    return "\n".join([*lines, "}"]) + "\n"


def to_mermaid(traversal: Traversal) -> str:
    """A flowchart. Names are labels only, so that any name can be drawn."""
    lines = ["flowchart LR"]
    ids: dict[str, str] = {}
    for number, (table, members) in enumerate(_by_table(traversal).items()):
        ids |= {name: f"n{len(ids) + place}" for place, (name, _) in enumerate(members)}
        if members == [(table, "")]:
            lines.append(f'  {ids[table]}["{_label(table)}"]')
            continue
        lines.append(f'  subgraph t{number}["{_label(table)}"]')
        lines += [f'    {ids[name]}["{_label(column or table)}"]' for name, column in members]
        lines.append("  end")
    for link in _ordered(traversal.links):
        arrow = "-.->" if link.kind.indirect else "-->"
        lines.append(f'  {ids[link.source]} {arrow}|"{_label(_word(link))}"| {ids[link.target]}')
    focus = ids.get(focus_of(traversal))
    return "\n".join([*lines, *([f"  style {focus} stroke-width:3px"] if focus else [])]) + "\n"


FORMATS: Mapping[str, Callable[[Traversal], str]] = {
    "json": to_json,
    "ndjson": to_ndjson,
    "csv": lambda traversal: to_csv(traversal.links),
    "dot": to_dot,
    "mermaid": to_mermaid,
}


def _ordered(links: Iterable[Link]) -> list[Link]:
    return sorted(links, key=lambda link: link.sort_key)


def _by_table(traversal: Traversal) -> dict[str, list[tuple[str, str]]]:
    """Table → what of it is in the walk, as id and name below the table."""
    nodes: dict[str, Node] = {node.id: node for node in traversal.starts}
    nodes |= {item.node.id: item.node for item in traversal.items}
    touched = {end for link in traversal.links for end in (link.source, link.target)}
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in sorted({focus_of(traversal), *touched, *(item.node.id for item in traversal.items)}):
        node = nodes.get(name)
        table = node.table if node and node.table else name
        found[table].append((name, (node.column or "") if node else ""))
    return dict(sorted(found.items()))


def _word(link: Link) -> str:
    return link.expression or (link.kind.word if link.kind.indirect else str(link.transformation))


def _cell(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


_CODES = {ord(letter): f"#{ord(letter)};" for letter in '"#%&<>`\\{}[]|;'} | {ord("\n"): " ", ord("\r"): " "}


def _label(text: str) -> str:
    """Mermaid writes letters that mean something to it by their numbers."""
    return text.translate(_CODES) or " "


def quoted(text: str) -> str:
    """A text of the DOT language. Backslashes are escapes in labels."""
    safe = re.sub(r"[\x00-\x1f\x7f]", " ", text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{safe}"'
