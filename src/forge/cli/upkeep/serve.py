"""`forge serve`: the API and the web app on this machine."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.command import command
from forge.cli.output import is_rich
from forge.cli.terminal import Terminal

if TYPE_CHECKING:
    from rich.console import RenderableType


class LogFormat(StrEnum):
    TEXT = "text"
    JSON = "json"


@command
def serve(
    terminal: Terminal,
    host: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Where to listen. Default: server.host, 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Default: server.port, 8765. 0 takes a free one.")
    ] = None,
    log_format: Annotated[LogFormat, typer.Option(help="Form of the log on stderr.")] = LogFormat.TEXT,
    open_: Annotated[bool, typer.Option("--open", help="Open the address in a browser.")] = False,
) -> None:
    """Serve the web app and the HTTP API until Ctrl-C."""
    from forge.api.server import ServeOptions
    from forge.api.server import serve as run

    options = ServeOptions(host, port, "json" if log_format is LogFormat.JSON else "text", terminal.verbose)
    with terminal.open() as wiring:
        run(wiring, options, lambda url: announce(terminal, url, browse=open_))


def announce(terminal: Terminal, url: str, *, browse: bool = False) -> None:
    """The address on stdout, on a line of its own; the rest goes to stderr."""
    if is_rich(sys.stdout):
        terminal.show(_panel())
    terminal.still()
    print(url, flush=True)  # noqa: T201
    terminal.say("Ctrl-C stops the server. Log: .forge/logs/server.log")
    if browse:
        open_browser(url)


def _panel() -> RenderableType:
    from rich.panel import Panel
    from rich.text import Text

    text = Text.assemble(
        ("Forge is running.", "bold"),
        " Open the address below in a browser.\n",
        ("Whoever has it is signed in as you, as long as this server runs.", "dim"),
    )
    return Panel(text, border_style="green", expand=False, padding=(0, 2))


def open_browser(url: str) -> None:
    """A browser in the background. Where there is none, the address is on the screen."""
    import threading
    import webbrowser

    if sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
