"""The nearest known name, for every message about an unknown one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """`Did you mean core.orders?`, or None where nothing is near."""
    near = get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f"Did you mean {' or '.join(near)}?" if near else None
