"""`forge source list|show|test|drift|columns|add|edit|remove`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer, Item, Line
from forge.cli.command import command, command_group
from forge.cli.formatting import plural
from forge.cli.terminal import Terminal
from forge.cli.values import read_named_values
from forge.federation.source import ConnectorKind, DeclaredSource
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.federation.drift import SourceChange
    from forge.federation.relation import SourceRelation
    from forge.flows.federation.sources import SourcePorts

Name = Annotated[str, typer.Argument(metavar="NAME", help="What queries call it: crm, for crm.customers.")]
Connector = Annotated[ConnectorKind | None, typer.Option("--connector", help="What it is.")]
Url = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="jdbc:postgresql://host/name, or mysql; of an API https://host/path."),
]
FilePath = Annotated[
    str | None, typer.Option("--path", metavar="PATH", help="Of files: one, a folder or a pattern. Of sqlite: a file.")
]
FileFormat = Annotated[str | None, typer.Option("--file-format", help="Of files: csv, json or parquet.")]
Column = Annotated[
    list[str] | None, typer.Option("--column", metavar="NAME=TYPE", help="A column of csv or json files; repeated.")
]
Tables = Annotated[
    Path | None, typer.Option("--tables", metavar="FILE", help="Of an API: a YAML file with its tables, by name.")
]
Schema = Annotated[str | None, typer.Option("--schema", metavar="NAME", help="Where tables without a schema are.")]
User = Annotated[str | None, typer.Option("--user", metavar="REF", help="Who connects: env:NAME or file:/path.")]
Password = Annotated[str | None, typer.Option("--password", metavar="REF", help="env:NAME or file:/path.")]
Option = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option of the connector; repeated.")
]
Reader = Annotated[list[str] | None, typer.Option("--reader", metavar="USER", help="Who may read it; repeated.")]
Hide = Annotated[
    list[str] | None, typer.Option("--hide", metavar="TABLE.COLUMN", help="A column that reads as NULL; repeated.")
]
Mask = Annotated[
    list[str] | None,
    typer.Option(
        "--mask", metavar="KEYS", help="{column: people.mail, as: hash, except: [owners]}, as in a file; repeated."
    ),
]
RowRule = Annotated[
    list[str] | None,
    typer.Option(
        "--rows",
        metavar="KEYS",
        help="{table: people, filter: \"region = 'EU'\", for: [guests]}, likewise; repeated.",
    ),
]
Description = Annotated[str | None, typer.Option("--description", "-d", metavar="TEXT", help="What it is.")]
CacheTtl = Annotated[
    int | None,
    typer.Option(
        "--cache-ttl", metavar="SECONDS", min=0, help="How old kept results may be, if it cannot tell of changes."
    ),
]


@command
def list_(terminal: Terminal) -> None:
    """List declared sources by name."""
    from forge.flows.federation.sources import list_sources

    with _ports(terminal) as ports:
        found = list_sources(ports)
    for error in found.errors:
        terminal.say(str(error))
    terminal.answer(_sources(found.sources))
    if not found.sources:
        terminal.say("No sources. Declare one: forge source add crm --connector postgresql --url URL")


@command
def show(
    terminal: Terminal,
    name: Name,
    table: Annotated[str, typer.Argument(metavar="[TABLE]", help="One of its tables, with its columns.")] = "",
) -> None:
    """Show the tables of a source, or the columns of one."""
    from forge.flows.federation.sources import describe_source, describe_source_table

    with terminal.open() as wiring:
        ports = wiring.federation.source_ports()
        if table:
            terminal.answer(_columns(describe_source_table(name, table, ports), name))
            return
        found = describe_source(name, ports)
        users = wiring.federation.source_users(wiring.author.email).of(found.source)
    columns = (
        AnswerColumn("table", lambda item: str(item["table"])),
        AnswerColumn("columns", _column_names, style="dim"),
        AnswerColumn("rows", lambda item: "" if item["rows"] is None else f"{item['rows']:,}", right=True),
    )
    items = [one.to_dict() for one in found.tables]
    facts = {"source": found.source, "total": found.total, "used_by": [one.to_dict() for one in users]}
    terminal.answer(CommandAnswer(name="tables", items=items, columns=columns, facts=facts))
    if found.total > len(items):
        terminal.say(f"{len(items)} of {found.total:,} tables. Name one to see it.")
    for user in users:
        through = f", through {', '.join(user.through)}" if user.through else ""
        terminal.say(f"Used by the {user.kind.replace('_', ' ')} {user.name}{through}.")


@command
def test(terminal: Terminal, name: Name) -> None:
    """Connect to a source, and say what answered and what has changed in it."""
    from forge.flows.federation.sources import probe_source

    with _ports(terminal) as ports:
        found = probe_source(name, ports)
    many = "" if found.tables is None else f", {plural(found.tables, 'table')}"
    lines: list[Line] = [(f"✓ {found.source}: {found.answered}{many}", "")]
    lines += [(f"  {_change_text(one)}", "yellow") for one in found.changes or ()]
    terminal.answer(CommandAnswer(name="tests", items=[found.to_dict()]).with_lines(lines))


@command
def drift(terminal: Terminal, name: Name) -> None:
    """Say which tables and columns of a source are not as they were when it was last tested. Exit status 1 where any
    is."""
    from forge.flows.federation.sources import find_source_drift

    with _ports(terminal) as ports:
        found = find_source_drift(name, ports)
    columns = (_text("change"), _text("table"), _text("column"), _text("before", "dim"), _text("after", "dim"))
    facts = {"source": found.source, "seen_at": found.seen_at}
    items = [one.to_dict() for one in found.changes]
    terminal.answer(CommandAnswer(name="changes", items=items, columns=columns, facts=facts))
    if found.seen_at is None:
        terminal.say("Nobody has looked at it before. Its columns are remembered now.")
    elif not found.changes:
        terminal.say(f"As it was at {found.seen_at:%Y-%m-%d %H:%M} UTC.")
    else:
        terminal.say(f"`forge source test {found.source}` takes it as it is now.")
        raise typer.Exit(1)


@command
def columns(
    terminal: Terminal,
    path: Annotated[str, typer.Argument(metavar="PATH", help="Files: one, a folder or a pattern.")],
    file_format: FileFormat = None,
    option: Option = None,
) -> None:
    """Propose columns for CSV or JSON files, by the first rows of the first of them. Nothing is kept."""
    from forge.flows.federation.sources import propose_columns

    fields = {"path": path, "format": file_format, "options": _pairs(option, "--option")}
    with _ports(terminal) as ports:
        found = propose_columns(fields, ports)
    items: list[Item] = [{"name": name, "type": kind} for name, kind in found.columns.items()]
    facts = {"file": found.file, "options": dict(found.options)}
    shown = (AnswerColumn("column", lambda item: str(item["name"])), _text("type"))
    terminal.answer(CommandAnswer(name="columns", items=items, columns=shown, facts=facts))


@command
def add(
    terminal: Terminal,
    name: Name,
    connector: Connector = None,
    url: Url = None,
    path: FilePath = None,
    file_format: FileFormat = None,
    column: Column = None,
    tables: Tables = None,
    schema: Schema = None,
    user: User = None,
    password: Password = None,
    option: Option = None,
    reader: Reader = None,
    hide: Hide = None,
    mask: Mask = None,
    rows: RowRule = None,
    description: Description = None,
    cache_ttl: CacheTtl = None,
) -> None:
    """Declare a source. Users and passwords are references; none is stored."""
    from forge.flows.federation.sources import create_source

    fields = _fields(
        connector,
        url,
        path,
        file_format,
        column,
        tables,
        schema,
        user,
        password,
        option,
        reader,
        hide,
        description,
        cache_ttl,
    )
    fields |= _rules(mask, rows)
    with _ports(terminal) as ports:
        made = create_source({"name": name, **fields}, ports)
        terminal.answer(_sources([made]))
    terminal.say(f"Added {made.name}. Try it: forge source test {made.name}")


@command
def edit(
    terminal: Terminal,
    name: Name,
    connector: Connector = None,
    url: Url = None,
    path: FilePath = None,
    file_format: FileFormat = None,
    column: Column = None,
    tables: Tables = None,
    schema: Schema = None,
    user: User = None,
    password: Password = None,
    option: Option = None,
    reader: Reader = None,
    hide: Hide = None,
    mask: Mask = None,
    rows: RowRule = None,
    description: Description = None,
    cache_ttl: CacheTtl = None,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="Only if it is still at this version.")
    ] = None,
) -> None:
    """Change a source. What is not named stays; '' takes it away, and of lists what is named replaces all."""
    from forge.flows.federation.sources import change_source, find_source

    fields = _fields(
        connector,
        url,
        path,
        file_format,
        column,
        tables,
        schema,
        user,
        password,
        option,
        reader,
        hide,
        description,
        cache_ttl,
    )
    fields |= _rules(mask, rows)
    with _ports(terminal) as ports:
        before = find_source(name, ports)
        made = change_source(name, fields, ports, version=version)
        terminal.answer(_sources([made]))
    terminal.say(f"Changed, version {made.version}." if made != before else "Nothing to change.")


@command
def remove(terminal: Terminal, name: Name) -> None:
    """Remove a source that was created by a command or over HTTP. What it holds is not touched."""
    from forge.flows.federation.sources import drop_source

    with _ports(terminal) as ports:
        gone = drop_source(name, ports)
        terminal.answer(_sources([gone]))
    terminal.say(f"Removed {gone.name}.")


@contextmanager
def _ports(terminal: Terminal) -> Iterator[SourcePorts]:
    with terminal.open() as wiring:
        yield wiring.federation.source_ports()


def _fields(
    connector: ConnectorKind | None,
    url: str | None,
    path: str | None,
    file_format: str | None,
    columns: list[str] | None,
    tables: Path | None,
    schema: str | None,
    user: str | None,
    password: str | None,
    options: list[str] | None,
    readers: list[str] | None,
    hidden: list[str] | None,
    description: str | None,
    cache_ttl: int | None,
) -> dict[str, object]:
    """Those that were given. An empty text in a list empties it."""
    given: dict[str, object | None] = {
        "connector": connector.value if connector else None,
        "url": url,
        "path": path,
        "format": file_format,
        "columns": _pairs(columns, "--column"),
        "tables": _read_tables(tables) if tables else None,
        "schema": schema,
        "user": user,
        "password": password,
        "options": _pairs(options, "--option"),
        "readers": [one for one in readers if one] if readers else None,
        "hidden": [one for one in hidden if one] if hidden else None,
        "description": description,
        "cache_ttl_seconds": cache_ttl,
    }
    return {key: value for key, value in given.items() if value is not None}


def _read_tables(file: Path) -> object:
    """As under `tables:` in a file of sources, with that key or without."""
    from forge.model.errors import ForgeError
    from forge.model.yaml_file import load_yaml

    try:
        data = load_yaml(file.read_text(encoding="utf-8"), str(file)).data
    except (OSError, UnicodeError) as error:
        raise ForgeError("E105", f"{file} cannot be read", where="--tables", why=str(error)) from error
    return data["tables"] if isinstance(data, dict) and data.keys() == {"tables"} else data


def _rules(masks: list[str] | None, rows: list[str] | None) -> dict[str, object]:
    given = {"masks": _mappings(masks, "--mask"), "rows": _mappings(rows, "--rows")}
    return {key: value for key, value in given.items() if value is not None}


def _mappings(texts: list[str] | None, option: str) -> list[object] | None:
    if not texts:
        return None
    from forge.model.yaml_file import load_yaml

    found = []
    for text in texts:
        data = load_yaml(text, option).data if text else None
        if text and not isinstance(data, dict):
            fix = f"Write it as in a file: {option} '{{…: …}}'."
            raise ForgeError("E105", f"{option}: '{text}' has no keys", fix=fix)
        found += [data] if text else []
    return found


def _pairs(texts: list[str] | None, option: str) -> dict[str, str] | None:
    return read_named_values([text for text in texts if text], option) if texts else None


def _sources(sources: Sequence[DeclaredSource]) -> CommandAnswer:
    columns = (
        AnswerColumn("name", lambda item: str(item["name"])),
        AnswerColumn("connector", lambda item: str(item["connector"])),
        AnswerColumn("address", lambda item: str(item["path"] or item["url"])),
        AnswerColumn("declared", lambda item: str(item["where"] or item["origin"]), style="dim"),
        AnswerColumn("description", _first_line, style="dim"),
    )
    return CommandAnswer(name="sources", items=[one.to_dict() for one in sources], columns=columns)


def _text(key: str, style: str = "") -> AnswerColumn:
    return AnswerColumn(key, lambda item: str(item[key] or ""), style=style)


def _first_line(item: Mapping[str, object]) -> str:
    first = str(item["description"]).partition("\n")[0]
    return first if len(first) <= 60 else f"{first[:59]}…"


def _column_names(item: Mapping[str, object]) -> str:
    columns = item["columns"]
    assert isinstance(columns, list)
    names = [str(one["name"]) for one in columns]
    return ", ".join(names[:6]) + (f" + {len(names) - 6} more" if len(names) > 6 else "")


def _column_note(item: Mapping[str, object]) -> str:
    if item["hidden"]:
        return "hidden"
    return f"masked: {item['mask']}" if item["mask"] else "" if item["nullable"] else "not null"


def _columns(relation: SourceRelation, source: str) -> CommandAnswer:
    columns = (
        AnswerColumn("column", lambda item: str(item["name"])),
        AnswerColumn("type", lambda item: str(item["type"])),
        AnswerColumn("in the source", lambda item: str(item["native"]), style="dim"),
        AnswerColumn("", _column_note),
    )
    document = relation.to_dict()
    items = document.pop("columns")
    assert isinstance(items, list)
    return CommandAnswer(name="columns", items=items, columns=columns, facts={"source": source, **document})


def _change_text(change: SourceChange) -> str:
    what = f"{change.table}.{change.column}" if change.column else change.table
    types = " → ".join(one for one in (change.before, change.after) if one)
    return f"{change.change} {what}{f': {types}' if types else ''}"


app = command_group(
    "Sources: databases, files and APIs that queries read beside the lake.",
    (list_, show, test, drift, columns, add, edit, remove),
)
