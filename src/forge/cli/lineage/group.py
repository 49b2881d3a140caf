"""`forge lineage snapshot|diff|path|edge|search|…`; `forge lineage core.orders` is `forge lineage show core.orders`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from forge.cli.command import command, command_group
from forge.cli.lineage.graph import order, propagate, stats, trace
from forge.cli.lineage.ingest import extract, sources
from forge.cli.lineage.record import export, import_, record
from forge.cli.lineage.spark import capture, verify
from forge.cli.lineage.walk import At, Least, WithIndirect, open_lineage, walk_command
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.lineage.graph.store import Snapshot

NOT_SUBJECTS = ("-h", "--help")


class DefaultShowGroup(TyperGroup):
    """An unknown subcommand is the table or column to show. A table named like a subcommand needs `show`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # Typer has a Click of its own
        if args and args[0] not in self.commands and args[0] not in NOT_SUBJECTS:
            args = ["show", *args]
        return super().parse_args(ctx, args)


def _or_word(error: ForgeError, name: str) -> ForgeError:
    """What is no name of the graph may be a misspelt word of `forge lineage`."""
    from difflib import get_close_matches

    from forge.lineage.errors import NotInGraphError

    words = [command.name for command in app.registered_commands if command.name]
    near = get_close_matches(name, words, n=1, cutoff=0.6)
    if not isinstance(error, NotInGraphError) or not near:
        return error
    fix = f"{error.fix} The command is `forge lineage {near[0]}`."
    return error.but(fix=fix)


show = walk_command("both", "Show both directions of a table or column; the word `show` may be left out.", _or_word)
show.__name__ = "show"  # the name of the command


@command
def snapshot(
    terminal: Terminal,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Without a name, list them.")] = None,
    at: At = None,
    description: Annotated[str, typer.Option("--description", "-d", metavar="TEXT", help="What it is for.")] = "",
    delete: Annotated[bool, typer.Option("--delete", help="Forget the name; what was then stays known.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List them; so does no name at all.")] = False,
) -> None:
    """Name the graph as it is now, or at a time. It costs a row, not a copy."""
    from forge.cli.lineage.graph_view import answer_of_snapshots

    if name is None and (delete or at or description):
        raise ForgeError("E105", "Which snapshot?", fix="forge lineage snapshot before-release")
    with open_lineage(terminal) as view:
        found: Sequence[Snapshot] = view.snapshots()
        if delete and name is not None:
            found = [one for one in found if one.name == name]
            view.drop_snapshot(name)
        elif name is not None and not list_:
            found = [view.snapshot(name, at=at, description=description)]
    terminal.answer(answer_of_snapshots(found))
    if delete:
        terminal.say("Forgotten. The graph of that time can still be asked for by its time.")
    elif name is not None and not list_:
        terminal.say(f"Compare later: forge lineage diff {name}")
    elif not found:
        terminal.say("No snapshots yet. Make one: forge lineage snapshot before-release")


@command
def diff(
    terminal: Terminal,
    a: Annotated[str, typer.Argument(metavar="A", help="A snapshot, time, branch, tag or commit; or A..B.")],
    b: Annotated[str | None, typer.Argument(metavar="[B]", help="The same; default: now.")] = None,
) -> None:
    """Show which nodes and edges of the graph were added, removed or changed between two times."""
    from forge.cli.lineage.graph_view import answer_of_changes

    before, dots, after = a.partition("..")
    if not dots or b is not None:
        before, after = a, b or ""
    after = after or "now"
    with open_lineage(terminal) as view:
        found = view.diff(before, None if after == "now" else after)
    terminal.answer(answer_of_changes(found, before, after))


@command
def path(
    terminal: Terminal,
    source: Annotated[str, typer.Argument(metavar="FROM", help="Where data comes from.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="Where it goes to.")],
    count: Annotated[int, typer.Option("--count", "-n", metavar="K", min=1, help="How many at most.")] = 3,
    depth: Annotated[str, typer.Option(metavar="N|all", help="Paths of at most so many steps.")] = "all",
    min_confidence: Least = None,
    indirect: WithIndirect = False,
    at: At = None,
) -> None:
    """Show the most confident paths along which data goes from one table or column to another."""
    from forge.cli.lineage.graph_view import answer_of_paths
    from forge.cli.values import read_number

    steps = read_number(depth, "--depth")
    with open_lineage(terminal) as view:
        found = view.paths(source, target, count, depth=steps, min_confidence=min_confidence, indirect=indirect, at=at)
    terminal.answer(answer_of_paths(found, source, target))
    if not found:
        more = "" if indirect else " With joins and filters: --indirect."
        terminal.say(f"No way leads from {source} to {target}.{more}")


@command
def edge(
    terminal: Terminal,
    edge_id: Annotated[
        str, typer.Argument(metavar="EDGE", help="Like 'core.orders.amount->marts.daily.net#aggregated'.")
    ],
    at: At = None,
    close: Annotated[bool, typer.Option("--close", help="Take it back, if it was declared by hand.")] = False,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why it is taken back.")] = "",
) -> None:
    """Show one edge: how the value is made, how sure that is, who says so and where it was seen."""
    from forge.cli.lineage.graph_view import answer_of_edge

    with open_lineage(terminal) as view:
        if close:
            view.close(edge_id, reason=reason)
        found, life = view.edge(edge_id, at=at), view.history(edge_id)
    terminal.answer(answer_of_edge(found, life))
    if close:
        terminal.say("Closed. It stays in the history of the graph.")


@command
def search(
    terminal: Terminal,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words of a name, in any order.")],
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="TYPE", help="Only tables, columns, dashboards…; repeatable.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 50,
) -> None:
    """Find tables, columns and everything else of the graph by words of their names."""
    from forge.cli.lineage.graph_view import answer_of_nodes

    with open_lineage(terminal) as view:
        found = view.search(text, types or (), limit=limit)
    terminal.answer(answer_of_nodes(found))
    if not found:
        terminal.say(f"Nothing of the graph is called like '{text}'.")
    elif len(found) == limit:
        terminal.say(f"The first {limit} are shown. More: a greater --limit")


_OF_THE_GRAPH = (show, snapshot, diff, path, edge, search, order, stats, propagate, trace)
_OF_CODE_AND_RECORDS = (extract, sources, verify, export, import_, record)
app = command_group(
    "Show where tables and columns come from and go to; snapshots, differences and records of lineage.",
    (*_OF_THE_GRAPH, *_OF_CODE_AND_RECORDS),
    cls=DefaultShowGroup,
    subcommand_metavar="TABLE[.COLUMN] | COMMAND [ARGS]...",
)
# Arguments after the script belong to the script.
app.command("capture", context_settings={"allow_interspersed_args": False})(capture)
