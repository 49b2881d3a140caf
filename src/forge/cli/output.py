"""Output: its format, and whether stdout is an interactive terminal."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType


class OutputFormat(StrEnum):
    TABLE = "table"
    JSON = "json"
    NDJSON = "ndjson"
    CSV = "csv"
    YAML = "yaml"


def is_rich(stream: TextIO) -> bool:
    """Tables and live displays are for people: a terminal, and not the dumb one of an editor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def has_colour(stream: TextIO) -> bool:
    return is_rich(stream) and not os.environ.get("NO_COLOR")


def framed(parts: Sequence[RenderableType], title: str, title_style: str, colour: str) -> RenderableType:
    """In one frame, as wide as needed."""
    from rich import box
    from rich.console import Group
    from rich.panel import Panel
    from rich.text import Text

    head = Text(f" {title} ", style=title_style)
    return Panel(
        Group(*parts),
        title=head,
        title_align="left",
        border_style=colour,
        box=box.ROUNDED,
        padding=(1, 2),
        expand=False,
    )


def console_of(stream: TextIO) -> Console:
    """Rich for one stream; piped, it is as wide as a page and has no colour."""
    from forge.cli.safe_console import SafeConsole

    if is_rich(stream):
        return SafeConsole(file=stream, no_color=not has_colour(stream), highlight=False, soft_wrap=False)
    return SafeConsole(file=stream, no_color=True, highlight=False, width=100, force_terminal=False)
