from __future__ import annotations

import pytest

from forge.model.duration import compare_durations, duration_text, number_of, parse_duration


@pytest.mark.parametrize(
    ("value", "unit", "seconds"),
    [
        (24, "h", 86_400),
        ("24", "H", 86_400),
        (" 24 h ", None, 86_400),
        ("1day", None, 86_400),
        ("1 d", "days", 86_400),
        (0, "s", 0),
        (0.5, "d", 43_200),
        ("1.5", "minutes", 90),
        (500, "ms", 0.5),
        (2, "weeks", 1_209_600),
        ("P1D", None, 86_400),
        ("P1D", "d", 86_400),
        ("PT36H", None, 129_600),
        ("P1DT12H30M", None, 131_400),
        ("pt0.5s", None, 0.5),
        ("PT0,5S", None, 0.5),
        ("P2W", None, 1_209_600),
    ],
)
def test_a_number_with_its_unit_or_iso_8601_is_a_duration(value: object, unit: str | None, seconds: float) -> None:
    found = parse_duration(value, unit)
    assert found is not None
    assert (float(found.months), float(found.seconds)) == (0, seconds)


@pytest.mark.parametrize(
    ("value", "unit", "months"), [(1, "y", 12), (3, "months", 3), ("P1Y6M", None, 18), ("2 yr", None, 24)]
)
def test_years_and_months_are_kept_apart_from_seconds(value: object, unit: str | None, months: int) -> None:
    found = parse_duration(value, unit)
    assert found is not None
    assert (int(found.months), int(found.seconds)) == (months, 0)


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        (24, None),
        ("24", None),
        ("24", ""),
        ("soon", None),
        ("soon", "d"),
        (24, "parsecs"),
        ("24 h", "d"),
        (-1, "d"),
        ("-1 d", None),
        ("P-1D", None),
        ("P", None),
        ("PT", None),
        ("P1DT", None),
        ("P1H", None),
        ("PT1D", None),
        ("1D", "%"),
        ("1e3", "s"),
        ("1 d 2 h", None),
        (True, "d"),
        (None, "d"),
        ([1], "d"),
        (float("nan"), "d"),
        (float("inf"), "d"),
        ("9" * 100, "s"),
        (10**100, "s"),
        ("", "d"),
    ],
)
def test_all_else_is_none(value: object, unit: str | None) -> None:
    assert parse_duration(value, unit) is None


@pytest.mark.parametrize(
    ("one", "other", "order"),
    [
        ("24 h", "P1D", 0),
        ("1440 m", "1 d", 0),
        ("25 h", "1 d", 1),
        ("1 y", "12 months", 0),
        ("P1Y", "365 d", 0),
        ("P1Y", "366 d", 0),
        ("P1Y", "364 d", 1),
        ("P1Y", "367 d", -1),
        ("1 month", "30 d", 0),
        ("1 month", "31 d", 0),
        ("1 month", "29 d", 1),
        ("1 month", "4 w", 1),
        ("P7Y", "2557 d", 0),
        ("P1Y1D", "367 d", 0),
        ("P1Y1D", "365 d", 1),
    ],
)
def test_durations_compare_by_length_whatever_the_unit(one: str, other: str, order: int) -> None:
    first, second = parse_duration(one), parse_duration(other)
    assert first is not None
    assert second is not None
    assert compare_durations(first, second) == order
    assert compare_durations(second, first) == -order


def test_numbers_are_exact() -> None:
    assert number_of("99.9") == number_of(99.9)
    assert number_of("1e9999999") is None
    assert number_of("abc") is None
    assert number_of(True) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0 s"),
        (9.54, "9.5 s"),
        (90, "90 s"),
        (125, "2 min 5 s"),
        (7200, "2 h"),
        (19_800, "5.5 h"),
        (86_400, "24 h"),
        (864_000, "10 days"),
        (1e9, "11,574.1 days"),
    ],
)
def test_a_duration_is_shown_in_the_unit_that_fits(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text
