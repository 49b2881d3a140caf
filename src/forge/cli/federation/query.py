"""`forge query`: SELECT at any revision."""

from __future__ import annotations

from typing import Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer, Item
from forge.cli.command import command
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError


@command
def query(
    terminal: Terminal,
    sql: Annotated[str, typer.Argument(metavar="SQL", help="A SELECT; `-` reads it from stdin.")],
    at: Annotated[str | None, typer.Option(metavar="REF", help="Branch, commit, HEAD~2 or time to read at.")] = None,
    branch: Annotated[str | None, typer.Option("--branch", "-b", help="Branch to read.")] = None,
    limit: Annotated[str, typer.Option("--limit", "-n", metavar="N|all", help="How many rows.")] = "100",
    param: Annotated[
        list[str] | None, typer.Option("--param", "-p", metavar="K=V", help="A value for :K; may be repeated.")
    ] = None,
) -> None:
    """Ask the tables, as they are or as they were. Only SELECT is accepted."""
    import sys

    from forge.cli.values import bind_query, read_number
    from forge.flows.versioning.read import QueryCaller
    from forge.flows.versioning.read import query as ask
    from forge.model.names import BranchName

    if at and branch:
        raise ForgeError(
            "E105", "--at and --branch both say where to read", fix=f"--at takes a branch, too: --at {branch}"
        )
    number = read_number(limit, "--limit")
    text = sys.stdin.read() if sql == "-" else sql
    terminal.doing("Starting Spark and asking")
    with terminal.open() as wiring:
        reader = wiring.versioning.reader(BranchName(branch) if branch else None)
        params = bind_query(wiring, param)
        # One extra, to know whether there are more.
        wanted = None if number is None else number + 1
        asker = QueryCaller(wiring.author.email, "forge query", wiring.clock)
        schema, rows = ask(reader, wiring.engine, text, at=at, params=params, limit=wanted, asker=asker)
    kept = rows if number is None else rows[:number]
    names = _distinct(schema.names)
    items = [dict(zip(names, row, strict=True)) for row in kept]

    def column(name: str, type_: str) -> AnswerColumn:
        def text_of(item: Item) -> str:
            return "NULL" if item[name] is None else str(item[name])

        return AnswerColumn(
            name, text_of, right=type_.startswith(("int", "bigint", "double", "float", "decimal", "long"))
        )

    columns = [column(name, c.type) for name, c in zip(names, schema.columns, strict=True)]
    facts = {"columns": [{"name": n, "type": c.type} for n, c in zip(names, schema.columns, strict=True)]}
    terminal.answer(
        CommandAnswer(name="rows", items=items, columns=columns, facts=facts, head=[] if items else ["  ".join(names)])
    )
    if len(rows) > len(kept):
        terminal.say(f"There are more rows than {number}; --limit all shows them.")


def _distinct(names: tuple[str, ...]) -> list[str]:
    """Two columns of one name are both shown."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return found
