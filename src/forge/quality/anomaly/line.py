"""A robust fit of level, weekday, hour and slope, which outliers do not move."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from forge.model.time import as_utc
from forge.quality.anomaly.baseline import MINIMUM, cadence
from forge.quality.anomaly.point import Point
from forge.quality.anomaly.scale import Floats, Scale
from forge.quality.anomaly.simple_methods import spread_of

Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
DAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
SEASON_DAYS, HOUR_DAYS, TREND_DAYS, TREND_POINTS = 14.0, 2.0, 21.0, 10
SLOT_POINTS = 2


@dataclass(frozen=True, slots=True)
class Season:
    """The effect of each slot (a weekday, an hour), and how much slots differ."""

    parts: Mapping[int, float] = field(default_factory=dict)
    apart: float = 0.0

    def doubt(self, slot: int) -> float:
        """The uncertainty of a slot never seen: it may be like any other."""
        return 0.0 if slot in self.parts else self.apart


NO_SEASON = Season()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonalLine:
    """A fit on the scale."""

    points: int
    start: float  # day from which the slope counts
    length: float  # days from the first point to the last
    level: float
    slope: float | None
    weekday: Season
    hour: Season
    spread: float
    empty: frozenset[int] = frozenset()  # slots that are always zero, whatever the trend

    by: tuple[bool, bool] = (False, False)  # whether slots are weekdays, and whether they are hours

    def is_empty(self, point: Point) -> bool:
        return bool(self.empty) and slot_of(point, *self.by) in self.empty

    def season(self, point: Point) -> tuple[float, str | None]:
        """The effect of its slots, and their name."""
        time, always_zero = as_utc(point.time), self.is_empty(point)
        words = []
        if time.hour in self.hour.parts or (always_zero and self.by[1]):
            words.append(f"{time:%H}:00")
        if time.weekday() in self.weekday.parts or (always_zero and self.by[0]):
            words.append(DAYS[time.weekday()])
        part = self.hour.parts.get(time.hour, 0.0) + self.weekday.parts.get(time.weekday(), 0.0)
        return part, " on ".join(words) or None

    def expected(self, point: Point) -> float:
        if self.is_empty(point):
            return 0.0
        return self.level + self.season(point)[0] + (self.slope or 0.0) * (day_of(point) - self.start)

    def spread_at(self, point: Point) -> float:
        """The forecast spread: residuals of the known points, and the uncertainty of the slope."""
        if self.is_empty(point):
            return self.spread
        time = as_utc(point.time)
        away = 0.0 if self.slope is None else (day_of(point) - self.start) / self.length - 0.5
        slope = self.spread * away * math.sqrt(12 / self.points)
        return math.hypot(self.spread, slope, self.hour.doubt(time.hour), self.weekday.doubt(time.weekday()))


def day_of(point: Point) -> float:
    return as_utc(point.time).timestamp() / 86400


def slot_of(point: Point, by_weekday: bool, by_hour: bool) -> int:
    time = as_utc(point.time)
    return (time.weekday() * 24 if by_weekday else 0) + (time.hour if by_hour else 0)


def fit_line(points: Sequence[Point], values: Floats, scale: Scale) -> SeasonalLine:
    """`values` are those of the points on the scale."""
    days = np.array([day_of(point) for point in points])
    gap, length = cadence(days.tolist()), float(days[-1] - days[0])
    by_hour = gap < 0.5 and length >= HOUR_DAYS - gap
    by_weekday = gap <= 3.5 and length >= SEASON_DAYS - gap
    slots = np.array([slot_of(point, by_weekday, by_hour) for point in points], dtype=np.int64)
    empty = _empty(values, slots) if scale.is_log and (by_weekday or by_hour) else frozenset()
    if empty:  # zeros have no trend: they would look like a fall next to growing values
        kept = ~np.isin(slots, list(empty))
        days, values, slots = days[kept], values[kept], slots[kept]
    has_trend = length >= TREND_DAYS - gap and len(days) >= TREND_POINTS
    slope = slope_of(days, values, slots) if has_trend else None
    left = values - (slope or 0.0) * (days - days[0])
    level = float(np.median(left))
    left, missed = left - level, left - medians_of_others(left)
    hour, weekday = NO_SEASON, NO_SEASON
    if by_hour:
        hour, left, missed = _take(left, slots % 24)
    if by_weekday:
        weekday, left, missed = _take(left, slots // 24)
    spread = spread_of(missed)
    if gap <= 3.5 and not by_weekday:  # weekends may be among them, and are not known yet
        spread = max(spread, float(np.std(missed)))
    spread = max(spread, scale.floor)
    return SeasonalLine(
        points=len(days),
        start=float(days[0]),
        length=length,
        level=level,
        slope=slope,
        weekday=weekday,
        hour=hour,
        spread=spread,
        empty=empty,
        by=(by_weekday, by_hour),
    )


def _empty(values: Floats, slots: Ints) -> frozenset[int]:
    """Slots that are mostly zero, where others are not."""
    found = {slot for slot in set(slots.tolist()) if float(np.median(values[slots == slot])) == 0.0}
    left = int((~np.isin(slots, list(found))).sum()) if found else 0
    return frozenset(found) if left >= MINIMUM else frozenset()


def slope_of(days: Floats, values: Floats, slots: Ints) -> float | None:
    """The median slope over all pairs of points of one slot (Theil–Sen); None where no slot has two points."""
    first, second = np.triu_indices(len(days), 1)
    apart = days[second] - days[first]
    same = (slots[first] == slots[second]) & (apart > 0)
    if not bool(same.any()):
        return None
    rise = values[second[same]] - values[first[same]]
    return float(np.median(rise / apart[same]))


def _take(left: Floats, slots: Ints) -> tuple[Season, Floats, Floats]:
    """Medians by slot, the residuals, and for each point its deviation from the median of the others of its slot
    (leave-one-out error)."""
    parts = {}
    rest, missed = left.copy(), left.copy()
    for slot in set(slots.tolist()):
        own = np.flatnonzero(slots == slot)
        if len(own) >= SLOT_POINTS:
            values = left[own]
            ranked = np.sort(values)
            parts[slot] = float(ranked[(len(own) - 1) // 2] + ranked[len(own) // 2]) / 2
            rest[own] = values - parts[slot]
            missed[own] = values - medians_of_others(values)
    apart = float(np.std(list(parts.values()))) if parts else 0.0
    return Season(parts, apart), rest, missed


def medians_of_others(values: Floats) -> Floats:
    """For each value the median of all others; at least two values."""
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    rank = np.arange(len(values))
    low, high = (len(values) - 2) // 2, (len(values) - 1) // 2
    found = np.empty_like(ranked)
    found[order] = (ranked[low + (rank <= low)] + ranked[high + (rank <= high)]) / 2
    return found
