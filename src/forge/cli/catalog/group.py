"""`forge catalog scan|search|show|…`. A module is imported when its word is called."""

from __future__ import annotations

from functools import partial
from typing import Any

from typer.core import TyperGroup

from forge.cli.command import command_group
from forge.cli.command_table import LazyCommands, load_command

# The word → its module and function; the order is that of the help.
HOMES: dict[str, str] = {
    "scan": "scan:scan",
    "search": "search:search",
    "suggest": "search:suggest",
    "context": "search:context",
    "reindex": "search:reindex",
    "show": "show:show",
    "edit": "edit:edit",
    "tag": "edit:tag",
    "history": "show:history",
    "undo": "edit:undo",
    "approve": "edit:approve",
    "register": "labels:register",
    "domains": "labels:domains",
    "tags": "labels:tags",
    "profile": "profile:profile",
    "glossary": "glossary:app",
    "popular": "discovery:popular",
    "usage": "discovery:usage",
    "similar": "discovery:similar",
    "recommend": "discovery:recommend",
}


class CatalogGroup(TyperGroup):
    """A group whose commands are imported by name, on use."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = LazyCommands(
            {word: partial(load_command, word, f"catalog.{home}") for word, home in HOMES.items()}
        )


app = command_group("Assets: crawl, search, show and document them.", (), cls=CatalogGroup)
