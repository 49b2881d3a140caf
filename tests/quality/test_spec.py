"""Checks as they are written in a project, from docs/guide/project.md."""

from __future__ import annotations

import pytest
import yaml

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.check import Check, OnNotMeasured
from forge.quality.checks import (
    CHECKS,
    AcceptedValues,
    Expression,
    ForeignKey,
    Freshness,
    NotNull,
    Range,
    Regex,
    RowCount,
    Unique,
)
from forge.quality.spec import keys_of, load_check, load_checks
from forge.quality.verdict import Severity

ORDERS = TableName("core", "orders")
CUSTOMERS = TableName("core", "customers")

GUIDE = r"""
- {type: not_null, column: order_id}
- {type: unique, columns: [order_id]}
- {type: accepted_values, column: status, values: [open, paid, cancelled]}
- {type: range, column: amount, min: 0, max: 5000, severity: critical}
- {type: regex, column: email, pattern: '^[^@]+@[^@]+$'}
- {type: row_count, min: 1, max: 1000000}
- {type: freshness, timestamp_column: ordered_at, max_age_hours: 48}
- {type: foreign_key, columns: [customer_id], references: core.customers.customer_id}
- {type: expression, sql: "shipped_at IS NULL OR shipped_at >= ordered_at", name: shipped after ordered}
"""


def load(text: str) -> Check:
    return load_check(yaml.safe_load(text), table=ORDERS, where="checks/core.yaml:3")


def error_of(text: str) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        load(text)
    assert caught.value.code == "E701"
    assert caught.value.where == "checks/core.yaml:3"
    return caught.value


def test_the_checks_of_the_guide_are_read() -> None:
    assert load_checks(yaml.safe_load(GUIDE), table=ORDERS, where="checks/core.yaml") == (
        NotNull(("order_id",)),
        Unique(("order_id",)),
        AcceptedValues("status", ("open", "paid", "cancelled")),
        Range("amount", 0, 5000, severity=Severity.CRITICAL),
        Regex("email", "^[^@]+@[^@]+$"),
        RowCount(1, 1_000_000),
        Freshness("ordered_at", 48),
        ForeignKey(("customer_id",), CUSTOMERS, ("customer_id",)),
        Expression("shipped_at IS NULL OR shipped_at >= ordered_at", name="shipped after ordered"),
    )


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("{type: completeness, columns: [a, b], max_null_percentage: 5%}", NotNull(("a", "b"), 5.0)),
        ("{type: completeness, columns: []}", NotNull()),
        ("{type: uniqueness, column: a}", Unique(("a",))),
        ("{type: set, column: a, values: [1, null]}", AcceptedValues("a", (1, None))),
        ("{type: volume, min_rows: 3}", RowCount(3)),
        ("{type: freshness}", Freshness("updated_at", 24)),
        (
            "{type: referential, columns: [a, b], references: {table: core.customers, columns: [x, y]}}",
            ForeignKey(("a", "b"), CUSTOMERS, ("x", "y")),
        ),
        (
            "{type: foreign_key, columns: [a, b], references: core.customers}",
            ForeignKey(("a", "b"), CUSTOMERS, ("a", "b")),
        ),
        (
            "{type: foreign_key, column: a, references: core.customers.odd.name}",
            ForeignKey(("a",), CUSTOMERS, ("odd.name",)),
        ),
        ("{type: custom, sql: a > 0, max_violation_percentage: 1.5}", Expression("a > 0", 1.5)),
        (
            "{type: range, column: a, max: 2026-11-15, where: b, on_not_measured: warn, name: n, severity: info}",
            Range(
                "a",
                max=yaml.safe_load("2026-11-15"),
                where="b",
                on_not_measured=OnNotMeasured.WARN,
                name="n",
                severity=Severity.INFO,
            ),
        ),
    ],
)
def test_the_words_of_the_specification_and_the_common_keys_are_read(text: str, check: Check) -> None:
    assert load(text) == check


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{type: notnull, column: a}", "there is no check of type 'notnull'. Did you mean not_null"),
        ("{type: 7}", "there is no check of type '7'. The types are not_null,"),
        ("{column: a}", "'type' is missing"),
        ("not_null", "a check is a mapping"),
        ("{type: range, column: a, min: 0, maximum: 3}", "there is no key 'maximum'. Did you mean max"),
        ("{type: range, column: a}", "'min' or 'max' is needed"),
        ("{type: range, column: a, min: 3, max: 2}", "'min' 3 is more than 'max' 2"),
        ("{type: range, column: a, min: 3, max: x}", "cannot be compared"),
        ("{type: range, column: a, min: true}", "'min' must be a number"),
        ("{type: range, column: a, max: .inf}", "must be finite"),
        ("{type: range, min: 1}", "'column' is missing"),
        ("{type: not_null}", "'column' is missing"),
        ("{type: not_null, column: a, columns: [b]}", "say the same; keep one"),
        ("{type: not_null, column: a, max_null_percentage: 101}", "percentage from 0 to 100"),
        ("{type: unique, columns: []}", "must be a column or a list of columns"),
        ("{type: unique, columns: [a, a]}", "names a column twice"),
        ("{type: accepted_values, column: a, values: [[1]]}", "single values"),
        ("{type: accepted_values, column: a, values: []}", "must be a list of values"),
        ("{type: row_count}", "'min' or 'max' is needed"),
        ("{type: row_count, min: -1}", "whole number from 0"),
        ("{type: freshness, max_age_hours: 0}", "more than 0 hours"),
        ("{type: freshness, max_age_hours: soon}", "must be a number"),
        ("{type: foreign_key, column: a, references: customers}", "must be like core.customers.customer_id"),
        ("{type: foreign_key, column: a, references: {table: core.customers}}", "has the keys table and columns"),
        (
            "{type: foreign_key, columns: [a, b], references: core.customers.x}",
            "'columns' has 2 columns and 'references' 1",
        ),
        ("{type: regex, column: a, pattern: 3}", "'pattern' must be text"),
        ("{type: expression, sql: ''}", "'sql' must be text"),
        ("{type: not_null, column: a, severity: eror}", "Did you mean error"),
        ("{type: not_null, column: a, on_not_measured: ignore}", "is one of block, warn"),
    ],
)
def test_a_wrong_check_is_refused_with_the_reason(text: str, said: str) -> None:
    error = error_of(text)
    assert said in error.what
    assert error.fix


def test_all_errors_of_one_check_are_told() -> None:
    error = error_of("{type: range, colum: a, min: true, severity: bad}")
    assert error.why is not None
    for said in ("'colum'", "'min'", "'severity'", "'column' is missing"):
        assert said in error.why


def test_all_errors_of_a_list_are_told_with_their_place() -> None:
    items = [{"type": "not_null"}, {"type": "row_count", "min": 1}, {"type": "rnage", "column": "a"}]
    with pytest.raises(ForgeError) as caught:
        load_checks(items, table=ORDERS, where="checks/core.yaml:3")
    assert caught.value.why is not None
    assert "check 1: not_null: 'column' is missing" in caught.value.why
    assert "check 3: there is no check of type 'rnage'. Did you mean range" in caught.value.why
    assert "check 2" not in caught.value.why


def test_the_one_wrong_check_of_a_list_is_named_by_its_number() -> None:
    with pytest.raises(ForgeError) as caught:
        load_checks([{"type": "row_count", "min": 1}, {}], table=ORDERS, where="f.yaml:3")
    assert caught.value.where == "f.yaml:3, check 2"


def test_no_checks_are_no_checks_and_a_mapping_is_no_list() -> None:
    assert load_checks(None, table=ORDERS, where="f") == ()
    assert load_checks([], table=ORDERS, where="f") == ()
    with pytest.raises(ForgeError, match="are a list"):
        load_checks({"type": "not_null"}, table=ORDERS, where="f")


def test_every_check_has_keys_and_all_share_the_common_ones() -> None:
    for check in CHECKS:
        assert {"type", "severity", "name", "where", "on_not_measured"} <= set(keys_of(check))


def test_only_checks_of_rows_take_a_share_of_bad_rows() -> None:
    with_share = {check.type for check in CHECKS if "max_violation_percentage" in keys_of(check)}
    assert with_share == {"range", "accepted_values", "regex", "expression", "foreign_key"}
