"""Checks as they are written in a project, from docs/guide/project.md."""

from __future__ import annotations

import pytest
import yaml

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.model.schema import Column, Schema
from forge.quality.check import Check, OnNotMeasured
from forge.quality.checks import (
    CHECKS,
    AcceptedValuesCheck,
    DriftCheck,
    ExpressionCheck,
    ForeignKeyCheck,
    FreshnessCheck,
    FunctionCheck,
    IqrCheck,
    KsTestCheck,
    MeanCheck,
    NotNullCheck,
    QuantileCheck,
    QueryCheck,
    RangeCheck,
    RegexCheck,
    RowCountCheck,
    SchemaCheck,
    StdCheck,
    UniqueCheck,
    ZScoreCheck,
)
from forge.quality.spec import SpecProblem, keys_of, load_check, load_checks, validate_checks
from forge.quality.verdict import Severity

ORDERS = TableName("core", "orders")
SOME = (("a", "int"), ("b.c", "string"))
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
        NotNullCheck(("order_id",)),
        UniqueCheck(("order_id",)),
        AcceptedValuesCheck("status", ("open", "paid", "cancelled")),
        RangeCheck("amount", 0, 5000, severity=Severity.CRITICAL),
        RegexCheck("email", "^[^@]+@[^@]+$"),
        RowCountCheck(1, 1_000_000),
        FreshnessCheck("ordered_at", 48),
        ForeignKeyCheck(("customer_id",), CUSTOMERS, ("customer_id",)),
        ExpressionCheck("shipped_at IS NULL OR shipped_at >= ordered_at", name="shipped after ordered"),
    )


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("{type: completeness, columns: [a, b], max_null_percentage: 5%}", NotNullCheck(("a", "b"), 5.0)),
        ("{type: completeness, columns: []}", NotNullCheck()),
        ("{type: completeness, max_null_percentage: 1}", NotNullCheck((), 1.0)),
        ("{type: uniqueness, column: a}", UniqueCheck(("a",))),
        ("{type: set, column: a, values: [1, null]}", AcceptedValuesCheck("a", (1, None))),
        ("{type: volume, min_rows: 3}", RowCountCheck(3)),
        ("{type: freshness}", FreshnessCheck("updated_at", 24)),
        (
            "{type: referential, columns: [a, b], references: {table: core.customers, columns: [x, y]}}",
            ForeignKeyCheck(("a", "b"), CUSTOMERS, ("x", "y")),
        ),
        (
            "{type: foreign_key, columns: [a, b], references: core.customers}",
            ForeignKeyCheck(("a", "b"), CUSTOMERS, ("a", "b")),
        ),
        (
            "{type: foreign_key, column: a, references: core.customers.odd.name}",
            ForeignKeyCheck(("a",), CUSTOMERS, ("odd.name",)),
        ),
        ("{type: custom, sql: a > 0, max_violation_percentage: 1.5}", ExpressionCheck("a > 0", 1.5)),
        ("{type: custom, query: SELECT 1, max: 5}", QueryCheck("SELECT 1", max=5)),
        (
            "{type: custom, function: 'quality/own.py:check', arguments: {limits: [1, 2], by: {a: 1}}}",
            FunctionCheck("quality/own.py:check", (("limits", (1, 2)), ("by", (("a", 1),)))),
        ),
        ("{type: schema, columns: {a: int, b.c: string}, allow_extra: false}", SchemaCheck(SOME, allow_extra=False)),
        ("{type: volume, max_change_percentage: 150%}", RowCountCheck(max_change_percentage=150.0)),
        ("{type: statistical, statistical_check: zscore, column: a}", ZScoreCheck("a", 3.0, 1.0)),
        ("{type: statistical, statistical_check: iqr, column: a, threshold: 3}", IqrCheck("a", 3.0)),
        ("{type: iqr, column: a, max_outlier_percentage: 5}", IqrCheck("a", 3.0, 5.0)),
        ("{type: mean, column: a, min: -1, max: 1}", MeanCheck("a", -1.0, 1.0)),
        ("{type: statistical, statistical_check: std, column: a, max: 2}", StdCheck("a", max=2.0)),
        ("{type: quantile, column: a, quantile: 0.9, max: 2}", QuantileCheck("a", max=2.0, quantile=0.9)),
        ("{type: ks_test, column: a, reference: main~3, threshold: 0.2}", KsTestCheck("a", "main~3", 0.2)),
        ("{type: statistical, statistical_check: drift, column: a}", DriftCheck("a", "previous", 0.2)),
        (
            "{type: unique, column: a, partition_by: [day, address.city], since: previous, auto: true}",
            UniqueCheck(("a",), partition_by=("day", "address.city"), since="previous", auto=True),
        ),
        ("{type: range, column: a, min: '9', max: '10'}", RangeCheck("a", "9", "10")),
        (
            "{type: range, column: a, max: 2026-11-15, where: b, on_not_measured: warn, name: n, severity: info}",
            RangeCheck(
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
        ("{type: volume, max_change_percentage: -1}", "is a percentage"),
        ("{type: volume, max_change_percentage: 5, since: previous}", "do not go together"),
        ("{type: volume, max_change_percentage: 5, min: 3, max: 2}", "'min' 3 is more than 'max' 2"),
        ("{type: statistical, column: a}", "'statistical_check' is missing; it is one of zscore"),
        (
            "{type: statistical, statistical_check: zscor, column: a}",
            "there is no statistical check 'zscor'. Did you mean zscore?",
        ),
        ("{type: statistical, statistical_check: 7, column: a}", "It is one of zscore, iqr, mean"),
        ("{type: zscore, column: a, threshold: 0}", "'threshold' must be more than 0"),
        ("{type: zscore, column: a, statistical_check: iqr}", "there is no key 'statistical_check'"),
        ("{type: mean, column: a}", "'min' or 'max' is needed"),
        ("{type: quantile, column: a, quantile: 50, max: 1}", "is a share from 0 to 1"),
        ("{type: ks_test, column: a, max_distance: 0.1, threshold: 0.2}", "say the same; keep one"),
        ("{type: custom}", "exactly one of sql, query, function is needed"),
        ("{type: custom, sql: a, query: b}", "exactly one of sql, query, function is needed"),
        ("{type: query, query: q, where: a}", "'where' means nothing for a check of type query"),
        ("{type: schema, columns: [a]}", "must be a mapping of columns to types"),
        ("{type: schema, columns: {a: 3}}", "holds 'a': 3"),
        ("{type: schema, columns: {a: int, A: int}}", "names the column a twice"),
        ("{type: schema, columns: {a: bigit}}", "there is no type 'bigit'. Did you mean bigint"),
        ("{type: schema, columns: {a: 'array<strng>'}}", "there is no type 'strng'. Did you mean string"),
        ("{type: schema, columns: {a: int}, allow_extra: 1}", "must be true or false"),
        ("{type: function, function: 'a.py:f', arguments: [1]}", "must be a mapping of names to values"),
        ("{type: function, function: 'a.py:f', arguments: {a-b: 1}}", "holds 'a-b'"),
        ("{type: function, function: 'a.py:f', tables: [orders]}", "must be like core.customers"),
        ("{type: not_null, column: a, partition_by: []}", "must be a column or a list of columns"),
        ("{type: not_null, column: a, auto: maybe}", "must be true or false"),
        ("{type: not_null, column: a, on_failure: [fly]}", "'on_failure'"),
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
        assert {"type", "severity", "name", "on_not_measured", "on_failure", "auto"} <= set(keys_of(check))


def test_only_checks_of_rows_take_a_share_of_bad_rows() -> None:
    with_share = {check.type for check in CHECKS if "max_violation_percentage" in keys_of(check)}
    assert with_share == {"range", "accepted_values", "regex", "expression", "foreign_key", "unique"}


def test_all_that_is_wrong_is_told_with_its_path_and_nothing_is_run() -> None:
    problems = validate_checks(
        [
            {"type": "range", "colum": "a", "min": True},
            {"type": "row_count", "min": 1},
            {"type": "zscroe", "column": "a"},
            {"type": "volume", "min_rows": 3, "max_rows": 2},
            7,
        ]
    )
    assert [problem.path for problem in problems] == ["[0].colum", "[0].min", "[0].column", "[2].type", "[3]", "[4]"]
    assert problems[3].message == "there is no check of type 'zscroe'. Did you mean zscore?"
    assert validate_checks([{"type": "row_count", "min": 1}]) == ()
    assert validate_checks([]) == ()


def test_checks_are_a_list() -> None:
    assert validate_checks({"type": "not_null"}) == (
        SpecProblem("", "the checks are a list, and here is {'type': 'not_null'}"),
    )


def test_with_a_schema_what_does_not_fit_the_table_is_told_too() -> None:
    schema = Schema((Column("amount", "decimal(12,2)"), Column("t", "string")))
    checks = [
        {"type": "range", "column": "amout", "min": 0},
        {"type": "mean", "column": "t", "max": 1},
        {"type": "range", "column": "amount", "min": "9", "max": "10"},
        {"type": "range", "column": "amount", "min": "10", "max": "9"},
    ]
    problems = validate_checks(checks, schema)
    assert [(problem.path, problem.message) for problem in problems] == [
        ("[0]", "there is no column 'amout'. Did you mean amount?"),
        ("[1]", "the mean is of numbers, and t is string"),
        ("[3]", "min 10 is more than max 9"),
    ]
