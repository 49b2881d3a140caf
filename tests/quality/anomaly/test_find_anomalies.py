"""What the issue and SPEC say of anomalies, as cases."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick_examples import examples

from forge.model.errors import ForgeError
from forge.quality.anomaly import METHODS, AnomalyFinding, Feedback, Point, find_anomalies

MONDAY = datetime(2026, 6, 1, 6, tzinfo=UTC)
WOBBLE = (0.97, 1.02, 1.0, 0.99, 1.03, 0.98, 1.01, 1.0, 1.02, 0.97, 0.99)  # not a week long, so no weekday has it
QUICK = [method.name for method in METHODS if method.name != "prophet"]


def days(values: Sequence[float], start: datetime = MONDAY, step: timedelta = timedelta(days=1)) -> list[Point]:
    return [Point(start + number * step, value) for number, value in enumerate(values)]


def weeks(number: int, *, level: float = 1000.0, weekend: float = 0.5, growth: float = 1.0) -> list[Point]:
    """Daily, quieter at weekends."""
    wobble = islice(cycle(WOBBLE), 7 * number)
    week = [1.0] * 5 + [weekend] * 2
    return days([level * week[i % 7] * growth**i * w for i, w in enumerate(wobble)])


def after(points: Sequence[Point], value: float, later: int = 1) -> Point:
    return Point(points[-1].time + timedelta(days=later), value)


def judge(history: Sequence[Point], value: float, later: int = 1, method: str = "seasonal") -> AnomalyFinding:
    (finding,) = find_anomalies(history, after(history, value, later), method)
    return finding


@pytest.mark.parametrize("method", QUICK)
def test_a_value_out_of_all_that_was_is_an_anomaly_and_a_usual_one_is_not(method: str) -> None:
    history = weeks(8, weekend=1.0)
    assert judge(history, 4000, method=method).is_anomaly
    assert not judge(history, 1000, method=method).is_anomaly


@pytest.mark.parametrize("method", QUICK)
def test_a_finding_says_when_what_how_far_and_why(method: str) -> None:
    history = weeks(8, weekend=1.0)
    found = judge(history, 4000, method=method)
    assert (found.time, found.value) == (after(history, 0).time, 4000.0)
    assert found.score > 0
    assert found.low is not None
    assert found.high is not None
    assert found.expected is not None
    assert found.low <= found.expected <= found.high < 4000
    assert len(re.findall(r"\d", found.explanation)) > 8
    assert "4,000" in found.explanation
    assert "\n" not in found.explanation


def test_a_weekday_as_quiet_as_a_sunday_is_found_by_the_default_and_missed_by_a_plain_score() -> None:
    history = weeks(8)
    assert judge(history, 500).is_anomaly
    assert not judge(history, 500, method="zscore").is_anomaly
    assert not judge(history, 500, later=6).is_anomaly  # a Saturday


def test_a_trend_goes_on() -> None:
    history = weeks(8, growth=1.01)
    next_value = 1000 * 1.01**56
    assert not judge(history, next_value).is_anomaly
    assert judge(history, 1000).is_anomaly  # what it was eight weeks ago
    found = judge(history, next_value)
    assert found.trend == pytest.approx(1.01, abs=0.001)
    assert found.expected == pytest.approx(next_value, rel=0.03)


def test_the_explanation_tells_band_season_trend_and_distance() -> None:
    history = weeks(8, growth=1.01)
    found = judge(history, 500, later=6)
    assert found.is_anomaly
    assert found.season == "Saturdays"
    assert found.seasonal == pytest.approx(0.5, abs=0.02)
    said = found.explanation
    assert re.fullmatch(
        r"500 is \d+% below the expected \d+ and out of [\d,]+ to [\d,]+ \([\d.]+ spreads, 4 allowed\); "
        r"Saturdays are at 0\.\d+ of the level; the trend is \+[\d.]+% a day",
        said,
    ), said


def test_the_point_itself_never_counts() -> None:
    history = weeks(8)
    odd = after(history, 4000)
    assert find_anomalies([*history, odd], odd) == find_anomalies(history, odd)


def test_later_points_never_count() -> None:
    history = weeks(10)
    early = history[50]
    assert find_anomalies(history, early) == find_anomalies(history[:50], early)


@pytest.mark.parametrize("method", ["seasonal", "zscore", "iqr", "mad"])
def test_flagged_points_stay_out_of_the_baseline(method: str) -> None:
    history = weeks(8, weekend=1.0)
    flagged = [Point(p.time, 9000.0, flagged=True) if i % 4 == 0 else p for i, p in enumerate(history)]
    without = [p for p in flagged if not p.flagged]
    probe = after(history, 1500)
    assert find_anomalies(flagged, probe, method) == find_anomalies(without, probe, method)


def test_of_a_series_what_was_flagged_does_not_count_for_what_follows() -> None:
    series = weeks(8)
    series[40] = Point(series[40].time, 100_000)
    found = find_anomalies((), series, "zscore")
    assert [f.time for f in found if f.is_anomaly] == [series[40].time]
    spared = find_anomalies((), [*series[:40], *series[41:]], "zscore")
    assert found[41:] == spared[40:]


def test_a_rerun_takes_the_place_of_the_value_at_the_same_time() -> None:
    history = weeks(8)
    failed = Point(history[-1].time, 3.0)
    assert find_anomalies([*history[:-1], failed, history[-1]], after(history, 990)) == find_anomalies(
        history, after(history, 990)
    )


def test_an_incident_never_counts_and_is_an_anomaly_whatever_its_value() -> None:
    history = weeks(8, weekend=1.0)
    marked = [Point(p.time, 9000.0, Feedback.INCIDENT) if i % 3 == 0 else p for i, p in enumerate(history)]
    without = [p for p in marked if p.feedback is None]
    assert find_anomalies(marked, after(history, 1500), "zscore") == find_anomalies(
        without, after(history, 1500), "zscore"
    )
    (found,) = find_anomalies(history, Point(after(history, 0).time, 1000, Feedback.INCIDENT))
    assert found.is_anomaly
    assert found.explanation.endswith("a person called it an incident")


def test_an_expected_point_is_no_anomaly_and_counts() -> None:
    history = weeks(8, weekend=1.0)
    odd = Point(after(history, 0).time, 4000, Feedback.EXPECTED, flagged=True)
    (found,) = find_anomalies(history, odd)
    assert not found.is_anomaly
    assert found.score > found.threshold
    assert odd.counts


def shifted(number: int, *, feedback: Feedback | None, level: float = 2.0) -> tuple[list[Point], list[Point]]:
    """Eight weeks, then so many days at another level, the first of which a person called something."""
    before, later = weeks(8), weeks(16)[56:]
    moved = [Point(p.time, p.value * level) for p in later[:number]]
    moved[0] = Point(moved[0].time, moved[0].value, feedback, flagged=True)
    return before, moved


def test_a_new_level_is_flagged_each_time_where_a_person_called_it_an_incident() -> None:
    before, moved = shifted(1, feedback=Feedback.INCIDENT)
    assert judge([*before, *moved], 2000).is_anomaly


def test_a_new_level_is_in_order_where_a_person_called_it_expected() -> None:
    before, moved = shifted(6, feedback=Feedback.EXPECTED)
    found = find_anomalies(before, moved)
    assert not any(f.is_anomaly for f in found)
    assert "the level that was called expected on 2026-07-27" in found[1].explanation


def test_for_a_week_after_an_expected_point_both_levels_are_in_order_and_nothing_else() -> None:
    before, moved = shifted(3, feedback=Feedback.EXPECTED)
    found = find_anomalies(before, moved)
    assert not any(f.is_anomaly for f in found)
    history = [*before, *moved]
    assert not judge(history, 1000).is_anomaly  # a Thursday, as it was
    assert not judge(history, 2000).is_anomaly
    assert judge(history, 1400).is_anomaly
    assert judge(history, 4000).is_anomaly


def test_once_seven_points_are_on_the_new_level_the_old_one_is_out() -> None:
    before, moved = shifted(10, feedback=Feedback.EXPECTED)
    history = [*before, *moved]
    assert not judge(history, 2000).is_anomaly
    assert judge(history, 1000).is_anomaly
    assert judge(history, 2000, later=3).is_anomaly  # a Saturday: weekends are still known
    assert not judge(history, 1000, later=3).is_anomaly


def test_what_was_expected_once_leaves_nothing_behind() -> None:
    before, moved = shifted(1, feedback=Feedback.EXPECTED)
    back = weeks(16)[57:66]
    history = [*before, *moved, *back]
    assert not judge(history, 1000).is_anomaly
    assert judge(history, 2000).is_anomaly


@pytest.mark.parametrize("method", QUICK)
@pytest.mark.parametrize("count", [0, 1, 6])
def test_with_little_history_nothing_is_judged_and_that_is_said(method: str, count: int) -> None:
    (found,) = find_anomalies(weeks(1)[:count], Point(MONDAY + timedelta(days=30), 1e9), method)
    assert (found.is_anomaly, found.score, found.low, found.high, found.is_judged) == (False, 0.0, None, None, False)
    assert "is not judged" in found.explanation
    assert f"{count} point" in found.explanation or "no points" in found.explanation


def test_the_first_weekends_of_a_young_series_are_no_anomalies() -> None:
    assert not any(f.is_anomaly for f in find_anomalies((), weeks(4)))


@pytest.mark.parametrize("method", QUICK)
def test_a_constant_series_flags_another_value_and_not_itself(method: str) -> None:
    history = days([500.0] * 30)
    assert not judge(history, 500, method=method).is_anomaly
    other = judge(history, 530, method=method)
    assert other.is_anomaly
    assert np.isfinite(other.score)


def test_in_a_constant_series_one_percent_is_noise_to_the_default() -> None:
    history = days([1000.0] * 30)
    assert not judge(history, 1001).is_anomaly
    assert judge(history, 1015).is_anomaly


def test_an_empty_table_is_an_anomaly_where_tables_are_not_empty() -> None:
    found = judge(weeks(8), 0)
    assert found.is_anomaly
    assert found.low is not None
    assert found.low > 0
    assert found.explanation.startswith("0 is 100% below the expected")


def test_zeros_at_weekends_are_in_order_where_they_always_are() -> None:
    history = weeks(8, weekend=0.0)
    assert not judge(history, 0, later=6).is_anomaly
    assert judge(history, 900, later=6).is_anomaly
    assert "Saturdays are at 0 of the level" in judge(history, 900, later=6).explanation
    assert judge(history, 0).is_anomaly
    growing = weeks(12, weekend=0.0, growth=1.02)
    assert not any(found.is_anomaly for found in find_anomalies((), growing))
    assert judge(growing, 900, later=6).is_anomaly


def test_where_all_was_zero_anything_else_is_an_anomaly() -> None:
    history = days([0.0] * 30)
    assert not judge(history, 0).is_anomaly
    assert judge(history, 0.01).is_anomaly
    assert judge(history, 3).is_anomaly


def test_a_few_among_many_zeros_are_in_order() -> None:
    history = days([0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0] * 5)
    assert not judge(history, 1).is_anomaly
    assert judge(history, 500).is_anomaly


def test_what_was_never_negative_is_an_anomaly_when_it_is() -> None:
    assert judge(weeks(8), -5).is_anomaly


def test_a_metric_around_zero_is_judged_on_a_linear_scale() -> None:
    chance = np.random.default_rng(1)
    history = days(chance.normal(0, 10, 60).tolist())
    inside, outside = judge(history, -15), judge(history, 90)
    assert not inside.is_anomaly
    assert outside.is_anomaly
    assert not outside.log_scale
    assert "% a day" not in outside.explanation


def test_gaps_change_nothing_but_the_number_of_points() -> None:
    history = weeks(10)
    holes = [p for i, p in enumerate(history) if i % 9 not in (2, 3, 4)]
    assert judge(holes, 500).is_anomaly
    assert not judge(holes, 1000).is_anomaly
    assert not judge(holes, 500, later=6).is_anomaly


def test_after_a_long_pause_the_last_points_before_it_are_what_there_is() -> None:
    history = weeks(8)
    soon, late = judge(history, 1000), judge(history, 1000, later=364 + 1)
    assert late.is_judged
    assert not late.is_anomaly
    assert late.high is not None
    assert soon.high is not None
    assert late.high > soon.high  # the longer ago, the less is known
    assert judge(history, 100_000, later=364 + 1).is_anomaly


def test_hours_of_the_day_have_their_own_level() -> None:
    start = MONDAY.replace(hour=0)
    day = [20.0] * 7 + [100.0] * 12 + [40.0] * 5
    values = [v * w for v, w in zip(day * 14, islice(cycle(WOBBLE), 24 * 14), strict=True)]
    history = days(values, start, timedelta(hours=1))
    at = history[-1].time

    def hourly(value: float, hours: int) -> AnomalyFinding:
        (found,) = find_anomalies(history, Point(at + timedelta(hours=hours), value))
        return found

    assert not hourly(20, 4).is_anomaly  # 03:00
    assert hourly(100, 4).is_anomaly
    assert not hourly(100, 12).is_anomaly  # 11:00
    assert hourly(20, 12).is_anomaly
    assert hourly(20, 12).season == "11:00 on Mondays"


def test_a_weekly_metric_has_no_weekday_and_a_trend() -> None:
    values = [100 * 1.05**i * w for i, w in enumerate(islice(cycle(WOBBLE), 30))]
    history = days(values, step=timedelta(days=7))
    (found,) = find_anomalies(history, Point(history[-1].time + timedelta(days=7), 100 * 1.05**30))
    assert (found.is_anomaly, found.season) == (False, None)
    assert found.trend == pytest.approx(1.05 ** (1 / 7), abs=0.001)
    (found,) = find_anomalies(history, Point(history[-1].time + timedelta(days=7), 200))
    assert found.is_anomaly


def test_a_quarter_is_looked_back_on() -> None:
    old = weeks(40, level=10_000)
    recent = [Point(p.time + timedelta(days=280), p.value) for p in weeks(13)]
    found = judge([*old, *recent], 1000)
    assert found.points == 91
    assert not found.is_anomaly


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_an_anomaly_and_never_counts(value: float) -> None:
    history = weeks(8)
    assert judge(history, value).is_anomaly
    odd = [*history[:-1], Point(history[-1].time, value)]
    assert find_anomalies(odd, after(odd, 1000)) == find_anomalies(history[:-1], after(odd, 1000))


def test_pairs_of_time_and_value_do_too() -> None:
    history = weeks(8)
    pairs = [(p.time, p.value) for p in history]
    last = after(history, 4000)
    assert find_anomalies(pairs, (last.time, 4000)) == find_anomalies(history, last)
    assert find_anomalies(pairs, [(last.time, 4000.0)]) == find_anomalies(history, [last])


def test_order_and_zone_of_what_is_given_do_not_matter() -> None:
    from zoneinfo import ZoneInfo

    history = weeks(8)
    mixed = [Point(p.time.astimezone(ZoneInfo("Asia/Tokyo")), p.value) for p in reversed(history)]
    assert find_anomalies(mixed, after(history, 990)) == find_anomalies(history, after(history, 990))


def test_nothing_to_judge_gives_no_findings() -> None:
    assert find_anomalies(weeks(8), []) == ()


def test_an_unknown_method_is_answered_with_the_nearest() -> None:
    with pytest.raises(ForgeError) as caught:
        find_anomalies(weeks(3), after(weeks(3), 1), "z-score")
    assert (caught.value.code, caught.value.why) == ("E740", "Did you mean zscore?")


@pytest.mark.parametrize(
    ("method", "threshold"), [("zscore", 0), ("seasonal", -1), ("mad", float("nan")), ("isolation_forest", 0.6)]
)
def test_a_threshold_that_means_nothing_is_refused(method: str, threshold: float) -> None:
    with pytest.raises(ForgeError) as caught:
        find_anomalies(weeks(3), after(weeks(3), 1), method, threshold)
    assert caught.value.code == "E740"


def test_a_higher_threshold_flags_less() -> None:
    history = weeks(8, weekend=1.0)
    probe = after(history, 1200)
    assert find_anomalies(history, probe, "seasonal", 2.0)[0].is_anomaly
    assert not find_anomalies(history, probe, "seasonal", 50.0)[0].is_anomaly


@pytest.mark.parametrize("size", [1e-12, 1e-3, 1.0, 1e9, 1e250])
def test_the_unit_of_a_metric_does_not_matter(size: float) -> None:
    history = [Point(p.time, p.value * size) for p in weeks(8)]
    assert judge(history, 500 * size).is_anomaly
    assert not judge(history, 1000 * size).is_anomaly


def test_the_input_is_left_as_it_was() -> None:
    history = weeks(8)
    copy = list(history)
    find_anomalies(history, after(history, 4000))
    assert history == copy


def test_a_value_too_large_to_calculate_with_is_no_baseline() -> None:
    values = [0.0] * 8 + [-8.98846567431158e307, 0.0]
    points = [Point(MONDAY + timedelta(hours=n), value, Feedback.EXPECTED) for n, value in enumerate(values)]
    assert not math.isnan(find_anomalies(points, Point(MONDAY + timedelta(hours=10), 0.0))[0].score)


SERIES = st.lists(
    st.tuples(st.integers(0, 4000), st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([None, *Feedback])),
    max_size=40,
)


@pytest.mark.parametrize("method", QUICK)
@settings(max_examples=examples(12), deadline=None)
@given(series=SERIES, hours=st.sampled_from([1, 7, 24, 168]), zeros=st.booleans())
def test_whatever_comes_every_finding_can_be_told(
    method: str, series: list[tuple[int, float, Feedback | None]], hours: int, zeros: bool
) -> None:
    points = [
        Point(MONDAY + timedelta(hours=hours * when), 0.0 if zeros and when % 2 else value, said)
        for when, value, said in series
    ]
    found = find_anomalies((), points, method)
    assert [f.time for f in found] == sorted({p.time for p in points})
    for finding in found:
        assert not math.isnan(finding.score)
        assert 0 <= finding.score <= 1000
        assert finding.explanation
        if finding.feedback is not None and math.isfinite(finding.value):
            assert finding.is_anomaly == (finding.feedback is Feedback.INCIDENT)
        if finding.low is not None and finding.high is not None:
            assert not finding.low > finding.high
