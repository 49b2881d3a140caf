"""Snapshots, diffs, paths, edges and the whole graph as data and as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from forge.cli.answer import AnswerColumn, CommandAnswer, Item
from forge.cli.formatting import count, moment, plural
from forge.cli.lineage.tree import path_lines
from forge.model.duration import duration_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from forge.connection.lineage.results import DiffResult, OrderResult
    from forge.connection.tabular import TabularTuple
    from forge.lineage.facts.fact import EdgeVersion
    from forge.lineage.graph.store import Snapshot
    from forge.lineage.graph.traversal import Path
    from forge.lineage.node import Node

SHOWN = 300  # lines for people; the other forms have all
SIGNS = {"added": "+", "removed": "-", "modified": "~"}


def answer_of_snapshots(found: Sequence[Snapshot]) -> CommandAnswer:
    times = {one.name: one.at for one in found}
    columns = (
        AnswerColumn("snapshot", lambda i: str(i["name"]), style="bold"),
        AnswerColumn("time (UTC)", lambda i: moment(times[str(i["name"])])),
        AnswerColumn("nodes", lambda i: count(i["node_count"]), right=True),
        AnswerColumn("edges", lambda i: count(i["edge_count"]), right=True),
        AnswerColumn("by", lambda i: str(i["created_by"])),
        AnswerColumn("description", lambda i: str(i["description"])),
    )
    return CommandAnswer(name="snapshots", items=[one.to_dict() for one in found], columns=columns)


def answer_of_changes(found: DiffResult, a: str, b: str) -> CommandAnswer:
    document = found.to_dict()
    facts = {"a": a, "b": b, **{name: document[name] for name in ("a_at", "b_at", "seconds", "counts")}}
    items = found.rows()
    between = f", {duration_text(abs(found.seconds))} apart" if found.seconds else ""
    head = [f"{a} → {b}{between}: {_counted(found.counts)}"]

    def lines() -> list[str]:
        shown = [line for item in items[:SHOWN] for line in _change_lines(item)]
        return shown + _rest(len(items))

    return CommandAnswer(
        name="changes", items=items, facts=facts, head=head, lines=lines, picture=lambda: _text(lines())
    )


def _counted(counts: Mapping[str, Mapping[str, int]]) -> str:
    parts = [
        f"{SIGNS[change]}{plural(number, what.removesuffix('s'))}"
        for what, changes in counts.items()
        for change, number in changes.items()
        if number
    ]
    return ", ".join(parts) if parts else "nothing changed"


def _change_lines(item: Item) -> list[str]:
    lines = [f"{item['sign']} {item['what']:<4}  {item['id']}"]
    changes = item["changes"]
    assert isinstance(changes, list)
    return lines + [f"          {one['field']}: {_value(one['before'])} → {_value(one['after'])}" for one in changes]


def _value(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "nothing"
    return "nothing" if value in (None, "") else str(value)


def answer_of_paths(found: TabularTuple[Path], source: str, target: str) -> CommandAnswer:
    def lines() -> list[str]:
        return [line for path in found for line in path_lines(path)]

    facts = {"source": source, "target": target, "total": len(found)}
    items = [path.to_dict() for path in found]
    return CommandAnswer(name="paths", items=items, facts=facts, lines=lines, picture=lambda: _text(lines()))


def answer_of_edge(edge: EdgeVersion, life: Sequence[EdgeVersion]) -> CommandAnswer:
    """The items are its evidence; the document also has the edge and all that it ever was."""
    document = edge.to_dict()
    evidence = [
        {"producer": fact.producer, "confidence": fact.confidence, **one.to_dict()}
        for fact in edge.facts
        for one in fact.evidence
    ]
    columns = (
        AnswerColumn("producer", lambda i: str(i["producer"]), style="bold"),
        AnswerColumn("basis", lambda i: str(i["basis"])),
        AnswerColumn("sure", lambda i: f"{i['confidence']:g}", right=True),
        AnswerColumn("seen in", lambda i: _place(i)),
        AnswerColumn("last (UTC)", lambda i: str(i["seen_at"] or "")[:19].replace("T", " ")),
        AnswerColumn("times", lambda i: count(i["times"]), right=True),
    )
    facts: dict[str, object] = {
        "edge": {name: value for name, value in document.items() if name != "evidence"},
        "versions": [
            {name: value for name, value in version.to_dict().items() if name != "evidence"} for version in life
        ],
    }
    return CommandAnswer(name="evidence", items=evidence, columns=columns, facts=facts, head=_edge_head(edge, life))


def _edge_head(edge: EdgeVersion, life: Sequence[EdgeVersion]) -> list[str]:
    kind = edge.key.kind
    words = [kind.counted, str(edge.transformation)]
    if kind.indirect:
        words = [f"indirect: {kind.indirect}"]
    held = f"{moment(edge.valid_from)} … {moment(edge.valid_to) if edge.valid_to else 'now'} UTC"
    reason = edge.facts[0].metadata.get("reason") if edge.facts else None
    rows = [
        ("kind", ", ".join(word for word in words if word != "unknown") + (", masked" if edge.masking else "")),
        ("made by", " ".join(edge.expression.split())),
        ("sure", f"{edge.confidence:g} ({edge.level}{', confirmed: in code and in runs' if edge.confirmed else ''})"),
        ("held", held + (f", version {len(life)} of its life" if len(life) > 1 else "")),
        ("reason", str(reason or "")),
    ]
    head = [edge.key.source, f"→ {edge.key.target}", *(f"  {name:<8} {text}" for name, text in rows if text)]
    return [*head, ""] if any(fact.evidence for fact in edge.facts) else head


def _place(item: Item) -> str:
    place = f"{item['file']}:{item['line']}" if item.get("file") and item.get("line") else str(item.get("file") or "")
    run = f"run {item['run_id']}" if item.get("run_id") else ""
    return ", ".join(part for part in (place, run, str(item.get("extractor") or "")) if part)


def answer_of_nodes(found: Sequence[Node]) -> CommandAnswer:
    columns = (
        AnswerColumn("id", lambda i: str(i["id"]), style="bold"),
        AnswerColumn("type", lambda i: str(i["type"])),
        AnswerColumn("", lambda i: _about(i)),
    )
    return CommandAnswer(name="nodes", items=[node.to_dict() for node in found], columns=columns)


def _about(item: Item) -> str:
    details = item["attributes"]
    assert isinstance(details, dict)
    parts = [str(details[name]) for name in ("data_type", "kind", "source_file") if details.get(name)]
    return ", ".join([*parts, "only edges tell of it"] if item["unresolved"] else parts)


def answer_of_order(found: OrderResult) -> CommandAnswer:
    columns = (
        AnswerColumn("stage", lambda i: str(i["stage"]), right=True),
        AnswerColumn("name", lambda i: str(i["name"]), style="bold"),
        AnswerColumn("", lambda i: _circle(i)),
    )
    facts = {name: value for name, value in found.to_dict().items() if name != "order"}
    return CommandAnswer(name="order", items=found.rows(), columns=columns, facts=facts)


def _circle(item: Item) -> str:
    members = item["cycle"]
    assert isinstance(members, list)
    others = [str(name) for name in members if name != item["name"]]
    return f"in a circle with {', '.join(others)}" if others else ""


def _rest(number: int) -> list[str]:
    return [f"… and {number - SHOWN:,} more; all of them with --format csv or --json"] if number > SHOWN else []


def _text(lines: Sequence[str]) -> RenderableType:
    from rich.text import Text

    styles = {"+": "green", "-": "red", "~": "yellow"}
    text = Text(no_wrap=True, overflow="ellipsis")
    for line in lines:
        text.append(f"{line}\n", style=styles.get(line[:1], ""))
    text.rstrip()
    return text
