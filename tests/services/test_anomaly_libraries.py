"""The methods beside the libraries that compute the same. Marked as they are for the seconds it takes to load them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from importlib import import_module

import numpy as np
import pytest

from forge.quality.anomaly import Point, find_anomalies
from forge.quality.anomaly.forest import grow, usual_depth
from forge.quality.anomaly.line import slope_of
from forge.quality.anomaly.simple_methods import spread_of

pytestmark = pytest.mark.services
MONDAY = datetime(2026, 6, 1, tzinfo=UTC)


def days(values: list[float]) -> list[Point]:
    return [Point(MONDAY + timedelta(days=i), value) for i, value in enumerate(values)]


@pytest.mark.parametrize("seed", range(20))
def test_spread_and_slope_are_scipys(seed: int) -> None:
    stats = import_module("scipy.stats")
    chance = np.random.default_rng(seed)
    values = chance.lognormal(5, 1, 7 + seed * 3)
    time = np.sort(chance.uniform(0, 100, len(values)))
    slope = slope_of(time, values, np.zeros(len(values), dtype=np.int64))
    assert slope == pytest.approx(stats.theilslopes(values, time).slope, rel=1e-9)
    spread = spread_of(values - np.median(values))
    assert spread == pytest.approx(stats.median_abs_deviation(values, scale="normal"), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_forest_scores_as_scikit_learns_does(seed: int) -> None:
    forest = import_module("sklearn.ensemble").IsolationForest
    chance = np.random.default_rng(seed)
    values = np.concatenate([chance.normal(100, 10, 190), chance.uniform(0, 300, 10)])
    theirs = forest(contamination=0.1, random_state=seed).fit(values[:, None])
    ours = grow(values).scores(values)
    known = -theirs.score_samples(values[:, None])
    assert np.corrcoef(ours, known)[0, 1] > 0.99
    assert np.abs(ours - known).max() < 0.08
    flagged = set(np.flatnonzero(ours > np.quantile(ours, 0.9)))
    said = set(np.flatnonzero(theirs.predict(values[:, None]) == -1))
    assert len(flagged) == len(said) == 20
    assert len(flagged & said) >= 17


def test_the_depth_of_a_search_tree_is_scikit_learns() -> None:
    theirs = import_module("sklearn.ensemble._iforest")._average_path_length
    sizes = np.array([0, 1, 2, 3, 10, 256, 100_000])
    assert usual_depth(sizes.astype(float)).tolist() == pytest.approx(theirs(sizes).tolist())


def test_prophet_knows_weekends_and_says_the_same_each_time() -> None:
    chance = np.random.default_rng(7)
    values = [1000 * (0.5 if i % 7 >= 5 else 1.0) * float(chance.normal(1, 0.02)) for i in range(56)]
    history = days(values)
    probe = [Point(MONDAY + timedelta(days=56), 500.0), Point(MONDAY + timedelta(days=61), 500.0)]
    monday, saturday = find_anomalies(history, probe, "prophet")
    assert (monday.is_anomaly, saturday.is_anomaly) == (True, False)
    assert saturday.season == "Saturdays"
    assert saturday.seasonal is not None
    assert saturday.seasonal == pytest.approx(0.6, abs=0.1)  # of the mean, weekends included
    assert find_anomalies(history, probe, "prophet") == (monday, saturday)
