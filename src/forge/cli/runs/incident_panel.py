"""The incident panel: what a failed gate saw, where it came from, which consumers were spared, and what to type
next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from forge.cli.formatting import moment, plural, short
from forge.cli.output import framed
from forge.cli.runs.gate_text import fix_of, source_of

if TYPE_CHECKING:
    from rich.console import Group, RenderableType
    from rich.text import Text

    from forge.connection import RunReport
    from forge.flows.quality.incidents.impact import BlockedColumn, SparedColumn

SHOWN = 6  # spared columns and failed columns in full; the rest is counted


def incident_panel(report: RunReport) -> RenderableType:
    """One panel for a blocked run. Fits 80 columns; wraps where it must."""
    from rich.text import Text

    parts: list[RenderableType] = []
    for incident in report.incidents[:SHOWN]:
        if parts:
            parts.append(Text())
        parts.append(_incident(incident))
    rest = len(report.incidents) - SHOWN
    if rest > 0:
        parts += [Text(), Text(f"and {plural(rest, 'more blocked column')}", style="dim")]
    parts += [Text(), _still(report), Text(), _next(report)]
    return framed(parts, f"blocked on {report.result.run.branch}", "bold red", "red")


def _incident(incident: BlockedColumn) -> Group:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    name = str(incident.column) if incident.column.column else incident.column.table
    head = Text.assemble(("✗ ", "bold red"), (name, "bold"), (f"   {incident.verdict.severity}", "red"))
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    facts.add_row("saw", Text(incident.verdict.message))
    if source := source_of(incident.verdict):
        facts.add_row("contract", Text(source))
    if fix := fix_of(incident.verdict):
        facts.add_row("fix", Text(fix))
    sample = _sample(incident.verdict.details, incident.column.column)
    if sample:
        facts.add_row("for example", Text(sample))
    if incident.origin is not None:
        facts.add_row("came from", _origin(incident))
    facts.add_row("spared", _spared(incident.spared))
    return Group(head, facts)


def _sample(details: Mapping[str, object], column: str) -> str:
    """A few of the values that failed."""
    rows = details.get("sample")
    if not isinstance(rows, Sequence) or not column:
        return ""
    values = [str(row[column]) for row in rows if isinstance(row, Mapping) and column in row]
    return ", ".join(dict.fromkeys(values[:5]))


def _origin(incident: BlockedColumn) -> Text:
    from rich.text import Text

    text = Text(str(incident.origin))
    if incident.commit is not None:
        commit = incident.commit
        text.append(f"\ncommit {short(commit.id)}, {moment(commit.time)} UTC, {commit.author.name}", style="dim")
        text.append(f"\n{commit.message.splitlines()[0] if commit.message else ''}", style="dim")
    return text


def _spared(spared: Sequence[SparedColumn]) -> RenderableType:
    """Columns that would have received the bad data, and their owners."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    if not spared:
        return Text("nothing stands on it yet")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="green", overflow="fold")
    grid.add_column(style="dim", overflow="fold")
    for one in spared[:SHOWN]:
        grid.add_row(str(one.column), one.owner or "no owner")
    parts: list[RenderableType] = [Text(f"{plural(len(spared), 'column')} downstream"), grid]
    if len(spared) > SHOWN:
        parts.append(Text(f"and {len(spared) - SHOWN} more", style="dim"))
    return Group(*parts)


def _still(report: RunReport) -> Text:
    from rich.text import Text

    run = report.result.run
    held = [str(o.table) for o in run.outputs if str(o.status) in ("blocked", "skipped")]
    names = ", ".join(held[:SHOWN]) + (f" and {len(held) - SHOWN} more" if len(held) > SHOWN else "")
    return Text.assemble("Held back: ", (run.branch, "bold"), f" still has {names} as before the run.")


def _next(report: RunReport) -> RenderableType:
    from rich.table import Table

    run = report.result.run
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold cyan", overflow="fold")
    grid.add_column(style="dim", overflow="fold")
    grid.add_row(f"forge runs {run.id}", "all verdicts")
    named = next((i.column for i in report.incidents if i.column.column and i.spared), None)
    if named is not None:
        grid.add_row(f"forge downstream {named}", "who is hit")
    table = next((o.table for o in run.outputs if str(o.status) == "blocked"), None)
    grid.add_row(f"forge branch create fix-{table.name if table else 'it'}", "mend it apart")
    return grid
