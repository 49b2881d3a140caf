"""`forge branch list|create|delete|rename|archive|protect|unprotect|describe`."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.command import command, command_group
from forge.cli.formatting import moment, short
from forge.cli.terminal import Terminal

if TYPE_CHECKING:
    from forge.flows.versioning.branches import BranchSummary
    from forge.versioning.branch import Branch
    from forge.wiring import Wiring

Name = Annotated[str, typer.Argument(help="The branch.")]


@command
def list_(
    terminal: Terminal,
    all_: Annotated[bool, typer.Option("--all", "-a", help="Archived ones, too.")] = False,
) -> None:
    """List branches with their newest commit, and how far they are from the default one."""
    from forge.flows.versioning.branches import list_branches

    with terminal.open() as wiring:
        views = list_branches(wiring.metadata, wiring.default_branch)
        shown = [view for view in views if all_ or view.branch.status != "archived"]
        items = [_item(wiring, view) for view in shown]
    columns = (
        AnswerColumn("branch", lambda i: str(i["name"]), style="bold"),
        AnswerColumn("commit", lambda i: short(i["head_commit"]), style="yellow"),
        AnswerColumn("ahead", lambda i: str(i["ahead"]), right=True),
        AnswerColumn("behind", lambda i: str(i["behind"]), right=True),
        AnswerColumn("updated (UTC)", lambda i: moment(i["updated_at"])),
        AnswerColumn("", _state),
        AnswerColumn("description", lambda i: str(i["description"])),
    )
    terminal.answer(CommandAnswer(name="branches", items=items, columns=columns))
    hidden = len(views) - len(shown)
    if hidden:
        terminal.say(f"{hidden} archived not shown. All: forge branch list --all")


@command
def create(
    terminal: Terminal,
    name: Annotated[str, typer.Argument(help="Like fix-orders or feature/a.")],
    start: Annotated[
        str, typer.Option("--from", metavar="REV", help="Where it starts: a branch, tag, commit or time.")
    ] = "HEAD",
    description: Annotated[str, typer.Option("--description", "-d", metavar="TEXT", help="What it is for.")] = "",
) -> None:
    """Create a branch. Writes no data: it starts at a commit that knows every table."""
    from forge.flows.versioning.branches import create_branch

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
        _answer(terminal, wiring, branch)
    place = f"at commit {short(branch.head)}" if branch.head else "with no commit yet"
    terminal.say(f"Created {place}. Work on it: forge run --branch {branch.name}")


@command
def delete(
    terminal: Terminal,
    name: Name,
    force: Annotated[bool, typer.Option("--force", help="Even if no other branch has its commits.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a branch. The default branch and protected ones stay; commits of no other branch need --force."""
    from forge.flows.versioning.branches import delete_branch
    from forge.flows.versioning.revisions import find_branch
    from forge.model.names import BranchName

    with terminal.open() as wiring:
        find_branch(wiring.metadata, BranchName(name))
        if force and not yes and sys.stdin.isatty():
            terminal.confirm(f"Delete '{name}' and what only it has?")
        gone = delete_branch(
            wiring.metadata,
            wiring.lake,
            name,
            default=wiring.default_branch,
            author=wiring.author,
            clock=wiring.clock,
            force=force,
            protected=wiring.settings.versioning.protected_branches,
        )
        _answer(terminal, wiring, gone)
    terminal.say("Deleted.")


@command
def rename(
    terminal: Terminal, name: Name, new: Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")]
) -> None:
    """Rename a branch. Its commits, and what they hold, stay as they are."""
    from forge.flows.versioning.branches import rename_branch

    with terminal.open() as wiring:
        branch = rename_branch(
            wiring.metadata,
            wiring.lake,
            name,
            new,
            default=wiring.default_branch,
            author=wiring.author,
            clock=wiring.clock,
            protected=wiring.settings.versioning.protected_branches,
        )
        _answer(terminal, wiring, branch)
    terminal.say(f"Renamed {name} to {branch.name}.")


@command
def archive(
    terminal: Terminal,
    name: Name,
    restore: Annotated[bool, typer.Option("--restore", help="Bring it back.")] = False,
) -> None:
    """Put a branch out of sight. It keeps all it holds, until it is deleted."""
    from forge.flows.versioning.branches import archive_branch

    with terminal.open() as wiring:
        branch = archive_branch(
            wiring.metadata,
            name,
            default=wiring.default_branch,
            author=wiring.author,
            clock=wiring.clock,
            restore=restore,
        )
        _answer(terminal, wiring, branch)
    terminal.say("Restored." if restore else f"Archived. Back again: forge branch archive {name} --restore")


@command
def protect(
    terminal: Terminal,
    name: Name,
    no_approval: Annotated[
        bool, typer.Option("--no-approval", help="Merges into it need no approval; this is audited.")
    ] = False,
    allow: Annotated[
        list[str] | None, typer.Option("--allow", metavar="USER", help="Only these may merge into it; repeatable.")
    ] = None,
) -> None:
    """Protect a branch: it changes by merges alone, each approved by someone other than its author."""
    from forge.flows.versioning.branches import protect_branch

    with terminal.open() as wiring:
        branch = protect_branch(
            wiring.metadata,
            name,
            protected=True,
            require_approval=False if no_approval else None,
            allowed_mergers=allow or (),
            author=wiring.author,
            clock=wiring.clock,
        )
        _answer(terminal, wiring, branch)
    terminal.say("Protected: it changes by merges alone" + (", without approval." if no_approval else "."))


@command
def unprotect(terminal: Terminal, name: Name) -> None:
    """Take the protection away. What forge.yaml protects stays protected."""
    from forge.flows.versioning.branches import protect_branch

    with terminal.open() as wiring:
        branch = protect_branch(
            wiring.metadata,
            name,
            protected=False,
            author=wiring.author,
            clock=wiring.clock,
            declared=wiring.settings.versioning.protected_branches,
        )
        _answer(terminal, wiring, branch)
    terminal.say("No longer protected.")


@command
def describe(
    terminal: Terminal, name: Name, text: Annotated[str, typer.Argument(metavar="TEXT", help="What it is for.")]
) -> None:
    """Say what a branch is for."""
    from forge.flows.versioning.branches import set_description

    with terminal.open() as wiring:
        branch = set_description(wiring.metadata, name, text, author=wiring.author, clock=wiring.clock)
        _answer(terminal, wiring, branch)
    terminal.say("Described.")


def _answer(terminal: Terminal, wiring: Wiring, branch: Branch) -> None:
    from forge.flows.versioning.branches import view_branch

    item = _item(wiring, view_branch(wiring.metadata, branch, wiring.default_branch))
    terminal.answer(CommandAnswer(name="branches", items=[item], head=[f"{branch.name}"]))


def _item(wiring: Wiring, view: BranchSummary) -> dict[str, object]:
    from forge.versioning.protection import effective

    keys = wiring.settings.versioning
    branch = effective(view.branch, keys.protected_branches, keys.require_review_for_protected)
    return replace(view, branch=branch).to_dict()


def _state(item: object) -> str:
    assert isinstance(item, dict)
    words = [str(item["status"])] if item["status"] != "active" else []
    return ", ".join([*words, "protected"] if item["is_protected"] else words)


app = command_group(
    "List, create, protect and delete branches.", (list_, create, delete, rename, archive, protect, unprotect, describe)
)
