"""What a point is compared with: the points before it that say what is normal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import pairwise

from forge.model.time import as_utc
from forge.quality.anomaly.point import Feedback, Point

DAY = timedelta(days=1)
WINDOW = timedelta(days=91)  # what is older than a quarter says little of today
MEMORY = timedelta(days=100)
HOURLY_WINDOW = timedelta(days=28)
SLOW_POINTS = 104  # of a metric that comes once a week or less often


def in_order(points: Iterable[Point]) -> tuple[Point, ...]:
    """By time, each time once: of two points at one time the later given is a rerun and takes the other's place."""
    by_time = {as_utc(point.time): point for point in points}
    return tuple(by_time[time] for time in sorted(by_time))


def baseline_of(points: Sequence[Point], before: Point) -> tuple[Point, ...]:
    """Of points in order those that count for `before`: earlier, finite, not flagged, not too old."""
    counted = [p for p in points if p.time < before.time and p.counts and math.isfinite(p.value)]
    gap = cadence([p.time.timestamp() / 86400 for p in counted[-SLOW_POINTS:]])
    if gap > 3.5:
        return tuple(counted[-SLOW_POINTS:])
    oldest = before.time - (HOURLY_WINDOW if gap < 0.5 else WINDOW)
    recent = tuple(p for p in counted if p.time >= oldest)
    # after a long pause the last points before it are better than none
    return recent if len(recent) >= MINIMUM else tuple(counted[-SLOW_POINTS:])


def memory_of(points: Sequence[Point], before: Point) -> tuple[Point, ...]:
    """Of points in order all that came before and that nobody called an incident, flagged ones with them: three
    months and some days, so that what comes once a month was seen three times."""
    oldest = before.time - MEMORY
    return tuple(
        p
        for p in points
        if oldest <= p.time < before.time and p.feedback is not Feedback.INCIDENT and math.isfinite(p.value)
    )


MINIMUM = 7
"""With fewer points nothing is judged."""


def cadence(days: Sequence[float]) -> float:
    """The usual time between two points, in days; 1 where there are too few to tell."""
    gaps = sorted(later - earlier for earlier, later in pairwise(days))
    return gaps[len(gaps) // 2] if gaps else 1.0
