"""Level shifts that were flagged and then persisted.

A flagged point followed by points equally far off on the same side was the start of a new level: they are accepted
along with the old level, and after seven points over a week the new one is the level. Earlier points are shifted by the
same step, so that weekdays and slope stay known. If the next points return to the old level, nothing is learned. An
empty table is not accepted as a level before it was empty for that long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from forge.model.time import as_utc
from forge.quality.anomaly.baseline import MINIMUM
from forge.quality.anomaly.line import SeasonalLine, day_of, fit_line, slot_of
from forge.quality.anomaly.point import Point
from forge.quality.anomaly.scale import Floats, Scale

DECIDED, DECIDED_DAYS = 7, 6.0  # points, and days from the first to the last, after which a level is known

_LOOKED_BACK = 24 * 21  # points in which those of a weekday and hour are looked for


@dataclass(frozen=True, slots=True)
class SettledLevels:
    """Points of the baseline by time, with values on the scale shifted to the current level, and their line. `others`:
    another level accepted for now, its offset and reason."""

    points: tuple[Point, ...]
    values: Floats
    line: SeasonalLine
    others: Mapping[float, str]


def settle_levels(baseline: Sequence[Point], flagged: Sequence[Point], scale: Scale, threshold: float) -> SettledLevels:
    """`flagged`: points flagged without feedback, none before the baseline."""
    points = sorted((*baseline, *flagged), key=lambda point: point.time)
    values = scale.into(np.array([point.value for point in points], dtype=np.float64))
    counted = {i for i, point in enumerate(points) if point.counts}
    others: dict[float, str] = {}
    line = _line(points, values, sorted(counted), scale)
    done = 0
    for start in (i for i, point in enumerate(points) if not point.counts):
        before = [i for i in range(start) if i in counted]
        if start < done or len(before) < MINIMUM or not _stays(points, values, before, start):
            continue
        run = _run(points, values, start, _line(points, values, before, scale), threshold)
        length = day_of(points[run.members[-1]]) - day_of(points[start])
        if len(run.members) >= DECIDED and length >= DECIDED_DAYS:
            values[:start] += run.step
            counted |= set(run.members)
            line, done = _line(points, values, sorted(counted), scale), run.end
        elif run.end == len(points) and points[start].value != 0:
            others = {run.step: f"the level since {as_utc(points[start].time):%Y-%m-%d %H:%M}, which was told"}
            values[list(run.members)] -= run.step
            line = _line(points, values, sorted(counted), scale)
    left = sorted(counted)
    return SettledLevels(tuple(points[i] for i in left), values[left], line, others)


@dataclass(frozen=True, slots=True)
class _Run:
    members: tuple[int, ...]
    end: int  # after the last that belongs to it
    step: float


def _line(points: Sequence[Point], values: Floats, which: Sequence[int], scale: Scale) -> SeasonalLine:
    return fit_line([points[i] for i in which], values[list(which)], scale)


def _off(points: Sequence[Point], values: Floats, line: SeasonalLine, i: int) -> float:
    return float(values[i]) - line.expected(points[i])


def _stays(points: Sequence[Point], values: Floats, before: Sequence[int], start: int) -> bool:
    """Whether the next point deviates on the same side, compared with the last ones of its weekday and hour: a cheap
    test, as most anomalies are isolated. The last point may be the first of a level."""
    if start + 1 == len(points):
        return True
    offs = []
    for i in (start, start + 1):
        slot = slot_of(points[i], True, True)
        same = [values[j] for j in before[-_LOOKED_BACK:] if slot_of(points[j], True, True) == slot][-5:]
        if len(same) < 2:
            return True
        offs.append(float(values[i]) - float(np.median(same)))
    return offs[0] * offs[1] > 0 and abs(offs[1]) >= abs(offs[0]) / 3


def _run(points: Sequence[Point], values: Floats, start: int, line: SeasonalLine, threshold: float) -> _Run:
    """From the first on, points with a similar deviation, until two in a row have none."""
    reach = threshold * line.spread_at(points[start])
    offs = [_off(points, values, line, start)]
    members, end, strange = [start], start + 1, 0
    for i in range(start + 1, len(points)):
        off = _off(points, values, line, i)
        if abs(off - float(np.median(offs))) <= reach:
            members.append(i)
            offs.append(off)
            end, strange = i + 1, 0
        else:
            strange += 1
        if strange == 2:
            break
    return _Run(tuple(members), end, float(np.median(offs)))
