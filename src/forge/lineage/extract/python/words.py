"""Lists of names, written as text: they are long, and read better so."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())
