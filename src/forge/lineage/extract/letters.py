"""Texts that can be kept."""

from __future__ import annotations


def whole(text: str) -> str:
    """Half of a character (`"\\ud800"` in a string of a program) is none: no file and no database takes it."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
