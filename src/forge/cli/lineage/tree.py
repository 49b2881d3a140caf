"""A traversal as a tree, for terminals and plain text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from forge.cli.answer import CommandAnswer
from forge.cli.formatting import plural
from forge.lineage.node import TABLE_LIKE

if TYPE_CHECKING:
    from rich.console import RenderableType

    from forge.lineage.graph.request import Direction
    from forge.lineage.graph.traversal import Link, Path, ReachedNode, Traversal

SHOWN = 300  # entities of a tree, the nearest; the rest is counted
WIDE = 48  # of an expression
Branches = Mapping[str, Sequence[tuple[str, str]]]  # parent → (child, how it got there)


def answer_of_walk(found: Traversal, drawn: Traversal, explanation: Sequence[str] = ()) -> CommandAnswer:
    """The data is what was found; `drawn` is the same as people see it (the tree of a table is one of tables)."""
    document = found.to_dict()
    items = document.pop("items")
    assert isinstance(items, list)
    lines = [line for direction in directions_of(drawn) for line in _lines(drawn, direction)]
    lines += [line for path in found.paths for line in path_lines(path)]
    foot = _omissions(found, drawn)
    if explanation:  # it also says what is not shown
        document["explanation"] = list(explanation)
        foot = ["", *explanation]
    return CommandAnswer(
        name="items", items=items, facts=document, foot=foot, picture=lambda: _picture(lines), lines=lambda: lines
    )


def directions_of(traversal: Traversal) -> tuple[Direction, ...]:
    match traversal.direction:
        case "both":
            return "upstream", "downstream"
        case direction:
            return (direction,)


def _omissions(found: Traversal, drawn: Traversal) -> list[str]:
    """What is not shown, and what to type to see it."""
    notes = []
    hidden = max(found.hidden, drawn.hidden)
    if hidden:
        verb = "is" if hidden == 1 else "are"
        notes.append(
            f"{plural(hidden, 'edge')} below the confidence of {found.ask.edges.min_confidence:g} {verb} not followed. "
            "All: --min-confidence 0"
        )
    if found.truncated:
        notes.append(f"{len(found.items):,} of {found.total:,} are listed. More: a greater --limit")
    return notes


def _lines(traversal: Traversal, direction: Direction) -> list[str]:
    words = "comes from" if direction == "upstream" else "goes to"
    items = [item for item in traversal.items if item.direction == direction]
    if not items:
        return [f"{traversal.start} {words} nothing that is recorded"]
    lifted = str(traversal.ask.level) not in ("field", "column")
    lines = [f"{traversal.start} {words} {_counted(items)}", *_tree(items[:SHOWN], direction, lifted=lifted)]
    if len(items) > SHOWN:
        lines.append(f"… and {len(items) - SHOWN:,} more; all of them with --format csv or --json")
    return lines


def _counted(items: Sequence[ReachedNode]) -> str:
    """`4 columns of 2 tables and 1 dashboard`."""
    columns = [item for item in items if item.column is not None]
    held = {item.table for item in columns}
    others: dict[str, int] = defaultdict(int)
    for item in items:
        if item.column is None and item.name not in held:
            data = item.node.table or item.node.type in TABLE_LIKE
            others["table" if data else str(item.node.type)] += 1
    parts = [f"{plural(len(columns), 'column')} of {plural(len(held), 'table')}"] if columns else []
    kinds = sorted(others, key=lambda kind: (kind != "table", kind))
    parts += [plural(others[kind], kind) for kind in kinds]
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _tree(items: Sequence[ReachedNode], direction: Direction, *, lifted: bool) -> list[str]:
    branches = _branches(items, direction, lifted=lifted)
    names = {item.name for item in items}
    first = [child for root in branches.keys() - names for child in branches[root]]
    lines: list[str] = []
    seen: set[str] = set()
    _draw(branches, first, lines, seen)
    for item in items:  # what hangs below itself, which only a damaged answer can say
        if item.name not in seen:
            lines.append(f"└─ {item.name}")
    return lines


def _branches(items: Sequence[ReachedNode], direction: Direction, *, lifted: bool) -> Branches:
    """Each entity is a child of its predecessor on the most confident path."""
    children: dict[str, list[tuple[str, str]]] = defaultdict(list)
    names = {item.name for item in items}
    nearest: dict[str, str] = {}  # of each table, what is reached first; what shapes its rows hangs below that
    for item in items:
        nearest.setdefault(item.table, item.name)
    for item in items:
        via = item.via
        if direction == "downstream" and via.target != item.name:  # a column of a table that is reached as a whole
            children[via.target].append((item.name, ""))
            continue
        parent = via.target if direction == "upstream" else via.source
        if parent not in names and nearest.get(parent, item.name) != item.name:
            parent = nearest[parent]
        children[parent].append((item.name, edge_label(via, lifted=lifted)))
    return children


def _draw(branches: Branches, first: Sequence[tuple[str, str]], lines: list[str], seen: set[str]) -> None:
    """Iterative: a path may have thousands of hops."""
    waiting = [(child, how, "", last) for child, how, last in _ends(first)]
    while waiting:
        child, how, indent, last = waiting.pop()
        if child in seen:
            continue
        seen.add(child)
        lines.append(f"{indent}{'└─' if last else '├─'} {child}{'  (' + how + ')' if how else ''}")
        deeper = indent + ("   " if last else "│  ")
        waiting += [(name, by, deeper, end) for name, by, end in _ends(branches.get(child, ()))]


def _ends(children: Sequence[tuple[str, str]]) -> list[tuple[str, str, bool]]:
    """The last first, since they are taken from the end."""
    ordered = sorted(children, reverse=True)
    return [(child, how, place == 0) for place, (child, how) in enumerate(ordered)]


def edge_label(link: Link, *, lifted: bool = False) -> str:
    """Identity and full confidence are omitted; between tables also the transformation."""
    direct = str(link.kind.type) == "derives_from" and not link.kind.indirect
    parts = ["" if lifted and direct else _made(link)]
    if link.masking:
        parts.append("masked")
    if link.confidence < 1:
        parts.append(f"{link.confidence:.2f}")
    return ", ".join(part for part in parts if part)


def _made(link: Link) -> str:
    if str(link.kind.type) != "derives_from":
        return str(link.kind.type)
    if link.kind.indirect:
        return link.kind.word
    kind = str(link.transformation)
    if kind in ("unknown", "identity"):
        return ""
    short = " ".join(link.expression.split())
    return f"{kind}: {short[: WIDE - 1]}…" if len(short) > WIDE else f"{kind}: {short}" if short else kind


def path_lines(path: Path) -> list[str]:
    """One path, a hop a line."""
    lines = [f"{path.confidence:.2f}  {path.start}"]
    for hop in path.hops:
        how = edge_label(hop.link)
        lines.append(f"      → {hop.node.id}{'  (' + how + ')' if how else ''}")
    return lines


def _picture(lines: Sequence[str]) -> RenderableType:
    from rich.text import Text

    text = Text(no_wrap=True, overflow="ellipsis")
    for line in lines:
        name, mark, how = line.partition("  (")
        text.append(name, style="" if name.startswith(("└", "├", "│", " ", "…")) else "bold")
        text.append(f"{mark}{how}\n", style="dim")
    text.rstrip()
    return text
