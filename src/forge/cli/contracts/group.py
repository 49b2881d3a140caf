"""`forge contract init|lint|diff|check|drift|register|list|show|export|import|publish-results`.

Each word is a function of its own module, named by it, and is imported when it is asked for: most calls of
`forge` need none of them."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from typing import Any

import typer
from typer.core import TyperGroup

# The word → the function in its module; the order is that of the help.
WORDS: dict[str, str] = {
    "init": "init",
    "lint": "lint",
    "diff": "diff",
    "check": "check",
    "drift": "drift",
    "register": "register",
    "list": "list_",
    "show": "show",
    "state": "state",
    "export": "export",
    "import": "import_",
    "publish-results": "publish_results",
}

_MODULES = {"list": "listing", "import": "imports"}  # of commands that could not give theirs the name


class LazyGroup(TyperGroup):
    """A group whose commands are imported by name, on use."""

    @property
    def commands(self) -> dict[str, Any]:
        """All of them, for the reference."""
        return {word: self.get_command(None, word) for word in self.list_commands(None)}

    @commands.setter
    def commands(self, given: object) -> None:
        """Typer gives an empty one."""

    def list_commands(self, ctx: Any) -> list[str]:  # Typer has a Click of its own
        return [word for word in WORDS if importlib.util.find_spec(_module_of(word)) is not None]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return _command_of(cmd_name) if cmd_name in self.list_commands(ctx) else None


@cache
def _command_of(word: str) -> Any:
    one = typer.Typer(add_completion=False, rich_markup_mode=None)
    one.command(word)(getattr(importlib.import_module(_module_of(word)), WORDS[word]))
    return typer.main.get_command(one)


def _module_of(word: str) -> str:
    return f"forge.cli.contracts.{_MODULES.get(word, word.replace('-', '_'))}"


app = typer.Typer(
    cls=LazyGroup,
    help="Data contracts (ODCS): lint them, compare versions, check them against parents and tables.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
