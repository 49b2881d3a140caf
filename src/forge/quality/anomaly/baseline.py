"""The baseline of a point: the earlier points that define what is normal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from itertools import pairwise

from forge.model.time import as_utc
from forge.quality.anomaly.point import Feedback, Point

WINDOW = timedelta(days=91)  # values older than a quarter are not representative
MEMORY = timedelta(days=100)
HOURLY_WINDOW = timedelta(days=28)
LARGEST = 1e300
SLOW_POINTS = 104  # of a metric that comes once a week or less often


def in_order(points: Iterable[Point]) -> tuple[Point, ...]:
    """Sorted by time, one point per time: of two points at one time the later given (a rerun) wins."""
    by_time = {as_utc(point.time): point for point in points}
    return tuple(by_time[time] for time in sorted(by_time))


def _can_count(point: Point) -> bool:
    """Sums and differences of larger ones are no numbers."""
    return abs(point.value) < LARGEST


def baseline_of(points: Sequence[Point], before: Point) -> tuple[Point, ...]:
    """Of sorted points those that define what is normal at `before`: earlier, finite, not flagged, not too old."""
    counted = [p for p in points if p.time < before.time and p.counts and _can_count(p)]
    gap = cadence([p.time.timestamp() / 86400 for p in counted[-SLOW_POINTS:]])
    if gap > 3.5:
        return tuple(counted[-SLOW_POINTS:])
    oldest = before.time - (HOURLY_WINDOW if gap < 0.5 else WINDOW)
    recent = tuple(p for p in counted if p.time >= oldest)
    # after a long pause the last points before it are better than none
    return recent if len(recent) >= MINIMUM else tuple(counted[-SLOW_POINTS:])


def memory_of(points: Sequence[Point], before: Point) -> tuple[Point, ...]:
    """Of sorted points all earlier ones not marked as incidents, flagged ones included: a bit over three months, so
    that monthly events were seen three times."""
    oldest = before.time - MEMORY
    return tuple(
        p for p in points if oldest <= p.time < before.time and p.feedback is not Feedback.INCIDENT and _can_count(p)
    )


MINIMUM = 7
"""With fewer points nothing is judged."""


def cadence(days: Sequence[float]) -> float:
    """The usual time between two points, in days; 1 where there are too few."""
    gaps = sorted(later - earlier for earlier, later in pairwise(days))
    return gaps[len(gaps) // 2] if gaps else 1.0
