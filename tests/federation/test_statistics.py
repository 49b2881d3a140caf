"""What is known of the values of a column, as shares of its rows."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from forge.federation.statistics import ColumnStatistics, bounds_of, place_of

QUARTERS = ColumnStatistics(bounds=(0.0, 10.0, 20.0, 30.0, 40.0))


@pytest.mark.parametrize(
    ("low", "high", "share"),
    [
        (None, 20, 0.5),
        (20, None, 0.5),
        (5, 15, 0.25),
        (-5, 100, 1.0),
        (41, None, 0.0),
        (None, -1, 0.0),
        (30, 10, 0.0),
        (39, None, 0.025),
    ],
)
def test_between_two_bounds_values_lie_evenly(low: float | None, high: float | None, share: float) -> None:
    assert QUARTERS.share_between(low, high) == pytest.approx(share)


def test_rows_without_a_value_are_in_no_range() -> None:
    assert ColumnStatistics(nulls=0.5, bounds=(0.0, 10.0)).share_between(None, 5) == pytest.approx(0.25)


def test_a_value_that_is_there_often_is_a_bound_as_often() -> None:
    often = ColumnStatistics(bounds=(0.0, 7.0, 7.0, 7.0, 10.0))
    assert often.share_between(8, None) == pytest.approx(1 / 6)
    assert often.share_between(None, 7) == pytest.approx(0.25)


def test_without_bounds_nobody_can_tell() -> None:
    assert ColumnStatistics(distinct=3, bounds=(1.0,)).share_between(None, 5) is None


def test_numbers_and_times_have_a_place_and_texts_have_none() -> None:
    assert place_of(Decimal("1.5")) == 1.5
    assert place_of(date(1970, 1, 2)) == place_of(datetime(1970, 1, 2, tzinfo=UTC)) == 86_400
    assert place_of(datetime(1970, 1, 2)) == 86_400
    assert (place_of("7"), place_of(True), place_of(None)) == (None, None, None)
    assert bounds_of([3, 1, 2]) == (1.0, 2.0, 3.0)
    assert bounds_of([1, "x"]) == bounds_of([1.0, float("nan")]) == ()
