"""`forge catalog search|suggest|context`, and rebuilding the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.terminal import Terminal

_Many = list[str] | None


@command
def search(
    terminal: Terminal,
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="Words of names, columns, terms, descriptions.")] = "",
    types: Annotated[_Many, typer.Option("--type", metavar="TYPE", help="table, column, term…; repeatable.")] = None,
    tags: Annotated[_Many, typer.Option("--tag", metavar="TAG", help="With this tag; repeatable.")] = None,
    owners: Annotated[_Many, typer.Option("--owner", metavar="WHO", help="Of this owner; repeatable.")] = None,
    domains: Annotated[_Many, typer.Option("--domain", metavar="NAME", help="Of this domain; repeatable.")] = None,
    classification: Annotated[
        _Many, typer.Option("--classification", metavar="LEVEL", help="public to restricted; repeatable.")
    ] = None,
    pii: Annotated[_Many, typer.Option("--pii", metavar="TYPE", help="With such personal data; repeatable.")] = None,
    quality: Annotated[
        _Many, typer.Option("--quality", metavar="BAND", help="excellent, good, fair, poor or unknown; repeatable.")
    ] = None,
    containers: Annotated[
        _Many, typer.Option("--in", metavar="NAME", help="Of this schema or database; repeatable.")
    ] = None,
    sort: Annotated[
        str, typer.Option("--sort", metavar="ORDER", help="relevance, popularity, freshness or name.")
    ] = "relevance",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=500, help="At most so many.")] = 50,
    facets: Annotated[
        _Many,
        typer.Option(
            "--facet", metavar="NAME", help="Count by type, domain, tag, owner, classification, pii, quality."
        ),
    ] = None,
    cursor: Annotated[
        str | None, typer.Option("--cursor", metavar="CURSOR", help="next_cursor of the page before.")
    ] = None,
    offset: Annotated[
        int, typer.Option("--offset", metavar="N", min=0, max=10_000, help="How many to leave out, without a cursor.")
    ] = 0,
    explain: Annotated[bool, typer.Option("--explain", help="Say why each result is where it is.")] = False,
) -> None:
    """Find assets, columns, schemas and terms; without words, browse. A filter given twice means either value."""
    from forge.connection.catalog.assets import CatalogView

    with terminal.open() as wiring:
        page = (
            CatalogView(wiring)
            .search(
                text,
                types=types or (),
                tags=tags or (),
                owners=owners or (),
                domains=domains or (),
                classification=classification or (),
                pii=pii or (),
                quality=quality or (),
                containers=containers or (),
                sort=sort,
                limit=limit,
                facets=facets or (),
                cursor=cursor,
                offset=offset,
                explain=explain,
            )
            .page
        )
    columns = [
        AnswerColumn("NAME", lambda item: str(item["qualified_name"]), style="bold"),
        AnswerColumn("TYPE", lambda item: str(item["type"])),
        AnswerColumn("OWNER", lambda item: str(item["owner"] or "")),
        AnswerColumn("WHY", _explained if explain else _why),
        AnswerColumn("DESCRIPTION", lambda item: _short(str(item["description"]))),
    ]
    facts = page.to_dict()
    items = facts.pop("items")
    assert isinstance(items, list)
    foot = [
        f"{facet.value}: {', '.join(f'{one.value} {one.count}' for one in counts) or 'none'}"
        for facet, counts in page.facets.items()
    ]
    terminal.answer(CommandAnswer(name="items", items=items, columns=columns, facts=facts, foot=foot))
    if not page.hits:
        terminal.say("Nothing is found. `forge catalog scan` crawls what there is.")
    elif page.next_cursor:
        terminal.say(f"{len(page.hits)} of {'' if page.total_exact else 'at least '}{page.total}. More: --limit")


@command
def suggest(
    terminal: Terminal,
    prefix: Annotated[str, typer.Argument(metavar="PREFIX", help="How a name begins.")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=50, help="At most so many.")] = 10,
) -> None:
    """Complete the name of an asset, schema, term, column, branch or run."""
    from forge.connection.catalog.assets import CatalogView

    with terminal.open() as wiring:
        found = CatalogView(wiring).suggest(prefix, limit).rows()
    columns = [
        AnswerColumn("NAME", lambda item: str(item["qualified_name"]), style="bold"),
        AnswerColumn("TYPE", lambda item: str(item["type"])),
    ]
    terminal.answer(CommandAnswer(name="items", items=found, columns=columns))


@command
def context(
    terminal: Terminal,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="Words, or a sentence.")],
    max_chars: Annotated[int, typer.Option("--max-chars", metavar="N", help="How long it may be.")] = 8000,
) -> None:
    """Print the best assets for a question as Markdown, for an assistant: columns and descriptions, no values."""
    from forge.connection.catalog.assets import CatalogView

    with terminal.open() as wiring:
        pack = CatalogView(wiring).context(question, max_chars)
    assets = [{"qualified_name": name} for name in pack.assets]
    answer = CommandAnswer(name="items", items=assets, facts=pack.to_dict())
    terminal.answer(answer.with_lines([(line, "") for line in pack.text.splitlines()]))
    if not assets:
        terminal.say("Nothing is found. `forge catalog scan` crawls what there is.")


@command
def reindex(terminal: Terminal) -> None:
    """Rebuild the index of the search from the records. Who searches meanwhile finds the old one."""
    with terminal.open() as wiring:
        count = wiring.catalog.search.catalog.reindex()
    terminal.answer(CommandAnswer(name="index", items=[{"documents": count}], columns=_COUNT))


_COUNT = [AnswerColumn("DOCUMENTS", lambda item: f"{item['documents']:,}", right=True)]


def _why(item: Mapping[str, Any]) -> str:
    named = ", ".join(column["name"] for column in item["matched_columns"][:3])
    stage = "" if item["stage"] == "browse" else str(item["stage"])
    return f"{stage}: {named}" if named and stage in ("related", "fuzzy", "description") else stage


def _explained(item: Mapping[str, Any]) -> str:
    explanation = item["explanation"]
    boosts = " ".join(f"{boost['name']}{boost['points']:+d}" for boost in explanation["boosts"])
    return f"{_why(item)} {explanation['points']} = {explanation['base']} {boosts}".strip()


def _short(text: str, most: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
