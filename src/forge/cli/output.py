"""Output: its format, and whether stdout is an interactive terminal."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console


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


def console_of(stream: TextIO) -> Console:
    """Rich for one stream; piped, it is as wide as a page and has no colour."""
    from rich.console import Console

    if is_rich(stream):
        return Console(file=stream, no_color=not has_colour(stream), highlight=False, soft_wrap=False)
    return Console(file=stream, no_color=True, highlight=False, width=100, force_terminal=False)
