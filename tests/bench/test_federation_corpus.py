"""The corpus of the federation benchmark: what it asks, and how rows of two engines are compared."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
import sqlglot

from bench.federation.corpus import NAMES, Leg, canonical, told
from bench.federation.questions import questions


@pytest.mark.slow
def test_it_asks_hundreds_of_different_things_of_all_tables() -> None:
    asked = questions(320)
    assert len({one.text for one in asked}) == 320
    assert asked == questions(320)
    assert all(sum(f"{{{name}}}" in one.text for one in asked) > 20 for name in NAMES)
    for one in asked:
        for dialect in ("spark", "postgres"):
            sqlglot.parse_one(one.text.format(**NAMES), read=dialect)


def test_numbers_are_compared_whatever_their_class_and_rows_by_their_order_where_they_have_one() -> None:
    some = [(1, Decimal("2.50"), date(2026, 1, 2), None, 1 / 3), (2, None, None, "y", 0.5)]
    same = [
        (2.0, None, None, "y", Decimal("0.5")),
        (Decimal(1), 2.5, date(2026, 1, 2), None, Decimal("0.33333333333333")),
    ]
    assert canonical(some, False) == canonical(same, False)
    assert canonical(some, True) != canonical(same, True)
    assert canonical(some, False) != canonical(some[:1], False)


def test_it_prints_how_many_were_equal_and_which_were_not() -> None:
    text = told([Leg("spark", True, equal=2, seconds=3.2, wrong=["other rows: SELECT 1"])], 3)
    assert text.splitlines()[-2].split() == ["spark,", "pushed", "down", "3", "2", "3"]
    assert text.endswith("spark, pushed down: other rows: SELECT 1")
