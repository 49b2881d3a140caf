"""`forge catalog edit|tag|undo|approve`: the documentation of assets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forge.cli.answer import AnswerColumn, CommandAnswer
from forge.cli.catalog.show import Asset
from forge.cli.command import command
from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.connection.catalog.items import EditItem

Column = Annotated[str | None, typer.Option("--column", metavar="NAME", help="Of this column, not of the asset.")]
Version = Annotated[
    int | None, typer.Option("--expected-version", metavar="N", help="Refuse where it is no longer at this version.")
]
_TEXTS = ("description", "owner", "team", "classification", "domain", "deprecated")
_CLEARED = "none"


@command
def edit(
    terminal: Terminal,
    asset: Asset,
    description: Annotated[
        str | None, typer.Option("--description", "-d", metavar="TEXT", help="Markdown; @FILE reads a file.")
    ] = None,
    owner: Annotated[str | None, typer.Option("--owner", metavar="WHO", help="Who answers for it.")] = None,
    team: Annotated[str | None, typer.Option("--team", metavar="NAME", help="Whose it is.")] = None,
    stewards: Annotated[list[str] | None, typer.Option("--steward", metavar="WHO", help="Repeated.")] = None,
    classification: Annotated[
        str | None,
        typer.Option("--classification", metavar="LEVEL", help="public, internal, confidential or restricted."),
    ] = None,
    domain: Annotated[str | None, typer.Option("--domain", metavar="NAME", help="Like finance.")] = None,
    primary_key: Annotated[list[str] | None, typer.Option("--key", metavar="COLUMN", help="Repeated.")] = None,
    deprecated: Annotated[
        str | None, typer.Option("--deprecated", metavar="TEXT", help="Why, and what to use instead.")
    ] = None,
    terms: Annotated[
        list[str] | None, typer.Option("--term", metavar="TERM", help="Of the glossary; repeated.")
    ] = None,
    column: Column = None,
    expected_version: Version = None,
) -> None:
    """Change the documentation of an asset, or of one of its columns; `none` takes a field away."""
    from forge.connection.catalog.assets import CatalogView

    given = {
        "description": _of_file(description),
        "owner": owner,
        "team": team,
        "classification": classification,
        "domain": domain,
        "deprecated": deprecated,
        "stewards": stewards,
        "primary_key": primary_key,
        "terms": terms,
    }
    fields: dict[str, Any] = {name: _cleared(value) for name, value in given.items() if value is not None}
    if not fields:
        raise ForgeError("E105", "What is to be changed?", fix=f"forge catalog edit {asset} --owner ada@example.com")
    if column is not None:
        fields = {"columns": {column: _of_column(fields)}}
    with terminal.open() as wiring:
        done = CatalogView(wiring).edit(asset, expected_version=expected_version, **fields)
    _answer(terminal, done)


@command
def tag(
    terminal: Terminal,
    asset: Asset,
    tags: Annotated[list[str], typer.Argument(metavar="TAG...", help="To add; with - before it, to remove: -draft.")],
    column: Column = None,
) -> None:
    """Add tags to an asset or a column, or remove them: forge catalog tag core.orders gold -- -draft"""
    from forge.connection.catalog.assets import CatalogView

    with terminal.open() as wiring:
        add = [one for one in tags if not one.startswith("-")]
        remove = [one[1:] for one in tags if one.startswith("-")]
        done = CatalogView(wiring).tag(asset, add, remove, column)
    _answer(terminal, done)


@command
def undo(
    terminal: Terminal,
    asset: Asset,
    version: Annotated[
        int | None, typer.Argument(metavar="[VERSION]", help="Of the edit to take back; default: the last.")
    ] = None,
    expected_version: Version = None,
) -> None:
    """Take an edit back: a new edit that restores what was before it."""
    from forge.connection.catalog.assets import CatalogView

    with terminal.open() as wiring:
        done = CatalogView(wiring).undo(asset, version, expected_version=expected_version)
    _answer(terminal, done)


@command
def approve(
    terminal: Terminal,
    proposal: Annotated[str | None, typer.Argument(metavar="[PROPOSAL]", help="Without one, list those open.")] = None,
    reject: Annotated[bool, typer.Option("--reject", help="Do not make the edit.")] = False,
    comment: Annotated[str, typer.Option("--comment", metavar="TEXT", help="Why.")] = "",
) -> None:
    """Approve or reject an edit that somebody else proposed, in a domain that asks for it."""
    from forge.connection.catalog.assets import CatalogView

    with terminal.open() as wiring:
        view = CatalogView(wiring)
        if proposal is not None:
            done = view.reject(proposal, comment) if reject else view.approve(proposal, comment)
            found = [done.proposal.to_dict()] if done.proposal else []
        else:
            found = view.proposals().rows()
    columns = [
        AnswerColumn("ID", lambda item: str(item["id"]), style="bold"),
        AnswerColumn("ASSET", lambda item: str(item["asset"])),
        AnswerColumn("STATE", lambda item: str(item["state"])),
        AnswerColumn("BY", lambda item: str(item["by"])),
        AnswerColumn("CHANGES", lambda item: ", ".join(item["changes"])),  # type: ignore[arg-type]
    ]
    terminal.answer(CommandAnswer(name="proposals", items=found, columns=columns))
    if not found:
        terminal.say("No edit waits for approval.")


def _of_file(text: str | None) -> str | None:
    if text is None or not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ForgeError("E105", f"{text[1:]} cannot be read", why=str(error), fix="Name a text file.") from error


def _cleared(value: str | list[str]) -> str | list[str] | None:
    return None if value == _CLEARED or value == [_CLEARED] else value


def _of_column(fields: dict[str, Any]) -> dict[str, Any]:
    """A column has a description and one term."""
    if set(fields) - {"description", "terms"} or len(fields.get("terms") or ()) > 1:
        raise ForgeError("E105", "A column has a description, one term and tags", fix="--description, --term, or tag.")
    described = {key: value for key, value in fields.items() if key == "description"}
    return {**described, **({"term": (fields["terms"] or [None])[0]} if "terms" in fields else {})}


def _answer(terminal: Terminal, done: EditItem) -> None:
    columns = [
        AnswerColumn("ASSET", lambda item: str(item["qualified_name"]), style="bold"),
        AnswerColumn("VERSION", lambda item: str(item["documentation_version"]), right=True),
        AnswerColumn("OWNER", lambda item: str(item["owner"] or "")),
        AnswerColumn("DOMAIN", lambda item: str(item["domain"] or "")),
        AnswerColumn("TAGS", lambda item: ", ".join(item["tags"])),  # type: ignore[arg-type]
    ]
    answer = done.to_dict()
    facts = {key: answer[key] for key in ("edit", "proposal")}
    terminal.answer(CommandAnswer(name="assets", items=[done.item.to_dict()], columns=columns, facts=facts))
    if done.proposal is not None:
        terminal.say(f"Proposed. Someone else makes it so: forge catalog approve {done.proposal.id}")
    elif done.edit is None:
        terminal.say("It says that already.")
