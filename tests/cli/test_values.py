from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from forge.cli.values import read_age, read_number, read_params, read_range
from forge.model.errors import ForgeError


def test_a_parameter_is_split_at_its_first_equals_sign() -> None:
    assert read_params(["day=2026-11-15", "filter=a=b", "empty="]) == {
        "day": "2026-11-15",
        "filter": "a=b",
        "empty": "",
    }


@pytest.mark.parametrize("text", ["day", "=5", ""])
def test_a_parameter_without_name_or_value_is_refused(text: str) -> None:
    with pytest.raises(ForgeError) as caught:
        read_params([text])
    assert caught.value.code == "E105"


def test_a_time_range_is_in_utc() -> None:
    found = read_range("2026-11-14", "2026-11-15T02:00+02:00")
    assert found is not None
    assert (found.start, found.end) == (datetime(2026, 11, 14, tzinfo=UTC), datetime(2026, 11, 15, tzinfo=UTC))


@pytest.mark.parametrize(
    ("start", "end"),
    [("2026-11-14", None), (None, "2026-11-14"), ("2026-11-14", "2026-11-14"), ("x", "2026-11-14")],
)
def test_half_a_range_or_none_at_all_is_refused(start: str | None, end: str | None) -> None:
    with pytest.raises(ForgeError) as caught:
        read_range(start, end)
    assert caught.value.code == "E105"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("24h", timedelta(hours=24)),
        ("90m", timedelta(minutes=90)),
        ("7d", timedelta(days=7)),
        ("1.5 hours", timedelta(minutes=90)),
        ("P1D", timedelta(days=1)),
    ],
)
def test_ages_are_read(text: str, expected: timedelta) -> None:
    assert read_age(text, "--older-than") == expected


@pytest.mark.parametrize("text", ["", "h", "24", "-1h", "24 parsecs", "9999999d", "1 month"])
def test_other_ages_are_refused(text: str) -> None:
    with pytest.raises(ForgeError) as caught:
        read_age(text, "--older-than")
    assert caught.value.code == "E105"


def test_all_is_no_limit() -> None:
    assert read_number("all", "--limit") is None
    assert read_number("7", "--limit") == 7
    with pytest.raises(ForgeError):
        read_number("-7", "--limit")
