"""Levels that a person called expected.

A point that is far off and was called expected is one of two things: something that happens once (a sale), or the first
of a new level (a new market). Nobody can tell from one point, so both levels are in order until seven points have come;
then the one that most of them are on is the level. A new level moves all that was before it by the same step, so that
weekdays and slope go on being known; of something that happened once nothing is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from forge.model.time import as_utc
from forge.quality.anomaly.baseline import MINIMUM
from forge.quality.anomaly.line import Line, fit_line
from forge.quality.anomaly.point import Feedback, Point
from forge.quality.anomaly.scale import Floats, Scale

DECIDED = 7  # points after which a level is known


def find_levels(
    baseline: Sequence[Point], values: Floats, whole: Line, scale: Scale, threshold: float
) -> tuple[Line, Mapping[float, str]]:
    """The line of the level, and other levels that are in order too: how far off, and why in words. `values` are those
    of the points on the scale, `whole` their line, whatever people said."""
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


def _off(line: Line, points: Sequence[Point], values: Floats) -> Floats:
    return np.asarray(values - np.array([line.expected(point) for point in points]), dtype=np.float64)


def _moved(values: Floats, which: Sequence[int] | range, step: float) -> Floats:
    moved = values.copy()
    moved[list(which)] += step
    return moved
