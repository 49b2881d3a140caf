"""The bounds of the profile benchmark are held as written."""

from __future__ import annotations

from bench.profile.bench import FORGE, HAND, LOOP, missed, shown


def test_a_missed_bound_is_named() -> None:
    assert missed({FORGE: 1.0, HAND: 1.0, LOOP: 4.0}) == []
    assert missed({FORGE: 1.31, HAND: 1.0, LOOP: 9.0}) == ["1.31 × the aggregation by hand, 1.3 is the bound"]
    assert missed({FORGE: 1.0, HAND: 1.0, LOOP: 2.5}) == ["2.50 × faster than the loop, 3 is the bound"]


def test_the_table_has_a_line_for_each() -> None:
    assert shown({FORGE: 1.0, HAND: 2.0, LOOP: 4.0}).splitlines()[2].split()[-2:] == ["2.00", "2.00"]
