"""`forge quality gate`: whether a version of a table is fit for a use, such as training a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.terminal import Terminal

if TYPE_CHECKING:
    from forge.flows.quality.fitness import Fitness


@command
def gate(
    terminal: Terminal,
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE[@REF]", help="At a branch, tag, commit, HEAD~2, time or version like core.orders@v12."
        ),
    ],
    min_score: Annotated[
        float | None, typer.Option("--min-score", metavar="S", help="At least so many percent of its checks passed.")
    ] = None,
    max_age: Annotated[
        float | None, typer.Option("--max-age", metavar="HOURS", help="Written at most so many hours ago.")
    ] = None,
    no_pii: Annotated[bool, typer.Option("--no-pii", help="No column holds personal data.")] = False,
) -> None:
    """Tell whether a version of a table is fit for a use, with what speaks for and against. Exits with 1 when a
    condition is not met. The same in Python: f.dataset("core.orders", require={"min_score": 95, "no_pii": True})."""
    from forge.flows.quality.fitness import judge_fitness
    from forge.model.codes import FINDINGS
    from forge.quality.fitness import read_requirements

    given = {"min_score": min_score, "max_age": max_age, "no_pii": no_pii or None}
    required = read_requirements({key: value for key, value in given.items() if value is not None})
    with terminal.open() as wiring:
        found = judge_fitness(table, None, required, wiring.quality.fitness())
    terminal.answer(_answer(found))
    failed = [condition.name for condition in found.failed]
    what = f"{found.table} at commit {found.commit_id[:12]}"
    terminal.say(f"{what} is not fit: {', '.join(failed)} failed" if failed else f"{what} is fit")
    if failed:
        raise typer.Exit(FINDINGS)


def _answer(found: Fitness) -> CommandAnswer:
    facts = {name: value for name, value in found.to_dict().items() if name != "conditions"}
    items = [condition.to_dict() for condition in found.conditions]
    columns = (
        AnswerColumn("", lambda i: "✓" if i["passed"] else "✗"),
        AnswerColumn("condition", lambda i: str(i["name"]), style="bold"),
        AnswerColumn("evidence", lambda i: str(i["evidence"])),
    )
    return CommandAnswer(name="conditions", items=items, columns=columns, facts=facts)
