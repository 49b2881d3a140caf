"""The default: medians by weekday, a robust slope and a robust spread, on a log scale.

    value  ≈  level × weekday × slope^days,   give or take `threshold` spreads

- Daily metrics have a weekday part, hourly ones an hour and a weekday part, slower ones none. A slot (a weekday, an
  hour) needs two points of its own; until two weeks (two days) are there, no slot counts.
- The slope is the median of the slopes between all pairs of points of the same slot (Theil and Sen), from three weeks
  on. Pairs of the same slot only: a weekend then never looks like a fall.
- The spread is that of what is left (median absolute deviation), widened by what was fitted (eight numbers out of
  fourteen points fit too well) and by how well level, slot and slope are known.
- All times are UTC."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from forge.quality.anomaly.baseline import cadence
from forge.quality.anomaly.expected_levels import find_levels
from forge.quality.anomaly.line import day_of
from forge.quality.anomaly.opinion import Model, Opinion, distances
from forge.quality.anomaly.point import Point
from forge.quality.anomaly.recurrence import DOUBT, find_recurring
from forge.quality.anomaly.scale import Scale, scale_of
from forge.quality.anomaly.settled_levels import settle_levels


def fit_seasonal(baseline: Sequence[Point], threshold: float, memory: Sequence[Point] = ()) -> Model:
    scale = scale_of(np.array([point.value for point in baseline], dtype=np.float64))
    flagged = [point for point in memory if not point.counts and point.time >= baseline[0].time]
    settled = settle_levels(baseline, flagged, scale, threshold)
    line, called = find_levels(settled.points, settled.values, settled.line, scale, threshold)
    others = {**settled.others, **called}
    gap = cadence([day_of(point) for point in baseline])

    def off(point: Point) -> float:
        return float(scale.into(np.array([point.value]))[0]) - line.expected(point)

    def judge(point: Point) -> Opinion:
        center, away = line.expected(point), off(point)
        spread = line.spread_at(point)
        reach = threshold * spread
        levels = {0.0: "", **others}
        if min(abs(away - one) for one in levels) > reach:
            back = find_recurring(point, memory, off, reach, gap)
            if back is not None and abs(away - back[0]) < min(abs(away - one) for one in levels):
                levels = {back[0]: back[1]}
                spread, reach = spread * DOUBT, reach * DOUBT
        level = min(levels, key=lambda offset: abs(away - offset))
        score = distances(abs(away - level), spread, 1e-9)
        part, season = line.season(point)
        factor = 0.0 if line.is_empty(point) else scale.part(part)
        return Opinion(
            expected=scale.back(center + level),
            low=_low(scale, center + level - reach),
            high=scale.back(center + level + reach),
            score=score,
            is_out=score > threshold,
            unit="spreads",
            allowed=threshold,
            seasonal=factor if season else None,
            season=season,
            trend=scale.part(line.slope) if line.slope is not None else None,
            log_scale=scale.is_log,
            note=levels[level],
        )

    return judge


def _low(scale: Scale, value: float) -> float:
    """The lower bound is not negative for metrics that never were."""
    return max(scale.back(value), 0.0) if scale.is_log else value
