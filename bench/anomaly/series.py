"""A daily series with a trend and weekend dips, and anomalies planted in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from forge.quality.anomaly import Point

START = datetime(2026, 1, 5, 6, tzinfo=UTC)  # a Monday


@dataclass(frozen=True)
class Series:
    points: tuple[Point, ...]
    planted: frozenset[datetime]


@dataclass(frozen=True)
class Shape:
    """`growth` in a day, weekends at a share of the level, noise as a share of the value; `rate` of the days judged get
    an anomaly, which takes from or adds to the value by a factor from `factors`."""

    days: int = 180
    level: float = 10_000
    growth: float = 0.004
    weekend: float = 0.55
    noise: float = 0.05
    rate: float = 0.03
    factors: tuple[float, ...] = (0.0, 0.3, 0.5, 0.65, 1.5, 1.8, 2.5)
    quiet: int = 28  # first days without an anomaly: what every method learns from


def make_hourly(seed: int, days: int = 28, night: float = 0.2, noise: float = 0.05) -> tuple[Point, ...]:
    """From Monday 06:00 on: the first night comes when the day is all that is known."""
    chance = np.random.default_rng(seed)
    times = [START + timedelta(hours=hour) for hour in range(24 * days)]
    levels = [1000 * (night if time.hour < 6 or time.hour >= 22 else 1.0) for time in times]
    return tuple(
        Point(time, round(level * float(np.exp(chance.normal(0, noise)))))
        for time, level in zip(times, levels, strict=True)
    )


def with_gaps(series: Series, seed: int, missing: float) -> tuple[Point, ...]:
    chance = np.random.default_rng(seed)
    return tuple(point for point in series.points if chance.random() >= missing)


def with_shift(series: Series, day: int, factor: float) -> tuple[Point, ...]:
    return tuple(Point(p.time, p.value * (factor if i >= day else 1)) for i, p in enumerate(series.points))


def make(seed: int, shape: Shape = Shape()) -> Series:  # noqa: B008
    chance = np.random.default_rng(seed)
    points, planted = [], set()
    for day in range(shape.days):
        time = START + timedelta(days=day)
        value = shape.level * (1 + shape.growth) ** day * (shape.weekend if time.weekday() >= 5 else 1.0)
        value *= float(np.exp(chance.normal(0, shape.noise)))
        if day >= shape.quiet and chance.random() < shape.rate:
            value *= float(chance.choice(shape.factors))
            planted.add(time)
        points.append(Point(time, round(value)))
    return Series(tuple(points), frozenset(planted))
