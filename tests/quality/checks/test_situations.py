"""Every type of check in the situations that data gets into."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from memory_checks import NOW, Rows, judge_rows, schema_of, written

from forge.model.names import TableName
from forge.model.schema import Column, Schema
from forge.quality.checks import CHECKS
from forge.quality.readings import FunctionReading

CUSTOMERS = TableName("core", "customers")
SCHEMA = schema_of(n="bigint", x="double", f="float", d="decimal(38,10)", t="string", at="timestamp", day="date")
NAN, INF = float("nan"), float("inf")
TOKYO = timezone(timedelta(hours=9))
PASSED, FAILED, UNKNOWN = "passed", "failed", "not measured"
NEEDS_NUMBERS = {"zscore", "iqr", "mean", "std", "quantile", "ks_test", "drift"}
# one of each type, on the column n where it takes one
EACH: dict[str, dict[str, Any]] = {
    "not_null": {"column": "n"},
    "unique": {"columns": ["n"]},
    "accepted_values": {"column": "n", "values": [1, 2]},
    "range": {"column": "n", "min": 1, "max": 2},
    "regex": {"column": "t", "pattern": "^[a-z]+$"},
    "row_count": {"min": 1, "max": 3},
    "freshness": {"timestamp_column": "at", "max_age_hours": 1},
    "foreign_key": {"columns": ["n"], "references": "core.customers.id"},
    "schema": {"columns": {"n": "long", "T": "STRING"}},
    "expression": {"sql": "n > 0"},
    "query": {"query": "SELECT * FROM core.orders WHERE n > 2"},
    "function": {"function": "quality/rules.py:few"},
    "zscore": {"column": "n", "threshold": 1.0, "max_outlier_percentage": 0},
    "iqr": {"column": "n", "max_outlier_percentage": 0},
    "mean": {"column": "n", "max": 2},
    "std": {"column": "n", "max": 1},
    "quantile": {"column": "n", "quantile": 0.9, "max": 2},
    "ks_test": {"column": "n", "significance": 1.0},
    "drift": {"column": "n"},
}
GOOD: Rows = [{"n": 1, "t": "a", "at": NOW}, {"n": 2, "t": "b", "at": NOW}]
BAD: Rows = [{"n": n, "t": "7", "at": NOW - timedelta(days=2)} for n in (1, 1, 1, None, 1, 900)]
NULLS: Rows = [{"n": None, "t": None, "at": None}] * 3


def told(kind: str, rows: Rows, schema: Schema = SCHEMA, **changed: Any) -> str:
    verdict = judge_rows(
        written(type=kind, **{**EACH[kind], **changed}),
        rows,
        schema,
        previous=GOOD,
        others={CUSTOMERS: [{"id": 1}, {"id": 2}]},
        predicates={"n > 0": lambda row: None if row["n"] is None else row["n"] == 1 or row["n"] == 2},
        queries={EACH["query"]["query"]: lambda rows: [row for row in rows if (row["n"] or 0) > 2]},
        functions={"quality/rules.py:few": lambda rows: FunctionReading(not rows or len(rows) < 6)},
    )
    return verdict.outcome.value


def test_every_type_is_among_the_cases() -> None:
    assert set(EACH) >= {check.type for check in CHECKS} - {"anomaly"}  # its situations are histories


@pytest.mark.parametrize("kind", EACH)
def test_good_rows_pass(kind: str) -> None:
    assert told(kind, GOOD) == PASSED


@pytest.mark.parametrize("kind", [kind for kind in EACH if kind != "schema"])
def test_bad_rows_fail(kind: str) -> None:
    assert told(kind, BAD) == FAILED


@pytest.mark.parametrize("kind", EACH)
def test_a_table_without_the_column_is_not_measured(kind: str) -> None:
    """Except where no column is named, and where a missing column is what is judged."""
    without = schema_of(other="int")
    expected = {"row_count": PASSED, "schema": FAILED, "expression": PASSED, "query": PASSED, "function": PASSED}
    assert told(kind, [{"other": 1, "n": 1}], without) == expected.get(kind, UNKNOWN)


@pytest.mark.parametrize("kind", EACH)
def test_an_empty_table_breaks_no_rule_of_rows_and_has_neither_age_nor_mean(kind: str) -> None:
    expected = {"row_count": FAILED, "freshness": FAILED}
    expected |= dict.fromkeys(("mean", "std", "quantile", "ks_test", "drift"), UNKNOWN)
    assert told(kind, []) == expected.get(kind, PASSED)


@pytest.mark.parametrize("kind", EACH)
def test_nothing_but_null_breaks_only_completeness_and_freshness(kind: str) -> None:
    expected = {"not_null": FAILED, "freshness": FAILED}
    expected |= dict.fromkeys(("mean", "std", "quantile", "ks_test", "drift"), UNKNOWN)
    assert told(kind, NULLS) == expected.get(kind, PASSED)


@pytest.mark.parametrize("column", ["x", "f"])
@pytest.mark.parametrize(
    ("kind", "keys", "outcome"),
    [
        ("range", {"min": 0, "max": None}, FAILED),
        ("range", {"min": None, "max": 5, "max_violation_percentage": 60}, PASSED),
        ("not_null", {}, PASSED),
        ("accepted_values", {"values": [1.0, 2.0]}, FAILED),
        ("zscore", {"threshold": 3}, FAILED),
        ("zscore", {"threshold": 3, "max_outlier_percentage": 60}, PASSED),
        ("iqr", {"max_outlier_percentage": 60}, PASSED),
        ("mean", {"min": 1.5, "max": 1.5}, PASSED),
        ("std", {"min": 0.7, "max": 0.71}, PASSED),
        ("quantile", {"quantile": 1, "min": 2, "max": 2}, PASSED),
    ],
)
def test_nan_and_the_infinities_are_outside_every_range_and_in_no_statistic(
    column: str, kind: str, keys: dict[str, Any], outcome: str
) -> None:
    rows = [{column: value} for value in (1.0, 2.0, NAN, INF, -INF)]
    keys = {key: value for key, value in {**EACH[kind], **keys, "column": column}.items() if value is not None}
    verdict = judge_rows(written(type=kind, **keys), rows, SCHEMA)
    assert verdict.outcome.value == outcome, verdict
    if kind in NEEDS_NUMBERS:
        assert "3 NaN or infinite values are" in str(verdict.details["note"])


def test_all_values_being_nan_leaves_nothing_for_a_mean_and_all_of_it_to_the_outliers() -> None:
    rows = [{"x": NAN}] * 4
    assert judge_rows(written(type="mean", column="x", max=1), rows, SCHEMA).outcome.value == UNKNOWN
    assert judge_rows(written(type="zscore", column="x"), rows, SCHEMA).outcome.value == FAILED


def test_decimals_keep_all_their_digits() -> None:
    big = Decimal("1234567890123456789012345678.0000000001")
    rows = [{"d": big}, {"d": big}]
    at_it = written(type="range", column="d", min=str(big), max=str(big))
    below = written(type="range", column="d", max="1234567890123456789012345678")
    assert judge_rows(at_it, rows, SCHEMA).outcome.value == PASSED
    assert judge_rows(below, rows, SCHEMA).outcome.value == FAILED
    assert judge_rows(written(type="set", column="d", values=[str(big)]), rows, SCHEMA).outcome.value == PASSED


def test_digits_that_a_double_cannot_hold_make_no_outlier() -> None:
    same = [{"n": 2**60 + 1, "d": Decimal("1234567890123456789012345678.0000000001")}] * 20
    for column in ("n", "d"):
        for kind in ("iqr", "zscore"):
            check = written(type=kind, column=column, max_outlier_percentage=0)
            assert judge_rows(check, same, SCHEMA).outcome.value == PASSED, (kind, column)


def test_a_time_is_the_same_in_every_zone() -> None:
    noon = datetime(2026, 11, 15, 12, tzinfo=UTC)
    rows = [{"at": noon}, {"at": noon.astimezone(TOKYO)}]
    judge: dict[str, tuple[dict[str, Any], str]] = {
        "unique": ({"columns": ["at"]}, FAILED),
        "range": ({"column": "at", "min": "2026-11-15T21:00:00+09:00", "max": "2026-11-15T12:00:00Z"}, PASSED),
        "accepted_values": ({"column": "at", "values": ["2026-11-15T07:00:00-05:00"]}, PASSED),
        "freshness": ({"timestamp_column": "at", "max_age_hours": 1}, PASSED),
    }
    for kind, (keys, outcome) in judge.items():
        assert judge_rows(written(type=kind, **keys), rows, SCHEMA).outcome.value == outcome, kind


NESTED = schema_of(
    id="int",
    address="struct<city:string,zip:int,geo:struct<lat:double,at:timestamp>>",
    tags="array<struct<k:string>>",
    **{"address.zip": "int"},
)
HOUSES: Rows = [
    {"id": 1, "address": {"city": "Bonn", "zip": 5, "geo": {"lat": 1.0, "at": NOW}}, "address.zip": 1, "tags": []},
    {"id": 2, "address": {"city": "東京", "zip": 5, "geo": None}, "address.zip": 2, "tags": []},
    {"id": 3, "address": None, "address.zip": 3, "tags": []},
]


@pytest.mark.parametrize(
    ("check", "outcome"),
    [
        ({"type": "not_null", "column": "address.city"}, FAILED),
        ({"type": "not_null", "column": "Address.City", "max_null_percentage": 34}, PASSED),
        ({"type": "set", "column": "address.city", "values": ["Bonn", "東京"]}, PASSED),
        ({"type": "range", "column": "address.geo.lat", "max": 0.5}, FAILED),
        ({"type": "mean", "column": "address.geo.lat", "min": 1, "max": 1}, PASSED),
        ({"type": "freshness", "timestamp_column": "address.geo.at", "max_age_hours": 1}, PASSED),
        ({"type": "unique", "columns": ["address.zip"]}, PASSED),  # the column of that name, not the field
        ({"type": "unique", "columns": ["`address`.`zip`"]}, FAILED),  # the field
        ({"type": "row_count", "max": 1, "partition_by": "address.city"}, PASSED),
        ({"type": "not_null", "column": "tags.k"}, UNKNOWN),
        ({"type": "not_null", "column": "address.street"}, UNKNOWN),
        ({"type": "schema", "columns": {"address.geo.lat": "double", "Address.City": "string"}}, PASSED),
        ({"type": "schema", "columns": {"address.geo.lat": "float"}}, FAILED),
    ],
)
def test_a_field_of_a_struct_is_a_column(check: dict[str, Any], outcome: str) -> None:
    assert judge_rows(written(**check), HOUSES, NESTED).outcome.value == outcome


def test_what_stands_in_an_array_is_not_measured_and_the_reason_is_told() -> None:
    verdict = judge_rows(written(type="not_null", column="tags.k"), HOUSES, NESTED)
    assert "tags is an array, and a row has many values inside it" in verdict.message


def test_names_and_values_may_be_in_any_script() -> None:
    schema = schema_of(größe="int", имя="string", 名前="string")
    rows = [{"größe": 3, "имя": "Жук", "名前": "漢字\n"}]
    for check, outcome in (
        ({"type": "set", "column": "ИМЯ", "values": ["Жук"]}, PASSED),
        ({"type": "regex", "column": "名前", "pattern": "^漢"}, PASSED),
        ({"type": "range", "column": "GRÖSSE", "max": 2}, UNKNOWN),  # ß has no capital letter of its own
        ({"type": "range", "column": "GRÖßE", "max": 2}, FAILED),
        ({"type": "row_count", "max": 0, "partition_by": "имя"}, FAILED),
    ):
        assert judge_rows(written(**check), rows, schema).outcome.value == outcome, check


@pytest.mark.slow
def test_two_thousand_columns_are_checked_at_once() -> None:
    wide = Schema(tuple(Column(f"c{number}", "double") for number in range(2000)))
    row = dict.fromkeys(wide.names, 1.0)
    assert judge_rows(written(type="completeness"), [row], wide).message == "all columns: 1 row, no NULL"
    verdict = judge_rows(written(type="completeness"), [row | dict.fromkeys(wide.names[:50])], wide)
    assert verdict.message.startswith("NULL in 50 of 2,000 columns over 1 rows: c0 1 (100.00%), c1 1 (100.00%), ")
    assert verdict.message.endswith(" and 30 more")
    many = written(type="not_null", columns=list(wide.names))
    assert len(many.check_id(TableName("core", "wide"))) < 250
    assert "and 1,980 more" in many.subject()
