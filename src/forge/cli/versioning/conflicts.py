"""`forge conflicts list|show|resolve|continue|abort`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.command import command, command_group
from forge.cli.terminal import Terminal
from forge.cli.versioning.merge import end, watched
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.flows.versioning.merge.record import MergeRecord
    from forge.versioning.conflict import Conflict, ResolutionChoice

SHOWN = 100
MergeArgument = Annotated[str, typer.Argument(metavar="MERGE", help="Its id, or the beginning of it.")]


@command
def list_(
    terminal: Terminal,
    all_: Annotated[bool, typer.Option("--all", help="Also those that are merged, aborted or rejected.")] = False,
) -> None:
    """List the merges that wait for a decision."""
    from forge.cli.versioning.merge_view import answer_of_merges
    from forge.versioning.merge import OPEN_MERGES, MergeStatus

    with terminal.open() as wiring:
        found = wiring.metadata.merges(statuses=None if all_ else OPEN_MERGES, limit=200)
    terminal.answer(answer_of_merges(found))
    if not found:
        terminal.say("No merge waits.")
    elif not all_:
        first = found[0]
        verb = "approve" if first.status is MergeStatus.PENDING else "conflicts show"
        terminal.say(f"Next: forge {verb} {first.id}")


@command
def show(
    terminal: Terminal,
    merge_id: MergeArgument,
    table: Annotated[str | None, typer.Option(help="Only of this table.")] = None,
    column: Annotated[str | None, typer.Option(help="Only of this column.")] = None,
    open_: Annotated[bool, typer.Option("--open", help="Only those not resolved yet.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many.")] = SHOWN,
) -> None:
    """Show the conflicts of a merge: key, column, base, ours, theirs."""
    from forge.cli.versioning.merge_view import answer_of_conflicts
    from forge.flows.versioning.merge.resolve import find_merge
    from forge.model.names import TableName

    named = TableName.parse(table) if table else None
    with terminal.open() as wiring:
        found = find_merge(wiring.metadata, merge_id)
        conflicts = wiring.metadata.conflicts(found.id, table=named, column=column, open_only=open_, limit=limit + 1)
    terminal.answer(answer_of_conflicts(found, conflicts, limit))
    _next(terminal, found)


@command
def resolve(
    terminal: Terminal,
    merge_id: MergeArgument,
    take: Annotated[
        str | None, typer.Option("--take", metavar="SIDE", help="ours, theirs, base; max, min, sum.")
    ] = None,
    value: Annotated[
        str | None, typer.Option("--value", metavar="JSON", help='A value of your own: 12.5, "text", null, {"a": 1}.')
    ] = None,
    expression: Annotated[
        str | None, typer.Option("--expr", metavar="SQL", help="Over base, ours, theirs: greatest(ours, theirs).")
    ] = None,
    ids: Annotated[list[str] | None, typer.Option("--id", help="One conflict; may be given often.")] = None,
    table: Annotated[str | None, typer.Option(help="All conflicts of this table.")] = None,
    column: Annotated[str | None, typer.Option(help="All conflicts of this column.")] = None,
    key: Annotated[
        str | None, typer.Option(metavar="COL=VALUE,…", help="All conflicts of one row: order_id=10017.")
    ] = None,
) -> None:
    """Say what shall be: one conflict, a row, a column, a table or all. Kept at once; nothing moves yet."""
    from forge.cli.values import read_pairs
    from forge.cli.versioning.merge_view import answer_of_conflicts
    from forge.flows.versioning.merge.resolve import Resolution, find_merge
    from forge.flows.versioning.merge.resolve import resolve as go

    how, chosen = _parse_resolution(take, value, expression)
    with terminal.open() as wiring:
        ports = wiring.versioning.ports()
        found = find_merge(wiring.metadata, merge_id, is_open=True)
        wanted = _whole_ids(found, wiring.metadata.conflicts(found.id), ids or []) if ids else ()
        resolution = Resolution(how, wanted, table, column, read_pairs(key, "--key") if key else None, chosen)
        found = go(found.id, [resolution], ports)
        conflicts = wiring.metadata.conflicts(found.id, limit=SHOWN + 1)
    terminal.answer(answer_of_conflicts(found, conflicts, SHOWN))
    _next(terminal, found)


def _next(terminal: Terminal, found: MergeRecord) -> None:
    """What to type next, where something is left to decide."""
    from forge.versioning.merge import OPEN_MERGES, MergeStatus

    if found.status not in OPEN_MERGES:
        return
    if not found.fully_resolved:
        terminal.say(f"Resolve: forge conflicts resolve {found.id} --take ours|theirs  (or --value, --expr; --id, …)")
    elif found.status is MergeStatus.PENDING:
        terminal.say(f"Someone else approves it: forge approve {found.id}")
    else:
        done = "All resolved. " if found.conflict_count else ""
        terminal.say(f"{done}Merge: forge conflicts continue {found.id}")


def _parse_resolution(take: str | None, value: str | None, expression: str | None) -> tuple[ResolutionChoice, object]:
    from forge.versioning.resolution import UNSET, parse_rule

    word = take if value is None or take != "manual" else None  # `--take manual --value 1` says it twice
    if sum(text is not None for text in (word, value, expression)) != 1:
        raise ForgeError("E619", "Say one of --take, --value and --expr", fix="--take theirs, for example.")
    given: object = UNSET if expression is None else expression
    if value is not None:
        try:
            given = json.loads(value)
        except json.JSONDecodeError as error:
            fix = f"Texts need quotes: --value '\"{value}\"'"
            raise ForgeError("E619", f"--value {value} is no JSON", why=str(error), fix=fix) from error
    rule = parse_rule(word or ("expression" if value is None else "manual"), value=given)
    return rule.take, rule.value


def _whole_ids(found: MergeRecord, conflicts: Sequence[Conflict], given: Sequence[str]) -> tuple[str, ...]:
    """Ids may be abbreviated, as in the table."""
    from forge.model.name_suggestions import did_you_mean

    known = [conflict.id for conflict in conflicts]
    whole = []
    for text in given:
        alike = [one for one in known if one.startswith(text)]
        if len(alike) != 1:
            why = f"{len(alike)} begin with it." if alike else did_you_mean(text, [one[:8] for one in known])
            fix = f"forge conflicts show {found.id}"
            raise ForgeError("E616", f"Merge {found.id} has no conflict '{text}'", why=why, fix=fix)
        whole += alike
    return tuple(whole)


@command
def continue_(terminal: Terminal, merge_id: MergeArgument) -> None:
    """Merge with what was resolved, on the branches as they are now."""
    from forge.flows.versioning.merge.resolve import continue_merge

    with terminal.open() as wiring, watched(terminal, wiring) as ports:
        result = continue_merge(merge_id, ports)
    end(terminal, result)


@command
def abort(terminal: Terminal, merge_id: MergeArgument) -> None:
    """Give the merge up. Both branches stay where they are."""
    from forge.cli.versioning.merge_view import answer_of_merges
    from forge.flows.versioning.merge.resolve import abort_merge

    with terminal.open() as wiring:
        closed = abort_merge(merge_id, wiring.versioning.ports())
    terminal.answer(answer_of_merges([closed]))
    terminal.say("Aborted. Both branches stay where they are.")


app = command_group("Resolve the conflicts of merges.", (list_, show, resolve, continue_, abort))
