"""Outliers by interquartile range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from forge.quality.checks.outliers import Bounds, OutlierCheck
from forge.quality.checks.support import brief
from forge.quality.readings import Quantiles


@dataclass(frozen=True, slots=True)
class IqrCheck(OutlierCheck):
    """At most `max_outlier_percentage` of the values are more than `threshold` times the interquartile range below the
    first or above the third quartile. NULL is no value; NaN and the infinities are outliers, and are left out of the
    quartiles. Above 4,096 values the quartiles come from a sketch, whose ranks are off by about 0.1 percent."""

    type: ClassVar[str] = "iqr"
    label: ClassVar[str] = "Interquartile range"
    words: ClassVar[tuple[str, ...]] = ("iqr", "statistical")
    kind: ClassVar[str] = "quantiles"

    threshold: float = 3.0

    def bounds(self, reading: object) -> Bounds | None:
        quartiles = reading.spread((0.25, 0.75)) if isinstance(reading, Quantiles) else ()
        if not quartiles:
            return None
        first, third = quartiles
        apart = self.threshold * (third - first)
        return first - apart, third + apart

    def explain(self, reading: object) -> str:
        quartiles = reading.spread((0.25, 0.75)) if isinstance(reading, Quantiles) else ()
        return f"quartiles {brief(quartiles[0])} and {brief(quartiles[1])}" if quartiles else ""
