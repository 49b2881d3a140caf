"""`forge catalog show ASSET`, and its history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.terminal import Terminal

Asset = Annotated[str, typer.Argument(metavar="ASSET", help="Its qualified name, or one that it had: core.orders.")]
_SHOWN = (
    ("owner", "owner"),
    ("team", "team"),
    ("stewards", "stewards"),
    ("domain", "domain"),
    ("classification", "classification"),
    ("classification_why", "because"),
    ("tags", "tags"),
    ("terms", "terms"),
    ("primary_key", "primary key"),
    ("source_system", "system"),
    ("location", "location"),
    ("row_count", "rows"),
    ("size_bytes", "bytes"),
    ("backed_by", "backed by"),
    ("former_names", "former names"),
    ("missing", "missing"),
)


@command
def show(terminal: Terminal, asset: Asset) -> None:
    """Show one asset: what was crawled, what people say of it, and where each field comes from."""
    from forge.connection.catalog.assets import CatalogView

    with terminal.open() as wiring:
        found = CatalogView(wiring).get(asset).to_dict()
    columns = [
        AnswerColumn("COLUMN", lambda item: str(item["name"]), style="bold"),
        AnswerColumn("TYPE", lambda item: str(item["type"])),
        AnswerColumn("NULL", lambda item: "" if item["nullable"] else "not null"),
        AnswerColumn("TAGS", lambda item: _text(item["tags"])),
        AnswerColumn("TERM", lambda item: str(item["term"] or "")),
        AnswerColumn("DESCRIPTION", lambda item: _short(item["description"])),
    ]
    schema = found.pop("schema")
    assert isinstance(schema, list)
    terminal.answer(CommandAnswer(name="schema", items=schema, columns=columns, facts=found, head=[*_head(found), ""]))


@command
def history(
    terminal: Terminal,
    asset: Asset,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 50,
) -> None:
    """Show who changed the documentation of an asset, when, and what; newest first."""
    from forge.connection.catalog.assets import CatalogView

    with terminal.open() as wiring:
        found = CatalogView(wiring).history(asset, limit)
    columns = [
        AnswerColumn("VERSION", lambda item: str(item["documentation_version"]), right=True),
        AnswerColumn("WHEN", lambda item: str(item["at"])[:19]),
        AnswerColumn("WHO", lambda item: str(item["by"]), style="bold"),
        AnswerColumn("WHAT", lambda item: "; ".join(_changes(item))),
    ]
    terminal.answer(CommandAnswer(name="edits", items=found.rows(), columns=columns))
    if not found:
        terminal.say(f"Nobody has edited {asset}.")


def _head(found: Mapping[str, Any]) -> Iterator[str]:
    gone = "" if found["catalog_state"] == "active" else f", {found['catalog_state']}"
    yield f"{found['qualified_name']}  ({found['type']}{gone}, version {found['documentation_version']})"
    if found["deprecated"]:
        yield f"deprecated: {_short(found['deprecated'])}"
    if found["description"]:
        yield _short(found["description"], 2000)
    for key, word in _SHOWN:
        if found[key] not in (None, "", []):
            origin = found["origins"].get(key, "")
            yield f"  {word}: {_text(found[key])}{f'  ({origin})' if origin.startswith('file ') else ''}"


def _changes(item: Mapping[str, Any]) -> Iterator[str]:
    if item["undoes"] is not None:
        yield f"undoes {item['undoes']}"
    for path, value in item["after"].items():
        yield f"{path}: {_short(_text(item['before'].get(path)) or '–', 40)} → {_short(_text(value) or '–', 40)}"
    if item["approved_by"]:
        yield f"approved by {item['approved_by']}"


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def _short(value: object, most: int = 80) -> str:
    text = str(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"
