"""Names and values of a contract inside SQL: they are what they were, whatever characters they hold."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp, parse_one

from forge.contracts.checks.rules import checks_of
from forge.contracts.contract import ContractProperty, FilePlace, QualityRule, TableContract
from forge.contracts.schema.sql_text import any_of, literal, quote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NASTY = ("", "'", "\\", "\\'", "a''b", "'; DROP TABLE x --", "%_", "`", '"', "tab\tnew\nline", "ü 🜨", "${x}", "\\u0041")


@given(st.text())
def test_a_text_stays_one_literal(text: str) -> None:
    parsed = parse_one(f"SELECT {literal(text)} AS a", read="spark").find(exp.Alias)
    assert parsed is not None
    assert isinstance(parsed.this, exp.Literal)
    assert parsed.this.is_string


@given(st.text(min_size=1))
def test_a_name_stays_one_name(text: str) -> None:
    parsed = parse_one(f"SELECT {quote(text)}", read="spark").find(exp.Column)
    assert parsed is not None
    assert parsed.name == text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, [1], {"a": 1}])
def test_what_cannot_be_compared_has_no_literal(value: object) -> None:
    with pytest.raises(ValueError, match="compar"):
        literal(value)


def test_texts_are_compared_as_texts_and_numbers_as_numbers() -> None:
    assert any_of("a", ["N/A", -1]) == "CAST(`a` AS STRING) IN ('N/A') OR `a` IN (-1)"


@pytest.mark.spark
def test_spark_reads_every_literal_as_the_value_it_was(spark: SparkSession) -> None:
    values: list[object] = [
        *NASTY,
        *(True, False, 0, -7, 2**40, Decimal("12.50"), date(2026, 11, 15)),
    ]
    row = spark.sql("SELECT " + ", ".join(f"{literal(v)} AS c{i}" for i, v in enumerate(values))).first()
    assert row is not None
    assert list(row) == values
    moment = datetime(2026, 11, 15, 8, 30, 0, 250000, tzinfo=UTC)
    seconds = spark.sql(f"SELECT unix_micros({literal(moment)}) AS us").first()
    assert seconds is not None
    assert seconds.us == int(moment.timestamp() * 1_000_000)


# property → rows as (value, is it a violation); NULL never is one
CHECKED: dict[str, tuple[dict[str, Any], str, list[tuple[object, bool]]]] = {
    "lengths": (
        {"logical_type": "string", "options": {"minLength": 2, "maxLength": 3}},
        "string",
        [("a", True), ("ab", False), ("äöü", False), ("abcd", True), (None, False)],
    ),
    "multiples of a whole number": (
        {"logical_type": "integer", "options": {"multipleOf": 5}},
        "int",
        [(0, False), (-5, False), (7, True), (None, False)],
    ),
    "multiples of a fraction": (
        {"logical_type": "number", "options": {"multipleOf": 0.1}},
        "double",
        [(0.3, False), (0.7, False), (0.35, True), (None, False)],
    ),
    "multiples of a fraction, in decimals": (
        {"logical_type": "number", "options": {"multipleOf": 0.05}},
        "decimal(12,2)",
        [(Decimal("0.15"), False), (Decimal("0.16"), True), (None, False)],
    ),
    "exclusive bounds": (
        {"logical_type": "number", "options": {"exclusiveMinimum": 0, "exclusiveMaximum": 1.5}},
        "double",
        [(0.0, True), (0.1, False), (1.5, True), (None, False)],
    ),
    "an exclusive date": (
        {"logical_type": "date", "options": {"exclusiveMaximum": "2030-01-01"}},
        "date",
        [(date(2029, 12, 31), False), (date(2030, 1, 1), True), (None, False)],
    ),
    "items": (
        {"logical_type": "array", "options": {"minItems": 1, "maxItems": 2, "uniqueItems": True}},
        "array<int>",
        [([], True), ([1], False), ([1, 2], False), ([1, 1], True), ([1, 2, 3], True), (None, False)],
    ),
    "missing values": (
        {"quality": [{"metric": "missingValues", "arguments": {"missingValues": [None, *NASTY]}, "mustBe": 0}]},
        "string",
        [*((text, True) for text in NASTY), ("there", False), ("a'b", False), (None, True)],
    ),
    "missing values of a number": (
        {"quality": [{"metric": "missingValues", "arguments": {"missingValues": ["N/A", -1]}, "mustBe": 0}]},
        "int",
        [(-1, True), (0, False), (None, False)],
    ),
}


@pytest.mark.spark
@pytest.mark.parametrize("case", CHECKED)
def test_spark_counts_the_rows_that_break_the_contract(spark: SparkSession, case: str) -> None:
    written, type_, rows = CHECKED[case]
    rules = tuple(QualityRule(rule, FilePlace("c.odcs.yaml", 1)) for rule in written.get("quality", ()))
    of = ContractProperty(name="v`x", **{**written, "quality": rules})
    checks = [check for check, _ in checks_of(TableContract(table="core.t", properties=(of,))).checks]
    assert {check["type"] for check in checks} == {"expression"}
    frame = spark.createDataFrame([(i, v) for i, (v, _) in enumerate(rows)], f"i int, {quote('v`x')} {type_}")
    broken: set[int] = set()
    for check in checks:
        broken |= {row.i for row in frame.filter(f"NOT ({check['sql']})").collect()}
    assert broken == {i for i, (_, is_violation) in enumerate(rows) if is_violation}
