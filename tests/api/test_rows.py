"""Values of rows as JSON."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from forge.api.rows import plain
from forge.flows.versioning.cell_limits import LONGEST, SHORTEST, WHOLE, cell_limit

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


def test_what_is_too_long_is_cut_and_says_how_long_it_was() -> None:
    assert plain("é" * 2_000_000) == "é" * LONGEST + "… (cut: 4000000 bytes)"
    assert plain(b"z" * 2_000_000) == "7a" * LONGEST + "… (cut: 2000000 bytes)"
    assert plain({"list": ["x" * LONGEST]}) == {"list": ["x" * LONGEST]}
    cut = plain("x" * 2_000_000)
    assert plain(cut) == cut, "what was cut before is not cut again"


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (100, 1), (1001, 3), (1001, 40), (10_001, 5)])
def test_cells_of_one_answer_share_what_it_may_hold(rows: int, columns: int) -> None:
    most = cell_limit(rows, columns)
    assert SHORTEST <= most <= LONGEST
    assert most == SHORTEST or rows * columns * most <= WHOLE
