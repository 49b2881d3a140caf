"""Checks of distributions: what they say, and Kolmogorov's distribution by its known values."""

from __future__ import annotations

import json
import random
from datetime import timedelta
from typing import Any

import pytest
from memory_checks import NOW, Rows, judge_rows, schema_of, written

from forge.quality.checks import STATISTICAL, DriftCheck, IqrCheck, KsTestCheck, ZScoreCheck
from forge.quality.checks.ks_test import chance_of, distance_of
from forge.quality.measure import PREVIOUS, Measure
from forge.quality.plan import plan_measures, plan_second_round
from forge.quality.readings import Moments, Quantiles
from forge.quality.verdict import Outcome, Verdict

SCHEMA = schema_of(n="bigint", x="double", d="decimal(12,2)", t="string", at="timestamp", s="struct<a:int>")


def judge(rows: Rows, previous: Rows | None = None, masked: frozenset[str] = frozenset(), **keys: Any) -> Verdict:
    return judge_rows(written(**keys), rows, SCHEMA, previous=previous, masked=masked)


def numbers(values: Any, column: str = "x") -> list[dict[str, Any]]:
    return [{column: value} for value in values]


def test_the_defaults_are_those_of_the_specification() -> None:
    assert (ZScoreCheck("x").threshold, ZScoreCheck("x").max_outlier_percentage) == (3.0, 1.0)
    assert (IqrCheck("x").threshold, IqrCheck("x").max_outlier_percentage) == (3.0, 1.0)
    assert (KsTestCheck("x").max_distance, KsTestCheck("x").significance, KsTestCheck("x").reference) == (
        0.1,
        0.05,
        PREVIOUS,
    )
    assert (DriftCheck("x").threshold, DriftCheck("x").reference) == (0.2, PREVIOUS)
    assert set(STATISTICAL) >= {"zscore", "iqr", "ks_test", "mean", "std", "quantile", "drift"}


def test_outliers_are_found_in_a_second_round_as_a_plain_range() -> None:
    check = ZScoreCheck("n", threshold=2.0)
    first = plan_measures([check], SCHEMA)
    assert sorted(m.kind for m in first) == ["moments", "nulls", "rows"]
    readings = {m: {"rows": 10, "nulls": 0, "moments": Moments(10, 5.0, 9.0)}[m.kind] for m in first}
    assert plan_second_round([check], readings, SCHEMA) == (
        Measure(kind="outside_range", columns=("n",), arguments=(3, 7)),
    )
    assert check.bad(readings, SCHEMA) == (Measure(kind="outside_range", columns=("n",), arguments=(3, 7)),)


def test_a_column_that_never_changes_has_no_outliers_and_needs_no_second_round() -> None:
    rows = numbers([0.1] * 30)
    check = written(type="zscore", column="x", max_outlier_percentage=0)
    verdict = judge_rows(check, rows, SCHEMA)
    assert verdict.outcome is Outcome.PASSED
    assert "outside_range" not in json.dumps(verdict.details)


def test_outliers_say_how_many_and_beyond_what() -> None:
    verdict = judge(numbers([*range(1, 100), 5000]), type="iqr", column="x", max_outlier_percentage=0.5)
    said = "x: 1 of 100 values (1.00%, 0.5% is allowed) is outside -125 … 225 (quartiles 25 and 75)"
    assert verdict.message == said
    assert verdict.details["thresholds"] == {
        "threshold": 3.0,
        "max_outlier_percentage": 0.5,
        "low": -125.0,
        "high": 225.0,
    }


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"type": "mean", "max": 1}, "x: the mean is 2, more than 1"),
        ({"type": "mean", "min": 3}, "x: the mean is 2, less than 3"),
        ({"type": "std", "max": 0.5}, "x: the standard deviation is 1, more than 0.5"),
        ({"type": "quantile", "min": 3}, "x: the median is 2, less than 3"),
        ({"type": "quantile", "quantile": 0.9, "max": 3}, "x: the quantile 0.9 is 3"),
    ],
)
def test_a_statistic_is_told_with_its_bound(keys: dict[str, Any], message: str) -> None:
    assert judge(numbers([1, 2, 3]), column="x", **keys).message == message


def test_a_mean_on_its_bound_is_within_it_whatever_floats_make_of_it() -> None:
    for count in range(1, 40):
        assert judge(numbers([0.1] * count), type="mean", column="x", min=0.1, max=0.1).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("scaled", "chance"), [(0.0, 1.0), (0.5, 0.9639), (1.2238, 0.10), (1.3581, 0.05), (1.6276, 0.01), (1.9495, 0.001)]
)
def test_chances_are_those_of_kolmogorovs_tables(scaled: float, chance: float) -> None:
    assert chance_of(scaled / 50, 5000, 5000) == pytest.approx(chance, abs=1e-4)


def test_the_distance_of_two_distributions() -> None:
    one, two = Quantiles.of([1, 2, 3, 4]), Quantiles.of([3, 4, 5, 6])
    assert distance_of(one, two) == 0.5
    assert distance_of(one, one) == 0.0
    assert distance_of(Quantiles.of([1.0]), Quantiles.of([2.0])) == 1.0


def test_a_shift_is_seen_and_the_same_distribution_is_not() -> None:
    dice = random.Random(7)  # not a secret
    one, two = ([dice.gauss(0, 1) for _ in range(2000)] for _ in range(2))
    moved = [value + 0.6 for value in two]
    for kind in ("ks_test", "drift"):
        assert judge(numbers(two), numbers(one), type=kind, column="x").outcome is Outcome.PASSED, kind
        assert judge(numbers(moved), numbers(one), type=kind, column="x").outcome is Outcome.FAILED, kind


def test_drift_of_text_counts_new_values_and_lost_ones() -> None:
    was = [{"t": value} for value in "aaaabbbb"]
    same = judge([{"t": v} for v in "abab"], was, type="drift", column="t")
    assert same.outcome is Outcome.PASSED
    assert same.details["statistics"] == {"index": 0.0}
    new = judge([{"t": v} for v in "cccc"], was, type="drift", column="t")
    assert new.outcome is Outcome.FAILED
    assert new.details["bins"][0] == {"upto": None, "expected": 0.0, "actual": 1.0}  # type: ignore[index]


def test_times_drift_too() -> None:
    was = [{"at": NOW + timedelta(hours=h)} for h in range(100)]
    late = [{"at": NOW + timedelta(hours=h + 50)} for h in range(100)]
    for kind in ("ks_test", "drift"):
        assert judge(was, was, type=kind, column="at").outcome is Outcome.PASSED
        assert judge(late, was, type=kind, column="at").outcome is Outcome.FAILED


def test_before_there_is_a_reference_a_comparison_passes_and_says_so() -> None:
    for kind, column in (("ks_test", "x"), ("drift", "t")):
        verdict = judge([{"x": 1.0, "t": "a"}], None, type=kind, column=column)
        assert verdict.outcome is Outcome.PASSED
        assert "no version before to compare with yet" in verdict.message
        assert verdict.details["note"] == "There was nothing to compare with"
    volume = judge([{"x": 1.0}], None, type="volume", max_change_percentage=1)
    assert volume.outcome is Outcome.PASSED
    assert volume.details["note"] == "There is no version before to compare with yet"


@pytest.mark.parametrize(
    ("rows", "before", "outcome", "said"),
    [
        (110, 100, Outcome.PASSED, "110 rows, 100 in the version before (+10.00%, 10% is allowed)"),
        (111, 100, Outcome.FAILED, "(+11.00%, more than 10%)"),
        (89, 100, Outcome.FAILED, "(-11.00%, more than 10%)"),
        (1, 0, Outcome.FAILED, "0 in the version before (none before, more than 10%)"),
        (0, 0, Outcome.PASSED, "(as before, 10% is allowed)"),
    ],
)
def test_volume_may_change_by_so_many_percent_of_the_version_before(
    rows: int, before: int, outcome: Outcome, said: str
) -> None:
    verdict = judge(numbers(range(rows)), numbers(range(before)), type="volume", max_change_percentage=10)
    assert verdict.outcome is outcome
    assert said in verdict.message
    assert verdict.details["readings"] == {"rows": rows, "rows at previous": before}


@pytest.mark.parametrize("kind", [k for k in STATISTICAL if k != "anomaly"])
def test_no_statistic_of_a_masked_column_is_told(kind: str) -> None:
    bounds: dict[str, Any] = {"max": 1} if kind in ("mean", "std", "quantile") else {}
    rows, was = numbers([777.25] * 9 + [123456.5]), numbers([777.25] * 5)
    verdict = judge(rows, was, frozenset({"x"}), type=kind, column="x", **bounds)
    text = verdict.message + json.dumps(verdict.details)
    for secret in ("777", "123456", "13045"):
        assert secret not in text, (kind, text)


@pytest.mark.parametrize(("kind", "column"), [("zscore", "t"), ("mean", "at"), ("ks_test", "t"), ("drift", "s")])
def test_a_column_that_has_no_such_statistic_is_not_measured(kind: str, column: str) -> None:
    bounds: dict[str, Any] = {"max": 1} if kind == "mean" else {}
    verdict = judge([], [], type=kind, column=column, **bounds)
    assert verdict.outcome is Outcome.NOT_MEASURED
    assert f"{column} is " in verdict.message


def test_great_and_small_doubles_do_not_break_the_bounds() -> None:
    rows = numbers([1e308, -1e308, 1e-308, 0.0] * 5)
    for kind in ("zscore", "iqr"):
        assert judge(rows, type=kind, column="x", max_outlier_percentage=0).outcome is Outcome.PASSED, kind
