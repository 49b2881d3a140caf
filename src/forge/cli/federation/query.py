"""`forge query`: SELECT over the lake and the sources of the project, at any revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer, Item
from forge.cli.command import command
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from forge.flows.federation.query import FederationPorts, QueryAnswer, QueryRequest
    from forge.flows.versioning.read import QueryCaller
    from forge.wiring import Wiring

ENGINES = ("auto", "in-process", "spark")
_NUMBERS = ("int", "bigint", "double", "float", "decimal", "long", "smallint", "tinyint")


@command
def query(
    terminal: Terminal,
    sql: Annotated[str | None, typer.Argument(metavar="SQL", help="A SELECT; `-` reads it from stdin.")] = None,
    saved: Annotated[
        str | None, typer.Option("--saved", metavar="NAME", help="A saved query instead (forge saved-query).")
    ] = None,
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
    plan: Annotated[bool, typer.Option("--plan", help="Its rows, and how they were computed.")] = False,
) -> None:
    """Ask the tables of the lake and the sources, as they are or as they were. Only SELECT is accepted."""
    from forge.cli.values import read_number, read_params, read_seconds
    from forge.flows.federation.query import QueryRequest, ask, executor_choice
    from forge.flows.versioning.read import QueryCaller
    from forge.model.names import BranchName
    from forge.transforms.params import bind_query_params

    if at and branch:
        raise ForgeError(
            "E105", "--at and --branch both say where to read", fix=f"--at takes a branch, too: --at {branch}"
        )
    if (sql is None) == (saved is None):
        raise ForgeError("E105", "A query is SQL or --saved NAME", fix='Write forge query "SELECT 1 AS one".')
    number = read_number(limit, "--limit")
    terminal.doing("Asking")
    with terminal.open() as wiring:
        text, parameters, known_at = _asked(wiring, sql, saved)
        ports = wiring.federation.query_ports(BranchName(branch) if branch else None, notify=terminal.doing)
        request = QueryRequest(
            text,
            at=at or (None if branch else known_at),
            parameters=bind_query_params(wiring.settings.params, {**parameters, **read_params(param)}),
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
    _show_rows(terminal, answer, number, plan=plan)


def _asked(wiring: Wiring, sql: str | None, saved: str | None) -> tuple[str, Mapping[str, object], str | None]:
    """SQL, the parameters that are kept with it, and at what it is kept to be read."""
    import sys

    from forge.flows.federation.saved_queries import named_saved_query

    if saved is not None:
        found = named_saved_query(saved, wiring.federation.saved_query_ports(wiring.author.email))
        return found.sql, found.parameters, found.at
    return sys.stdin.read() if sql == "-" else sql or "", {}, None


def _show_rows(terminal: Terminal, answer: QueryAnswer, number: int | None, *, plan: bool) -> None:
    from forge.flows.federation.query import distinct_names

    kept = answer.rows if number is None else answer.rows[:number]
    names = distinct_names(answer.schema.names)
    items = [dict(zip(names, row, strict=True)) for row in kept]

    def column(name: str, type_: str) -> AnswerColumn:
        def text_of(item: Item) -> str:
            return "NULL" if item[name] is None else str(item[name])

        return AnswerColumn(name, text_of, right=type_.startswith(_NUMBERS))

    columns = [column(name, c.type) for name, c in zip(names, answer.schema.columns, strict=True)]
    facts: dict[str, object] = {
        "columns": [{"name": n, "type": c.type} for n, c in zip(names, answer.schema.columns, strict=True)],
        "engine": answer.executor,
        "why": answer.why,
        "cache": answer.cache,
        "kept_until": answer.kept_until.isoformat() if answer.kept_until else None,
        "truncated": len(answer.rows) > len(kept),
        "rows_read": dict(answer.rows_read),
        "ms": round(answer.seconds * 1000),
    }
    if plan:
        facts["plan"] = answer.explained.to_dict()
    terminal.answer(
        CommandAnswer(name="rows", items=items, columns=columns, facts=facts, head=[] if items else ["  ".join(names)])
    )
    if plan:
        terminal.say(answer.explained.text())
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
