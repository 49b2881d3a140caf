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
    ("freshness_hours", "hours old"),
    ("quality_score", "quality"),
    ("contract", "contract"),
    ("usage", "used in 30 days"),
    ("upstream_tables", "made from"),
    ("downstream_tables", "read by"),
    ("downstream_count", "downstream"),
    ("backed_by", "backed by"),
    ("former_names", "former names"),
    ("missing", "missing"),
)


@command
def show(
    terminal: Terminal,
    asset: Asset,
    at: Annotated[str, typer.Option("--at", metavar="REF", help="Branch, tag, commit, HEAD~2 or time.")] = "HEAD",
) -> None:
    """Show one asset: what was crawled, what people say of it and where each field comes from, quality, contract, usage
    and neighbours."""
    from forge.catalog.discovery.usage import UsageKind
    from forge.connection.catalog.assets import CatalogView

    name, _, ref = asset.partition("@") if ":" not in asset else (asset, "", "")
    with terminal.open() as wiring:
        sheet = CatalogView(wiring).get(name, ref or at)
        found = sheet.to_dict()
        wiring.catalog.discovery.recorder.record(UsageKind.VIEW, [sheet.name], wiring.author.email)
    columns = [
        AnswerColumn("COLUMN", lambda item: str(item["name"]), style="bold"),
        AnswerColumn("TYPE", lambda item: str(item["type"])),
        AnswerColumn("NULLABLE", lambda item: "" if item["nullable"] else "not null"),
        AnswerColumn("NULLS", lambda item: _nulls(item["statistics"]), right=True),
        AnswerColumn("DISTINCT", lambda item: _distinct(item["statistics"]), right=True),
        AnswerColumn("PERSONAL", lambda item: str(item["pii_type"] or ("yes" if item["pii"] else ""))),
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


def _nulls(statistics: Any) -> str:
    return f"{statistics['nulls'] / statistics['rows']:.1%}" if statistics and statistics["rows"] else ""


def _distinct(statistics: Any) -> str:
    if statistics is None or statistics["distinct"] is None:
        return ""
    return f"{'' if statistics['distinct_exact'] else '~'}{statistics['distinct']:,}"


def _head(found: Mapping[str, Any]) -> Iterator[str]:
    state = found.get("catalog_state", "active")
    gone = "" if state == "active" else f", {state}"
    edits = found.get("documentation_version", 0)
    yield f"{found['qualified_name']}  ({found['type']}{gone}, documentation {edits})"
    if found.get("deprecated"):
        yield f"deprecated: {_short(found['deprecated'])}"
    if found["description"]:
        yield _short(found["description"], 2000)
    for key, word in _SHOWN:
        if found.get(key) not in (None, "", []):
            origin = found.get("origins", {}).get(key, "")
            yield f"  {word}: {_fact(key, found[key])}{f'  ({origin})' if origin.startswith('file ') else ''}"


def _fact(key: str, value: Any) -> str:
    if key == "contract":
        return f"{value['id']} {value['version']}, {value['state']}"
    if key == "usage":
        counts = [f"{value[word]:,} {word}" for word in ("views", "queries", "runs") if value[word]]
        who = f" by {value['users']}" if counts and value["users"] else ""
        last = f"; last {str(value['last_at'])[:16]}" if value["last_at"] else ""
        return f"{', '.join(counts) or 'not'}{who}{last}"
    return _text(value)


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
