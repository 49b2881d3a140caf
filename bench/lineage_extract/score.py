"""How much of the truth a tool found, and how much it made up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Score:
    """`right` pairs of `found` are in the truth; `hit` of the `true` ones were found."""

    right: int = 0
    found: int = 0
    hit: int = 0
    true: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(self.right + other.right, self.found + other.found, self.hit + other.hit, self.true + other.true)

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.hit / self.true if self.true else 1.0

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def score_of(found: Iterable[Pair], truth: Iterable[Pair]) -> Score:
    """Every tool is met halfway: a name may lack its database, a field of a struct may be told as its column, and a
    star that is told as a column says nothing of columns."""
    ours = {(_plain(source), _plain(target)) for source, target in found if "*" not in (source[-1:], target[-1:])}
    true = {(_plain(source), _plain(target)) for source, target in truth}
    same = len(ours & true)
    right = same + sum(any(_fits(pair, other) for other in true) for pair in ours - true)
    hit = same + sum(any(_fits(other, pair) for other in ours) for pair in true - ours)
    return Score(right, len(ours), hit, len(true))


def _fits(one: Pair, other: Pair) -> bool:
    return _same(one[0], other[0]) and _same(one[1], other[1])


@cache
def _same(one: str, other: str) -> bool:
    long, short = (one, other) if len(one) > len(other) else (other, one)
    return long == short or long.endswith(f".{short}") or long.startswith(f"{short}.")


@cache
def _plain(name: str) -> str:
    return re.sub(r"[`\"\[\]]", "", name).lower().removeprefix("<default>.")
