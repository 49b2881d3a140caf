"""The result of a fitted method for a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from forge.quality.anomaly.point import Point

MAX_SCORE = 1000.0  # scores are capped here; also the score of a value where nothing ever varied


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """`unit` names what the score counts, `allowed` is how much of it is acceptable."""

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
    """`threshold`: the default. `block`: how many points one fit judges, more than one where fitting is expensive.
    `keeps_flagged`: the method always assumes a share of its baseline to be anomalous; without the flagged points it
    would flag that share of the rest, and so on."""

    name: str
    threshold: float
    fit: Fit
    minimum: int
    block: int = 1
    keeps_flagged: bool = False


def capped(score: float) -> float:
    return min(score, MAX_SCORE)


def distances(apart: float, spread: float, near: float) -> float:
    """Distance of two values in spreads. Where nothing varied, any other value is infinitely far (capped); differences
    below a billionth of `near` are none."""
    if apart <= 1e-9 * near:
        return 0.0
    return capped(apart / spread) if spread > 1e-12 * near else MAX_SCORE
