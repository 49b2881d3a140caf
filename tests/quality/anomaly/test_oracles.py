"""The methods beside plain Python. tests/services/test_anomaly_libraries.py asks scikit-learn, scipy and Prophet."""

from __future__ import annotations

import statistics
from datetime import UTC, datetime, timedelta
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick_examples import examples

from forge.quality.anomaly import Point, find_anomalies
from forge.quality.anomaly.forest import fit_isolation_forest
from forge.quality.anomaly.line import fit_line, medians_of_others, slope_of
from forge.quality.anomaly.scale import Scale, scale_of

MONDAY = datetime(2026, 6, 1, tzinfo=UTC)
VALUES = st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=7, max_size=40)
LATER = st.floats(-1e7, 1e7).map(lambda x: round(x, 3))


def days(values: list[float]) -> list[Point]:
    return [Point(MONDAY + timedelta(days=i), value) for i, value in enumerate(values)]


def judged(values: list[float], value: float, method: str) -> tuple[float, bool]:
    (found,) = find_anomalies(days(values), Point(MONDAY + timedelta(days=len(values)), value), method)
    return found.score, found.is_anomaly


@settings(max_examples=examples(30), deadline=None)
@given(VALUES, LATER)
def test_zscore_is_what_statistics_says(values: list[float], value: float) -> None:
    deviation = statistics.stdev(values)
    if deviation < 1e-6:
        return
    score, flagged = judged(values, value, "zscore")
    wanted = min(abs(value - statistics.fmean(values)) / deviation, 1000.0)
    assert score == pytest.approx(wanted, rel=1e-6, abs=1e-6)
    if abs(wanted - 3) > 1e-6:
        assert flagged == (wanted > 3)


@settings(max_examples=examples(30), deadline=None)
@given(VALUES, LATER)
def test_iqr_is_what_statistics_says(values: list[float], value: float) -> None:
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    if third - first < 1e-6:
        return
    _, flagged = judged(values, value, "iqr")
    low, high = first - 1.5 * (third - first), third + 1.5 * (third - first)
    if min(abs(value - low), abs(value - high)) > 1e-6 * max(abs(value), 1):
        assert flagged == (not low <= value <= high)


@settings(max_examples=examples(30), deadline=None)
@given(VALUES, LATER)
def test_mad_is_what_statistics_says(values: list[float], value: float) -> None:
    middle = statistics.median(values)
    spread = statistics.median(abs(one - middle) for one in values) / statistics.NormalDist().inv_cdf(0.75)
    if spread < 1e-6:
        return
    score, _ = judged(values, value, "mad")
    assert score == pytest.approx(min(abs(value - statistics.median(values)) / spread, 1000.0), rel=1e-6, abs=1e-6)


@settings(max_examples=examples(25), deadline=None)
@given(VALUES)
def test_with_slots_the_slope_is_the_median_over_pairs_of_one_slot(values: list[float]) -> None:
    slots = [i % 3 for i in range(len(values))]
    pairs = [(values[j] - values[i]) / (j - i) for i, j in combinations(range(len(values)), 2) if slots[i] == slots[j]]
    found = slope_of(np.arange(len(values), dtype=float), np.array(values), np.array(slots, dtype=np.int64))
    assert found == pytest.approx(statistics.median(pairs), rel=1e-9, abs=1e-9)


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_the_median_of_the_others_leaves_itself_out(values: list[float]) -> None:
    wanted = [statistics.median(values[:i] + values[i + 1 :]) for i in range(len(values))]
    assert medians_of_others(np.array(values)).tolist() == pytest.approx(wanted, rel=1e-12, abs=1e-9)


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.floats(1, 1e6), min_size=35, max_size=35))
def test_the_line_is_slope_level_and_weekday_medians(values: list[float]) -> None:
    """The whole fit in plain Python, for a daily metric of five weeks."""
    points = days(values)
    scale = Scale(None, 0.0)
    line = fit_line(points, np.array(values), scale)
    pairs = [(values[j] - values[i]) / (j - i) for i in range(35) for j in range(i + 7, 35, 7)]
    slope = statistics.median(pairs)
    flat = [value - slope * i for i, value in enumerate(values)]
    level = statistics.median(flat)
    weekday = {w: statistics.median(flat[w::7]) - level for w in range(7)}
    missed = [flat[i] - statistics.median([flat[j] for j in range(i % 7, 35, 7) if j != i]) for i in range(35)]
    spread = statistics.median(abs(one) for one in missed) * 1.4826022185056018
    assert line.slope == pytest.approx(slope, rel=1e-9, abs=1e-6)
    assert line.level == pytest.approx(level, rel=1e-9, abs=1e-6)
    assert dict(line.weekday.parts) == pytest.approx(weekday, rel=1e-6, abs=1e-6)
    if spread > 1e-6:
        assert line.spread == pytest.approx(spread, rel=1e-6, abs=1e-6)


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.floats(0, 1e12), min_size=1, max_size=20), st.floats(-1e12, 1e12))
def test_a_scale_leads_back_and_keeps_the_order(values: list[float], value: float) -> None:
    scale = scale_of(np.array(values))
    assert scale.back(float(scale.into(np.array([value]))[0])) == pytest.approx(value, rel=1e-6, abs=1e-9)
    mapped = scale.into(np.array([value, value + abs(value) + 1]))
    assert mapped[0] < mapped[1]


def test_the_forest_says_the_same_each_time_and_leaves_chance_alone() -> None:
    points = days(np.random.default_rng(3).normal(100, 10, 300).tolist())
    np.random.seed(1)
    before = np.random.random()
    np.random.seed(1)
    first = fit_isolation_forest(points, 0.1)(Point(MONDAY, 131))
    assert np.random.random() == before
    assert fit_isolation_forest(points, 0.1)(Point(MONDAY, 131)) == first


def test_a_tenth_of_its_own_baseline_is_out_to_the_forest() -> None:
    values = np.random.default_rng(5).normal(100, 10, 200).tolist()
    judge = fit_isolation_forest(days(values), 0.1)
    assert sum(judge(Point(MONDAY, value)).is_out for value in values) == 20


def test_without_prophet_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from forge.model.errors import ForgeError

    monkeypatch.setitem(sys.modules, "prophet", None)
    with pytest.raises(ForgeError) as caught:
        find_anomalies(days([1.0] * 20), Point(MONDAY + timedelta(days=30), 1.0), "prophet")
    assert caught.value.code == "E741"
    assert caught.value.fix == "Install forge[prophet], or take the method seasonal."
