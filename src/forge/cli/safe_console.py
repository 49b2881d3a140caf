"""Rich's console for texts that others wrote."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from forge.cli.escapes import without_controls


class SafeConsole(Console):
    """Names, values and messages move no cursor and colour nothing, in whatever picture they stand."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=without_controls(segment.text))
