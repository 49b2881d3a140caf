"""`forge impact`: what a change would break, before it is made."""

from __future__ import annotations

from typing import Annotated

import typer

from forge.cli.command import command
from forge.cli.lineage.walk import At, Least, import_numpy, open_lineage
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

RISKS = ("critical", "high", "medium", "low")


@command
def impact(
    terminal: Terminal,
    subject: Annotated[
        str,
        typer.Argument(
            metavar="TABLE[.COLUMN]", help="What would change; for `add`, the column to be. @REF may follow."
        ),
    ],
    change: Annotated[
        str,
        typer.Option(
            "--change",
            metavar="CHANGE",
            help="drop, rename, type, add, drop-table, location, permission, format, schema or semantics.",
        ),
    ] = "drop",
    to: Annotated[str | None, typer.Option("--to", metavar="NEW", help="The new name or type.")] = None,
    fail_on: Annotated[
        str | None,
        typer.Option("--fail-on", metavar="RISK", help="Exit with 1 where the risk is high, medium or low, or above."),
    ] = None,
    depth: Annotated[str, typer.Option(metavar="N|all", help="How many steps.")] = "all",
    min_confidence: Least = None,
    at: At = None,
) -> None:
    """Show what a change would break: who is hit, how hard, why, whom to tell and what to do."""
    import_numpy()
    from forge.cli.lineage.impact_view import answer_of_impact
    from forge.cli.values import read_number

    least, steps = _read_risk(fail_on), read_number(depth, "--depth")
    with open_lineage(terminal) as view:
        report = view.impact(subject, change, to, depth=steps, min_confidence=min_confidence, at=at)
    terminal.answer(answer_of_impact(report.to_dict()))
    if least is not None and report.at_least(least):
        terminal.say(f"The risk is {report.risk}: --fail-on {least} is met.")
        raise typer.Exit(1)


def _read_risk(text: str | None) -> str | None:
    if text is None or text.strip().lower() in RISKS:
        return text and text.strip().lower()
    raise ForgeError(
        "E105", f"--fail-on: '{text}' is no risk", why=did_you_mean(text, RISKS), fix=f"Take one of {', '.join(RISKS)}."
    )
