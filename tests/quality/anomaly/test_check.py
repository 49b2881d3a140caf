"""The check of type anomaly: what it asks for and how it judges."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta

import pytest

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.schema import Column, Schema
from forge.quality.anomaly import MetricHistory, Point
from forge.quality.check import Check, Context
from forge.quality.measure import Measure, NotMeasured, Reading
from forge.quality.plan import judge_all
from forge.quality.readings import Moments
from forge.quality.spec import load_check
from forge.quality.verdict import Outcome, Verdict

MONDAY = datetime(2026, 6, 1, 6, tzinfo=UTC)
NOW = MONDAY + timedelta(days=28)
TABLE = TableName("core", "orders")
SCHEMA = Schema((Column("id", "bigint"), Column("Amount", "decimal(12,2)"), Column("name", "string")))
ROWS = Measure(kind="rows")


def load(**keys: object) -> Check:
    return load_check({"type": "anomaly", **keys}, table=TABLE, where="checks/core.yaml")


def history(*values: float, at: datetime | None = None) -> MetricHistory:
    return MetricHistory(tuple(Point(MONDAY + timedelta(days=i), value) for i, value in enumerate(values)), at)


def of(metric: str) -> Measure:
    return Measure(kind="history", columns=(), arguments=(metric,))


USUAL = [1000 * (0.5 if day % 7 >= 5 else 1.0) + day % 3 for day in range(28)]


def judge(check: Check, readings: dict[Measure, Reading], masked: frozenset[str] = frozenset()) -> Verdict:
    (verdict,) = judge_all((check,), readings, Context(TABLE, SCHEMA, NOW, masked))
    return verdict


def test_without_keys_it_is_about_the_number_of_rows() -> None:
    check = load()
    assert check.measures(SCHEMA) == {ROWS, of("row_count")}
    assert check.check_id(TABLE) == "core.orders.anomaly.row_count"


@pytest.mark.parametrize(
    ("metric", "kinds"),
    [
        ("null_percentage", {"rows", "nulls"}),
        ("mean", {"moments"}),
        ("std", {"moments"}),
        ("median", {"quantiles"}),
        ("distinct", {"distinct"}),
        ("duplicates", {"duplicates"}),
        ("min", {"min"}),
        ("max", {"max"}),
    ],
)
def test_a_metric_of_a_column_asks_for_what_it_is_made_of(metric: str, kinds: set[str]) -> None:
    check = load(metric=metric, column="Amount")
    assert {measure.kind for measure in check.measures(SCHEMA)} == {*kinds, "history"}
    assert of(f"{metric}(amount)") in check.measures(SCHEMA)
    assert check.check_id(TABLE) == f"core.orders.Amount.anomaly.{metric}"


def test_what_is_expected_passes_and_says_so() -> None:
    verdict = judge(load(), {ROWS: 1001, of("row_count"): history(*USUAL)})
    assert verdict.outcome is Outcome.PASSED
    assert verdict.message.startswith("row_count: 1,001 is within ")
    assert verdict.details["readings"] == {"history": {"points": 28}, "rows": 1001}


def test_what_is_not_fails_with_the_band_and_the_reason() -> None:
    verdict = judge(load(), {ROWS: 500, of("row_count"): history(*USUAL)})
    assert (verdict.outcome, verdict.blocks) == (Outcome.FAILED, True)
    assert verdict.message.startswith("row_count: 500 is 50% below the expected 1,00")
    assert "Mondays are at 1 of the level" in verdict.message
    thresholds = verdict.details["thresholds"]
    assert isinstance(thresholds, dict)
    assert (thresholds["method"], thresholds["threshold"]) == ("seasonal", 4.0)
    assert 900 < thresholds["low"] < 1000 < thresholds["high"] < 1100
    assert verdict.details["season"] == "Mondays"


def test_a_version_of_the_past_is_judged_as_of_its_own_day() -> None:
    saturday = MONDAY + timedelta(days=33)
    verdict = judge(load(), {ROWS: 500, of("row_count"): history(*USUAL, at=saturday)})
    assert verdict.outcome is Outcome.PASSED


def test_with_little_history_it_passes_and_says_that_it_cannot_judge() -> None:
    verdict = judge(load(), {ROWS: 10**9, of("row_count"): history(1, 2, 3)})
    assert verdict.outcome is Outcome.PASSED
    assert verdict.details["note"] == "There is too little history to judge yet"
    assert "3 points" in verdict.message


def test_without_history_it_is_not_measured() -> None:
    verdict = judge(load(), {ROWS: 5, of("row_count"): NotMeasured("no history is kept here")})
    assert verdict.outcome is Outcome.NOT_MEASURED
    assert verdict.details["reason"] == "no history is kept here"


def test_a_mean_of_no_values_is_not_measured() -> None:
    check = load(metric="mean", column="amount")
    readings: dict[Measure, Reading] = {
        Measure(kind="moments", columns=("amount",)): Moments(),
        of("mean(amount)"): history(*USUAL),
    }
    assert judge(check, readings).details["reason"] == "there is no mean of no values"


def test_what_personal_columns_hold_is_not_judged_but_how_much_is_there_is() -> None:
    mean = load(metric="mean", column="amount")
    readings: dict[Measure, Reading] = {
        Measure(kind="moments", columns=("amount",)): Moments(3, 5.0, 1.0),
        of("mean(amount)"): history(*USUAL),
        ROWS: 10,
        Measure(kind="nulls", columns=("amount",)): 5,
        of("null_percentage(amount)"): history(*[0.0] * 20),
    }
    verdict = judge(mean, readings, frozenset({"Amount"}))
    assert verdict.outcome is Outcome.NOT_MEASURED
    assert "5" not in verdict.message
    nulls = judge(load(metric="null_percentage", column="amount"), readings, frozenset({"Amount"}))
    assert nulls.outcome is Outcome.FAILED
    assert nulls.message.startswith("null_percentage(amount): 50 is above the expected 0")


def test_a_filter_makes_another_metric() -> None:
    check = load(where="name = 'x'")
    assert of("row_count where name = 'x'") in check.measures(SCHEMA)


def test_a_mean_is_of_numbers() -> None:
    verdict = judge(load(metric="mean", column="name"), {})
    assert verdict.details["reason"] == "mean is of numbers, and name is string"


def test_a_method_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prophet", None)
    verdict = judge(load(method="prophet"), {ROWS: 5, of("row_count"): history(*USUAL)})
    assert verdict.outcome is Outcome.NOT_MEASURED
    assert "Install forge[prophet]" in verdict.message


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"metric": "rowcount"}, "Did you mean row_count"),
        ({"metric": "mean"}, "'column' is missing; mean is of a column"),
        ({"column": "amount"}, "'column' does not go with the metric row_count"),
        ({"method": "z-score"}, "Did you mean zscore"),
        ({"threshold": 0}, "must be more than 0"),
        ({"method": "isolation_forest", "threshold": 3}, "more than 0 and at most 0.5"),
        ({"partition_by": "name"}, "partition_by"),
        ({"since": "previous"}, "since"),
    ],
)
def test_what_cannot_be_read_is_told(keys: dict[str, object], said: str) -> None:
    with pytest.raises(ForgeError) as caught:
        load(**keys)
    assert caught.value.code == "E701"
    assert said in (caught.value.why or "")
