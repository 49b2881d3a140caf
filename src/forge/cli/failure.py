"""Errors in the terminal: code, place, what; why; fix. One format for all, and the exit status of each."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Mapping, Sequence

import typer

from forge.cli.answer import SCHEMA_VERSION
from forge.cli.escapes import without_controls
from forge.cli.output import OutputFormat, has_colour
from forge.cli.terminal import Terminal
from forge.model.codes import CODES, COULD_NOT_RUN, INTERRUPTED
from forge.model.errors import CancellationError, ForgeError, errors_of

Problem = Mapping[str, str | None]
"""An error as records keep it: code, what, where, why, fix."""

UNEXPECTED = "FORGE-E000"


def report_failure(error: BaseException, terminal: Terminal) -> int:
    """Print the error; the exit status of the command."""
    problems: list[Problem]
    match error:
        case KeyboardInterrupt():
            stopped = CancellationError("The command was cancelled", fix="Nothing was published; run it again.")
            problems, status = [stopped.to_dict()], INTERRUPTED
        case BrokenPipeError():
            _close_stdout()
            return 0
        case ForgeError():
            problems, status = [one.to_dict() for one in errors_of(error)], exit_of(error.code)
        case SystemExit():
            raise error
        case _:
            problems, status = [_unexpected(error)], COULD_NOT_RUN
    report_problems(problems, terminal)
    if terminal.verbose >= 2:
        traceback.print_exception(error, file=sys.stderr)
    return status


def end_after_answer(*errors: ForgeError) -> None:
    """An error after the answer was written: stdout has its data, so only stderr and the exit status report it."""
    found = [one for error in errors for one in errors_of(error)]
    if not found:
        return
    text = problems_text([one.to_dict() for one in found], colour=has_colour(sys.stderr))
    print(text, file=sys.stderr, flush=True)  # noqa: T201
    raise typer.Exit(exit_of(found[0].code))


def report_problems(problems: Sequence[Problem], terminal: Terminal) -> None:
    print(problems_text(problems, colour=has_colour(sys.stderr)), file=sys.stderr, flush=True)  # noqa: T201
    if terminal.format is OutputFormat.JSON:
        document: dict[str, object] = {"schema_version": SCHEMA_VERSION, "error": problems[0]}
        if len(problems) > 1:
            document["errors"] = list(problems)
        print(json.dumps(document, ensure_ascii=False, indent=2))  # noqa: T201


def problems_text(problems: Sequence[Problem], *, colour: bool = False) -> str:
    lines = [problem_text(problem, colour=colour) for problem in problems]
    if len(problems) > 1:
        lines.append(f"{len(problems)} errors")
    return "\n".join(lines)


def problem_text(problem: Problem, *, colour: bool = False) -> str:
    """`FORGE-E520 contracts/orders.odcs.yaml:17  what`, then why and fix where there are any."""
    problem = {name: without_controls(text) if isinstance(text, str) else text for name, text in problem.items()}
    code, where = problem.get("code") or UNEXPECTED, problem.get("where")
    head = f"\x1b[1;31m{code}\x1b[0m" if colour else code
    lines = [f"{head} {where}  {problem.get('what')}" if where else f"{head} {problem.get('what')}"]
    lines += [f"  {name}: {_indented(str(problem[name]))}" for name in ("why", "fix") if problem.get(name)]
    return "\n".join(lines)


def exit_of(code: str | None) -> int:
    """Of `E520` and `FORGE-E520` alike."""
    known = CODES.get((code or "").removeprefix("FORGE-"))
    return known.exit if known else COULD_NOT_RUN


def _indented(text: str) -> str:
    return text.strip().replace("\n", "\n       ")


def _unexpected(error: BaseException) -> Problem:
    first = next(iter(str(error).strip().splitlines()), "")
    what = f"unexpected: {type(error).__name__}{': ' if first else ''}{first}"
    return {
        "code": UNEXPECTED,
        "what": what,
        "where": None,
        "why": "This is a mistake in Forge, not in your project.",
        "fix": "run with -vv for the stack trace",
    }


def _close_stdout() -> None:
    """The reader of the pipe has gone: what is still buffered is discarded silently."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
