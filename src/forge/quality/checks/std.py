"""Bounds of the standard deviation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from forge.quality.checks.statistic import StatisticCheck
from forge.quality.readings import Moments


@dataclass(frozen=True, slots=True)
class StdCheck(StatisticCheck):
    """The standard deviation of the values, as a sample, lies in [min, max]. NULL, NaN and the infinities are left
    out."""

    type: ClassVar[str] = "std"
    label: ClassVar[str] = "Standard deviation"
    words: ClassVar[tuple[str, ...]] = ("std", "statistical")
    kind: ClassVar[str] = "moments"

    def title(self) -> str:
        return "standard deviation"

    def statistic(self, reading: object) -> float | str:
        found = reading.deviation if isinstance(reading, Moments) else None
        return "a standard deviation needs two values" if found is None else found
