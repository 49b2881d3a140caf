"""A traversal drawn as a tree, on a terminal and in plain lines alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from forge.cli.answer import Answer
from forge.cli.words import plural
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from forge.lineage.graph import Graph, Link, Traversal

Branches = Mapping[str, Sequence[tuple[str, str]]]  # parent → (child, how it got there)


def answer_of_lineage(graph: Graph, name: str, directions: Sequence[str], depth: int | None) -> Answer:
    """The data is the columns reached; the tree of a table is one of tables, of a column one of columns."""
    found = {direction: _walk(graph, name, direction, depth) for direction in directions}
    drawn = {direction: _tables(graph, name, direction, depth) or found[direction] for direction in directions}
    items = [
        {"direction": direction, **{key: value for key, value in item.to_dict().items() if key != "path"}}
        for direction, traversal in found.items()
        for item in traversal.items
    ]
    facts: dict[str, object] = {"start": name}
    facts |= {direction: traversal.to_dict() for direction, traversal in found.items()}
    lines = [line for traversal in drawn.values() for line in _lines(traversal)]
    hidden = sum(traversal.hidden for traversal in drawn.values())
    foot = [f"{plural(hidden, 'edge')} below the confidence of 0.5 not followed"] if hidden else []
    return Answer("items", items, facts=facts, foot=foot, picture=lambda: _picture(lines), lines=lambda: lines)


def _walk(graph: Graph, name: str, direction: str, depth: int | None) -> Traversal:
    return graph.upstream(name, depth) if direction == "upstream" else graph.downstream(name, depth)


def _tables(graph: Graph, name: str, direction: str, depth: int | None) -> Traversal | None:
    """None where the name is a column's."""
    try:
        return _walk(graph.by_table(), name, direction, depth)
    except ForgeError:
        return None


def _lines(traversal: Traversal) -> list[str]:
    tables = len({item.table for item in traversal.items})
    words = "comes from" if traversal.direction == "upstream" else "goes to"
    if not traversal.items:
        return [f"{traversal.start} {words} nothing that is recorded"]
    columns = sum(item.column is not None for item in traversal.items)
    counted = f"{plural(columns, 'column')} of {plural(tables, 'table')}" if columns else plural(tables, "table")
    lines = [f"{traversal.start} {words} {counted}"]
    branches = _branches(traversal)
    roots = branches.keys() - {child for children in branches.values() for child, _ in children}
    for root in sorted(roots):
        lines += _below(branches, root, "")
    return lines


def _branches(traversal: Traversal) -> Branches:
    """Each entity hangs below the one before it on its surest way."""
    children: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for item in traversal.items:
        link = item.path[-1]
        parent = link.target if traversal.direction == "upstream" else link.source
        children[parent].append((item.name, _how(link)))
    return children


def _how(link: Link) -> str:
    kind = str(link.transformation)
    if kind in ("unknown", "identity"):
        return ""
    short = " ".join(link.expression.split())
    return f"{kind}: {short[:47]}…" if len(short) > 48 else f"{kind}: {short}" if short else kind


def _below(branches: Branches, parent: str, indent: str) -> list[str]:
    lines = []
    children = sorted(branches.get(parent, ()))
    for index, (child, how) in enumerate(children):
        last = index == len(children) - 1
        lines.append(f"{indent}{'└─' if last else '├─'} {child}{'  (' + how + ')' if how else ''}")
        lines += _below(branches, child, indent + ("   " if last else "│  "))
    return lines


def _picture(lines: Sequence[str]) -> RenderableType:
    from rich.text import Text

    text = Text(no_wrap=True, overflow="ellipsis")
    for line in lines:
        name, mark, how = line.partition("  (")
        text.append(name, style="" if name.startswith(("└", "├", "│", " ")) else "bold")
        text.append(f"{mark}{how}\n", style="dim")
    text.rstrip()
    return text
