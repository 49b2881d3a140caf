"""The answer of a command: data once, rendered as a table, JSON, JSON lines, CSV or YAML."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, TextIO

from forge.cli.escapes import without_controls
from forge.cli.output import OutputFormat, console_of, is_rich

if TYPE_CHECKING:
    from rich.console import RenderableType

SCHEMA_VERSION = 1
Item = Mapping[str, object]
Line = tuple[str, str]  # text and style


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column of the rendered table: its header, and the text of an item in it."""

    head: str
    text: Callable[[Item], str]
    right: bool = False
    style: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAnswer:
    """`items` under `name` are the rows in every format; `facts` are the other keys of the document. `head` and
    `foot` are lines around the table."""

    name: str
    items: Sequence[Item]
    columns: Sequence[AnswerColumn] = ()
    facts: Item = field(default_factory=dict)
    head: Sequence[str] = ()
    foot: Sequence[str] = ()
    picture: Callable[[], RenderableType] | None = None  # instead of a table, on a terminal
    lines: Callable[[], Sequence[str]] | None = None  # instead of a table, piped

    def document(self) -> dict[str, object]:
        return {"schema_version": SCHEMA_VERSION, **self.facts, self.name: list(self.items)}

    def with_lines(self, lines: Sequence[Line]) -> CommandAnswer:
        """The same, shown to people as these lines instead of a table."""
        return replace(self, picture=lambda: picture_of(lines), lines=lambda: [text for text, _ in lines])


def picture_of(lines: Sequence[Line]) -> RenderableType:
    from rich.text import Text

    return Text("\n").join(Text(text, style=style, overflow="fold") for text, style in lines)


def cut_picture(lines: Sequence[str]) -> RenderableType:
    """Each on one line, cut where the terminal ends."""
    from rich.text import Text

    return Text("\n".join(lines), no_wrap=True, overflow="ellipsis")


def plain(value: object) -> object:
    """A value that every format can represent."""
    match value:
        case Enum():
            return plain(value.value)
        case bool() | int() | str() | None:
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case datetime() | date():
            return value.isoformat()
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(item) for item in value]
        case bytes() | bytearray():
            return value.hex()
        case Decimal():
            return str(value)
    return str(value)


def write_answer(answer: CommandAnswer, format: OutputFormat, stream: TextIO) -> None:
    match format:
        case OutputFormat.JSON:
            json.dump(plain(answer.document()), stream, ensure_ascii=False, indent=2)
            stream.write("\n")
        case OutputFormat.NDJSON:
            for item in answer.items:
                stream.write(json.dumps(plain(item), ensure_ascii=False, separators=(",", ":")) + "\n")
        case OutputFormat.CSV:
            _write_csv(answer.items, stream)
        case OutputFormat.YAML:
            import yaml

            yaml.safe_dump(plain(answer.document()), stream, sort_keys=False, allow_unicode=True)
        case OutputFormat.TABLE:
            _write_table(answer, stream)
    stream.flush()


def _write_csv(items: Sequence[Item], stream: TextIO) -> None:
    names = list(dict.fromkeys(name for item in items for name in item))
    if not names:
        return
    output = io.StringIO() if is_rich(stream) else stream  # a terminal shows it, other programs get it as it is
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(item.get(name)) for name in names] for item in items)
    if isinstance(output, io.StringIO) and output is not stream:
        stream.write(without_controls(output.getvalue()))


def _cell(value: object) -> object:
    value = plain(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _write_table(answer: CommandAnswer, stream: TextIO) -> None:
    if is_rich(stream):
        console = console_of(stream)
        for line in map(without_controls, answer.head):
            console.print(line, markup=False, soft_wrap=True)
        body = answer.picture() if answer.picture else _rich_table(answer)
        if body is not None:
            console.print(body, markup=False)
        for line in map(without_controls, answer.foot):
            console.print(line, markup=False, soft_wrap=True)
        return
    body_lines = answer.lines() if answer.lines else plain_table(answer.columns, answer.items)
    for line in (*answer.head, *body_lines, *answer.foot):
        stream.write(without_controls(line).rstrip() + "\n")


def _rich_table(answer: CommandAnswer) -> RenderableType | None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    if not answer.items or not answer.columns:
        return None
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False)
    for column in answer.columns:
        justify = "right" if column.right else "left"
        table.add_column(Text(column.head), justify=justify, style=column.style, overflow="fold")  # type: ignore[arg-type]
    for item in answer.items:
        table.add_row(*(Text(without_controls(column.text(item))) for column in answer.columns))
    return table


def plain_table(columns: Sequence[AnswerColumn], items: Sequence[Item]) -> list[str]:
    """Columns two spaces apart, as wide as needed: no frame and no truncation, so that a pipe can rely on it."""
    if not items or not columns:
        return []
    rows = [[column.head for column in columns]]
    rows += [[" ".join(column.text(item).split("\n")) for column in columns] for item in items]
    widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    return ["  ".join(_padded(row[i], widths[i], c.right) for i, c in enumerate(columns)) for row in rows]


def _padded(text: str, width: int, right: bool) -> str:
    return text.rjust(width) if right else text.ljust(width)
