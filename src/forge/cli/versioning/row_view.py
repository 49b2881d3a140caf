"""Changed rows and conflicts as text: +, ~, − and the cells that changed, `old → new`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from forge.cli.answer import Line, plain
from forge.cli.formatting import plural
from forge.versioning.changes import ChangeKind, RowChange, TableSchemaChange

if TYPE_CHECKING:
    pass

_SIGNS = {
    ChangeKind.INSERTED: ("+", "green"),
    ChangeKind.UPDATED: ("~", "yellow"),
    ChangeKind.DELETED: ("−", "red"),
}
_SCHEMA_STYLES = {"added": ("+", "green"), "dropped": ("−", "red")}
_LONGEST = 60  # characters of one cell


class RowCounts(Protocol):
    @property
    def inserted(self) -> int: ...
    @property
    def updated(self) -> int: ...
    @property
    def deleted(self) -> int: ...


def summary_of(counts: RowCounts, schema_changes: int) -> str:
    """`+120 ~48 −3 rows · 1 schema change`."""
    numbers = ((counts.inserted, "+"), (counts.updated, "~"), (counts.deleted, "−"))
    counted = " ".join(f"{sign}{number:,}" for number, sign in numbers if number)
    rows = (
        f"{counted} {'row' if sum(number for number, _ in numbers) == 1 else 'rows'}" if counted else "no row changed"
    )
    return f"{rows} · {plural(schema_changes, 'schema change')}" if schema_changes else rows


def cell(value: object) -> str:
    """One cell on one line; long values are truncated."""
    if value is None:
        return "∅"
    text = str(plain(value)) if not isinstance(value, str) else value
    text = text.replace("\n", "⏎")
    if not text or text != text.strip() or text in ("∅", "→"):
        text = f"'{text}'"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def key_words(key: object) -> str:
    if not isinstance(key, Mapping):
        return "schema"
    if len(key) == 1:
        return cell(next(iter(key.values())))
    return ", ".join(f"{name}={cell(value)}" for name, value in key.items())


def side_words(item: Mapping[str, object], side: str) -> str:
    """The text of a side: a cell, a count, or what became of its row."""
    value = item[side]
    if item["kind"] in ("delete_modify", "modify_delete"):
        return _row_words(item, side)
    if item["kind"] == "add_add" and side == "base":
        return ""
    return ("–" if side == "base" else "dropped") if _is_gone(item, value) else cell(value)


def _is_gone(item: Mapping[str, object], value: object) -> bool:
    return value is None and item["kind"] in ("schema_change", "column_dropped_modified")


def _row_words(item: Mapping[str, object], side: str) -> str:
    row, base = item[side], item["base"]
    if not isinstance(row, Mapping):
        return "deleted"
    if side == "base" or not isinstance(base, Mapping):
        return "exists"
    return ", ".join(f"{name}={cell(value)}" for name, value in row.items() if base.get(name) != value) or "exists"


def change_line(row: RowChange, key: Sequence[str]) -> Line:
    sign, style = _SIGNS[row.kind]
    named = ", ".join(f"{name}={cell(value)}" for name, value in row.key.items())
    times = f"   × {row.count:,}" if row.count > 1 else ""
    if not key:
        return f"  {sign} {named}{times}", style
    if row.kind is ChangeKind.UPDATED:
        before, after = row.before or {}, row.after or {}
        cells = [f"{name} {cell(before.get(name))} → {cell(after.get(name))}" for name in row.columns]
    else:
        shown = row.after or row.before or {}
        cells = [f"{name} {cell(value)}" for name, value in shown.items() if name not in key]
    return f"  {sign} {named}   {', '.join(cells)}{times}".rstrip(), style


def schema_line(change: TableSchemaChange) -> Line:
    sign, style = _SCHEMA_STYLES.get(change.change, ("~", "yellow"))
    words = {
        "added": f"column {change.after}",
        "dropped": f"column {change.before}",
        "required": f"column {change.column} is required",
        "optional": f"column {change.column} is optional",
    }
    usual = f"column {change.column} {change.change}: {change.before} → {change.after}"
    return f"  {sign} {words.get(change.change, usual)}", style
