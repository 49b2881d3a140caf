"""`forge saved-query list|show|save|edit|delete`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command, command_group
from forge.cli.terminal import Terminal
from forge.federation.saved_query import SavedQuery

if TYPE_CHECKING:
    from forge.flows.federation.saved_queries import SavedQueryPorts

Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name, or its id where several people share one by it.")]
Param = Annotated[
    list[str] | None, typer.Option("--param", "-p", metavar="K=V", help="A value for :K; may be repeated.")
]
At = Annotated[str | None, typer.Option("--at", metavar="REF", help="Branch, commit or time that it reads at.")]
Share = Annotated[bool | None, typer.Option("--share/--no-share", help="Whether others see it, too.")]
Description = Annotated[str | None, typer.Option("--description", "-d", metavar="TEXT", help="What it is.")]


@command
def list_(terminal: Terminal) -> None:
    """List your saved queries and those that others share, by name."""
    from forge.flows.federation.saved_queries import list_saved_queries

    with _ports(terminal) as ports:
        terminal.answer(_answer(list_saved_queries(ports), ports))


@command
def show(terminal: Terminal, name: Name) -> None:
    """Show the SQL of a saved query, and all else about it."""
    from forge.flows.federation.saved_queries import named_saved_query

    with _ports(terminal) as ports:
        found = named_saved_query(name, ports)
        terminal.answer(_answer([found], ports).with_lines([(found.sql, "")]))


@command
def save(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What you will call it.")],
    sql: Annotated[str, typer.Argument(metavar="SQL", help="A SELECT; `-` reads it from stdin.")],
    param: Param = None,
    at: At = None,
    share: Share = None,
    description: Description = None,
) -> None:
    """Save a query by a name. Whether it can be run, only running it tells."""
    from forge.flows.federation.saved_queries import keep_query

    given = _given(name=name, sql=_text_of(sql), param=param, at=at, share=share, description=description)
    with _ports(terminal) as ports:
        made = keep_query(given, ports)
        terminal.answer(_answer([made], ports))
    terminal.say(f"Saved. Run it: forge query --saved {_quoted(made.name)}")


@command
def edit(
    terminal: Terminal,
    name: Name,
    sql: Annotated[str | None, typer.Option("--sql", metavar="SQL", help="`-` reads it from stdin.")] = None,
    rename: Annotated[str | None, typer.Option("--rename", metavar="NAME", help="Its new name.")] = None,
    param: Param = None,
    at: At = None,
    share: Share = None,
    description: Description = None,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="Only if it is still at this version.")
    ] = None,
) -> None:
    """Change a query that you saved. What is not named stays; parameters are replaced together; --at '' is none."""
    from forge.flows.federation.saved_queries import change_saved_query, named_saved_query

    text = _text_of(sql) if sql is not None else None
    given = _given(name=rename, sql=text, param=param, at=at, share=share, description=description)
    with _ports(terminal) as ports:
        before = named_saved_query(name, ports)
        made = change_saved_query(before.id, given, ports, version=version)
        terminal.answer(_answer([made], ports))


@command
def delete(
    terminal: Terminal,
    name: Name,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="Only if it is still at this version.")
    ] = None,
) -> None:
    """Delete a query that you saved."""
    from forge.flows.federation.saved_queries import drop_saved_query, named_saved_query

    with _ports(terminal) as ports:
        gone = drop_saved_query(named_saved_query(name, ports).id, ports, version=version)
        terminal.answer(_answer([gone], ports))
    terminal.say(f"Deleted {gone.name}.")


@contextmanager
def _ports(terminal: Terminal) -> Iterator[SavedQueryPorts]:
    with terminal.open() as wiring:
        yield wiring.federation.saved_query_ports(wiring.author.email)


def _given(
    *,
    name: str | None,
    sql: str | None,
    param: Sequence[str] | None,
    at: str | None,
    share: bool | None,
    description: str | None,
) -> Mapping[str, object]:
    from forge.cli.values import read_params

    given = {
        "name": name,
        "sql": sql,
        "parameters": read_params(param) if param is not None else None,
        "is_shared": share,
        "description": description,
    }
    found: dict[str, object] = {key: value for key, value in given.items() if value is not None}
    return found if at is None else {**found, "at": at or None}


def _text_of(sql: str) -> str:
    import sys

    return sys.stdin.read() if sql == "-" else sql


def _quoted(text: str) -> str:
    from shlex import quote

    return quote(text)


def _answer(queries: Sequence[SavedQuery], ports: SavedQueryPorts) -> CommandAnswer:
    def text(key: str, style: str = "") -> AnswerColumn:
        return AnswerColumn(key, lambda item: " ".join(str(item[key] or "").split())[:60], style=style)

    columns = (
        text("name"),
        text("owner", "dim"),
        AnswerColumn("shared", lambda item: "yes" if item["is_shared"] else "", style="dim"),
        text("sql", "dim"),
    )
    items = [{**one.to_dict(), "is_own": one.owner == ports.user} for one in queries]
    return CommandAnswer(name="saved_queries", items=items, columns=columns)


app = command_group("Queries that people keep by a name: forge query --saved NAME.", (list_, show, save, edit, delete))
