"""Names of relations as people write them."""

from __future__ import annotations

from collections.abc import Iterable


def matching(wanted: tuple[str, ...], names: Iterable[tuple[str, ...]]) -> tuple[str, ...] | None:
    """The name as it is, or else the only one that differs in case alone."""
    found = tuple(names)
    if wanted in found:
        return wanted
    folded = tuple(part.casefold() for part in wanted)
    alike = [name for name in found if tuple(part.casefold() for part in name) == folded]
    return alike[0] if len(alike) == 1 else None
