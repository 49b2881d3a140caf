"""z-score, interquartile range and median absolute deviation: one level for all points, without season or trend."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from forge.quality.anomaly.opinion import Model, Opinion, distances
from forge.quality.anomaly.point import Point

MAD_TO_DEVIATION = 1.4826022185056018  # of normal values
MEAN_TO_DEVIATION = 1.2533141373155001


def _values(baseline: Sequence[Point]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([point.value for point in baseline], dtype=np.float64)


def fit_zscore(baseline: Sequence[Point], threshold: float) -> Model:
    """Standard deviations from the mean."""
    values = _values(baseline)
    mean, deviation = float(values.mean()), float(values.std(ddof=1))
    return _symmetric(mean, deviation, threshold, "standard deviations")


def fit_mad(baseline: Sequence[Point], threshold: float) -> Model:
    """Deviations from the median in units of their median size; in units of the mean where most values are equal."""
    values = _values(baseline)
    middle = float(np.median(values))
    return _symmetric(middle, spread_of(values - middle), threshold, "robust standard deviations")


def spread_of(residuals: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """A standard deviation robust against outliers; 0 only where nothing varies."""
    sizes = np.abs(residuals)
    middle = float(np.median(sizes))
    return MAD_TO_DEVIATION * middle if middle > 0 else MEAN_TO_DEVIATION * float(sizes.mean())


def _symmetric(center: float, spread: float, threshold: float, unit: str) -> Model:
    def judge(point: Point) -> Opinion:
        near = max(abs(center), abs(point.value))
        score = distances(abs(point.value - center), spread, near)
        reach = threshold * spread
        return Opinion(
            expected=center,
            low=center - reach,
            high=center + reach,
            score=score,
            is_out=score > threshold,
            unit=unit,
            allowed=threshold,
        )

    return judge


def fit_iqr(baseline: Sequence[Point], threshold: float) -> Model:
    """Distance from the interquartile box, in heights of the box."""
    first, middle, third = (float(q) for q in np.quantile(_values(baseline), (0.25, 0.5, 0.75)))
    height = third - first

    def judge(point: Point) -> Opinion:
        outside = max(first - point.value, point.value - third, 0.0)
        score = distances(outside, height, max(abs(first), abs(third), abs(point.value)))
        low, high = first - threshold * height, third + threshold * height
        return Opinion(
            expected=middle,
            low=low,
            high=high,
            score=score,
            is_out=score > threshold,
            unit="interquartile ranges",
            allowed=threshold,
        )

    return judge
