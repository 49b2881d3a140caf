"""Long lists of names, written as text."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())
