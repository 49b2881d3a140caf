"""`forge cache stats|clear`."""

from __future__ import annotations

from typing import Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer, Item
from forge.cli.command import command, command_group
from forge.cli.formatting import plural
from forge.cli.terminal import Terminal


@command
def stats(terminal: Terminal) -> None:
    """Say how many results of queries are kept, and how often one was taken."""
    from forge.flows.federation.cache_upkeep import cache_stats

    with terminal.open() as wiring:
        found = cache_stats(wiring.federation.results)
    columns = (
        _column("store"),
        *map(_column, ("entries", "bytes", "max_bytes", "hits", "misses", "evictions")),
    )
    terminal.answer(CommandAnswer(name="stats", items=[found.to_dict()], columns=columns))


@command
def clear(
    terminal: Terminal,
    source: Annotated[str, typer.Argument(metavar="[SOURCE]", help="Of this source only; lake is one, too.")] = "",
    table: Annotated[str, typer.Option("--table", metavar="TABLE", help="Of this table only.")] = "",
) -> None:
    """Let go of kept results of queries: all, or those of a source or a table."""
    from forge.flows.federation.cache_upkeep import forget_results

    with terminal.open() as wiring:
        removed = forget_results(
            wiring.federation.results, wiring.metadata, wiring.clock, wiring.author.email, source=source, table=table
        )
    item: Item = {"source": source, "table": table, "removed": removed}
    line = f"{plural(removed, 'result')} removed."
    terminal.answer(CommandAnswer(name="removed", items=[item]).with_lines([(line, "")]))


def _column(name: str) -> AnswerColumn:
    def text(item: Item) -> str:
        return f"{item[name]:,}" if isinstance(item[name], int) else str(item[name])

    return AnswerColumn(name, text, right=name != "store")


app = command_group("Results of queries that are kept.", (stats, clear))
