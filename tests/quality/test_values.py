"""Bounds and members as values of a column's type; numbers as people read them."""

from __future__ import annotations

import json
import struct
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.quality.values import Family, UnfitValue, family_of, lower_bound, member, plain, share, show, upper_bound

NUMBERS = st.decimals(min_value=-(10**12), max_value=10**12, places=4, allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("type_", "family"),
    [
        ("bigint", Family.INTEGER),
        ("long", Family.INTEGER),
        ("decimal(12,2)", Family.DECIMAL),
        ("decimal(5)", Family.DECIMAL),
        ("DOUBLE", Family.DOUBLE),
        ("varchar(20)", Family.STRING),
        ("timestamp_ntz", Family.TIMESTAMP),
        ("struct<a:int>", Family.OTHER),
        ("array<decimal(5,2)>", Family.OTHER),
        ("binary", Family.OTHER),
    ],
)
def test_a_spark_type_belongs_to_a_family(type_: str, family: Family) -> None:
    assert family_of(type_) is family


@given(NUMBERS, st.integers(-(10**13), 10**13))
def test_bounds_of_whole_numbers_keep_the_same_rows_inside(bound: Decimal, value: int) -> None:
    assert (value < lower_bound(bound, "bigint")) == (Fraction(value) < Fraction(bound))  # type: ignore[operator]
    assert (value > upper_bound(bound, "bigint")) == (Fraction(value) > Fraction(bound))  # type: ignore[operator]


@given(NUMBERS, st.decimals(min_value=-(10**9), max_value=10**9, places=2))
def test_bounds_of_decimals_keep_the_same_rows_inside(bound: Decimal, value: Decimal) -> None:
    low, high = lower_bound(bound, "decimal(12,2)"), upper_bound(bound, "decimal(12,2)")
    assert isinstance(low, Decimal)
    assert isinstance(high, Decimal)
    assert (value < low) == (value < bound)
    assert (value > high) == (value > bound)
    assert low.as_tuple().exponent == high.as_tuple().exponent == -2


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float_bound_is_what_a_float_column_holds(value: float) -> None:
    short = float(f"{value:.9g}")  # enough digits to name a 32-bit float, and mostly no 32-bit float itself
    assert lower_bound(short, "float") == struct.unpack("<f", struct.pack("<f", short))[0]


def test_open_ends_are_no_bounds() -> None:
    assert upper_bound(float("inf"), "bigint") is None
    assert lower_bound(float("-inf"), "double") is None


def test_dates_and_times_are_read_from_text_and_from_yaml() -> None:
    assert member("2026-11-15", "date") == date(2026, 11, 15)
    assert member(date(2026, 11, 15), "timestamp") == datetime(2026, 11, 15, tzinfo=UTC)
    assert member("2026-11-15T08:00:00+02:00", "timestamp") == datetime(2026, 11, 15, 6, tzinfo=UTC)
    assert member(datetime(2026, 11, 15), "date") == date(2026, 11, 15)


@pytest.mark.parametrize(
    ("value", "type_", "said"),
    [
        (True, "string", "quote it"),
        (1.5, "int", "not a whole number"),
        ("1.005", "decimal(12,2)", "more digits after the point"),
        ("abc", "bigint", "not a number"),
        (float("nan"), "double", "finite"),
        ("yesterday", "date", "not a date"),
        (datetime(2026, 1, 1, 8), "date", "is a time"),
        (date(2026, 1, 1), "decimal(12,2)", "cannot be compared"),
        (Decimal(10) ** 50, "decimal(38,0)", "more digits"),
        (1, "boolean", "cannot be compared"),
        ("x", "binary", "cannot be compared"),
    ],
)
def test_a_value_that_is_none_of_the_type_is_refused_with_the_reason(value: object, type_: str, said: str) -> None:
    with pytest.raises(UnfitValue, match=said):
        member(value, type_)


def test_a_whole_number_is_a_member_of_text_as_it_is_written() -> None:
    assert member(12, "string") == "12"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (812300, "812,300"),
        (Decimal("812300.50"), "812,300.50"),
        (Decimal("1E+6"), "1,000,000"),
        (3.0, "3"),
        (0.1, "0.1"),
        (float("nan"), "NaN"),
        (None, "NULL"),
        (datetime(2026, 11, 15, 8, tzinfo=UTC), "2026-11-15 08:00:00 UTC"),
        (date(2026, 11, 15), "2026-11-15"),
        ("x" * 100, "'" + "x" * 59 + "…'"),
    ],
)
def test_values_are_shown_as_people_write_them(value: object, text: str) -> None:
    assert show(value) == text


@pytest.mark.parametrize(
    ("count", "rows", "text"),
    [
        (1204, 50_000, "2.41%"),
        (0, 0, "0.00%"),
        (0, 5, "0.00%"),
        (1, 10**9, "<0.01%"),
        (10**9 - 1, 10**9, ">99.99%"),
        (7, 7, "100.00%"),
    ],
)
def test_a_share_never_rounds_to_nothing_or_all(count: int, rows: int, text: str) -> None:
    assert share(count, rows) == text


def test_plain_values_are_json() -> None:
    values = [Decimal("1.50"), date(2026, 1, 1), datetime(2026, 1, 1), float("nan"), float("inf"), b"\x01", {1: (2,)}]
    assert json.loads(json.dumps(plain(values), allow_nan=False)) == [
        "1.50",
        "2026-01-01",
        "2026-01-01T00:00:00+00:00",
        "NaN",
        "inf",
        "01",
        {"1": [2]},
    ]
