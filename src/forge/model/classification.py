"""How confidential something is: four levels, from the least to the most."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class ClassificationLevel(StrEnum):
    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"
    RESTRICTED = "restricted"

    @property
    def rank(self) -> int:
        return _RANKS[self]


_RANKS = {level: rank for rank, level in enumerate(ClassificationLevel)}


def strictest(levels: Iterable[ClassificationLevel | None]) -> ClassificationLevel | None:
    """None where there is none."""
    return max((level for level in levels if level is not None), key=lambda level: level.rank, default=None)
