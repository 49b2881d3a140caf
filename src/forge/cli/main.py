"""`forge`: the program. Its commands are listed in one table; each has a module, imported when it is called."""

from __future__ import annotations

import contextlib
import gc
import inspect
import signal
import sys
from typing import Annotated, Any

import typer

from forge.cli.command import command, give_signature, shared_options
from forge.cli.command_table import ForgeGroup
from forge.cli.terminal import Terminal

app = typer.Typer(
    name="forge",
    cls=ForgeGroup,
    help="A governed Spark lakehouse: every run is pinned, staged, checked, published as a commit and traced.",
    rich_markup_mode=None,  # Rich would cost half of the time of --help
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from forge.cli.upkeep.explain import installed_version

        print(installed_version())  # noqa: T201
        raise typer.Exit


def _before(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
    **shared: Any,
) -> None:
    context.obj = shared_options(**shared)


_OWN = [p for p in inspect.signature(_before, eval_str=True).parameters.values() if p.name != "shared"]
give_signature(_before, _OWN)  # the shared options may precede or follow the command
app.callback()(_before)


@command
def demo(
    terminal: Terminal,
    folder: Annotated[str | None, typer.Argument(metavar="[DIR]", help="Where to put the project.")] = None,
    no_serve: Annotated[bool, typer.Option("--no-serve", help="End after the run.")] = False,
    scale: Annotated[float, typer.Option(min=0.0001, help="Size of the data; 1 is about two million rows.")] = 1.0,
    fresh: Annotated[bool, typer.Option("--fresh", help="Make it anew, also where it was made before.")] = False,
    open_: Annotated[bool, typer.Option("--open", help="Open the address in a browser.")] = False,
) -> None:
    """Run the demo shop, ten days of history and an incident that never reaches its readers, and serve it.

    A demo that was made before is recognized by its records and served at once."""
    from forge.cli.runs.demo import demo as make_demo
    from forge.cli.runs.demo import serve_demo

    target = make_demo(terminal, folder, scale=scale, fresh=fresh)
    if not no_serve:
        serve_demo(terminal, target, browse=open_)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    # What a command imports stays: looking it through for garbage, time and again, is a tenth of what a start costs.
    gc.set_threshold(200_000, 20, 20)
    # A supervisor's SIGTERM ends a run like Ctrl-C: nothing half done.
    signal.signal(signal.SIGTERM, _interrupt)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        app(prog_name="forge")
    finally:
        gc.freeze()  # skip garbage collection at exit; the process ends anyway


if __name__ == "__main__":
    main()
