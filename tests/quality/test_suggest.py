"""Which checks are suggested for which data, and which are not although they would hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from forge.model.names import TableName
from forge.model.schema import Column, Schema
from forge.quality.checks import NotNullCheck, RangeCheck
from forge.quality.formats import FORMATS, guess_format
from forge.quality.measure import Measure, NotMeasured
from forge.quality.profile import (
    ColumnProfile,
    KeyColumn,
    Profile,
    candidates,
    first_measures,
    guess_formats,
    profile_of,
    second_measures,
)
from forge.quality.suggest import CheckSuggestion, suggest_checks

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
ORDERS, CUSTOMERS = TableName.parse("core.orders"), TableName.parse("core.customers")
KEY = KeyColumn(CUSTOMERS, "customer_id", "bigint")
EMAIL = next(one for one in FORMATS if one.name == "e-mail address")


def suggested(*columns: ColumnProfile, rows: int = 10_000, had: Sequence[Any] = ()) -> tuple[CheckSuggestion, ...]:
    return suggest_checks(Profile(ORDERS, rows, columns, NOW), had)


def specs(*columns: ColumnProfile, rows: int = 10_000, had: Sequence[Any] = ()) -> dict[str, dict[str, object]]:
    """By type, without the number of rows."""
    return {str(one.spec["type"]): one.spec for one in suggested(*columns, rows=rows, had=had) if _own(one)}


def _own(one: CheckSuggestion) -> bool:
    return one.spec["type"] != "row_count"


def column(name: str, type_: str, **fields: Any) -> ColumnProfile:
    return ColumnProfile(name=name, type=type_, **{"nulls": 0, **fields})


def test_a_table_without_rows_says_nothing() -> None:
    assert suggested(column("id", "bigint"), rows=0) == ()


def test_every_suggestion_has_a_reason_and_the_surest_comes_first() -> None:
    found = suggested(
        column("id", "bigint", duplicates=0, least=1, greatest=10_000),
        column("amount", "double", least=0.0, greatest=99.0),
    )
    assert all(one.reason for one in found)
    assert [one.confidence for one in found] == sorted((one.confidence for one in found), reverse=True)
    assert all(0 < one.confidence <= 1 for one in found)


def test_the_number_of_rows_leaves_half_of_it_as_room() -> None:
    (few,) = [one.spec for one in suggested(rows=7)]
    (many,) = [one.spec for one in suggested(rows=123_456)]
    assert few == {"type": "row_count", "min": 1}
    assert many == {"type": "row_count", "min": 61_000}


def test_a_column_without_nulls_must_have_none() -> None:
    assert specs(column("note", "string"))["not_null"] == {"type": "not_null", "column": "note"}


def test_a_few_nulls_are_tolerated_with_room_and_many_are_no_rule() -> None:
    some = specs(column("note", "string", nulls=12))["not_null"]
    assert some == {"type": "not_null", "column": "note", "max_null_percentage": 0.36}
    assert "not_null" not in specs(column("note", "string", nulls=900))
    assert "not_null" not in specs(column("note", "string", nulls=1), rows=50)


def test_a_key_is_unique_in_a_table_that_is_large_enough() -> None:
    assert specs(column("order_id", "bigint", duplicates=0))["unique"] == {"type": "unique", "columns": ["order_id"]}
    assert "unique" not in specs(column("order_id", "bigint", duplicates=1))
    assert "unique" not in specs(column("order_id", "bigint", duplicates=0), rows=50)


def test_numbers_that_differ_by_chance_are_no_key() -> None:
    assert "unique" not in specs(column("amount", "bigint", duplicates=0), rows=500)


def test_few_values_over_many_rows_are_a_set_most_frequent_first() -> None:
    values = {"new": 2_000, "paid": 7_000, "returned": 1_000}
    assert specs(column("status", "string", values=values))["accepted_values"] == {
        "type": "accepted_values",
        "column": "status",
        "values": ["paid", "new", "returned"],
    }


@pytest.mark.parametrize(
    "given",
    [
        column("status", "string", values={"new": 10_000}),  # one value says nothing
        column("country_id", "string", values={str(n): 100 for n in range(10)}),  # named like a key
        column("quantity", "int", values=dict.fromkeys(range(1, 6), 2_000)),  # a number, not a class
        column("name", "string", values={str(n): 5 for n in range(20)}),  # seen too rarely
        column("status", "string", values={"a": 5_000, "b": 5_000}, masked=True),  # personal
    ],
)
def test_what_is_no_set_is_not_made_one(given: ColumnProfile) -> None:
    rows = 100 if given.name == "name" else 10_000
    assert "accepted_values" not in specs(given, rows=rows)


def test_a_rare_value_is_told_and_makes_it_less_sure() -> None:
    rare = suggested(column("status", "string", values={"new": 9_998, "nwe": 2}))
    plain = suggested(column("status", "string", values={"new": 6_000, "paid": 4_000}))
    (told,) = [one for one in rare if one.spec["type"] == "accepted_values"]
    (sure,) = [one for one in plain if one.spec["type"] == "accepted_values"]
    assert "nwe is rare" in told.reason
    assert told.confidence < sure.confidence


def test_a_range_has_room_in_round_numbers_and_stays_above_zero() -> None:
    found = specs(column("amount", "decimal(12,2)", least=Decimal("0.99"), greatest=Decimal("1403.20")))
    assert found["range"] == {"type": "range", "column": "amount", "min": 0, "max": 2200}
    below = specs(column("balance", "double", least=-51.0, greatest=49.0))["range"]
    assert (below["min"], below["max"]) == (-110, 99)


def test_a_share_ends_at_one_or_a_hundred() -> None:
    assert specs(column("discount_rate", "double", least=0.0, greatest=0.35))["range"]["max"] == 1
    assert specs(column("vat_percent", "double", least=0.0, greatest=19.0))["range"]["max"] == 100


def test_an_end_far_from_all_others_makes_a_range_less_sure() -> None:
    far = column("amount", "double", least=0.0, greatest=1e6, quantiles={0.5: 20.0, 0.99: 90.0})
    near = replace(far, greatest=95.0)
    sure = {one.confidence for one in suggested(near) if one.spec["type"] == "range"}
    (unsure,) = [one for one in suggested(far) if one.spec["type"] == "range"]
    assert unsure.confidence < min(sure)
    assert "may be a mistake itself" in unsure.reason


@pytest.mark.parametrize(
    "given",
    [
        column("customer_id", "bigint", least=1, greatest=99),
        column("amount", "double", least=1.0, greatest=9.0, masked=True),
        column("amount", "double", least=float("-inf"), greatest=float("nan")),
        column("amount", "double"),
    ],
)
def test_what_has_no_sensible_range_gets_none(given: ColumnProfile) -> None:
    assert "range" not in specs(given)


def test_a_format_is_a_rule_where_it_holds_for_all_or_nearly_all() -> None:
    all_of_them = specs(column("email", "string", format=EMAIL, mismatches=0))["regex"]
    assert all_of_them == {"type": "regex", "column": "email", "pattern": EMAIL.pattern}
    nearly = specs(column("email", "string", format=EMAIL, mismatches=50))["regex"]
    assert nearly["max_violation_percentage"] == 1
    assert "regex" not in specs(column("email", "string", format=EMAIL, mismatches=500))


def test_a_time_that_is_kept_up_to_date_gets_freshness_as_a_warning() -> None:
    found = specs(column("updated_at", "timestamp", greatest=NOW - timedelta(hours=30)))["freshness"]
    assert found == {
        "type": "freshness",
        "timestamp_column": "updated_at",
        "max_age_hours": 60,
        "severity": "warning",
    }
    assert specs(column("ordered_at", "date", greatest=NOW.date()))["freshness"]["max_age_hours"] == 48


@pytest.mark.parametrize("age", [timedelta(days=400), timedelta(days=-30)])
def test_a_time_that_stands_still_or_lies_ahead_gets_none(age: timedelta) -> None:
    assert "freshness" not in specs(column("updated_at", "timestamp", greatest=NOW - age))


def test_a_birthday_is_not_fresh() -> None:
    assert "freshness" not in specs(column("birthday", "date", greatest=NOW.date()))


def test_what_is_all_found_in_a_key_elsewhere_refers_to_it() -> None:
    found = specs(column("customer_id", "bigint", distinct=900, orphans={KEY: 0}))["foreign_key"]
    assert found["references"] == "core.customers.customer_id"
    assert "foreign_key" not in specs(column("customer_id", "bigint", distinct=900, orphans={KEY: 1}))
    assert "foreign_key" not in specs(column("customer_id", "bigint", distinct=1, orphans={KEY: 0}))


def test_a_key_of_the_table_itself_points_at_none_and_a_set_is_left_to_the_table_that_knows_it() -> None:
    own = column("customer_id", "bigint", distinct=900, duplicates=0, orphans={KEY: 0})
    assert "foreign_key" not in specs(own)
    country = KeyColumn(TableName.parse("ref.countries"), "country", "string")
    listed = column("country", "string", values={"DE": 6_000, "FR": 4_000}, distinct=2, orphans={country: 0})
    assert set(specs(listed)) == {"not_null", "foreign_key"}


def test_what_the_table_has_already_is_not_suggested_again() -> None:
    amount = column("amount", "double", least=0.0, greatest=9.0)
    assert "range" not in specs(amount, had=[RangeCheck(column="AMOUNT", min=1)])
    assert "not_null" not in specs(amount, had=[NotNullCheck(columns=("other", "amount"))])
    assert "not_null" not in specs(amount, had=[NotNullCheck()])
    assert set(specs(amount, had=[RangeCheck(column="other", min=1)])) == {"not_null", "range"}


# the profile


SCHEMA = Schema(
    (
        Column("order_id", "bigint"),
        Column("status", "string"),
        Column("mail", "string"),
        Column("customer_id", "bigint"),
        Column("amount", "double"),
        Column("tags", "array<string>"),
    )
)


def test_the_first_scan_asks_no_sketch_of_what_has_no_order() -> None:
    kinds = {kind: {m.columns[0] for m in first_measures(SCHEMA) if m.kind == kind} for kind in ("nulls", "quantiles")}
    assert kinds["nulls"] == set(SCHEMA.names)
    assert kinds["quantiles"] == {"order_id", "customer_id", "amount"}
    asked = {(m.kind, m.columns) for m in first_measures(SCHEMA)}
    assert ("min", ("status",)) not in asked
    assert ("distinct", ("tags",)) not in asked


def test_only_columns_that_may_be_something_are_asked_more() -> None:
    readings = {
        Measure(kind="rows"): 1_000,
        **{Measure(kind="nulls", columns=(name,)): 0 for name in SCHEMA.names},
        Measure(kind="distinct", columns=("order_id",)): 998,
        Measure(kind="distinct", columns=("status",)): 3,
        Measure(kind="distinct", columns=("mail",)): 700,
        Measure(kind="distinct", columns=("customer_id",)): 400,
        Measure(kind="distinct", columns=("amount",)): NotMeasured("no"),
    }
    asked = second_measures(SCHEMA, readings, {"mail": EMAIL}, [KEY])
    assert asked == (
        Measure(kind="duplicates", columns=("order_id",)),
        Measure(kind="frequencies", columns=("status",), arguments=(25,)),
        Measure(kind="not_matching", columns=("mail",), arguments=(EMAIL.pattern,)),
        Measure(kind="orphans", columns=("customer_id",), arguments=(CUSTOMERS, "customer_id")),
    )


def test_nothing_more_is_asked_of_an_empty_table() -> None:
    assert second_measures(SCHEMA, {Measure(kind="rows"): 0}, {"mail": EMAIL}, [KEY]) == ()


def test_what_was_not_measured_is_left_out_of_the_profile() -> None:
    readings = {
        Measure(kind="rows"): 10,
        Measure(kind="min", columns=("amount",)): NotMeasured("no"),
        Measure(kind="nulls", columns=("amount",)): 2,
    }
    found = profile_of(ORDERS, SCHEMA, readings, {}, [], frozenset({"MAIL"}), NOW)
    amount = next(one for one in found.columns if one.name == "amount")
    assert (found.rows, amount.nulls, amount.least, amount.distinct) == (10, 2, None, None)
    assert [one.name for one in found.columns if one.masked] == ["mail"]


def test_a_column_refers_to_a_key_by_its_name_and_type() -> None:
    by_id = KeyColumn(CUSTOMERS, "id", "int")
    assert candidates("customer_id", "bigint", [KEY, by_id]) == (KEY, by_id)
    assert candidates("customer_id", "string", [KEY]) == ()
    assert candidates("customer", "bigint", [by_id]) == (by_id,)
    assert candidates("id", "double", [by_id]) == ()
    assert candidates("country_id", "int", [KeyColumn(TableName.parse("ref.countries"), "id", "int")]) != ()
    other, named = (KeyColumn(TableName.parse(name), "country", "string") for name in ("core.sales", "ref.countries"))
    assert candidates("country", "string", [other, named]) == (named, other)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("ada@example.com", "e-mail address"),
        ("5f7e6a3c-0000-4000-8000-00000000000a", "UUID"),
        ("2026-11-15", "date as text"),
        ("2026-11-15T06:00:00Z", "time as text"),
        ("https://example.com/a?b=c", "web address"),
        ("10.0.0.254", "IPv4 address"),
        ("+4915112345678", "phone number"),
        ("DE89370400440532013000", "IBAN"),
        ("12.50", "number as text"),
    ],
)
def test_formats_are_told_apart(value: str, name: str) -> None:
    found = guess_format([value] * 50)
    assert found is not None
    assert found.name == name


def test_a_guess_needs_values_that_agree() -> None:
    mails = ["ada@example.com"] * 50
    assert guess_format(mails[:10]) is None
    assert guess_format([*mails[:49], "n/a"]) == EMAIL
    assert guess_format([*mails[:40], *(["n/a"] * 10)]) is None
    assert guess_format(["blue", "red"] * 50) is None
    rows: list[dict[str, object]] = [{"mail": "ada@example.com", "order_id": 1}, {"mail": None}] * 30
    assert guess_formats(SCHEMA, rows) == {"mail": EMAIL}
