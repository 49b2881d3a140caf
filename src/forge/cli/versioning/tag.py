"""`forge tag list|create|delete`."""

from __future__ import annotations

from typing import Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command, command_group
from forge.cli.formatting import moment, short
from forge.cli.terminal import Terminal


@command
def list_(terminal: Terminal) -> None:
    """List tags with the commits they name."""
    from forge.flows.versioning.tags import list_tags

    with terminal.open() as wiring:
        items = [tag.to_dict() for tag in list_tags(wiring.metadata)]
    columns = (
        AnswerColumn("tag", lambda i: str(i["name"]), style="bold"),
        AnswerColumn("commit", lambda i: short(i["target"]), style="yellow"),
        AnswerColumn("time (UTC)", lambda i: moment(i["time"])),
        AnswerColumn("by", lambda i: str(i["tagger"]["name"]) if isinstance(i["tagger"], dict) else ""),
        AnswerColumn("message", lambda i: next(iter(str(i["message"]).splitlines()), "")),
    )
    terminal.answer(CommandAnswer(name="tags", items=items, columns=columns))
    if not items:
        terminal.say("No tags yet. Make one: forge tag create v1.0")


@command
def create(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(help="Like v1.0 or release/2026-11.")],
    target: Annotated[str, typer.Argument(metavar="[REV]", help="The commit to name.")] = "HEAD",
    message: Annotated[str, typer.Option("--message", "-m", metavar="TEXT", help="What it stands for.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Move it, if it exists.")] = False,
) -> None:
    """Name a commit. A tag keeps what its commit needs, and stays where it is."""
    from forge.flows.versioning.tags import create_tag

    with terminal.open() as wiring:
        tag = create_tag(
            wiring.metadata,
            name,
            target,
            message=message,
            author=wiring.author,
            clock=wiring.clock,
            current=wiring.default_branch,
            force=force,
            signer=wiring.versioning.signer,
            protected=wiring.settings.versioning.protected_branches,
        )
    terminal.answer(CommandAnswer(name="tags", items=[tag.to_dict()], head=[tag.name]))
    terminal.say(f"Tagged commit {short(tag.target)}. Read it: forge query … --at {tag.name}")


@command
def delete(terminal: Terminal, name: Annotated[str, typer.Argument(help="The tag.")]) -> None:
    """Delete a tag. Its commit stays, as long as a branch or another tag has it."""
    from forge.flows.versioning.tags import delete_tag

    with terminal.open() as wiring:
        tag = delete_tag(
            wiring.metadata,
            name,
            author=wiring.author,
            clock=wiring.clock,
            protected=wiring.settings.versioning.protected_branches,
        )
    terminal.answer(CommandAnswer(name="tags", items=[tag.to_dict()], head=[tag.name]))
    terminal.say(f"Deleted. It was at commit {short(tag.target)}.")


app = command_group("List, create and delete tags.", (list_, create, delete))
