"""Terminal output of check results: failures first and in full, passed checks in a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.formatting import plural, short

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from forge.connection.quality.results import CheckResults

Item = Mapping[str, object]
MARKS = {"passed": "✓", "failed": "✗", "not measured": "?"}
COLOURS = {"passed": "green", "failed": "red", "not measured": "yellow"}
ROWS = 3  # of a sample; --json has all


def answer_of_results(checked: CheckResults) -> CommandAnswer:
    items = checked.rows()
    columns = (
        AnswerColumn("", lambda i: MARKS[str(i["verdict"])]),
        AnswerColumn("dataset", lambda i: str(i["dataset"])),
        AnswerColumn("columns", columns_of),
        AnswerColumn("check", lambda i: str(i["type"])),
        AnswerColumn("severity", lambda i: str(i["severity"])),
        AnswerColumn("what it saw", lambda i: str(i["message"])),
    )
    facts = {"summary": summary_of(items), "notes": list(checked.notes)}
    return CommandAnswer(name="results", items=items, columns=columns, facts=facts, picture=lambda: _picture(items))


def summary_of(items: Sequence[Item]) -> dict[str, int]:
    verdicts = [str(item["verdict"]) for item in items]
    return {"checks": len(items), **{word.replace(" ", "_"): verdicts.count(word) for word in MARKS}}


def columns_of(item: Item) -> str:
    columns = item["columns"]
    return ", ".join(map(str, columns)) if isinstance(columns, list) else ""


def _picture(items: Sequence[Item], *, dated: bool = False) -> RenderableType:
    """By table and time: its name and counts, then each check; sample rows below failures."""
    from rich.console import Group
    from rich.text import Text

    tables: dict[tuple[str, str, str], list[Item]] = {}
    for item in items:
        key = str(item["dataset"]), str(item["branch"]), str(item["monitor_run_id"] or item["run_id"])
        tables.setdefault(key, []).append(item)
    parts: list[RenderableType] = []
    for (table, branch, _), found in tables.items():
        if parts:
            parts.append(Text())
        parts.append(_head(table, branch, found))
        if dated:
            by = f"monitor {found[0]['monitor_id']}" if found[0]["monitor_id"] else "hand"
            parts.append(Text(f"{str(found[0]['executed_at'])[:19].replace('T', ' ')} UTC, by {by}", style="dim"))
        parts.append(_checks(sorted(found, key=_order)))
    return Group(*parts)


def answer_of_history(checked: CheckResults) -> CommandAnswer:
    """Past results, newest first."""
    items = checked.rows()
    columns = (
        AnswerColumn("", lambda i: MARKS[str(i["verdict"])]),
        AnswerColumn("when (UTC)", lambda i: str(i["executed_at"])[:19].replace("T", " ")),
        AnswerColumn("check", lambda i: str(i["check_id"])),
        AnswerColumn("severity", lambda i: str(i["severity"])),
        AnswerColumn("by", lambda i: str(i["monitor_id"] or "hand")),
        AnswerColumn("what it saw", lambda i: str(i["message"])),
    )
    return CommandAnswer(name="results", items=items, columns=columns, picture=lambda: _picture(items, dated=True))


def _order(item: Item) -> tuple[int, int]:
    severities = ("critical", "error", "warning", "info")
    return ("failed", "not measured", "passed").index(str(item["verdict"])), severities.index(str(item["severity"]))


def _head(table: str, branch: str, items: Sequence[Item]) -> Text:
    from rich.text import Text

    counted = summary_of(items)
    counts = [f"{counted['passed']} passed"] if counted["passed"] else []
    counts += [f"{counted[key]} {key.replace('_', ' ')}" for key in ("failed", "not_measured") if counted[key]]
    commit = short(items[0]["commit"])
    place = f"  on {branch}" + (f" at {commit}" if commit else "")
    style = "red" if counted["failed"] else ("yellow" if counted["not_measured"] else "green")
    return Text.assemble((table, "bold"), (place, "dim"), "   ", (", ".join(counts), style))


def _checks(items: Sequence[Item]) -> Table:
    """The message of each; below those that did not pass: type and severity, place, and a few rows."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, width=3, justify="right")
    grid.add_column(overflow="fold")
    for item in items:
        verdict = str(item["verdict"])
        mark = Text(MARKS[verdict], style=COLOURS[verdict])
        if verdict == "passed":
            grid.add_row(mark, Text.assemble(str(item["message"]), (f"  {item['type']}", "dim")))
            continue
        grid.add_row(mark, Text(str(item["message"])))
        grid.add_row("", Text.assemble((str(item["severity"]), COLOURS[verdict]), (_about(item), "dim")))
        for row in sample_of(item)[:ROWS]:
            grid.add_row("", Text(row_text(row, item), style="dim", no_wrap=True, overflow="ellipsis"))
        if missing := _detail(item, "sample_missing"):
            grid.add_row("", Text(f"no sample: {missing}", style="dim"))
    return grid


def _detail(item: Item, key: str) -> object:
    details = item["details"]
    return details.get(key) if isinstance(details, Mapping) else None


def _about(item: Item) -> str:
    name = _detail(item, "name")
    parts = (item["type"], f"“{name}”" if name else None, item.get("place"))
    return "".join(f" · {part}" for part in parts if part)


def sample_of(item: Item) -> list[Item]:
    sample = _detail(item, "sample")
    return [row for row in sample if isinstance(row, Mapping)] if isinstance(sample, list) else []


def row_text(row: Item, item: Item) -> str:
    """The checked columns first; a line may be truncated."""
    columns = item["columns"]
    first = [name for name in (columns if isinstance(columns, list) else ()) if name in row]
    names = dict.fromkeys([*first, *row])
    return "  ".join(f"{name} {_value(row[name])}" for name in names)


def _value(value: object) -> str:
    text = "NULL" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def summary_line_of(items: Sequence[Item], findings: int, fail_on: str) -> str:
    """The last line."""
    counted = summary_of(items)
    parts = [
        f"{counted[key]:,} {key.replace('_', ' ')}" for key in ("passed", "failed", "not_measured") if counted[key]
    ]
    ended = f"; {findings:,} at {fail_on} or above" if findings else ""
    return f"{plural(counted['checks'], 'check')}: {', '.join(parts)}{ended}"
