"""`forge contract init|lint|diff|check|drift|register|list|show|export|import|publish-results`.

Each word is a function of its own module and is imported when it is asked for: most calls of `forge` need none of
them."""

from __future__ import annotations

from functools import partial
from typing import Any

from typer.core import TyperGroup

from forge.cli.command import command_group
from forge.cli.command_table import LazyCommands, load_command

# The word → its module and function; the order is that of the help.
HOMES = {
    "init": "init:init",
    "lint": "lint:lint",
    "diff": "diff:diff",
    "check": "check:check",
    "drift": "drift:drift",
    "register": "register:register",
    "list": "listing:list_",
    "show": "show:show",
    "state": "state:state",
    "export": "export:export",
    "import": "imports:import_",
    "publish-results": "publish_results:publish_results",
}


class LazyGroup(TyperGroup):
    """A group whose commands are imported by name, on use."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = LazyCommands(
            {word: partial(load_command, word, f"contracts.{home}") for word, home in HOMES.items()}
        )


app = command_group(
    "Data contracts (ODCS): lint them, compare versions, check them against parents and tables.", (), cls=LazyGroup
)
