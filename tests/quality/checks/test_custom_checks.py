"""Checks of a schema, of a query and of a function of the project."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from memory_checks import ORDERS, Rows, judge_rows, schema_of, written

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.checks import ExpressionCheck, ForeignKeyCheck, FunctionCheck, QueryCheck
from forge.quality.measure import Measure
from forge.quality.readings import FunctionReading
from forge.quality.verdict import Outcome, Verdict

SCHEMA = schema_of(Id="bigint", amount="decimal(12,2)", place="struct<city:string,zip:int>", extra="string")
CUSTOMERS = TableName("core", "customers")


def judge_schema(columns: dict[str, str], **keys: Any) -> Verdict:
    return judge_rows(written(type="schema", columns=columns, **keys), [], SCHEMA)


def test_a_schema_check_reads_no_rows() -> None:
    assert written(type="schema", columns={"id": "long"}).measures(SCHEMA) == frozenset()


def test_types_are_compared_by_what_they_mean() -> None:
    verdict = judge_schema({"ID": "LONG", "amount": "numeric(12, 2)", "place": "STRUCT<City: string, zip integer>"})
    assert verdict.outcome is Outcome.PASSED
    assert verdict.message == "schema: all 3 columns are there with their types"
    assert judge_schema({"id": "bigint"}).message == "schema: the column is there with its type"
    assert verdict.check_id == "core.orders.schema"


def test_what_is_missing_wrong_or_too_much_is_told_apart() -> None:
    verdict = judge_schema({"id": "int", "name": "string", "place.zip": "int"}, allow_extra=False)
    assert verdict.outcome is Outcome.FAILED
    assert (
        verdict.message
        == "schema: missing name; Id is bigint and should be int; not expected amount, extra".replace("Id is", "id is")
    )
    assert verdict.details["missing"] == ["name"]
    assert verdict.details["wrong_type"] == [{"column": "id", "expected": "int", "found": "bigint"}]
    assert verdict.details["extra"] == ["amount", "extra"]


def test_other_columns_are_allowed_unless_told_otherwise() -> None:
    assert judge_schema({"id": "bigint"}).outcome is Outcome.PASSED
    assert judge_schema({"id": "bigint"}, allow_extra=False).outcome is Outcome.FAILED


def query(text: str, gives: list[dict[str, Any]], **bounds: Any) -> Verdict:
    return judge_rows(written(type="query", query=text, **bounds), [], SCHEMA, queries={text: lambda rows: gives})


def test_a_number_that_must_not_be_fails_at_both_ends_and_between() -> None:
    text = "SELECT count(*) FROM core.orders"
    for number, outcome in ((4, "passed"), (5, "failed"), (7, "failed"), (10, "failed"), (11, "passed")):
        verdict = query(text, [{"n": number}], not_between=[5, 10])
        assert verdict.outcome == outcome, number
    assert "which it must not be (between 5 and 10)" in query(text, [{"n": 7}], not_between=[5, 10]).message
    rows: Rows = [{"Id": 1}, {"Id": 2}]
    assert judge_rows(written(type="row_count", not_between=[2, 2]), rows, SCHEMA).outcome is Outcome.FAILED
    assert judge_rows(written(type="row_count", not_between=[3, 9]), rows, SCHEMA).outcome is Outcome.PASSED
    with pytest.raises(ForgeError, match="two numbers, the smaller first"):
        written(type="row_count", not_between=[9, 3])


def test_a_query_gives_no_row() -> None:
    text = "SELECT id FROM core.orders\nWHERE amount < 0"
    assert query(text, []).message == "SELECT id FROM core.orders WHERE amount < 0: no row comes back"
    failed = query(text, [{"id": 1}, {"id": 2}])
    assert failed.outcome is Outcome.FAILED
    assert failed.message.endswith("2 rows come back")
    assert failed.check_id == "core.orders.query.select_id_from_core_orders_where_amount"


@pytest.mark.parametrize(
    ("value", "outcome", "said"),
    [
        (5, Outcome.PASSED, ": 5"),
        (Decimal("5.01"), Outcome.PASSED, ": 5.01"),
        (0, Outcome.FAILED, "0, less than 1"),
        (11.5, Outcome.FAILED, "11.5, more than 10"),
        (None, Outcome.NOT_MEASURED, "the query gave NULL, which is no number"),
        ("ann@example.com", Outcome.NOT_MEASURED, "the query gave text, which is no number"),
        (float("nan"), Outcome.NOT_MEASURED, "NaN, which is no number"),
    ],
)
def test_a_query_with_bounds_gives_one_number(value: object, outcome: Outcome, said: str) -> None:
    verdict = query("SELECT count(*) FROM core.orders", [{"n": value}], min=1, max=10)
    assert verdict.outcome is outcome
    assert said in verdict.message


def test_a_query_with_bounds_that_gives_many_rows_is_not_measured() -> None:
    assert query("q", [{"n": 1}, {"n": 2}], min=1).outcome is Outcome.NOT_MEASURED


def test_a_function_is_called_with_the_rows_its_arguments_and_the_tables_it_names() -> None:
    seen: dict[str, object] = {}

    def totals(rows: object, limit: int, tables: dict[str, object]) -> FunctionReading:
        seen.update(rows=rows, limit=limit, tables=tables)
        return FunctionReading(False, failing=3)

    place = "quality/rules.py:totals"
    check = written(type="custom", function=place, arguments={"limit": 3}, tables=["core.customers"])
    assert check == FunctionCheck(place, (("limit", 3),), (CUSTOMERS,))
    rows = [{"Id": 1}]
    verdict = judge_rows(check, rows, SCHEMA, others={CUSTOMERS: []}, functions={place: totals})
    assert seen == {"rows": tuple(rows), "limit": 3, "tables": {"core.customers": []}}
    assert verdict.outcome is Outcome.FAILED
    assert verdict.message == "quality/rules.py:totals: 3 rows fail"
    assert verdict.check_id == "core.orders.function.quality_rules_py_totals"


def test_the_word_of_a_function_is_told() -> None:
    place = "rules.py:f"
    check = written(type="function", function=place, name="sums")
    for said, message in (
        (FunctionReading(True, "all 3 sums match"), "sums: all 3 sums match"),
        (FunctionReading(False), "sums: failed"),
    ):
        verdict = judge_rows(check, [], SCHEMA, functions={place: lambda rows, said=said: said})
        assert verdict.message == message
        assert verdict.outcome is (Outcome.PASSED if said.passed else Outcome.FAILED)


@pytest.mark.parametrize(
    "place", ["rules.py", "rules:f", "../rules.py:f", "/etc/rules.py:f", "a//b.py:f", "a\\b.py:f", "rules.py:f()", "x"]
)
def test_a_function_is_in_a_file_of_the_project(place: str) -> None:
    with pytest.raises(ForgeError, match="a file of the project"):
        written(type="function", function=place)


def test_tables_that_a_check_looks_up_are_known_before_it_runs() -> None:
    checks = [
        ForeignKeyCheck(("id",), CUSTOMERS, ("id",)),
        FunctionCheck("a.py:f", tables=(CUSTOMERS, ORDERS)),
        ExpressionCheck("a > 0"),
        QueryCheck("SELECT 1"),
    ]
    assert [check.others() for check in checks] == [{CUSTOMERS}, {CUSTOMERS, ORDERS}, set(), set()]


def test_only_new_rows_are_measured_of_a_check_with_since_and_all_of_the_version_it_compares_with() -> None:
    check = written(type="ks_test", column="amount", since="previous")
    assert check.measures(SCHEMA) == {
        Measure(kind="quantiles", columns=("amount",), since="previous"),
        Measure(kind="quantiles", columns=("amount",), at="previous"),
    }
    rows: Rows = [{"Id": 1}, {"Id": None}]
    new = written(type="not_null", column="id", since="a1b2")
    assert judge_rows(new, rows, SCHEMA, added={"a1b2": rows[:1]}).outcome is Outcome.PASSED
    assert judge_rows(new, rows, SCHEMA, added={"a1b2": rows[1:]}).outcome is Outcome.FAILED
    assert judge_rows(new, rows, SCHEMA).outcome is Outcome.NOT_MEASURED
    assert new.check_id(ORDERS) == "core.orders.id.not_null.since_a1b2"
