"""`forge token create|list|revoke|sessions|end`: who may sign in to the server, and who is."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command, command_group
from forge.cli.formatting import moment
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from datetime import datetime

    from forge.flows.upkeep.access import BrowserSession, Token


class ScopeOption(StrEnum):
    READ = "read"
    WRITE = "write"


@command
def create(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(help="Whose it is: the program that will use it.")],
    scope: Annotated[ScopeOption, typer.Option(help="What it may do.")] = ScopeOption.WRITE,
    expires: Annotated[str, typer.Option(metavar="TIME", help="Like 90d, 12h, 30m, or never.")] = "90d",
) -> None:
    """Create a token and print it, this once: only its hash is kept."""
    from forge.flows.upkeep.access import TokenScope

    life = _life(expires)
    with terminal.open() as wiring:
        token, secret = wiring.upkeep.access.create(name, TokenScope(scope.value), life, wiring.author.email)
        item = _item(token, wiring.clock())
    terminal.answer(CommandAnswer(name="tokens", items=[{**item, "token": secret}], head=[secret]))
    until = f"until {moment(token.expires_at)} UTC" if token.expires_at else "until it is revoked"
    terminal.say(f"Token {token.name} ({token.id}) may {token.scope}, {until}. Keep it now: it is not shown again.")
    terminal.say("Send it as a header: Authorization: Bearer TOKEN")


@command
def list_(terminal: Terminal) -> None:
    """List tokens, newest first, with when they were last used."""
    with terminal.open() as wiring:
        now = wiring.clock()
        items = [_item(token, now) for token in wiring.upkeep.access.list()]
    columns = (
        AnswerColumn("id", lambda i: str(i["id"]), style="yellow"),
        AnswerColumn("name", lambda i: str(i["name"]), style="bold"),
        AnswerColumn("scope", lambda i: str(i["scope"])),
        AnswerColumn("state", lambda i: str(i["state"])),
        AnswerColumn("expires (UTC)", lambda i: moment(i["expires_at"]) or "never"),
        AnswerColumn("last used (UTC)", lambda i: moment(i["last_used_at"]) or "never"),
        AnswerColumn("by", lambda i: str(i["created_by"])),
    )
    terminal.answer(CommandAnswer(name="tokens", items=items, columns=columns))
    if not items:
        terminal.say("No tokens yet. Make one: forge token create NAME")


@command
def revoke(terminal: Terminal, token: Annotated[str, typer.Argument(metavar="ID|NAME", help="Which one.")]) -> None:
    """Revoke a token. It stops working at once, and so do the browser sessions it opened."""
    with terminal.open() as wiring:
        access = wiring.upkeep.access
        gone = access.revoke(access.find(token).id, wiring.author.email)
        item = _item(access.find(gone.id), wiring.clock())
    terminal.answer(CommandAnswer(name="tokens", items=[item], head=[gone.id]))
    terminal.say(f"Revoked {gone.name}.")


@command
def sessions(terminal: Terminal) -> None:
    """List the browsers that are signed in, newest first, with the token that each belongs to."""
    with terminal.open() as wiring:
        items = [_session(known) for known in wiring.upkeep.access.sessions()]
    columns = (
        AnswerColumn("id", lambda i: str(i["id"]), style="yellow"),
        AnswerColumn("token", lambda i: str(i["token_name"] or "the printed address"), style="bold"),
        AnswerColumn("scope", lambda i: str(i["scope"])),
        AnswerColumn("since (UTC)", lambda i: moment(i["created_at"])),
        AnswerColumn("expires (UTC)", lambda i: moment(i["expires_at"]) or "never"),
        AnswerColumn("last used (UTC)", lambda i: moment(i["last_used_at"]) or "never"),
        AnswerColumn("user", lambda i: str(i["user"])),
    )
    terminal.answer(CommandAnswer(name="sessions", items=items, columns=columns))
    if not items:
        terminal.say("No browser is signed in.")


@command
def end(terminal: Terminal, session: Annotated[str, typer.Argument(metavar="ID", help="Which session.")]) -> None:
    """End a session: its browser is signed out. The token it belongs to stays."""
    with terminal.open() as wiring:
        wiring.upkeep.access.end_session(session, wiring.author.email)
    terminal.answer(CommandAnswer(name="sessions", items=[{"id": session, "state": "revoked"}], head=[session]))
    terminal.say(f"Ended session {session}.")


def _life(text: str) -> timedelta | None:
    from forge.cli.values import read_age

    life = None if text == "never" else read_age(text, "--expires")
    if life is not None and not life:
        raise ForgeError("E105", f"'{text}' is not a time", where="--expires", fix="Write 90d, 12h, 30m or never.")
    return life


def _item(token: Token, now: datetime) -> dict[str, object]:
    names = ("id", "name", "scope", "created_by", "created_at", "expires_at", "last_used_at", "revoked_at")
    return {**{name: getattr(token, name) for name in names}, "state": token.state(now)}


def _session(known: BrowserSession) -> dict[str, object]:
    session, token = known.session, known.token
    names = ("id", "scope", "created_at", "expires_at", "last_used_at")
    return {
        **{name: getattr(session, name) for name in names},
        "user": session.created_by,
        "token_id": token.id if token else None,
        "token_name": token.name if token else None,
    }


app = command_group(
    "Create, list and revoke tokens of programs; list and end sessions of browsers.",
    (create, list_, revoke, sessions, end),
)
