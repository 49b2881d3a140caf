"""`forge query`: SELECT over the lake and the sources of the project, at any revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer, Item
from forge.cli.command import command
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.flows.federation.query import FederationPorts, QueryAnswer, QueryRequest
    from forge.flows.versioning.read import QueryCaller

ENGINES = ("auto", "in-process", "spark")
_NUMBERS = ("int", "bigint", "double", "float", "decimal", "long", "smallint", "tinyint")


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
    engine: Annotated[
        str, typer.Option("--engine", metavar="|".join(ENGINES), help="Who computes it; auto goes by its size.")
    ] = "auto",
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Take a kept result of the same question, if nothing changed.")
    ] = True,
    timeout: Annotated[
        str | None, typer.Option(metavar="SECONDS", help="End it after so long, in the sources too: 30, 90s, 5m.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="How it would be computed, instead of its rows.")] = False,
) -> None:
    """Ask the tables of the lake and the sources, as they are or as they were. Only SELECT is accepted."""
    import sys

    from forge.cli.values import bind_query, read_number, read_seconds
    from forge.flows.federation.query import QueryRequest, ask, executor_choice
    from forge.flows.versioning.read import QueryCaller
    from forge.model.names import BranchName

    if at and branch:
        raise ForgeError(
            "E105", "--at and --branch both say where to read", fix=f"--at takes a branch, too: --at {branch}"
        )
    number = read_number(limit, "--limit")
    text = sys.stdin.read() if sql == "-" else sql
    terminal.doing("Asking")
    with terminal.open() as wiring:
        ports = wiring.federation.query_ports(BranchName(branch) if branch else None, notify=terminal.doing)
        request = QueryRequest(
            text,
            at=at,
            parameters=bind_query(wiring, param),
            # One extra, to know whether there are more.
            limit=None if number is None else number + 1,
            executor=executor_choice(engine, "--engine"),
            cache=cache,
            timeout=None if timeout is None else read_seconds(timeout, "--timeout"),
        )
        caller = QueryCaller(wiring.author.email, "forge query", wiring.clock)
        if explain:
            _show_plan(terminal, ports, request, caller)
            return
        answer = ask(ports, request, caller)
    _show_rows(terminal, answer, number)


def _show_rows(terminal: Terminal, answer: QueryAnswer, number: int | None) -> None:
    from forge.flows.federation.query import distinct_names

    kept = answer.rows if number is None else answer.rows[:number]
    names = distinct_names(answer.schema.names)
    items = [dict(zip(names, row, strict=True)) for row in kept]

    def column(name: str, type_: str) -> AnswerColumn:
        def text_of(item: Item) -> str:
            return "NULL" if item[name] is None else str(item[name])

        return AnswerColumn(name, text_of, right=type_.startswith(_NUMBERS))

    columns = [column(name, c.type) for name, c in zip(names, answer.schema.columns, strict=True)]
    facts = {
        "columns": [{"name": n, "type": c.type} for n, c in zip(names, answer.schema.columns, strict=True)],
        "engine": answer.executor,
        "why": answer.why,
        "cache": answer.cache,
    }
    terminal.answer(
        CommandAnswer(name="rows", items=items, columns=columns, facts=facts, head=[] if items else ["  ".join(names)])
    )
    if len(answer.rows) > len(kept):
        terminal.say(f"There are more rows than {number}; --limit all shows them.")


def _show_plan(terminal: Terminal, ports: FederationPorts, request: QueryRequest, caller: QueryCaller) -> None:
    from forge.flows.federation.query import explain_query

    explained = explain_query(ports, request, caller)
    document = explained.to_dict()
    asked = document.pop("sources")
    assert isinstance(asked, list)
    lines = [(line, "") for line in explained.text().splitlines()]
    terminal.answer(CommandAnswer(name="sources", items=asked, facts=document).with_lines(lines))
