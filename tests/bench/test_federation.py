"""The bounds of the federation benchmark are held as written, and rows are compared whatever classes they have."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from bench.federation.bench import DUCKDB, FORGE, SOURCE, Measured, missed, shown
from bench.federation.worker import digest


def measured(ours: float = 1.1, peer: float = 2.0, megabytes: float = 400, rows: str = "a") -> dict[str, Measured]:
    return {
        SOURCE: Measured(1.0, 100, 1, "a"),
        FORGE: Measured(ours, megabytes, 1, rows),
        DUCKDB: Measured(peer, 200, 1, "a"),
    }


def test_a_missed_bound_is_named() -> None:
    assert missed({"sums": measured()}) == []
    assert missed({"sums": measured(ours=1.21)}) == ["sums: 1.21 × the source, 1.2 is the bound"]
    assert missed({"sums": measured(peer=1.1)}) == ["sums: duckdb is faster"]
    assert missed({"sums": measured(megabytes=513)}) == ["sums: 513 MB at the peak, 512 is the bound"]
    assert missed({"sums": measured(rows="b")}) == ["sums: forge has other rows"]


def test_the_table_tells_each_beside_the_source() -> None:
    assert shown({"sums": measured()}).splitlines()[2].split() == ["sums", "forge", "1", "1.100", "1.10", "400"]


def test_the_same_rows_have_one_digest_in_any_order() -> None:
    some = [(1, Decimal("2.50"), date(2026, 1, 2), "x"), (2, None, None, "y")]
    assert digest(some) == digest([(2, None, None, "y"), (1, Decimal("2.5"), date(2026, 1, 2), "x")])
    assert digest(some) != digest(some[:1])
