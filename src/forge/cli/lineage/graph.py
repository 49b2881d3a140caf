"""`forge lineage order|stats|propagate|trace`: the whole graph, propagation, and row-level lineage."""

from __future__ import annotations

from typing import Annotated

import typer

from forge.cli.command import command
from forge.cli.formatting import plural
from forge.cli.lineage.walk import At, Least, WithIndirect, open_lineage
from forge.cli.terminal import Terminal


@command
def order(
    terminal: Terminal,
    columns: Annotated[bool, typer.Option("--columns", help="Of columns, not of tables.")] = False,
    at: At = None,
) -> None:
    """List tables in the order in which they can be made; what depends on itself in a circle is reported."""
    from forge.cli.lineage.graph_view import answer_of_order

    with open_lineage(terminal) as view:
        found = view.order(columns=columns, at=at)
    terminal.answer(answer_of_order(found))
    if found.cycles:
        terminal.say(f"{plural(len(found.cycles), 'circle')}: {'; '.join(', '.join(c) for c in found.cycles[:3])}")


@command
def stats(terminal: Terminal, at: At = None) -> None:
    """Count what is in the graph: entities, edges, how sure they are, hubs, roots, leaves and circles."""
    from forge.cli.lineage.stats_view import answer_of_stats

    with open_lineage(terminal) as view:
        found = view.stats(at=at)
    terminal.answer(answer_of_stats(found))


@command
def propagate(
    terminal: Terminal,
    names: Annotated[list[str], typer.Argument(metavar="TABLE[.COLUMN]…", help="Where it starts.")],
    property_: Annotated[str, typer.Option("--property", metavar="WORD", help="What it is, like pii:email.")] = "",
    upstream: Annotated[bool, typer.Option("--upstream", help="Against the flow of data.")] = False,
    aggregation: Annotated[bool, typer.Option("--stop-at-aggregation", help="A sum no longer carries it.")] = False,
    through_masking: Annotated[bool, typer.Option("--through-masking", help="Masking does not stop it.")] = False,
    min_confidence: Least = None,
    indirect: WithIndirect = False,
    at: At = None,
) -> None:
    """Show where a property, like a class of personal data or an incident, goes along the edges, and what stops it."""
    from forge.cli.lineage.stats_view import answer_of_propagation

    with open_lineage(terminal) as view:
        found = view.propagate(
            *names,
            property=property_,
            direction="upstream" if upstream else "downstream",
            masking=not through_masking,
            aggregation=aggregation,
            min_confidence=min_confidence,
            indirect=indirect,
            at=at,
        )
    terminal.answer(answer_of_propagation(found))


@command
def trace(
    terminal: Terminal,
    table: Annotated[str, typer.Argument(metavar="TABLE[@REF]", help="The table of the record.")],
    key: Annotated[str, typer.Argument(metavar="COLUMN=VALUE,…", help="What tells the record from the others.")],
    column: Annotated[
        str | None, typer.Option("--column", metavar="NAME", help="Only where this value comes from.")
    ] = None,
    depth: Annotated[int, typer.Option(metavar="N", min=1, help="How many steps.")] = 5,
    at: At = None,
) -> None:
    """Show where one record came from: the rows of its sources with the values that were copied."""
    from forge.cli.lineage.stats_view import answer_of_trace
    from forge.cli.values import read_pairs

    where = {name: str(value) for name, value in read_pairs(key, "KEY").items()}
    with open_lineage(terminal) as view:
        found = view.trace(table, where, column=column, depth=depth, at=at)
    terminal.answer(answer_of_trace(found))
