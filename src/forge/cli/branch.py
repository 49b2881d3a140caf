"""`forge branch list|create|delete`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.command import command
from forge.cli.terminal import Terminal

if TYPE_CHECKING:
    from forge.flows.branches import BranchView
    from forge.versioning.branch import Branch

app = typer.Typer(help="List, create and delete branches.", rich_markup_mode=None, no_args_is_help=True)


@command
def list_(terminal: Terminal) -> None:
    """List branches with their newest commit, and how far they are from the default one."""
    from forge.cli.answer import Answer, Column
    from forge.cli.words import moment, short
    from forge.flows.branches import list_branches

    with terminal.open() as wiring:
        items = [_view_item(view) for view in list_branches(wiring.metadata, wiring.default_branch)]
    columns = (
        Column("branch", lambda i: str(i["name"]), style="bold"),
        Column("commit", lambda i: short(i["head"]), style="yellow"),
        Column("ahead", lambda i: str(i["ahead"]), right=True),
        Column("behind", lambda i: str(i["behind"]), right=True),
        Column("updated (UTC)", lambda i: moment(i["updated_at"])),
        Column("description", lambda i: str(i["description"])),
    )
    terminal.answer(Answer("branches", items, columns))


@command
def create(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(help="Like fix-orders or feature/a.")],
    start: Annotated[str, typer.Option("--from", metavar="REV", help="Where it starts.")] = "HEAD",
    description: Annotated[str, typer.Option("--description", "-d", metavar="TEXT", help="What it is for.")] = "",
) -> None:
    """Create a branch. Writes no data: it starts at a commit that knows every table."""
    from forge.cli.answer import Answer
    from forge.cli.words import short
    from forge.flows.branches import create_branch

    with terminal.open() as wiring:
        branch = create_branch(
            wiring.metadata,
            name,
            start,
            current=wiring.default_branch,
            author=wiring.author,
            clock=wiring.clock,
            description=description,
        )
    place = f"at commit {short(branch.head)}" if branch.head else "with no commit yet"
    terminal.answer(Answer("branches", [_item(branch)], head=[f"{branch.name}"]))
    terminal.say(f"Created {place}. Work on it: forge run --branch {branch.name}")


@command
def delete(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(help="The branch.")],
    force: Annotated[bool, typer.Option("--force", help="Even if no other branch has its commits.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a branch. The default branch stays; commits of no other branch need --force."""
    from forge.cli.answer import Answer
    from forge.flows.branches import delete_branch
    from forge.flows.revisions import find_branch
    from forge.model.names import BranchName

    with terminal.open() as wiring:
        find_branch(wiring.metadata, BranchName(name))
        if force and not yes and sys.stdin.isatty():
            typer.confirm(f"Delete '{name}' and what only it has?", abort=True, err=True)
        gone = delete_branch(
            wiring.metadata,
            wiring.lake,
            name,
            default=wiring.default_branch,
            author=wiring.author,
            clock=wiring.clock,
            force=force,
        )
    terminal.answer(Answer("branches", [_item(gone)], head=[f"{gone.name}"]))
    terminal.say("Deleted.")


def _item(branch: Branch) -> dict[str, object]:
    return {
        "name": branch.name,
        "head": branch.head,
        "parent": branch.parent,
        "fork_commit": branch.fork_commit,
        "created_at": branch.created_at,
        "created_by": branch.created_by,
        "updated_at": branch.updated_at,
        "description": branch.description,
        "status": branch.status,
        "is_default": branch.is_default,
    }


def _view_item(view: BranchView) -> dict[str, object]:
    return {**_item(view.branch), "ahead": view.ahead, "behind": view.behind}


app.command("list")(list_)
app.command("create")(create)
app.command("delete")(delete)
