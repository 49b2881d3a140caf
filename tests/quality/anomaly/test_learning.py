"""What was first called odd is learned: a level that stays, a pattern that comes back, seasons behind gaps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from forge.quality.anomaly import Feedback, Point, find_anomalies

MONDAY = datetime(2026, 1, 5, 6, tzinfo=UTC)
Factor = Callable[[int, datetime], float]


def daily(seed: int, factor: Factor = lambda day, time: 1.0, *, days: int = 150, missing: float = 0.0) -> list[Point]:
    chance = np.random.default_rng(seed)
    found = []
    for day in range(days):
        time = MONDAY + timedelta(days=day)
        level = 10_000 * (0.55 if time.weekday() >= 5 else 1.0) * float(np.exp(chance.normal(0, 0.05)))
        if chance.random() >= missing:
            found.append(Point(time, round(level * factor(day, time))))
    return found


def hourly(seed: int, *, days: int, factor: Factor = lambda hour, time: 1.0) -> list[Point]:
    """From Monday 06:00 on, nights at a fifth."""
    chance = np.random.default_rng(seed)
    found = []
    for hour in range(24 * days):
        time = MONDAY + timedelta(hours=hour)
        level = 1000 * (0.2 if time.hour < 6 or time.hour >= 22 else 1.0) * float(np.exp(chance.normal(0, 0.05)))
        found.append(Point(time, round(level * factor(hour, time))))
    return found


def told(points: Sequence[Point], since: datetime = MONDAY) -> list[datetime]:
    return [found.time for found in find_anomalies((), points) if found.is_anomaly and found.time >= since]


def day(number: int) -> datetime:
    return MONDAY + timedelta(days=number)


@pytest.mark.slow
@pytest.mark.parametrize("step", [2.0, 1.4, 0.7, 0.5])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_level_shift_is_told_once_and_becomes_the_level(step: float, seed: int) -> None:
    points = daily(seed, lambda number, time: step if number >= 60 else 1.0)
    assert [time for time in told(points, day(58)) if time < day(90)] == [day(60)]
    findings = {found.time: found for found in find_anomalies((), points)}
    assert "the level since 2026-03-06 06:00, which was told" in findings[day(61)].explanation
    late = findings[day(100)]
    assert late.expected == pytest.approx(10_000 * step, rel=0.15)
    assert "which was told" not in late.explanation, "by then it is the level"


@pytest.mark.slow
def test_after_a_level_became_the_level_the_old_one_is_told_once_too() -> None:
    points = daily(1, lambda number, time: 2.0 if 60 <= number < 100 else 1.0)
    found = told(points, day(58))
    assert [time for time in found if time < day(90)] == [day(60)]
    assert [time for time in found if time >= day(98)] == [day(100)]


def test_what_is_odd_once_leaves_nothing_behind() -> None:
    points = daily(1, lambda number, time: 2.0 if number in (60, 75, 93) else 1.0)
    assert told(points, day(58)) == [day(60), day(75), day(93)]


def test_an_empty_table_is_told_day_after_day() -> None:
    points = daily(1, lambda number, time: 0.0 if number >= 60 else 1.0, days=66)
    assert told(points, day(58)) == [day(number) for number in range(60, 66)]


def test_a_level_that_a_person_called_an_incident_is_told_again() -> None:
    points = daily(1, lambda number, time: 2.0 if number >= 60 else 1.0, days=62)
    bad = Point(points[60].time, points[60].value, Feedback.INCIDENT, flagged=True)
    (found,) = find_anomalies([*points[:60], bad], points[61])
    assert found.is_anomaly


SCHEDULES: dict[str, tuple[Factor, list[datetime], str]] = {
    "every Wednesday": (
        lambda number, time: 2.5 if time.weekday() == 2 and number >= 60 else 1.0,
        [day(65), day(72), day(79)],
        "every week",
    ),
    "the first of a month": (
        lambda number, time: 2.5 if time.day == 1 and number > 20 else 1.0,
        [datetime(2026, month, 1, 6, tzinfo=UTC) for month in (2, 3, 4)],
        "on day 1 of each month",
    ),
    "the last of a month": (
        lambda number, time: 0.4 if (time + timedelta(days=1)).day == 1 and number > 20 else 1.0,
        [datetime(2026, month, last, 6, tzinfo=UTC) for month, last in ((1, 31), (2, 28), (3, 31))],
        "on the last day of each month",
    ),
    "every ten days": (
        lambda number, time: 2.5 if number % 10 == 3 and number >= 60 else 1.0,
        [day(63), day(73), day(83)],
        "every 10 days",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "odd", "words"), SCHEDULES.values(), ids=list(SCHEDULES))
def test_what_comes_back_on_a_schedule_is_expected_after_three_times(
    factor: Factor, odd: list[datetime], words: str
) -> None:
    points = daily(5, factor)
    assert told(points, odd[0]) == odd
    said = [found.explanation for found in find_anomalies((), points) if "as three times before" in found.explanation]
    assert words in said[0]


def test_what_is_on_the_schedule_but_of_another_size_is_told() -> None:
    def factor(number: int, time: datetime) -> float:
        return {73: 2.5, 83: 2.5, 93: 2.5, 103: 6.0}.get(number, 1.0)

    assert day(103) in told(daily(5, factor), day(60))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_nights_at_a_fifth_are_learned_within_a_week(seed: int) -> None:
    points = hourly(seed, days=16)
    late = told(points, day(7))
    assert len(late) <= 0.02 * 24 * 9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_gaps_do_not_make_weekends_an_alarm(seed: int) -> None:
    assert len(told(daily(seed, missing=0.15, days=180), day(14))) <= 1
