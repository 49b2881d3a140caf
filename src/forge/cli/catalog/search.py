"""`forge catalog search TEXT`, and rebuilding its index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

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
    sort: Annotated[
        str, typer.Option("--sort", metavar="ORDER", help="relevance, popularity, freshness or name.")
    ] = "relevance",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=500, help="At most so many.")] = 20,
    explain: Annotated[bool, typer.Option("--explain", help="Say why each result is where it is.")] = False,
) -> None:
    """Find assets, columns, schemas and terms; without words, browse. A filter given twice means either value."""
    from forge.catalog.search.document import DocumentType
    from forge.catalog.search.query import SearchFilter, SearchQuery, SearchSort

    query = SearchQuery(
        text=text,
        types=tuple(DocumentType(_word(one, [*DocumentType], "--type")) for one in types or ()),
        filters={
            SearchFilter.TAG: tuple(tags or ()),
            SearchFilter.OWNER: tuple(owners or ()),
            SearchFilter.DOMAIN: tuple(domains or ()),
            SearchFilter.CLASSIFICATION: tuple(classification or ()),
            SearchFilter.PII: tuple(pii or ()),
        },
        sort=SearchSort(_word(sort, [*SearchSort], "--sort")),
        limit=limit,
        explain=explain,
    )
    with terminal.open() as wiring:
        page = wiring.catalog.search.catalog.search(query)
    columns = [
        AnswerColumn("NAME", lambda item: str(item["qualified_name"]), style="bold"),
        AnswerColumn("TYPE", lambda item: str(item["type"])),
        AnswerColumn("OWNER", lambda item: str(item["owner"] or "")),
        AnswerColumn("WHY", _explained if explain else _why),
        AnswerColumn("DESCRIPTION", lambda item: _short(str(item["description"]))),
    ]
    facts = {"total_count": page.total, "total_exact": page.total_exact}
    items = page.to_dict()["items"]
    assert isinstance(items, list)
    terminal.answer(CommandAnswer(name="items", items=items, columns=columns, facts=facts))
    if not page.hits:
        terminal.say("Nothing is found. `forge catalog scan` crawls what there is.")
    elif page.next_cursor:
        terminal.say(f"{len(page.hits)} of {'' if page.total_exact else 'at least '}{page.total}. More: --limit")


@command
def reindex(terminal: Terminal) -> None:
    """Rebuild the index of the search from the records. Who searches meanwhile finds the old one."""
    with terminal.open() as wiring:
        count = wiring.catalog.search.catalog.reindex()
    terminal.answer(CommandAnswer(name="index", items=[{"documents": count}], columns=_COUNT))


_COUNT = [AnswerColumn("DOCUMENTS", lambda item: f"{item['documents']:,}", right=True)]


def _word(text: str, known: Sequence[str], option: str) -> str:
    if text not in known:
        raise ForgeError("E105", f"{option} is no '{text}'", fix=f"One of: {', '.join(known)}.")
    return text


def _why(item: Mapping[str, Any]) -> str:
    named = ", ".join(column["name"] for column in item["matched_columns"][:3])
    stage = "" if item["stage"] == "browse" else str(item["stage"])
    return f"{stage}: {named}" if named and stage in ("related", "fuzzy", "description") else stage


def _explained(item: Mapping[str, Any]) -> str:
    told = item["explanation"]
    boosts = " ".join(f"{boost['name']}{boost['points']:+d}" for boost in told["boosts"])
    return f"{_why(item)} {told['points']} = {told['base']} {boosts}".strip()


def _short(text: str, most: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
