"""The nearest known name, for messages about an unknown one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """`Did you mean core.orders?`, or None where nothing is near; `cutoff`: the required similarity, 0 to 1."""
    near = get_close_matches(name, list(known), n=3, cutoff=cutoff)
    return ask_for(near)


def find_near(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Up to three, the nearest first; case makes no difference."""
    by_name = {one.lower(): one for one in known}
    return tuple(by_name[one] for one in get_close_matches(name.lower(), list(by_name), n=3))


def did_you_mean_table(name: str, tables: Iterable[str]) -> str | None:
    """The same for a name without its schema: of `ordrs`, `Did you mean core.orders or raw.orders?`"""
    by_name: dict[str, list[str]] = {}
    for table in sorted(tables):
        by_name.setdefault(table.rpartition(".")[2], []).append(table)
    near = get_close_matches(name.lower(), list(by_name), n=3)
    return ask_for([table for one in near for table in by_name[one]][:3])


def ask_for(near: Sequence[str]) -> str | None:
    return f"Did you mean {' or '.join(near)}?" if near else None
