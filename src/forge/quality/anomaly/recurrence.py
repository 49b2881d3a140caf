"""Recurring deviations: after three consecutive occurrences of similar size, the next one is expected.

A schedule is a fixed number of days (or hours, for frequent points), a day of the month, its last day, or a weekday of
it such as the first Monday."""

from __future__ import annotations

from bisect import bisect_left
from calendar import monthrange
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np

from forge.model.time import as_utc
from forge.quality.anomaly.point import Point

TIMES = 3
DOUBT = 1.25  # how much wider the band is around an estimate from three points
ORDINALS = ("first", "second", "third", "fourth", "fifth")
_ASKED = 40  # earlier odd points whose distance is tried as a period


def find_recurring(
    point: Point, memory: Sequence[Point], off: Callable[[Point], float], reach: float, gap: float
) -> tuple[float, str] | None:
    """The expected deviation and its reason; None where no schedule matches. `memory`: all earlier points by time;
    `off`: the deviation of one; `gap`: days between two of them."""
    times = [as_utc(one.time) for one in memory]
    near = timedelta(days=gap * 0.45)

    def at(time: datetime) -> Point | None:
        place = bisect_left(times, time - near)
        return memory[place] if place < len(times) and times[place] <= time + near else None

    for words, before in _schedules(as_utc(point.time), memory, gap):
        found = [at(time) for time in before]
        offs = [off(one) for one in found if one is not None]
        if len(offs) < TIMES or min(map(abs, offs)) <= reach or min(offs) * max(offs) < 0:
            continue
        middle = float(np.median(offs))
        if max(abs(one - middle) for one in offs) <= reach * DOUBT:
            return middle, f"as three times before, {words}"
    return None


def _schedules(time: datetime, memory: Sequence[Point], gap: float) -> Iterator[tuple[str, tuple[datetime, ...]]]:
    """Each schedule in words, with its three previous times."""
    tried: set[timedelta] = set()
    odd = [as_utc(one.time) for one in memory if not one.counts][-_ASKED:]
    week, day = timedelta(days=7), timedelta(days=1)
    apart = (later - earlier for earlier, later in pairwise(odd))
    for period in (day, week, *(time - one for one in reversed(odd)), *apart):
        if period not in tried and period >= timedelta(days=gap * 1.5):
            tried.add(period)
            yield _every(period), tuple(time - n * period for n in range(1, TIMES + 1))
    months = [_month_before(time, n) for n in range(1, TIMES + 1)]
    if time.day <= 28:
        yield f"on day {time.day} of each month", tuple(month.replace(day=time.day) for month in months)
    if time.day == monthrange(time.year, time.month)[1]:
        last = tuple(month.replace(day=monthrange(month.year, month.month)[1]) for month in months)
        yield "on the last day of each month", last
    nth = (time.day - 1) // 7
    if nth < 4:
        words = f"on the {ORDINALS[nth]} {time:%A} of each month"
        yield words, tuple(_nth_weekday(month, nth, time.weekday()) for month in months)


def _every(period: timedelta) -> str:
    days = period / timedelta(days=1)
    if days == 7:
        return "every week"
    if days == 1:
        return "every day at that hour"
    return f"every {days:.3g} days" if days > 1 else f"every {days * 24:.3g} hours"


def _month_before(time: datetime, n: int) -> datetime:
    months = time.year * 12 + time.month - 1 - n
    return time.replace(year=months // 12, month=months % 12 + 1, day=1)


def _nth_weekday(month: datetime, nth: int, weekday: int) -> datetime:
    first = (weekday - month.weekday()) % 7
    return month.replace(day=1 + first + 7 * nth)
