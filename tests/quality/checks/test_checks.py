"""Each check on readings given by hand, and all of them against plain Python on random rows."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.model.names import TableName
from forge.model.schema import Column, Schema
from forge.quality.check import Check, Context, OnNotMeasured
from forge.quality.checks import (
    BY_WORD,
    CHECKS,
    AcceptedValuesCheck,
    ExpressionCheck,
    ForeignKeyCheck,
    FreshnessCheck,
    NotNullCheck,
    RangeCheck,
    RegexCheck,
    RowCountCheck,
    UniqueCheck,
)
from forge.quality.measure import Measure, NotMeasured, Reading
from forge.quality.verdict import Outcome, Severity, Verdict
from forge.stores.memory.measure import MemoryMeasurer

ORDERS = TableName("core", "orders")
CUSTOMERS = TableName("core", "customers")
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
SCHEMA = Schema(
    (
        Column("order_id", "bigint"),
        Column("amount", "decimal(12,2)"),
        Column("status", "string"),
        Column("email", "string"),
        Column("ordered_at", "timestamp"),
        Column("day", "date"),
        Column("tags", "array<string>"),
        Column("customer_id", "bigint"),
        Column("ratio", "double"),
    )
)
CONTEXT = Context(ORDERS, SCHEMA, NOW)


def judge(check: Check, context: Context = CONTEXT, /, **readings: Any) -> Verdict:
    """Readings by kind; what is not given is not there."""
    found = {m: readings[m.kind] for m in check.measures(context.schema) if m.kind in readings}
    return check.judge(found, context)


def test_a_range_says_how_many_and_how_far() -> None:
    check = RangeCheck("amount", min=0, max=5000, severity=Severity.CRITICAL)
    verdict = judge(check, rows=50_000, outside_range=1204, min=Decimal("0.50"), max=Decimal(812_300), nulls=0)
    assert verdict.message == "amount: 1,204 of 50,000 rows (2.41%) are outside 0 … 5000; greatest is 812,300"
    assert (verdict.outcome, verdict.blocks, verdict.severity) == (Outcome.FAILED, True, Severity.CRITICAL)
    assert verdict.check_id == "core.orders.amount.range"
    assert (verdict.check_type, verdict.table, verdict.columns) == ("range", "core.orders", ("amount",))
    assert verdict.details["note"] == "NULLs are not counted"
    assert verdict.details["thresholds"] == {"min": 0, "max": 5000, "max_violation_percentage": 0.0}
    assert verdict.details["readings"] == {
        "max": "812300",
        "min": "0.50",
        "nulls": 0,
        "outside_range": 1204,
        "rows": 50_000,
    }


def test_the_message_says_that_nulls_were_not_counted_when_there_are_any() -> None:
    verdict = judge(RangeCheck("amount", max=5), rows=10, outside_range=0, min=None, max=None, nulls=3)
    assert verdict.message == "amount: 10 rows, none above 5; 3 NULLs are not counted"


def test_both_ends_are_told_when_both_break() -> None:
    verdict = judge(RangeCheck("amount", min=0, max=5), rows=2, outside_range=2, min=Decimal(-1), max=Decimal(9))
    assert verdict.message == "amount: 2 of 2 rows (100.00%) are outside 0 … 5; smallest is -1; greatest is 9"


def test_extremes_that_were_not_measured_do_not_stop_a_range() -> None:
    verdict = judge(RangeCheck("amount", min=0), rows=4, outside_range=1, min=NotMeasured("lost"))
    assert verdict.outcome is Outcome.FAILED
    assert verdict.message == "amount: 1 of 4 rows (25.00%) is below 0"


def test_values_of_a_masked_column_are_told_nowhere() -> None:
    context = Context(ORDERS, SCHEMA, NOW, masked=frozenset({"Amount"}))
    check = RangeCheck("amount", max=5)
    verdict = judge(check, context, rows=2, outside_range=1, min=Decimal(1), max=Decimal("77.77"))
    assert verdict.outcome is Outcome.FAILED
    assert "77" not in verdict.message + json.dumps(verdict.details)


@pytest.mark.parametrize(
    ("allowed", "bad", "rows", "outcome"),
    [
        (0.0, 1, 10**9, Outcome.FAILED),
        (1.0, 10, 1000, Outcome.PASSED),
        (1.0, 11, 1000, Outcome.FAILED),
        (0.1, 1, 1000, Outcome.PASSED),
        (0.3, 3, 1000, Outcome.PASSED),
        (100.0, 5, 5, Outcome.PASSED),
        (0.0, 0, 0, Outcome.PASSED),
    ],
)
def test_percentages_are_percent_and_the_limit_itself_passes(
    allowed: float, bad: int, rows: int, outcome: Outcome
) -> None:
    checks: list[tuple[Check, str]] = [
        (RangeCheck("amount", min=0, max_violation_percentage=allowed), "outside_range"),
        (AcceptedValuesCheck("status", ("a",), allowed), "outside_set"),
        (RegexCheck("email", "@", allowed), "not_matching"),
        (ExpressionCheck("a > b", allowed), "false"),
        (ForeignKeyCheck(("customer_id",), CUSTOMERS, ("id",), allowed), "orphans"),
        (NotNullCheck(("amount",), allowed), "nulls"),
    ]
    for check, kind in checks:
        assert judge(check, rows=rows, **{kind: bad}).outcome is outcome, check


def test_a_tolerated_share_is_told() -> None:
    verdict = judge(RangeCheck("amount", min=0, max_violation_percentage=1.5), rows=1000, outside_range=2)
    assert verdict.message == "amount: 2 of 1,000 rows (0.20%, 1.5% is allowed) are below 0"


def test_not_null_over_several_columns_names_those_that_break() -> None:
    check = NotNullCheck(("order_id", "amount", "status"))
    readings = dict(zip(check.violations(SCHEMA), (0, 2, 5), strict=True)) | {check.rows(): 10}
    verdict = check.judge(readings, CONTEXT)
    assert verdict.message == "NULL in 2 of 3 columns over 10 rows: amount 2 (20.00%), status 5 (50.00%)"
    assert verdict.check_id == "core.orders.order_id+amount+status.not_null"
    assert verdict.details["readings"] == {
        "nulls(amount)": 2,
        "nulls(order_id)": 0,
        "nulls(status)": 5,
        "rows": 10,
    }


def test_completeness_of_no_columns_is_of_all_columns() -> None:
    assert {m.columns for m in NotNullCheck().violations(SCHEMA)} == {(name,) for name in SCHEMA.names}


def test_other_messages() -> None:
    cases: list[tuple[Check, dict[str, Reading], str]] = [
        (NotNullCheck(("order_id",)), {"rows": 9, "nulls": 1}, "order_id: 1 of 9 rows (11.11%) is NULL"),
        (
            UniqueCheck(("order_id", "day")),
            {"rows": 9, "duplicates": 2},
            "order_id, day: 2 of 9 rows (22.22%) repeat the key of another row",
        ),
        (
            AcceptedValuesCheck("status", ("open", "paid")),
            {"rows": 9, "outside_set": 0, "nulls": 1},
            "status: 9 rows, all among open, paid; 1 NULL is not counted",
        ),
        (
            RegexCheck("email", "^.+@.+$", where="day > current_date() - 7"),
            {"rows": 1, "not_matching": 1},
            "email: 1 of 1 row (100.00%) where day > current_date() - 7 does not match ^.+@.+$",
        ),
        (
            AcceptedValuesCheck("status", tuple("abcdefghij")),
            {"rows": 9, "outside_set": 2},
            "status: 2 of 9 rows (22.22%) are not among a, b, c, d, e, f, g, h and 2 more",
        ),
        (RegexCheck("email", "@"), {"rows": 9, "not_matching": 0}, "email: 9 rows, all match @"),
        (UniqueCheck(("order_id",)), {"rows": 9, "duplicates": 0}, "order_id: 9 rows, no key twice"),
        (NotNullCheck(("order_id",)), {"rows": 1, "nulls": 0}, "order_id: 1 row, no NULL"),
        (RowCountCheck(min=100), {"rows": 12}, "12 rows, fewer than 100"),
        (RowCountCheck(max=1_000_000), {"rows": 1_000_001}, "1,000,001 rows, more than 1,000,000"),
        (RowCountCheck(min=1), {"rows": 1}, "1 row"),
        (
            ForeignKeyCheck(("customer_id",), CUSTOMERS, ("id",)),
            {"rows": 4, "orphans": 3},
            "customer_id: 3 of 4 rows (75.00%) are missing in core.customers.id",
        ),
        (
            ExpressionCheck("a >= b", name="shipped after ordered"),
            {"rows": 4, "false": 3},
            "shipped after ordered: 3 of 4 rows (75.00%) break the rule: a >= b",
        ),
        (ExpressionCheck("a >= b"), {"rows": 0, "false": 0}, "a >= b: there are no rows"),
    ]
    for check, readings, message in cases:
        assert judge(check, **readings).message == message


@pytest.mark.parametrize(
    ("newest", "outcome", "said"),
    [
        (NOW - timedelta(hours=48), Outcome.PASSED, "48.0 hours old; 48 hours are allowed"),
        (NOW - timedelta(hours=48, seconds=1), Outcome.FAILED, "48.0 hours old; more than 48 hours"),
        (NOW + timedelta(hours=1), Outcome.PASSED, "in the future"),
        (None, Outcome.FAILED, "there is no value"),
    ],
)
def test_freshness_is_the_age_of_the_newest_value_on_the_runs_clock(
    newest: datetime | None, outcome: Outcome, said: str
) -> None:
    verdict = judge(FreshnessCheck("ordered_at", 48), max=newest)
    assert verdict.outcome is outcome
    assert said in verdict.message


def test_freshness_of_a_date_counts_from_the_beginning_of_the_day_in_utc() -> None:
    assert judge(FreshnessCheck("day", 12), max=date(2026, 11, 15)).outcome is Outcome.PASSED
    assert judge(FreshnessCheck("day", 11.9), max=date(2026, 11, 15)).outcome is Outcome.FAILED


def test_freshness_defaults_to_a_day_of_updated_at() -> None:
    assert (FreshnessCheck().timestamp_column, FreshnessCheck().max_age_hours) == ("updated_at", 24)


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (RangeCheck("amout", min=0), "there is no column 'amout'. Did you mean amount?"),
        (NotNullCheck(("zzz",)), "there is no column 'zzz'. The columns are order_id, amount,"),
        (RangeCheck("tags", min=0), "tags is array<string>"),
        (RangeCheck("status", min=0), "status, which is a string"),
        (RangeCheck("amount", min="cheap"), "the text 'cheap' is not a number"),
        (AcceptedValuesCheck("status", (True, False)), "the boolean true (quote it"),
        (FreshnessCheck("status"), "freshness needs a date or a timestamp, and status is string"),
        (RegexCheck("tags", "x"), "tags is array<string>, which has no text"),
    ],
)
def test_a_check_that_does_not_fit_the_table_is_not_measured_and_asks_for_nothing(check: Check, said: str) -> None:
    verdict = check.judge({}, CONTEXT)
    assert check.measures(SCHEMA) == frozenset()
    assert verdict.outcome is Outcome.NOT_MEASURED
    assert said in verdict.message
    assert verdict.blocks


@pytest.mark.parametrize(
    ("severity", "on_not_measured", "blocks"),
    [
        (Severity.INFO, OnNotMeasured.BLOCK, False),
        (Severity.WARNING, OnNotMeasured.BLOCK, False),
        (Severity.ERROR, OnNotMeasured.BLOCK, True),
        (Severity.CRITICAL, OnNotMeasured.BLOCK, True),
        (Severity.ERROR, OnNotMeasured.WARN, False),
        (Severity.CRITICAL, OnNotMeasured.WARN, False),
    ],
)
def test_what_could_not_be_measured_blocks_like_a_failure_unless_told_otherwise(
    severity: Severity, on_not_measured: OnNotMeasured, blocks: bool
) -> None:
    check = UniqueCheck(("order_id",), severity=severity, on_not_measured=on_not_measured)
    verdict = judge(check, rows=5, duplicates=NotMeasured("the disk is full"))
    assert verdict.outcome is Outcome.NOT_MEASURED
    assert verdict.blocks is blocks
    assert verdict.message == "order_id: not measured: the disk is full"
    failed = judge(check, rows=5, duplicates=1)
    assert failed.blocks is (severity in (Severity.ERROR, Severity.CRITICAL))


def test_a_reading_that_is_missing_is_not_measured() -> None:
    assert judge(UniqueCheck(("order_id",)), rows=5).outcome is Outcome.NOT_MEASURED


def test_a_passed_check_never_blocks() -> None:
    assert not judge(RowCountCheck(min=1, severity=Severity.CRITICAL), rows=1).blocks


def test_ids_tell_filters_and_names_apart() -> None:
    ids = [
        check.check_id(ORDERS)
        for check in (
            RangeCheck("amount", min=0),
            RangeCheck("amount", min=0, where="country = 'DE'"),
            RangeCheck("amount", min=0, name="Not Negative!"),
            RowCountCheck(min=1),
            ExpressionCheck("a >= b"),
        )
    ]
    assert ids == [
        "core.orders.amount.range",
        "core.orders.amount.range.country_de",
        "core.orders.amount.range.not_negative",
        "core.orders.row_count",
        "core.orders.expression.a_b",
    ]


def test_every_check_is_known_by_its_own_word_and_by_the_words_of_the_specification() -> None:
    assert {check.type for check in CHECKS} <= set(BY_WORD)
    spec = {
        "completeness": NotNullCheck,
        "uniqueness": UniqueCheck,
        "set": AcceptedValuesCheck,
        "volume": RowCountCheck,
        "referential": ForeignKeyCheck,
        "custom": ExpressionCheck,
        "freshness": FreshnessCheck,
    }
    assert {word: BY_WORD[word] for word in spec} == spec


ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "order_id": st.none() | st.integers(0, 5),
            "amount": st.none() | st.decimals(min_value=-20, max_value=20, places=2),
            "status": st.none() | st.sampled_from(["open", "paid", "lost", ""]),
            "customer_id": st.none() | st.integers(0, 6),
            "ratio": st.none() | st.floats(-2, 2) | st.just(float("nan")),
        }
    ),
    max_size=20,
)
PARENTS: list[dict[str, object]] = [{"id": 1}, {"id": 2}, {"id": None}]


@pytest.mark.slow
@given(ROWS, st.integers(-25, 25), st.integers(0, 30), st.sampled_from([0.0, 10.0, 33.3, 100.0]))
def test_verdicts_are_those_of_plain_python(
    rows: list[dict[str, object]], low: int, width: int, allowed: float
) -> None:
    def values(column: str) -> list[object]:
        return [row[column] for row in rows if row[column] is not None]

    amounts = [a for a in values("amount") if isinstance(a, Decimal)]
    ratios = [r for r in values("ratio") if isinstance(r, float)]
    outside = [a for a in amounts if not low <= a <= low + width]
    bad: dict[Check, int] = {
        RangeCheck("amount", low, low + width, allowed): len(outside),
        RangeCheck("ratio", -1.5, max_violation_percentage=allowed): sum(not r >= -1.5 for r in ratios),
        AcceptedValuesCheck("status", ("open", "paid", None), allowed): values("status").count("lost")
        + values("status").count(""),
        RegexCheck("status", "^[a-z]+$", allowed): values("status").count(""),
        NotNullCheck(("amount",), allowed): len(rows) - len(amounts),
        ForeignKeyCheck(("customer_id",), CUSTOMERS, ("id",), allowed): sum(
            v not in (1, 2) for v in values("customer_id")
        ),
    }
    bad_keys = sum(n - 1 for n in Counter(values("order_id")).values())
    measurer = MemoryMeasurer(rows, {CUSTOMERS: PARENTS}, columns=SCHEMA.names)
    for check, count in bad.items():
        verdict = check.judge(measurer.measure(tuple(check.measures(SCHEMA))), CONTEXT)
        passes = not rows or Decimal(count) / len(rows) * 100 <= Decimal(str(allowed))
        assert verdict.outcome is (Outcome.PASSED if passes else Outcome.FAILED), verdict
        json.dumps(verdict.details, allow_nan=False)
    unique = UniqueCheck(("order_id",))
    verdict = unique.judge(measurer.measure(tuple(unique.measures(SCHEMA))), CONTEXT)
    assert verdict.outcome is (Outcome.FAILED if bad_keys else Outcome.PASSED)


def test_a_filter_is_part_of_every_measure() -> None:
    for check in (
        NotNullCheck(("amount",), where="x"),
        UniqueCheck(("amount",), where="x"),
        AcceptedValuesCheck("status", ("a",), where="x"),
        RangeCheck("amount", min=0, where="x"),
        RegexCheck("email", "a", where="x"),
        RowCountCheck(min=1, where="x"),
        FreshnessCheck("day", where="x"),
        ForeignKeyCheck(("order_id",), CUSTOMERS, ("id",), where="x"),
        ExpressionCheck("a", where="x"),
    ):
        measures: frozenset[Measure] = check.measures(SCHEMA)
        assert measures
        assert {m.where for m in measures} == {"x"}, check


def test_failing_rows_of_completeness_are_those_of_columns_with_too_many_nulls() -> None:
    check = NotNullCheck(("order_id", "amount"), 10.0)
    counted = {check.rows(): 100, check.measure("nulls", ("order_id",)): 10, check.measure("nulls", ("amount",)): 11}
    assert check.bad(counted, CONTEXT.schema) == (check.measure("nulls", ("amount",)),)
    assert check.bad({**counted, check.measure("nulls", ("amount",)): 0}, CONTEXT.schema) == ()
    assert len(check.bad({}, CONTEXT.schema)) == 2  # how many there are is not known
