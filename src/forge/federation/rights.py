"""Who may read a source."""

from __future__ import annotations

from forge.federation.source import Source
from forge.model.errors import ForgeError


def may_read(source: Source, user: str) -> bool:
    """Names are compared as they are written. None named: everyone who may read the lake."""
    return not source.readers or user in source.readers


def refuse_reader(source: Source, user: str) -> None:
    """E885, which tells nothing of what the source holds."""
    if not may_read(source, user):
        raise ForgeError(
            "E885",
            f"You may not read the source {source.name}",
            why="It names its readers, and you are not among them.",
            fix="Ask whoever declared it.",
        )
