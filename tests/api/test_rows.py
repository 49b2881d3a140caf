"""Values of rows as JSON."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from forge.api.rows import plain

EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (2**53 - 1, 2**53 - 1),
        (2**53, "9007199254740992"),
        (-(2**62), str(-(2**62))),
        (1.5, 1.5),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (Decimal("12.50"), "12.50"),
        (Decimal("1E+3"), "1000"),
        (date(2026, 11, 15), "2026-11-15"),
        (datetime(2026, 11, 15, 6, 10), "2026-11-15T06:10:00"),
        (datetime(2026, 11, 15, 6, 10, 0, 5, tzinfo=UTC), "2026-11-15T06:10:00.000005Z"),
        (datetime(2026, 11, 15, 6, 10, tzinfo=EAST), "2026-11-15T04:10:00Z"),
        (time(6, 10), "06:10:00"),
        (timedelta(hours=3), "3:00:00"),
        (b"\x00\xff", "00ff"),
        (bytearray(b"\x01"), "01"),
        ("ä", "ä"),
        ("\ud800", "?"),
        ([1, Decimal("2.0")], [1, "2.0"]),
        ([], []),
        ({"a": [date(2026, 1, 2)], "b": None}, {"a": ["2026-01-02"], "b": None}),
        ([("k", Decimal("1"))], {"k": "1"}),
        ({1: float("nan")}, {"1": "NaN"}),
    ],
    ids=lambda value: None,
)
def test_a_value_becomes_json(value: object, expected: Any) -> None:
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)
    json.dumps(found, allow_nan=False).encode()
