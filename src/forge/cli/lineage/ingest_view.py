"""Results of reading code as data and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forge.cli.answer import AnswerColumn, CommandAnswer, Item
from forge.cli.formatting import count, plural
from forge.cli.terminal import Terminal
from forge.model.duration import duration_text

if TYPE_CHECKING:
    from forge.connection.lineage.code import CodeExtraction
    from forge.connection.lineage.spark import CaptureResult
    from forge.flows.lineage.code.ingest import IngestReport
    from forge.flows.lineage.code.records import SourceRecord
    from forge.flows.lineage.query_log import QueryLogResult
    from forge.lineage.agreement import SparkAgreement

MOST_GAPS = 20  # printed besides the result
MOST_ROWS = 40  # files listed on a terminal after an ingest


def answer_of_ingest(done: IngestReport) -> CommandAnswer:
    document = done.to_dict()
    sources = document.pop("sources")
    assert isinstance(sources, list)
    shown = sorted(sources, key=lambda one: (one["coverage"], one["path"]))[:MOST_ROWS]
    more = len(sources) - len(shown)
    moved = [f"{plural(len(done.files), 'file')} read", f"{len(done.unchanged):,} unchanged"]
    moved += [f"{len(done.removed):,} gone"] if done.removed else []
    head = [", ".join(moved), ""] if done.unchanged or done.removed else []
    foot = [f"… and {plural(more, 'file')} more: forge lineage sources"] if more > 0 else []
    foot += ["", _total(done)]
    items: list[Item] = shown if len(sources) > MOST_ROWS else sources
    return CommandAnswer(name="sources", items=items, columns=_COLUMNS, facts=document, head=head, foot=foot)


def _total(done: IngestReport) -> str:
    every = done.everything
    words = (
        plural(len(every), "file"),
        plural(sum(one.statements for one in every), "statement"),
        plural(sum(one.edges for one in every), "edge"),
        plural(done.gaps, "gap"),
    )
    return f"{', '.join(words)}, {duration_text(done.seconds)}"


def _share(item: Item) -> str:
    return f"{item['coverage']:.0%}" if item["statements"] else "–"


_COLUMNS = (
    AnswerColumn("file", lambda i: str(i["path"]), style="bold"),
    AnswerColumn("language", lambda i: str(i["language"])),
    AnswerColumn("statements", lambda i: count(i["statements"]), right=True),
    AnswerColumn("understood", _share, right=True),
    AnswerColumn("edges", lambda i: count(i["edges"]), right=True),
    AnswerColumn(
        "gaps", lambda i: count(len(i["gaps"])) if isinstance(i["gaps"], list) and i["gaps"] else "", right=True
    ),
)


def answer_of_sources(found: Sequence[SourceRecord]) -> CommandAnswer:
    roots = {one.root for one in found}
    name = "path" if len(roots) == 1 else "id"
    file = AnswerColumn("file", lambda i: str(i[name]), style="bold")
    columns = (file, *_COLUMNS[1:], AnswerColumn("read", lambda i: str(i["read_at"])[:19].replace("T", " ")))
    head = [f"From {next(iter(roots))}", ""] if len(roots) == 1 else []
    statements, understood = sum(one.statements for one in found), sum(one.understood for one in found)
    share = f"{understood / statements:.0%} of {plural(statements, 'statement')} understood" if statements else ""
    return CommandAnswer(
        name="sources",
        items=[one.to_dict() for one in found],
        columns=columns,
        facts={},
        head=head,
        foot=["", share] if share else [],
    )


def answer_of_gaps(found: Sequence[SourceRecord]) -> CommandAnswer:
    items: list[Item] = [
        {"file": one.id, "line": gap.line or None, "reason": gap.reason, "code": gap.code}
        for one in found
        for gap in one.gaps
    ]
    columns = (
        AnswerColumn("where", lambda i: f"{i['file']}:{i['line']}" if i["line"] else str(i["file"]), style="bold"),
        AnswerColumn("why", lambda i: str(i["reason"])),
        AnswerColumn("code", lambda i: str(i["code"]), style="dim"),
    )
    return CommandAnswer(name="gaps", items=items, columns=columns)


def answer_of_extraction(found: CodeExtraction) -> CommandAnswer:
    document = found.to_dict()
    edges = document.pop("edges")
    assert isinstance(edges, list)
    columns = (
        AnswerColumn("to", lambda i: str(i["target"]), style="bold"),
        AnswerColumn("from", lambda i: str(i["source"])),
        AnswerColumn("how", lambda i: f"{i['transformation']}{', masked' if i['masking'] else ''}"),
        AnswerColumn("expression", lambda i: _cut(str(i["expression"])), style="dim"),
        AnswerColumn("sure", lambda i: f"{i['confidence']:.2f}", right=True),
        AnswerColumn("where", lambda i: f"{i['file']}:{i['line']}"),
    )
    by_target = sorted(edges, key=lambda edge: (edge["target"], edge["source"]))
    return CommandAnswer(name="edges", items=by_target, columns=columns, facts=document)


def _cut(text: str, width: int = 48) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: width - 1]}…"


def print_gaps(terminal: Terminal, found: CodeExtraction, took: float) -> None:
    """On stderr: what was not understood, and the sum of all."""
    extraction = found.extraction
    for gap in extraction.gaps[:MOST_GAPS]:
        terminal.say(f"{gap.place}:{gap.line}  {gap.reason}" if gap.line else f"{gap.place}  {gap.reason}")
    if len(extraction.gaps) > MOST_GAPS:
        terminal.say(f"… and {plural(len(extraction.gaps) - MOST_GAPS, 'gap')} more: --json has them all")
    statements = sum(one.statements for one in found.programs)
    words = (
        plural(len(found.programs), "file"),
        plural(statements, "statement"),
        plural(len(extraction.edges), "edge"),
        plural(len(extraction.gaps), "gap"),
    )
    terminal.say(f"{', '.join(words)}, {duration_text(took)}")


def answer_of_agreement(found: SparkAgreement) -> CommandAnswer:
    document = found.to_dict()
    items = document.pop("disagreements")
    assert isinstance(items, list)
    columns = (
        AnswerColumn("where", lambda i: f"{i['file']}:{i['line']}", style="bold"),
        AnswerColumn("only", lambda i: str(i["said_by"])),
        AnswerColumn("to", lambda i: str(i["target"])),
        AnswerColumn("from", lambda i: str(i["source"])),
        AnswerColumn("way", lambda i: str(i["way"])),
    )
    return CommandAnswer(name="disagreements", items=items, columns=columns, facts=document)


def answer_of_capture(done: CaptureResult) -> CommandAnswer:
    document = done.to_dict()
    writes = document.pop("writes")
    assert isinstance(writes, list)
    columns = (
        AnswerColumn("wrote", lambda i: str(i["target"]), style="bold"),
        AnswerColumn("kind", lambda i: str(i["kind"])),
        AnswerColumn("reads", lambda i: ", ".join(_sources(i))),
        AnswerColumn("edges", lambda i: count(_size(i["edges"])), right=True),
    )
    return CommandAnswer(name="writes", items=writes, columns=columns, facts=document)


def _sources(item: Item) -> list[str]:
    edges = item["table_edges"]
    return sorted({str(edge["source"]) for edge in edges}) if isinstance(edges, list) else []


def _size(value: object) -> int:
    return len(value) if isinstance(value, list) else 0


def answer_of_log(done: QueryLogResult) -> CommandAnswer:
    document = done.to_dict()
    gaps = document.pop("gaps")
    assert isinstance(gaps, list)
    columns = (
        AnswerColumn("not understood", lambda i: str(i["reason"])),
        AnswerColumn("queries", lambda i: count(i["queries"]), right=True),
    )
    head = [f"{plural(done.edges, 'edge')} from the queries of {done.name}", ""]
    return CommandAnswer(name="gaps", items=gaps, columns=columns, facts=document, head=head)
