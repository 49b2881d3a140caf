"""Names of tables, singular tests of dbt, and files that are of no tool."""

from __future__ import annotations

import pytest

from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.imports import (
    ImportedChecks,
    TableNames,
    read_dbt_file,
    read_dbt_test,
    read_gx_suite,
    read_soda_file,
)
from forge.quality.imports.mapping import MappingError, sql_name, sql_value

ORDERS, OTHER = TableName.parse("core.orders"), TableName.parse("raw.orders")


def whys(found: ImportedChecks) -> list[str]:
    return [one.why for one in found.unmapped]


def test_a_table_is_found_by_its_own_name_where_only_one_is_called_so() -> None:
    assert TableNames(frozenset({ORDERS})).find("Orders") == ORDERS


def test_of_two_tables_of_a_name_the_schema_that_was_named_decides() -> None:
    both = frozenset({ORDERS, OTHER})
    assert TableNames(both, "raw").find("orders") == OTHER
    with pytest.raises(MappingError, match=r"core\.orders, raw\.orders; say which with --schema"):
        TableNames(both).find("orders")


def test_a_name_of_several_parts_ends_in_schema_and_table() -> None:
    assert TableNames().find('warehouse."core".orders') == ORDERS
    assert TableNames().find("source/db/core/orders") == ORDERS


def test_an_unknown_table_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(MappingError, match="Did you mean orders"):
        TableNames(frozenset({ORDERS})).find("ordres")


def test_a_name_that_no_table_can_have_is_told() -> None:
    with pytest.raises(MappingError, match="not a table name"):
        TableNames(schema="core").find("my orders")


def test_all_goes_to_the_table_that_was_asked_for() -> None:
    found = read_soda_file("checks for anything:\n  - row_count > 0\n", "c.yml", TableNames(table=ORDERS))
    assert [one.table for one in found.mapped] == [ORDERS]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("duplicate_percent(id) < 1", "max_violation_percentage"),
        ("missing_percent(id) < 1", "max_null_percentage"),
        ("invalid_percent(id) < 1:\n      valid regex: ^a", "max_violation_percentage"),
    ],
)
def test_less_than_one_percent_is_not_none_at_all(line: str, key: str) -> None:
    (one,) = read_soda_file(f"checks for orders:\n  - {line}\n", "c.yml", TableNames(table=ORDERS)).mapped
    assert one.spec[key] == 1
    assert "exactly 1 percent passes, too" in (one.note or "")


def test_less_than_one_row_is_none_at_all() -> None:
    (one,) = read_soda_file(
        "checks for orders:\n  - duplicate_count(id) < 1\n", "c.yml", TableNames(table=ORDERS)
    ).mapped
    assert one.spec == {"type": "unique", "columns": ["id"]}


def test_a_singular_test_becomes_a_query_of_the_first_table_it_reads() -> None:
    sql = """\
{{ config(severity='warn') }}
-- {# a comment with {{ templates }} #}
select o.id from {{ ref('orders') }} o join {{ source("raw", "events") }} using (id);
"""
    (one,) = read_dbt_test(sql, "tests/no_orphans.sql", TableNames(frozenset({ORDERS}))).mapped
    assert one.table == ORDERS
    assert one.place == "tests/no_orphans.sql:3"
    assert one.spec == {
        "type": "query",
        "query": "-- \nselect o.id from core.orders o join raw.events using (id)",
        "name": "no orphans",
        "severity": "warning",
    }


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("select 1", "reads no table by ref"),
        ("{% test even(model, column_name) %} select 1 {% endtest %}", "defines a generic test"),
        ("select * from {{ ref('orders') }} where {{ macro() }}", "only dbt can fill: {{ macro()"),
        ("select * from {{ ref('strangers') }}", "no table of the project is called strangers"),
        ("{{ config(enabled=false) }} select * from {{ ref('orders') }}", "disabled"),
        ("{{ config(where='x') }} select * from {{ ref('orders') }}", "cannot take"),
    ],
)
def test_a_singular_test_that_cannot_be_taken_says_why(sql: str, why: str) -> None:
    found = read_dbt_test(sql, "tests/a.sql", TableNames(frozenset({ORDERS})))
    assert found.mapped == ()
    assert len(found.unmapped) == 1
    assert why in whys(found)[0]


def test_a_properties_file_without_tests_has_none() -> None:
    assert read_dbt_file("version: 2\nmodels: [{name: orders}]\n", "s.yml", TableNames()) == ImportedChecks()
    assert read_dbt_file("", "s.yml", TableNames()) == ImportedChecks()


def test_what_a_check_here_would_refuse_is_told_with_its_place() -> None:
    text = (
        "models:\n  - name: orders\n    columns:\n      - name: status\n        tests:\n          - accepted_values\n"
    )
    found = read_dbt_file(text, "s.yml", TableNames(frozenset({ORDERS})))
    assert found.mapped == ()
    assert found.unmapped[0].place == "s.yml:6"
    assert "values" in found.unmapped[0].why


@pytest.mark.parametrize("text", ["{", "[]", '{"expectations": 3}', "1"])
def test_what_is_no_suite_is_refused(text: str) -> None:
    with pytest.raises(ForgeError) as caught:
        read_gx_suite(text, "a.json", TableNames(table=ORDERS))
    assert caught.value.code == "E716"


def test_lines_of_a_suite_with_tabs_are_known() -> None:
    text = '{\n\t"expectations": [\n\t\t{"type": "expect_column_values_to_not_be_null", "kwargs": {"column": "a"}}]}'
    (one,) = read_gx_suite(text, "a.json", TableNames(table=ORDERS)).mapped
    assert (one.spec, one.place) == ({"type": "not_null", "column": "a"}, "a.json:3")


def test_a_suite_is_of_the_table_that_it_is_called_after() -> None:
    text = '{"name": "whatever", "expectations": []}'
    assert read_gx_suite(text, "gx/orders_suite.json", TableNames(frozenset({ORDERS}))) == ImportedChecks()
    with pytest.raises(ForgeError, match="Which table"):
        read_gx_suite(text, "gx/other.json", TableNames(frozenset({ORDERS})))


def test_a_contract_of_soda_4_is_told_for_what_it_is() -> None:
    with pytest.raises(ForgeError) as caught:
        read_soda_file("dataset: a/b/c/orders\ncolumns: []\n", "c.yml", TableNames())
    assert (caught.value.code, "contract of Soda 4" in str(caught.value.why)) == ("E716", True)


def test_names_and_values_are_written_so_that_sql_reads_them_as_such() -> None:
    assert sql_name("a`b") == "`a``b`"
    assert sql_name("address.city") == "address.city"
    assert sql_value("it's \\ fine") == "'it\\'s \\\\ fine'"
    assert sql_value(True) == "true"
    with pytest.raises(MappingError):
        sql_value(float("nan"))
    with pytest.raises(MappingError):
        sql_value([1])
