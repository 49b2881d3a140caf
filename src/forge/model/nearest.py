"""The nearest known name, for every message about an unknown one."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """`Did you mean core.orders?`, or None where nothing is near; `cutoff`: how alike they must be, 0 to 1."""
    near = get_close_matches(name, list(known), n=3, cutoff=cutoff)
    return f"Did you mean {' or '.join(near)}?" if near else None
