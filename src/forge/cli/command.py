"""`@command`: adds the options that all commands share, and turns errors into messages and exit statuses."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Concatenate, ParamSpec

import typer

from forge.cli.output import OutputFormat
from forge.cli.terminal import Terminal

P = ParamSpec("P")


def shared_options(
    format: Annotated[OutputFormat | None, typer.Option("--format", help="Form of the data on stdout.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but data and errors.")] = False,
    verbose: Annotated[int, typer.Option("--verbose", "-v", count=True, help="Say more; -vv shows stack traces.")] = 0,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="Show nothing that moves.")] = False,
    project: Annotated[
        Path | None, typer.Option("--project", metavar="DIR", help="Folder of the project, if not this one.")
    ] = None,
) -> dict[str, Any]:
    """The values that were given; the signature defines the options."""
    given = {
        "format": OutputFormat.JSON if json else format,
        "quiet": quiet,
        "verbose": verbose,
        "no_progress": no_progress,
        "project": project,
    }
    return {name: value for name, value in given.items() if value}


@functools.cache  # evaluating annotations is what `forge --help` spends its time on
def shared_parameters() -> tuple[inspect.Parameter, ...]:
    found = inspect.signature(shared_options, eval_str=True).parameters.values()
    return tuple(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in found)


def give_signature(function: Callable[..., Any], own: Iterable[inspect.Parameter]) -> None:
    """The signature that Typer sees: the function's own parameters, then the shared ones it does not define itself."""
    mine = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    names = {parameter.name for parameter in mine}
    parameters = [*mine, *(shared for shared in shared_parameters() if shared.name not in names)]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


def terminal_of(options: Mapping[str, Any]) -> Terminal:
    return Terminal(
        format=options.get("format", OutputFormat.TABLE),
        quiet=options.get("quiet", False),
        verbose=options.get("verbose", 0),
        progress=not options.get("no_progress", False),
        project=options.get("project"),
        program=options.get("program", "forge"),
    )


def command(function: Callable[Concatenate[Terminal, P], None]) -> Callable[..., None]:
    """The Typer command of a function whose first argument is the terminal."""
    own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    names = {parameter.name for parameter in own}
    shared = [each.name for each in shared_parameters() if each.name not in names]
    context_of_typer = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)

    @functools.wraps(function)
    def wrapper(context: typer.Context, **given: Any) -> None:
        after = shared_options(**{name: given.pop(name) for name in shared})
        before = context.obj if isinstance(context.obj, dict) else {}
        terminal = terminal_of({**before, **after})
        if terminal.verbose:
            _listen(terminal.verbose)
        if terminal.is_live:
            from forge.cli.wait_indicator import WaitIndicator

            terminal = replace(terminal, waiting=WaitIndicator())
        call: Callable[..., None] = function
        status = _status_of(lambda: call(terminal, **given), terminal)
        if status:
            raise typer.Exit(status)

    give_signature(wrapper, (context_of_typer, *own))
    return wrapper


def command_group(help: str, functions: Iterable[Callable[..., None]], **settings: Any) -> typer.Typer:
    """A group of commands, each with the name of its function: that of `list_` is list."""
    app = typer.Typer(help=help, rich_markup_mode=None, no_args_is_help=True, **settings)
    for function in functions:
        app.command(function.__name__.rstrip("_"))(function)
    return app


def _listen(verbose: int) -> None:
    """Show logs of Forge and of the transforms on stderr."""
    import logging

    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("forge").setLevel(logging.DEBUG if verbose > 1 else logging.INFO)


def _status_of(call: Callable[[], None], terminal: Terminal) -> int:
    """Run it; the exit status."""
    try:
        call()
    except typer.Exit as end:
        return end.exit_code
    except (typer.Abort, typer.BadParameter):
        raise
    except BaseException as error:
        from forge.cli.failure import report_failure

        terminal.still()
        return report_failure(error, terminal)
    finally:
        terminal.still()
    return 0
