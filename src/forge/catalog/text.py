"""Texts from outside, as databases take them."""

from __future__ import annotations


def clean_text(text: str) -> str:
    """As it came, but for what no database takes: NUL and halves of characters."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
