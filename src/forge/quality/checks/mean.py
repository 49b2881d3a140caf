"""Bounds of the mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from forge.quality.checks.statistic import StatisticCheck
from forge.quality.readings import Moments


@dataclass(frozen=True, slots=True)
class MeanCheck(StatisticCheck):
    """The mean of the values lies in [min, max]. NULL, NaN and the infinities are left out."""

    type: ClassVar[str] = "mean"
    words: ClassVar[tuple[str, ...]] = ("mean", "statistical")
    kind: ClassVar[str] = "moments"

    def title(self) -> str:
        return "mean"

    def statistic(self, reading: object) -> float | str:
        if not isinstance(reading, Moments) or reading.count == 0:
            return "there are no values, and so there is no mean"
        return reading.mean
