"""Text that can be stored as UTF-8."""

from __future__ import annotations


def valid_unicode(text: str) -> str:
    """Half of a character (`"\\ud800"` in a string of a program) is none: no file and no database takes it."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
