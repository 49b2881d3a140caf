"""A check with `partition_by` is judged for each partition."""

from __future__ import annotations

import json
from typing import Any

import pytest
from memory_checks import NOW, ORDERS, Rows, judge_rows, schema_of, written

from forge.quality.check import Context
from forge.quality.measure import MAX_PARTITIONS, NotMeasured
from forge.quality.verdict import Outcome

SCHEMA = schema_of(country="string", day="date", n="bigint", x="double", tags="array<int>")


def rows_of(**counts: int) -> list[dict[str, Any]]:
    return [{"country": name, "n": n, "x": float(n)} for name, count in counts.items() for n in range(count)]


def judge(rows: Rows, previous: Rows | None = None, masked: frozenset[str] = frozenset(), **keys: Any) -> Any:
    check = written(partition_by="country", **keys)
    return judge_rows(check, rows, SCHEMA, previous=previous, masked=masked)


def test_it_fails_where_one_partition_fails_and_names_it() -> None:
    verdict = judge(rows_of(AT=3, DE=1, FR=3), type="volume", min_rows=2)
    assert verdict.outcome is Outcome.FAILED
    assert verdict.message == ("row_count: 1 of 3 partitions by country fails: country = 'DE': 1 row, fewer than 2")
    assert verdict.check_id == "core.orders.row_count.by_country"
    found = verdict.details["partitions"]
    assert {key: found[key] for key in ("total", "failed", "not_measured")} == {
        "total": 3,
        "failed": 1,
        "not_measured": 0,
    }
    assert [entry["partition"] for entry in found["listed"]] == [
        {"country": "DE"},
        {"country": "AT"},
        {"country": "FR"},
    ]
    assert found["listed"][0] == {
        "partition": {"country": "DE"},
        "outcome": "failed",
        "message": "1 row, fewer than 2",
        "readings": {"rows": 1},
    }
    assert verdict.details["partition_by"] == ["country"]


def test_all_partitions_passing_is_told_as_a_number() -> None:
    verdict = judge(rows_of(AT=3, DE=2), type="volume", min_rows=2)
    assert verdict.outcome is Outcome.PASSED
    assert verdict.message == "row_count: 2 partitions by country, none fails"


def test_each_partition_has_bounds_of_its_own() -> None:
    """300 is usual in FR and an outlier in DE."""
    usual = [{"country": "DE", "n": n} for n in range(10)] + [{"country": "FR", "n": 300 + n} for n in range(10)]
    odd = [{"country": "DE", "n": 300}]
    keys: dict[str, Any] = {"type": "iqr", "column": "n", "max_outlier_percentage": 0}
    assert judge(usual, **keys).outcome is Outcome.PASSED
    verdict = judge(usual + odd, **keys)
    assert verdict.outcome is Outcome.FAILED
    assert [e["partition"] for e in verdict.details["partitions"]["listed"] if e["outcome"] == "failed"] == [
        {"country": "DE"}
    ]
    assert judge_rows(written(**keys), usual + odd, SCHEMA).outcome is Outcome.PASSED  # as one table it is usual


def test_keys_are_unique_within_their_partition() -> None:
    rows = rows_of(AT=3, DE=3)
    assert judge(rows, type="unique", columns=["n"]).outcome is Outcome.PASSED
    assert judge_rows(written(type="unique", columns=["n"]), rows, SCHEMA).outcome is Outcome.FAILED


def test_null_is_a_partition() -> None:
    rows: Rows = [{"country": None, "n": 1}, {"country": "DE", "n": 1}]
    verdict = judge(rows, type="range", column="n", max=0)
    assert {str(e["partition"]["country"]) for e in verdict.details["partitions"]["listed"]} == {"None", "DE"}
    assert "country = NULL" in verdict.message


def test_an_empty_table_is_judged_as_a_whole() -> None:
    assert judge([], type="volume", min_rows=1).outcome is Outcome.FAILED
    assert judge([], type="range", column="n", max=0).outcome is Outcome.PASSED


def test_a_partition_that_is_new_has_nothing_to_be_compared_with_and_one_that_is_gone_fails() -> None:
    keys: dict[str, Any] = {"type": "volume", "max_change_percentage": 10}
    assert judge(rows_of(AT=5, DE=9), rows_of(AT=5), **keys).outcome is Outcome.PASSED
    gone = judge(rows_of(AT=5), rows_of(AT=5, DE=9), **keys)
    assert gone.outcome is Outcome.FAILED
    assert "country = 'DE': 0 rows, 9 in the version before (-100.00%" in gone.message
    assert judge(rows_of(AT=5), None, **keys).outcome is Outcome.PASSED


def test_a_partition_without_values_cannot_be_judged_and_a_failed_one_outweighs_it() -> None:
    rows: Rows = [{"country": "AT", "x": None}, {"country": "DE", "x": 5.0}]
    unknown = judge(rows, type="mean", column="x", max=9)
    assert unknown.outcome is Outcome.NOT_MEASURED
    assert "1 of 2 partitions: country = 'AT': there are no values" in unknown.message
    failed = judge(rows, type="mean", column="x", max=1)
    assert failed.outcome is Outcome.FAILED
    assert failed.details["partitions"]["not_measured"] == 1


def test_at_most_a_hundred_are_listed_with_the_failed_ones_first() -> None:
    rows = [{"country": f"c{n:04}", "n": n} for n in range(300)]
    verdict = judge(rows, type="range", column="n", max=290)
    found = verdict.details["partitions"]
    assert (found["total"], found["failed"], len(found["listed"])) == (300, 9, 100)
    assert all(entry["outcome"] == "failed" for entry in found["listed"][:9])
    assert "and 6 more" in verdict.message
    json.dumps(verdict.details)


@pytest.mark.slow
def test_too_many_partitions_are_not_measured() -> None:
    check = written(type="volume", min_rows=1, partition_by="n")
    readings = {check.rows(): {(n,): 1 for n in range(MAX_PARTITIONS + 1)}}
    verdict = check.judge(readings, Context(ORDERS, SCHEMA, NOW))
    assert verdict.outcome is Outcome.NOT_MEASURED
    assert "10,001 partitions, more than 10,000" in verdict.message
    assert check.judge({check.rows(): NotMeasured("too many")}, Context(ORDERS, SCHEMA, NOW)).outcome is (
        Outcome.NOT_MEASURED
    )


def test_partitions_of_a_masked_column_are_not_named() -> None:
    verdict = judge(rows_of(Secretland=1), masked=frozenset({"country"}), type="volume", min_rows=2)
    assert "Secretland" not in verdict.message + json.dumps(verdict.details)
    assert "country = '***'" in verdict.message


def test_a_column_without_single_values_is_no_partition() -> None:
    verdict = judge_rows(written(type="volume", min_rows=1, partition_by="tags"), [], SCHEMA)
    assert verdict.outcome is Outcome.NOT_MEASURED
    assert "tags is array<int>, and partitions are by" in verdict.message
    missing = judge_rows(written(type="volume", min_rows=1, partition_by="contry"), [], SCHEMA)
    assert "Did you mean country?" in missing.message
