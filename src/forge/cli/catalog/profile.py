"""`forge catalog profile`: what the values of a table look like, now or at a revision, and what changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.formatting import count, plural, short
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.catalog.profile import ProfileDiff, TableProfile

Item = Mapping[str, object]
_WIDEST = 24  # characters of a value in the table
_TOP = 3  # values that the table shows


@command
def profile(
    terminal: Terminal,
    table: Annotated[str, typer.Argument(metavar="TABLE[@REF]", help="core.orders, or core.orders@HEAD~2.")],
    sample: Annotated[
        float | None, typer.Option("--sample", metavar="F", help="Look at this share of the rows only, like 0.1.")
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Count distinct values also beyond a million rows.")] = False,
    diff: Annotated[str | None, typer.Option("--diff", metavar="REF", help="What changed since then.")] = None,
    history: Annotated[bool, typer.Option("--history", help="The profiles that are stored, newest first.")] = False,
) -> None:
    """Profile a table or view: NULLs, distinct values, ranges, quartiles, histograms, frequent values. All rows are
    looked at, once for the same rows; values of personal columns are neither stored nor shown."""
    from forge.flows.catalog.profiling import profile_table as flow
    from forge.model.names import TableName

    if history and (diff is not None or sample is not None or exact):
        raise ForgeError("E105", "--history shows what is stored", fix="Leave out --diff, --sample and --exact.")
    name, _, ref = table.partition("@")
    with terminal.open() as wiring:
        ports = wiring.catalog.profile_ports()
        if history:
            terminal.answer(_history(flow.profile_history(TableName.parse(name), ports)))
        elif diff is not None:
            terminal.doing(f"profiling {name}")
            terminal.answer(_changes(flow.compare_profiles(name, diff, ref or None, ports), diff, ref or "now"))
        else:
            terminal.doing(f"profiling {name}")
            found = flow.profile_table(table, ports, sample=sample, exact=exact)
            terminal.answer(_profile(found))
            terminal.say(f"Compare: forge catalog profile {name} --diff HEAD~1")


def _profile(found: TableProfile) -> CommandAnswer:
    document = found.to_dict()
    items = document.pop("columns")
    assert isinstance(items, list)
    rows = found.rows_read
    pictures = {column.name: column.histogram.blocks if column.histogram else "" for column in found.columns}
    columns = (
        AnswerColumn("column", lambda i: str(i["name"])),
        AnswerColumn("type", lambda i: str(i["type"]), style="dim"),
        AnswerColumn("null", lambda i: _share(i["nulls"], rows), right=True),
        AnswerColumn("distinct", _distinct, right=True),
        AnswerColumn("min", lambda i: _value(i, "minimum"), right=True),
        AnswerColumn("median", lambda i: _value(i, "median"), right=True),
        AnswerColumn("mean", lambda i: _value(i, "mean"), right=True),
        AnswerColumn("max", lambda i: _value(i, "maximum"), right=True),
        AnswerColumn("distribution", lambda i: pictures[str(i["name"])], style="cyan"),
        AnswerColumn("most frequent", lambda i: _frequent(i, rows)),
    )
    return CommandAnswer(name="columns", items=items, columns=columns, facts=document, head=_head(found))


def _head(found: TableProfile) -> list[str]:
    head = f"{found.table}  {plural(found.row_count, 'row')}, {plural(len(found.columns), 'column')}"
    repeated = found.measured.duplicate_rows
    if repeated is not None:
        head += f", {plural(repeated, 'duplicate row')}"
    where = f" of commit {short(found.commit_id)}" if found.commit_id else ""
    lines = [head, f"profiled {found.profiled_at:%Y-%m-%d %H:%M} UTC{where}"]
    if found.sampled:
        lines.append(f"SAMPLE: {found.sample_fraction:.4g} of the rows, {plural(found.rows_read, 'row')} looked at")
    return [*lines, ""]


def _share(nulls: object, rows: int) -> str:
    number = int(str(nulls))
    if not rows or not number:
        return "0%"
    percent = 100 * number / rows
    if percent < 0.05:
        return "<0.1%"
    return f"{percent:.1f}%" if number < rows and percent < 99.95 else ">99.9%" if number < rows else "100%"


def _distinct(item: Item) -> str:
    return ("" if item["distinct_exact"] else "≈") + count(item["distinct"])


def _value(item: Item, name: str) -> str:
    """A length where a text has no such value."""
    if item["masked"] and name in ("minimum", "maximum"):
        return "***"
    return _cell(item[name])


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}" if abs(value) < 1e15 else f"{value:.4g}"
    text = str(value).replace("\n", "⏎")
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"


def _frequent(item: Item, rows: int) -> str:
    if item["masked"]:
        return "*** personal"
    top = item["top"]
    assert isinstance(top, Sequence)
    shown = [f"{_cell(one['value']) or chr(39) * 2} {_share(one['count'], rows)}" for one in top[:_TOP]]
    return ", ".join(shown)


def _history(found: Sequence[TableProfile]) -> CommandAnswer:
    items = [{key: value for key, value in one.to_dict().items() if key != "columns"} for one in found]
    columns = (
        AnswerColumn("profiled", lambda i: str(i["profiled_at"])[:16].replace("T", " ")),
        AnswerColumn("rows", lambda i: count(i["row_count"]), right=True),
        AnswerColumn("duplicates", lambda i: count(i["duplicate_rows"]), right=True),
        AnswerColumn("sample", lambda i: f"{i['sample_fraction']:.4g}" if i["sampled"] else ""),
        AnswerColumn("commit", lambda i: short(i["commit_id"])),
        AnswerColumn("snapshot", lambda i: str(i["snapshot_id"] or "")),
    )
    return CommandAnswer(name="profiles", items=items, columns=columns)


def _changes(found: ProfileDiff, before: str, after: str) -> CommandAnswer:
    document = found.to_dict()
    items = document.pop("changes")
    assert isinstance(items, list)
    columns = (
        AnswerColumn("column", lambda i: str(i["column"] or "(table)")),
        AnswerColumn("statistic", lambda i: str(i["statistic"]).replace("_", " ")),
        AnswerColumn("before", lambda i: _side(i["before"]), right=True),
        AnswerColumn("after", lambda i: _side(i["after"]), right=True),
        AnswerColumn("change", _by, right=True),
    )
    head = [f"{found.after.table}  {before} → {after}"]
    head += [f"column added: {name}" for name in found.added] + [f"column removed: {name}" for name in found.removed]
    head += ["Nothing changed."] if found.same else [""]
    return CommandAnswer(name="changes", items=items, columns=columns, facts=document, head=head)


def _side(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_cell(one["value"]) for one in value[:_TOP])
    return _cell(value)


def _by(item: Item) -> str:
    by, share = item["by"], item["share"]
    if not isinstance(by, float):
        return ""
    return f"{by:+,.6g}" + (f" ({share:+.1%})" if isinstance(share, float) else "")
