"""Outliers by z-score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from forge.quality.checks.outliers import Bounds, OutlierCheck
from forge.quality.checks.support import brief
from forge.quality.readings import Moments

_STILL = 1e-12  # a deviation this small relative to the mean is rounding


@dataclass(frozen=True, slots=True)
class ZScoreCheck(OutlierCheck):
    """At most `max_outlier_percentage` of the values are more than `threshold` standard deviations from the mean. NULL
    is no value; NaN and the infinities are outliers, and are left out of mean and deviation."""

    type: ClassVar[str] = "zscore"
    label: ClassVar[str] = "Z-score"
    words: ClassVar[tuple[str, ...]] = ("zscore", "statistical")
    kind: ClassVar[str] = "moments"

    threshold: float = 3.0

    def bounds(self, reading: object) -> Bounds | None:
        if not isinstance(reading, Moments) or not reading.deviation or not math.isfinite(reading.deviation):
            return None
        if reading.deviation <= abs(reading.mean) * _STILL:
            return None
        apart = self.threshold * reading.deviation
        return reading.mean - apart, reading.mean + apart

    def explain(self, reading: object) -> str:
        if not isinstance(reading, Moments) or reading.count == 0:
            return ""
        spread = "" if reading.deviation is None else f", deviation {brief(reading.deviation)}"
        return f"mean {brief(reading.mean)}{spread}"
