"""What a fitted method says of a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forge.quality.anomaly.point import Point

MAX_SCORE = 1000.0  # farther out than that is told as that; the score of a value where nothing ever varied


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """`unit` says in words what the score counts, `allowed` how much of it is in order."""

    expected: float
    low: float
    high: float
    score: float
    is_out: bool
    unit: str
    allowed: float
    seasonal: float | None = None
    season: str | None = None
    trend: float | None = None
    log_scale: bool = False
    note: str = ""


Model = Callable[[Point], Opinion]
Fit = Callable[[Sequence[Point], float, Sequence[Point]], Model]
"""Of a baseline, a threshold, and a memory: all points before, with those that were flagged."""


@dataclass(frozen=True, slots=True)
class Method:
    """`threshold` where none is given; `block`: how many points one fit judges, more than one where fitting is dear.
    `keeps_flagged`: the method takes a share of its baseline to be anomalous whatever it is; without the flagged points
    it would take that share of the rest, and so on until everything is flagged."""

    name: str
    threshold: float
    fit: Fit
    minimum: int
    block: int = 1
    keeps_flagged: bool = False


def capped(score: float) -> float:
    return min(score, MAX_SCORE)


def distances(apart: float, spread: float, near: float) -> float:
    """How many spreads two values are apart. Where nothing varied, any other value is as far out as can be; `near` is
    the size of the values, below a billionth of which a difference is none."""
    if apart <= 1e-9 * near:
        return 0.0
    return capped(apart / spread) if spread > 1e-12 * near else MAX_SCORE
