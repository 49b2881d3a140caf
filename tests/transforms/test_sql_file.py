from __future__ import annotations

import pytest

from forge.model.errors import ForgeError, errors_of
from forge.model.names import TableName
from forge.transforms.sql_file import load_sql
from forge.transforms.transform import SqlQuery, TransformKind

TEXT = """\
/* forge
kind: incremental_by_time_range
time_column: at
checks:
  - {type: not_null, column: id}
  - {type: unique, columns: [id]}
*/
SELECT id, at
FROM staging.orders
JOIN core.customers c USING (id)
JOIN core.customers d USING (id)
WHERE at >= :start AND at < :end
"""


def test_a_file_is_a_transform_named_by_its_path() -> None:
    found = load_sql(TEXT, "transforms/core/orders.sql")
    assert str(found.output) == "core.orders"
    assert found.body == SqlQuery(TEXT, ("end", "start"))
    assert [str(table) for table in found.inputs] == ["staging.orders", "core.customers"]
    assert (found.kind, found.time_column) == (TransformKind.BY_TIME_RANGE, "at")
    assert found.check_lines == (5, 6)
    assert found.where == "transforms/core/orders.sql:1"
    assert [found.line_of_input(table) for table in found.inputs] == [9, 10]
    assert found.line_of_input(TableName("no", "where")) == 1


@pytest.mark.parametrize(
    ("file", "header", "output"),
    [
        ("transforms/eu/core/Orders.sql", "", "core.orders"),
        ("transforms/x.sql", "/* forge\noutput: marts.x\n*/", "marts.x"),
        ("transforms/a-b/c d.sql", "/* forge\noutput: marts.x\n*/", "marts.x"),
    ],
)
def test_the_last_two_parts_of_the_path_or_the_header_name_the_table(file: str, header: str, output: str) -> None:
    assert str(load_sql(f"{header} SELECT 1", file).output) == output


@pytest.mark.parametrize("file", ["transforms/orders.sql", "transforms/a-b/orders.sql", "transforms/core/1st.sql"])
def test_a_path_that_is_no_table_name_needs_an_output(file: str) -> None:
    with pytest.raises(ForgeError) as raised:
        load_sql("SELECT 1", file)
    assert (raised.value.code, raised.value.where) == ("E206", f"{file}:1")
    assert "output:" in (raised.value.fix or "")


def test_header_and_query_are_both_checked() -> None:
    with pytest.raises(ForgeError) as raised:
        load_sql("/* forge\nownr: ada\n*/\nSELECT * FROM orders", "transforms/core/a.sql")
    assert [(error.code, error.where) for error in errors_of(raised.value)] == [
        ("E104", "transforms/core/a.sql:2"),
        ("E202", "transforms/core/a.sql:4:15"),
    ]


def code_of(header: str, sql: str = "SELECT 1") -> str:
    return load_sql(f"/* forge\n{header}\n*/\n{sql}", "transforms/core/a.sql").code_hash


@pytest.mark.parametrize(
    "header",
    ["owner: ada", "description: x", "tags: [gold]", "columns: {a: b}", "checks: [{type: unique}]", "kind: full"],
)
def test_what_people_read_and_what_is_checked_is_no_part_of_the_code(header: str) -> None:
    assert code_of(header) == code_of("") == load_sql("SELECT 1", "transforms/core/b.sql").code_hash


@pytest.mark.parametrize("header", ["kind: append", "unique_key: [a]", "time_column: a", "partitioned_by: [a]"])
def test_options_that_change_the_data_are_part_of_the_code(header: str) -> None:
    assert code_of(header) != code_of("")


def test_the_query_is_the_code_whatever_the_line_ends() -> None:
    assert code_of("", "SELECT 2") != code_of("")
    assert code_of("", "SELECT\r\n1") == code_of("", "SELECT\n1")
