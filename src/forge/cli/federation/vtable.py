"""`forge vtable list|show|draft|create|edit|delete|test|drift`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command, command_group
from forge.cli.terminal import Terminal
from forge.federation.virtual_table import DeclaredVirtualTable
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.flows.federation.virtual_tables import VirtualTableDrift, VirtualTablePorts

Name = Annotated[str, typer.Argument(metavar="NAME", help="What queries call it: people, for virtual.people.")]
File = Annotated[
    Path | None, typer.Option("--file", "-f", metavar="YAML", help="Its definition, by the keys of virtual_tables/.")
]
Source = Annotated[
    list[str] | None, typer.Option("--source", metavar="ALIAS=SOURCE.TABLE", help="What it reads; repeated.")
]
Column = Annotated[
    list[str] | None,
    typer.Option("--column", metavar="NAME=ALIAS.COLUMN[:TYPE]", help="A column as its source has it; repeated."),
]
Compute = Annotated[
    list[str] | None, typer.Option("--compute", metavar="NAME:TYPE=EXPRESSION", help="A computed column; repeated.")
]
Join = Annotated[
    list[str] | None,
    typer.Option("--join", metavar="[left|right|full] A.X=B.Y[,…]", help="How B is joined to A; repeated."),
]
Filter = Annotated[
    list[str] | None, typer.Option("--filter", metavar="EXPRESSION", help="True for all of its rows; repeated.")
]
Reader = Annotated[list[str] | None, typer.Option("--reader", metavar="USER", help="Who may read it; repeated.")]
Hide = Annotated[list[str] | None, typer.Option("--hide", metavar="COLUMN", help="Reads as NULL; repeated.")]
Description = Annotated[str | None, typer.Option("--description", "-d", metavar="TEXT", help="What it is.")]
Cache = Annotated[bool | None, typer.Option("--cache/--no-cache", help="Whether its rows may be kept.")]
Seconds = Annotated[int | None, typer.Option("--cache-seconds", metavar="N", help="For how long at most.")]
_JOIN = re.compile(r"\s*(?:(inner|left|right|full)\s+)?(.+)", re.IGNORECASE | re.DOTALL)
_CONDITION = re.compile(r"\s*(\w+)\.([^\s=<>]+)\s*(<=>|<=|>=|<>|=|<|>)\s*(\w+)\.([^\s=<>]+)\s*")


@command
def list_(terminal: Terminal) -> None:
    """List virtual tables by name."""
    from forge.flows.federation.virtual_tables import list_virtual_tables, record_file_tables

    with _ports(terminal) as ports:
        found = list_virtual_tables(ports)
        record_file_tables(ports)
    for error in found.errors:
        terminal.say(str(error))
    terminal.answer(_tables(found.tables))
    if not found.tables:
        terminal.say("No virtual tables. Make one: forge vtable create people --source p=crm.people --column id=p.id")


@command
def show(terminal: Terminal, name: Name) -> None:
    """Show the columns of a virtual table and what each is made of."""
    from forge.flows.federation.virtual_tables import find_virtual_table

    with _ports(terminal) as ports:
        found = find_virtual_table(name, ports)
    document = found.to_dict()
    items = document.pop("columns")
    assert isinstance(items, list)
    columns = (
        _text("name"),
        _text("data_type"),
        AnswerColumn("made of", lambda item: str(item["source_column"] or item["expression"]), style="dim"),
        AnswerColumn("", lambda item: "hidden" if str(item["name"]).lower() in found.table.hidden else ""),
    )
    terminal.answer(CommandAnswer(name="columns", items=items, columns=columns, facts=document))


@command
def draft(
    terminal: Terminal, sql: Annotated[str, typer.Argument(metavar="SQL", help="A SELECT; `-` reads it from stdin.")]
) -> None:
    """Show what a SELECT is as a virtual table, or all that keeps it from being one. Nothing is created."""
    import sys

    from forge.flows.federation.virtual_draft import ask_draft
    from forge.flows.versioning.read import QueryCaller

    text = sys.stdin.read() if sql == "-" else sql
    with _ports(terminal) as ports:
        found = ask_draft(text, ports.federation, QueryCaller(ports.actor, "forge vtable", ports.clock))
    document = found.to_dict()
    items = document.pop("columns")
    assert isinstance(items, list)
    made_of = AnswerColumn("made of", lambda item: str(item["source_column"] or item["expression"]), style="dim")
    columns = (_text("name"), _text("data_type"), made_of)
    terminal.answer(CommandAnswer(name="columns", items=items, columns=columns, facts=document))


@command
def create(
    terminal: Terminal,
    name: Name,
    file: File = None,
    source: Source = None,
    column: Column = None,
    compute: Compute = None,
    join: Join = None,
    filters: Filter = None,
    reader: Reader = None,
    hide: Hide = None,
    description: Description = None,
    cache: Cache = None,
    cache_seconds: Seconds = None,
) -> None:
    """Declare a virtual table. Its sources are asked whether they have what it reads."""
    from forge.flows.federation.virtual_tables import create_virtual_table

    fields = _fields(file, source, column, compute, join, filters, reader, hide, description, cache, cache_seconds)
    with _ports(terminal) as ports:
        made = create_virtual_table({**fields, "name": name}, ports)
        terminal.answer(_tables([made]))
    terminal.say(f"Created {made.name}. Queries call it virtual.{made.name}.")


@command
def edit(
    terminal: Terminal,
    name: Name,
    file: File = None,
    source: Source = None,
    column: Column = None,
    compute: Compute = None,
    join: Join = None,
    filters: Filter = None,
    reader: Reader = None,
    hide: Hide = None,
    description: Description = None,
    cache: Cache = None,
    cache_seconds: Seconds = None,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="Only if it is still at this version.")
    ] = None,
) -> None:
    """Change a virtual table. What is not named stays; of lists what is named replaces all, and '' empties them."""
    from forge.flows.federation.virtual_tables import change_virtual_table, find_virtual_table

    fields = _fields(file, source, column, compute, join, filters, reader, hide, description, cache, cache_seconds)
    with _ports(terminal) as ports:
        before = find_virtual_table(name, ports)
        made = change_virtual_table(name, {**fields, "name": before.name}, ports, version=version)
        terminal.answer(_tables([made]))
    terminal.say(f"Changed, version {made.version}." if made != before else "Nothing to change.")


@command
def delete(terminal: Terminal, name: Name) -> None:
    """Delete a virtual table that was created by a command or over HTTP. What its sources hold is not touched."""
    from forge.flows.federation.virtual_tables import drop_virtual_table

    with _ports(terminal) as ports:
        gone = drop_virtual_table(name, ports)
        terminal.answer(_tables([gone]))
    terminal.say(f"Deleted {gone.name}.")


@command
def test(terminal: Terminal, name: Name) -> None:
    """Ask its sources whether they have what it reads, and take them as they are now."""
    from forge.flows.federation.virtual_tables import probe_virtual_table

    with _ports(terminal) as ports:
        found = probe_virtual_table(name, ports)
    terminal.answer(_changes(found))
    terminal.say(f"{found.virtual_table} fits its sources.")


@command
def drift(terminal: Terminal, name: Name) -> None:
    """Say which columns of its sources are not as they were when it was created, changed or tested. Exit status 1 where
    any is."""
    from forge.flows.federation.virtual_tables import find_virtual_table_drift

    with _ports(terminal) as ports:
        found = find_virtual_table_drift(name, ports)
    terminal.answer(_changes(found))
    if found.seen_at is None:
        terminal.say("Nobody has looked at it before. Its sources are remembered now.")
    elif not found.changes:
        terminal.say(f"As it was at {found.seen_at:%Y-%m-%d %H:%M} UTC.")
    else:
        terminal.say(f"`forge vtable test {found.virtual_table}` takes them as they are now.")
        raise typer.Exit(1)


@contextmanager
def _ports(terminal: Terminal) -> Iterator[VirtualTablePorts]:
    with terminal.open() as wiring:
        yield wiring.federation.virtual_ports()


def _fields(
    file: Path | None,
    sources: list[str] | None,
    columns: list[str] | None,
    computed: list[str] | None,
    joins: list[str] | None,
    filters: list[str] | None,
    readers: list[str] | None,
    hidden: list[str] | None,
    description: str | None,
    cache: bool | None,
    cache_seconds: int | None,
) -> dict[str, object]:
    """Those that were given; what options say goes before what the file says."""
    given: dict[str, object | None] = {
        "sources": [_source(text) for text in sources] if sources else None,
        "columns": [*map(_column, columns or ()), *map(_computed, computed or ())] if columns or computed else None,
        "joins": [_join(text) for text in joins if text] if joins else None,
        "default_filters": [text for text in filters if text] if filters else None,
        "readers": [text for text in readers if text] if readers else None,
        "hidden": [text for text in hidden if text] if hidden else None,
        "description": description,
        "cache_enabled": cache,
        "cache_ttl_seconds": cache_seconds,
    }
    return {**(_read(file) if file else {}), **{key: value for key, value in given.items() if value is not None}}


def _read(file: Path) -> Mapping[str, object]:
    from forge.model.yaml_file import load_yaml

    try:
        data = load_yaml(file.read_text(encoding="utf-8"), str(file)).data
    except (OSError, UnicodeDecodeError) as error:
        raise ForgeError("E105", f"{file} cannot be read", where="--file", why=str(error)) from error
    if not isinstance(data, dict):
        raise ForgeError(
            "E105", f"{file} holds no virtual table", where="--file", fix="Write its keys: sources, columns."
        )
    return data


def _source(text: str) -> dict[str, object]:
    alias, is_named, name = text.partition("=")
    parts = (name if is_named else alias).split(".")
    if not all(parts) or len(parts) > 4:
        raise _misread("--source", text, "--source p=crm.people, or o=lake.core.orders")
    places = ("table_name", "schema_name", "database_name")
    found: dict[str, object] = dict(zip(places, reversed(parts[1:]), strict=False))
    return {"alias": alias if is_named else parts[-1], "connector_id": parts[0], **found}


def _column(text: str) -> dict[str, object]:
    name, is_named, rest = text.partition("=")
    read, _, type_ = (rest if is_named else name).partition(":")
    if not read:
        raise _misread("--column", text, "--column city=c.town, or city=c.town:string")
    return {"name": name if is_named else read.rpartition(".")[2], "source_column": read, "data_type": type_}


def _computed(text: str) -> dict[str, object]:
    head, is_named, expression = text.partition("=")
    name, is_typed, type_ = head.partition(":")
    if not (is_named and is_typed and expression.strip()):
        raise _misread("--compute", text, "--compute 'total:decimal(12,2)=o.amount * o.rate'")
    return {"name": name, "data_type": type_, "expression": expression}


def _join(text: str) -> dict[str, object]:
    """`left o.person = p.id, o.country = p.country`."""
    match = _JOIN.fullmatch(text)
    conditions = [_CONDITION.fullmatch(part) for part in match[2].split(",")] if match else []
    found = [one for one in conditions if one is not None]
    ends = {(one[1].lower(), one[4].lower()) for one in found}
    if match is None or not found or len(found) < len(conditions) or len(ends) > 1:
        raise _misread("--join", text, "--join 'left o.person = p.id'")
    return {
        "left_alias": found[0][1],
        "right_alias": found[0][4],
        "join_type": (match[1] or "inner").lower(),
        "conditions": [{"left": one[2], "op": one[3], "right": one[5]} for one in found],
    }


def _misread(option: str, text: str, example: str) -> ForgeError:
    return ForgeError("E105", f"{option} '{text}' is not understood", where=option, fix=f"Write it like {example}")


def _tables(tables: Sequence[DeclaredVirtualTable]) -> CommandAnswer:
    columns = (
        _text("name"),
        AnswerColumn("reads", lambda item: _read_of(item), style="dim"),
        AnswerColumn("declared", lambda item: str(item["where"] or item["origin"]), style="dim"),
        AnswerColumn("description", lambda item: str(item["description"]).partition("\n")[0][:60], style="dim"),
    )
    return CommandAnswer(name="virtual_tables", items=[one.to_dict() for one in tables], columns=columns)


def _read_of(item: Mapping[str, object]) -> str:
    sources = item["sources"]
    assert isinstance(sources, list)
    keys = ("connector_id", "database_name", "schema_name", "table_name")
    return ", ".join(".".join(one[key] for key in keys if one[key]) for one in sources)


def _changes(found: VirtualTableDrift) -> CommandAnswer:
    columns = (_text("change"), _text("table"), _text("column"), _text("before", "dim"), _text("after", "dim"))
    facts = {"virtual_table": found.virtual_table, "seen_at": found.seen_at}
    items = [one.to_dict() for one in found.changes]
    return CommandAnswer(name="changes", items=items, columns=columns, facts=facts)


def _text(key: str, style: str = "") -> AnswerColumn:
    return AnswerColumn(key, lambda item: str(item[key] or ""), style=style)


app = command_group(
    "Virtual tables: SELECTs over sources, the lake and each other, kept as data.",
    (list_, show, draft, create, edit, delete, test, drift),
)
