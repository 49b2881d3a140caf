"""A contract file named outside a project, where it can only be compared with another file."""

from __future__ import annotations

from pathlib import Path

from forge.cli.terminal import Terminal
from forge.model.errors import ForgeError


def refuse_without_project(terminal: Terminal, file: str, what: str, fix: str) -> None:
    """E105 where `file` exists outside a project: the other file is missing, not a project."""
    from forge.settings.load import find_root

    if not Path(file).exists():
        return
    try:
        find_root(terminal.project or Path.cwd())
    except ForgeError as error:
        raise ForgeError("E105", what, where=file, why="This is no Forge project.", fix=fix) from error
