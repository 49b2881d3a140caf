"""`forge contract state NAME STATE`: move a contract to the next state of its lifecycle."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command
from forge.cli.formatting import plural
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from datetime import datetime

    from forge.connection.contracts.registry import ContractsView


class LifecycleWord(StrEnum):
    ACTIVE = "active"
    DEPRECATED = "deprecated"
    SUNSET = "sunset"
    RETIRED = "retired"


@command
def state(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(metavar="CONTRACT", help="Its id, name, table or file.")],
    state: Annotated[LifecycleWord, typer.Argument(metavar="STATE", help="active, deprecated, sunset or retired.")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; its consumers read it.")] = "",
    ends_at: Annotated[
        str | None, typer.Option("--ends-at", metavar="TIME", help="When it is to be retired: 2027-03-31.")
    ] = None,
    replacement: Annotated[
        str | None, typer.Option("--replacement", metavar="CONTRACT", help="The id of the one to go to.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say who would be told; change nothing.")] = False,
) -> None:
    """Move a contract on: draft, active, deprecated, sunset, retired, and not back. From deprecated on, its consumers
    are notified by the channels of the project; a retired one gets no new readers."""
    from forge.connection.contracts.registry import ContractsView

    ends = _moment(ends_at)
    with terminal.open() as wiring:
        view = ContractsView(wiring, wiring.default_branch)
        if dry_run:
            _refuse(view, name, state)
            consumers = view.consumers(name)
            columns = (
                AnswerColumn("consumer", lambda i: str(i["name"]), style="bold"),
                AnswerColumn("owner", lambda i: str(i["owner"] or "")),
                AnswerColumn("hops", lambda i: str(i["depth"]), right=True),
            )
            terminal.answer(CommandAnswer(name="consumers", items=consumers.rows(), columns=columns))
            notice = _notice_text(view, len(consumers), state)
            terminal.say(f"It can be {state}{notice}. Nothing was changed.")
            return
        item = view.set_state(name, state, reason=reason, ends_at=ends, replacement=replacement)
        notice = _notice_text(view, len(view.consumers(item.id)), state)
    line = f"{item.id} {item.version} is {item.state}{notice}"
    terminal.answer(CommandAnswer(name="contracts", items=[item.to_dict()], head=[line]))


def _notice_text(view: ContractsView, consumers: int, state: LifecycleWord) -> str:
    """Who is notified, and how."""
    from forge.contracts.lifecycle import ENDING
    from forge.flows.contracts.lifecycle import notice_channels

    if state.value not in ENDING:
        return ""
    channels = notice_channels(view.wiring.contracts.ports())
    who = plural(consumers, "consumer")
    if not consumers:
        return f"; {who} to tell"
    if not channels:
        return f"; {who}, and no channel to tell them: set alerts.channels in forge.yaml"
    return f"; a notice to {who} goes to {', '.join(channels)} (forge serve sends it)"


def _refuse(view: ContractsView, name: str, state: LifecycleWord) -> None:
    from forge.contracts.lifecycle import ContractState, refuse_move

    refuse_move(name, ContractState(view.get(name).state), ContractState(state.value))


def _moment(text: str | None) -> datetime | None:
    from datetime import datetime

    from forge.model.time import as_utc

    if text is None:
        return None
    try:
        return as_utc(datetime.fromisoformat(text.strip()))
    except (ValueError, OverflowError) as error:
        raise ForgeError(
            "E105", f"--ends-at: '{text}' is not a time", fix="Write a date like 2027-03-31, or 2027-03-31T08:30:00."
        ) from error
