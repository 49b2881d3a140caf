"""The terminal of one command: streams, output format and project."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from forge.cli.escapes import without_controls
from forge.cli.output import OutputFormat, console_of, is_rich

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from forge.cli.answer import CommandAnswer
    from forge.cli.wait_indicator import WaitIndicator
    from forge.wiring import Wiring


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """The shared options of every command. stdout is data, stderr is for messages. `program`: what was called."""

    format: OutputFormat = OutputFormat.TABLE
    quiet: bool = False
    verbose: int = 0
    progress: bool = True
    project: Path | None = None
    program: str = "forge"
    waiting: WaitIndicator | None = field(default=None, compare=False)  # where someone watches

    @property
    def is_live(self) -> bool:
        """Whether animated progress may be shown."""
        return self.progress and not self.quiet and is_rich(sys.stderr)

    @contextmanager
    def open(self, **overrides: object) -> Iterator[Wiring]:
        """The project's wiring, always closed at the end."""
        from forge.wiring import Wiring

        wiring = Wiring.of(self.project, overrides=overrides)
        try:
            yield wiring
        finally:
            self._follow_up(wiring)
            wiring.close()

    def _follow_up(self, wiring: Wiring) -> None:
        """What was published is taken into the catalog, once the result is shown."""
        if "catalog" in wiring.__dict__:  # else nothing was published
            self.doing("taking what was published into the catalog")
            for note in wiring.follow_up():
                self.say(f"The catalog is behind. {note}")

    def doing(self, what: str) -> None:
        """The step to show in the wait indicator."""
        if self.waiting is not None:
            self.waiting.what = what

    def still(self) -> None:
        """Stop the wait indicator: the user is prompted, or the command runs until it is ended."""
        if self.waiting is not None:
            self.waiting.end()

    def confirm(self, question: str, *, abort: bool = True) -> bool:
        import typer

        self.still()
        return typer.confirm(question, abort=abort, err=True)

    def talk(self) -> Console:
        """The console on stderr, for live displays."""
        self.still()
        return console_of(sys.stderr)

    def _pause(self) -> None:
        if self.waiting is not None:
            self.waiting.pause()

    def say(self, text: str = "") -> None:
        if not self.quiet:
            self._pause()
            print(without_controls(text), file=sys.stderr, flush=True)  # noqa: T201

    def show(self, renderable: RenderableType) -> None:
        """A message of more than a line, on stderr."""
        if not self.quiet:
            self._pause()
            console_of(sys.stderr).print(renderable)

    def answer(self, answer: CommandAnswer) -> None:
        """Write data to stdout in the requested format."""
        from forge.cli.answer import write_answer

        self._pause()
        write_answer(answer, self.format, sys.stdout)
