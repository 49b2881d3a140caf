"""Readings of parts are put together into the reading of the whole."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.quality.kinds import reading_of_no_rows
from forge.quality.measure import Measure
from forge.quality.readings import DistinctSketch, FunctionReading, Moments, Quantiles
from forge.quality.values import plain

NUMBERS = st.lists(st.integers(-1000, 1000).map(float), max_size=60)


@given(NUMBERS, NUMBERS)
def test_moments_of_two_parts_add_up_to_those_of_the_whole(one: list[float], two: list[float]) -> None:
    both = Moments.of(one) + Moments.of(two)
    assert both.count == len(one) + len(two)
    if len(one + two) > 1:
        assert both.deviation is not None
        assert math.isclose(both.mean, statistics.fmean(one + two), rel_tol=1e-12, abs_tol=1e-9)
        assert math.isclose(both.deviation, statistics.stdev(one + two), rel_tol=1e-9, abs_tol=1e-6)


def test_a_spread_is_not_lost_beside_a_great_mean() -> None:
    """A sum of squares of such numbers has no digit left for it."""
    values = [1e9 + n for n in range(4)]
    whole = Moments.of(values[:2]) + Moments.of(values[2:])
    assert whole.deviation == pytest.approx(statistics.stdev(range(4)))


def test_moments_of_few_values() -> None:
    assert Moments.of([]).plain() == {"count": 0, "mean": None, "deviation": None}
    assert Moments.of([3.0]).plain() == {"count": 1, "mean": 3.0, "deviation": None}
    assert Moments.of([math.nan, math.inf, -math.inf, 3.0]) == Moments(1, 3.0, 0.0)


@given(NUMBERS, NUMBERS, st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]))
def test_quantiles_of_few_values_are_exact_and_add_up(one: list[float], two: list[float], share: float) -> None:
    both = Quantiles.of(one) + Quantiles.of(two)
    values = sorted(one + two)
    assert both.count == len(values)
    assert both.points() == tuple(sorted(set(values)))
    if not values:
        assert both.at(share) is None
        assert both.ranks((1.0, 2.0)) == (0.0, 0.0)
        return
    assert both.at(share) == values[max(math.ceil(share * len(values)) - 1, 0)]
    asked = (values[0], 0.5, values[0])
    assert both.ranks(asked) == tuple(sum(v <= a for v in values) / len(values) for a in asked)


def test_quantiles_of_many_values_are_near() -> None:
    whole = Quantiles.of(map(float, range(50_000))) + Quantiles.of(map(float, range(50_000, 100_000)))
    assert whole.count == 100_000
    for share in (0.01, 0.25, 0.5, 0.75, 0.99):
        assert whole.at(share) == pytest.approx(share * 100_000, abs=400)
        assert whole.ranks((share * 100_000,))[0] == pytest.approx(share, abs=0.004)
    assert (whole.at(0), whole.at(1)) == (0.0, 99_999.0)


def test_adding_changes_neither_part() -> None:
    one, two = Quantiles.of([1.0]), Quantiles.of([2.0])
    assert one + two != one
    assert (one.count, two.count) == (1, 1)


def test_quantiles_leave_out_what_is_no_number() -> None:
    assert Quantiles.of([math.nan, math.inf, 2.0]).plain() == {
        "count": 1,
        "min": 2.0,
        "q1": 2.0,
        "median": 2.0,
        "q3": 2.0,
        "max": 2.0,
    }


def test_distinct_values_are_counted_once_over_all_parts() -> None:
    one, two = DistinctSketch.of(range(20_000)), DistinctSketch.of(range(10_000, 30_000))
    assert (one + two).estimate == pytest.approx(30_000, rel=0.03)
    assert DistinctSketch.of(["a", "b", "a"]).plain() == {"estimate": 2}
    assert (DistinctSketch.of([]) + DistinctSketch.of([])).estimate == 0


def test_a_broken_sketch_is_an_error_and_no_reading() -> None:
    with pytest.raises((ValueError, IndexError)):
        Quantiles(b"no sketch at all").at(0.5)
    with pytest.raises((ValueError, IndexError)):
        _ = DistinctSketch(b"abc").estimate


def test_no_rows_read_as_a_part_that_adds_nothing() -> None:
    for kind, some in (("moments", Moments.of([1.0])), ("quantiles", Quantiles.of([1.0]))):
        none = reading_of_no_rows(Measure(kind=kind))
        assert (some + none).count == 1  # type: ignore[operator]
    assert [reading_of_no_rows(Measure(kind=kind)) for kind in ("rows", "min", "frequencies")] == [0, None, {}]


def test_readings_are_shown_as_plain_values() -> None:
    assert plain({"a": FunctionReading(False, "no", 3)}) == {"a": {"passed": False, "message": "no", "failing": 3}}
