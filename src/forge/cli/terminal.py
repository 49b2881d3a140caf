"""What one command knows of the terminal it runs in: where data and talk go, in which form, and in which project."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from forge.cli.output import Format, console_of, is_rich

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from forge.cli.answer import Answer
    from forge.cli.waiting import Waiting
    from forge.wiring import Wiring


@dataclass(frozen=True, slots=True, kw_only=True)
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
