"""`forge catalog popular|similar|recommend|usage`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from forge.catalog.discovery.usage import UsagePeriod
from forge.cli.answer import AnswerColumn, CommandAnswer, Item
from forge.cli.command import command
from forge.cli.formatting import count
from forge.cli.terminal import Terminal

Table = Annotated[str, typer.Argument(metavar="TABLE", help="An asset of the catalog.")]
Limit = Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, max=100, help="At most so many.")]
Period = Annotated[UsagePeriod, typer.Option("--time-range", help="How far back.")]


@command
def popular(
    terminal: Terminal,
    domain: Annotated[str | None, typer.Option("--domain", metavar="DOMAIN", help="Of one domain only.")] = None,
    time_range: Period = UsagePeriod.MONTH,
    limit: Limit = 20,
) -> None:
    """Show the most used assets: by how many people, then how often."""
    from forge.flows.catalog.discovery.popular import find_popular

    with terminal.open() as wiring:
        store, clock = wiring.catalog.discovery.usage, wiring.clock
        found = find_popular(store, wiring.catalog.assets, clock, domain=domain, period=time_range, limit=limit)
    columns = (_text("qualified_name", "asset"), *_counts(), _text("domain"), _text("owner"))
    facts = {"time_range": time_range.value, "domain": domain}
    terminal.answer(CommandAnswer(name="assets", items=[one.to_dict() for one in found], columns=columns, facts=facts))
    if not found:
        terminal.say("Nothing of the catalog was used in that time.")


@command
def usage(terminal: Terminal, table: Table, time_range: Period = UsagePeriod.MONTH) -> None:
    """Show how often an asset was viewed, queried and read by runs, day by day."""
    from forge.flows.catalog.discovery.popular import find_usage

    with terminal.open() as wiring:
        parts = wiring.catalog.discovery
        found = find_usage(parts.usage, wiring.catalog.assets, wiring.clock, table, time_range)
    facts = found.to_dict()
    del facts["days"]
    days = [day.to_dict() for day in found.days]
    terminal.answer(CommandAnswer(name="days", items=days, columns=(_text("day"), *_counts()), facts=facts))


@command
def similar(terminal: Terminal, table: Table, limit: Limit = 10) -> None:
    """Show assets like another: by columns, words and domain."""
    with terminal.open() as wiring:
        terminal.doing("comparing assets")
        found = wiring.catalog.discovery.similar.find(table, limit)
    columns = (
        _text("qualified_name", "asset"),
        _score(),
        AnswerColumn("why", lambda item: "; ".join(_list(item, "reasons")), style="dim"),
    )
    items = [one.to_dict() for one in found]
    terminal.answer(CommandAnswer(name="assets", items=items, columns=columns, facts={"asset": table}))
    if not found:
        terminal.say(f"Nothing of the catalog is like {table}.")


@command
def recommend(
    terminal: Terminal,
    table: Annotated[str | None, typer.Option("--context", metavar="TABLE", help="What you are looking at.")] = None,
    limit: Limit = 10,
) -> None:
    """Recommend assets that you have not used yet, and say why."""
    from forge.flows.catalog.discovery import recommend as flow

    with terminal.open() as wiring:
        ports = wiring.catalog.discovery.recommendation_ports()
        found = flow.recommend(ports, wiring.author.email, context=table, limit=limit)
    why = AnswerColumn("why", lambda item: "; ".join(one["text"] for one in _list(item, "reasons")), style="dim")
    columns = (_text("qualified_name", "asset"), _score(), why)
    terminal.answer(CommandAnswer(name="assets", items=[one.to_dict() for one in found], columns=columns))
    if not found:
        terminal.say("Nothing to recommend yet. Crawl assets: forge catalog scan")


def _text(key: str, head: str | None = None) -> AnswerColumn:
    return AnswerColumn(head or key, lambda item: str(item[key] or ""))


def _score() -> AnswerColumn:
    return AnswerColumn("score", lambda item: f"{item['score']:.2f}", right=True)


def _counts() -> tuple[AnswerColumn, ...]:
    def of(key: str) -> AnswerColumn:
        return AnswerColumn(key, lambda item: count(item[key]), right=True)

    return tuple(of(key) for key in ("users", "views", "queries", "runs"))


def _list(item: Item, key: str) -> list[Any]:
    found = item[key]
    assert isinstance(found, list)
    return found
