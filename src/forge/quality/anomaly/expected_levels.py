"""Level shifts that a person marked as expected.

Such a point is either a one-off (a sale) or the start of a new level (a new market). One point does not show
which, so both levels are accepted until seven points have come; then the level with most of them wins. A new level
shifts all earlier points by the same step, so that weekdays and slope stay known; a one-off leaves no trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from forge.model.time import as_utc
from forge.quality.anomaly.baseline import MINIMUM
from forge.quality.anomaly.line import SeasonalLine, fit_line
from forge.quality.anomaly.point import Feedback, Point
from forge.quality.anomaly.scale import Floats, Scale

DECIDED = 7  # points after which a level is known


def find_levels(
    baseline: Sequence[Point], values: Floats, whole: SeasonalLine, scale: Scale, threshold: float
) -> tuple[SeasonalLine, Mapping[float, str]]:
    """The line of the current level, and other accepted levels: offset and reason. `values`: the points on the scale;
    `whole`: their line, regardless of feedback."""
    points, kept = list(baseline), values
    starts = [i for i, point in enumerate(baseline) if point.feedback is Feedback.EXPECTED]
    if not starts:
        return whole, {}
    ends = [*starts[1:], len(baseline)]
    others: dict[float, str] = {}
    out: set[int] = set()
    for start, end in zip(starts, ends, strict=True):
        before = [i for i in range(start) if i not in out]
        if len(before) < MINIMUM:
            continue
        others = {}
        line = fit_line([points[i] for i in before], kept[before], scale)
        off = _off(line, points[start:end], kept[start:end])
        reach = threshold * line.spread_at(points[start])
        if abs(float(off[0])) <= reach:
            continue
        on_new = np.abs(off - off[0]) <= reach
        step = float(np.median(off[on_new]))
        new = {start + i for i in range(end - start) if on_new[i]}
        old = set(range(start, end)) - new
        is_last = end == len(baseline)
        if is_last and end - start < DECIDED:
            others = {step: f"the level that was called expected on {as_utc(points[start].time):%Y-%m-%d}"}
            kept = _moved(kept, sorted(new), -step)
        elif len(new) * 2 >= end - start:
            kept = _moved(kept, range(start), step)
            out |= old
        else:
            out |= new
    left = [i for i in range(len(points)) if i not in out]
    return fit_line([points[i] for i in left], kept[left], scale), others


def _off(line: SeasonalLine, points: Sequence[Point], values: Floats) -> Floats:
    return np.asarray(values - np.array([line.expected(point) for point in points]), dtype=np.float64)


def _moved(values: Floats, which: Sequence[int] | range, step: float) -> Floats:
    moved = values.copy()
    moved[list(which)] += step
    return moved
