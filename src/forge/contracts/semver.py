"""Ordering of versions by semver.org."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import total_ordering

_VERSION = re.compile(
    r"(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,17})"
    r"(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?"
)


@total_ordering
class Version:
    """Sort key of a version. A version that is not semver sorts before all that are, alphabetically."""

    __slots__ = ("_key", "major", "minor", "patch", "pre", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        found = _VERSION.fullmatch(text)
        self.major, self.minor, self.patch = (int(found[i]) for i in (1, 2, 3)) if found else (-1, -1, -1)
        self.pre = tuple(found[4].split(".")) if found and found[4] else ()
        order = tuple(_order(part) for part in self.pre)
        self._key = (self.major, self.minor, self.patch, not self.pre, order, text)

    @property
    def is_valid(self) -> bool:
        return self.major >= 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._key == other._key

    def __lt__(self, other: Version) -> bool:
        return self._key < other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"Version({self.text!r})"


def _order(part: str) -> tuple[int, int, str]:
    """Numeric identifiers sort before alphanumeric ones, by value; they may have more digits than Python parses."""
    digits = part.lstrip("0")
    return (0, len(digits), digits) if part.isdigit() else (1, 0, part)


def newest(versions: Iterable[str]) -> str | None:
    return max(versions, key=Version, default=None)


def predecessor(version: str, versions: Iterable[str]) -> str | None:
    """The highest version before it; where there is none, the lowest after it, so that there is something to compare
    with."""
    others = sorted((one for one in set(versions) if one != version), key=Version)
    before = [one for one in others if Version(one) < Version(version)]
    return before[-1] if before else others[0] if others else None
