"""The impact report for a terminal: risk, affected owners and assets, reasons, and migration steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from forge.cli.answer import AnswerColumn, CommandAnswer, Item, plain_table
from forge.cli.formatting import plural
from forge.cli.output import framed

if TYPE_CHECKING:
    from rich.console import RenderableType

STYLES = {"critical": "bold red", "high": "bold red", "medium": "yellow", "low": "green", "none": "green"}
MARKS = {"high": "●", "medium": "◐", "low": "○"}
SHOWN = 40  # of what is hit; the other forms have all
FEW = 8  # of paths and reasons
Report = Mapping[str, Any]


def answer_of_impact(report: Report) -> CommandAnswer:
    """The rows of every form are what is hit, the worst first."""
    facts = {name: value for name, value in report.items() if name != "affected"}
    return CommandAnswer(
        name="affected",
        items=report["affected"],
        columns=COLUMNS,
        facts=facts,
        picture=lambda: _picture(report),
        lines=lambda: _lines(report),
    )


COLUMNS = (
    AnswerColumn("severity", lambda i: f"{MARKS.get(str(i['severity']), ' ')} {i['severity']}"),
    AnswerColumn("hit", lambda i: str(i["id"]), style="bold"),
    AnswerColumn("type", lambda i: str(i["type"])),
    AnswerColumn("use", lambda i: str(i["use"]).replace("_", " ")),
    AnswerColumn("score", lambda i: f"{i['score']:.1f}", right=True),
    AnswerColumn("hours", lambda i: f"{i['effort_hours']:.1f}", right=True),
    AnswerColumn("steps", lambda i: str(i["depth"]), right=True),
    AnswerColumn("sure", lambda i: f"{i['confidence']:.2f}", right=True),
    AnswerColumn("owner", lambda i: str(i["owner"] or "no owner"), style="dim"),
)


def _headline(report: Report) -> str:
    change = report["change"]
    to = f" → {change['to']}" if change.get("to") else ""
    direction = f" ({change['direction']})" if change.get("direction") else ""
    return f"{change['type']} {change['entity']}{to}{direction}"


def _sections(report: Report) -> list[tuple[str, list[str]]]:
    """Sections below the table, with titles; empty ones are omitted."""
    reasons = [str(one["reason"]) for one in report["breaking_changes"]]  # they name what is hit
    owners = [f"{one['owner'] or 'no owner'} ({one['severity']}): {_names(one['assets'])}" for one in report["owners"]]
    sections = [
        ("breaks", _few(reasons)),
        ("critical paths", _few([_path(one) for one in report["critical_paths"]])),
        ("migration", [f"{number}. {step}" for number, step in enumerate(report["migration_steps"], 1)]),
        ("recommended", list(report["recommended_actions"])),
        ("tell", owners),
    ]
    return [(title, lines) for title, lines in sections if lines]


def _few(lines: list[str]) -> list[str]:
    return lines if len(lines) <= FEW else [*lines[:FEW], f"… and {len(lines) - FEW:,} more"]


def _names(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _path(path: Report) -> str:
    hops = " → ".join(str(hop["id"]) for hop in path["hops"])
    return f"{path['start']} → {hops}  ({path['confidence']:.2f})"


def _totals(report: Report) -> str:
    counts = report["counts"]
    if not counts["total"]:
        return "nothing is hit"
    parts = ", ".join(f"{counts[word]:,} {word}" for word in ("high", "medium", "low") if counts.get(word))
    kinds = ", ".join(plural(number, _one(group), group) for group, number in report["groups"].items() if number)
    total = plural(counts["total"], "entity", "entities")
    return f"{total} hit ({parts}): {kinds}; about {report['effort_hours']:.1f} hours"


def _one(group: str) -> str:
    return group.removesuffix("es") if group.endswith("sses") else group.removesuffix("s")


def _notes(report: Report) -> list[str]:
    notes = []
    if len(report["affected"]) > SHOWN:
        notes.append(f"… and {len(report['affected']) - SHOWN:,} more; all of them with --format csv or --json")
    if report.get("hidden"):
        notes.append(f"{plural(report['hidden'], 'edge')} not sure enough to follow. All: --min-confidence 0")
    if report.get("truncated"):
        notes.append("There is more than could be looked at.")
    return notes


def _lines(report: Report) -> list[str]:
    lines = [
        _headline(report),
        f"risk {report['risk'].upper()}: {_totals(report)}",
        *str(report["summary"]).splitlines(),
    ]
    items: Sequence[Item] = report["affected"][:SHOWN]
    if items:
        lines += ["", *(line.rstrip() for line in plain_table(COLUMNS, items))]
    lines += _notes(report)
    for title, texts in _sections(report):
        lines += ["", f"{title}:", *(f"  {text}" for text in texts)]
    return lines


def _picture(report: Report) -> RenderableType:
    from rich.padding import Padding
    from rich.text import Text

    style = STYLES.get(str(report["risk"]), "")
    head = Text.assemble((f"risk {report['risk'].upper()}", style), f"   {_totals(report)}")
    parts: list[RenderableType] = [head, Text(str(report["summary"]), style="dim")]
    if report["affected"]:
        parts += [Text(), _hit(report["affected"][:SHOWN])]
    parts += [Text(note, style="dim") for note in _notes(report)]
    for title, texts in _sections(report):
        parts += [Text(), Text(title, style="bold"), *(Padding(Text(text), (0, 0, 0, 2)) for text in texts)]
    return framed(parts, _headline(report), "bold", style.removeprefix("bold "))


def _hit(items: Sequence[Item]) -> RenderableType:
    """Fits 80 columns: what would be too wide goes below the name."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    for side in ("left", "left", "left", "right", "right"):
        grid.add_column(justify=side, overflow="fold")
    heads = ("", "hit", "use", "score", "hours")
    grid.add_row(*(Text(head, style="dim") for head in heads))
    for item in items:
        severity = str(item["severity"])
        name = Text.assemble((str(item["id"]), "bold"), (f"\n{item['type']}, {item['owner'] or 'no owner'}", "dim"))
        use = Text(str(item["use"]).replace("_", " "))
        mark = Text(f"{MARKS.get(severity, ' ')} {severity}", style=STYLES.get(severity, ""))
        grid.add_row(mark, name, use, f"{item['score']:.1f}", f"{item['effort_hours']:.1f}")
    return grid
