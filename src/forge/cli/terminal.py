"""What one command knows of the terminal it runs in: where data and talk go, in which form, and in which project."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from forge.cli.answer import Answer
    from forge.cli.waiting import Waiting
    from forge.wiring import Wiring


class Format(StrEnum):
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


@dataclass(frozen=True, slots=True)
class Terminal:
    """The shared options of every command. stdout is data, stderr is talk. `program`: what was called."""

    format: Format = Format.TABLE
    quiet: bool = False
    verbose: int = 0
    progress: bool = True
    project: Path | None = None
    program: str = "forge"
    waiting: Waiting | None = field(default=None, compare=False)  # where someone watches

    @property
    def is_live(self) -> bool:
        """Whether a display that moves may be shown."""
        return self.progress and not self.quiet and is_rich(sys.stderr)

    @contextmanager
    def open(self, **overrides: object) -> Iterator[Wiring]:
        """The project's adapters, closed at the end whatever happens."""
        from forge.wiring import Wiring

        wiring = Wiring.of(self.project, overrides=overrides)
        try:
            yield wiring
        finally:
            wiring.close()

    def doing(self, what: str) -> None:
        """What a person waits for now."""
        if self.waiting is not None:
            self.waiting.what = what

    def still(self) -> None:
        """Nothing moves from here on: someone is asked, or the command goes on until it is ended."""
        if self.waiting is not None:
            self.waiting.end()

    def confirm(self, question: str, *, abort: bool = True) -> bool:
        import typer

        self.still()
        return typer.confirm(question, abort=abort, err=True)

    def talk(self) -> Console:
        """For displays that move by themselves."""
        self.still()
        return console_of(sys.stderr)

    def _pause(self) -> None:
        if self.waiting is not None:
            self.waiting.pause()

    def say(self, text: str = "") -> None:
        if not self.quiet:
            self._pause()
            print(text, file=sys.stderr, flush=True)  # noqa: T201

    def show(self, renderable: RenderableType) -> None:
        """Talk that is more than a line."""
        if not self.quiet:
            self._pause()
            console_of(sys.stderr).print(renderable)

    def answer(self, answer: Answer) -> None:
        """Data, on stdout, in the form that was asked for."""
        from forge.cli.answer import write_answer

        self._pause()
        write_answer(answer, self.format, sys.stdout)


def console_of(stream: TextIO) -> Console:
    """Rich for one stream; piped, it is as wide as a page and has no colour."""
    from rich.console import Console

    if is_rich(stream):
        return Console(file=stream, no_color=not has_colour(stream), highlight=False, soft_wrap=False)
    return Console(file=stream, no_color=True, highlight=False, width=100, force_terminal=False)
