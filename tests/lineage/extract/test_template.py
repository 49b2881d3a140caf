"""SQL with Jinja and variables in it, outside of dbt."""

from __future__ import annotations

import os

import pytest

from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.flatten import flatten
from forge.lineage.extract.placeholders import has_template
from forge.lineage.extract.sql.program import read_sql
from forge.lineage.extract.sql_file import read_sql_file
from forge.lineage.extract.template import render_sql


def rendered(text: str, dialect: str = "spark", **variables: object) -> tuple[list[str], list[tuple[int, str]]]:
    texts, gaps = render_sql(text, "a.sql", dialect=dialect, variables=variables)
    return [one.text for one in texts], [(gap.line, gap.reason) for gap in gaps]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT '{{ ds }}' AS d FROM t", "SELECT '${ds}' AS d FROM t"),
        ("SELECT a FROM t WHERE d = {{ ds }}", "SELECT a FROM t WHERE d = 0"),
        ("SELECT a FROM t WHERE d BETWEEN {{ a }} AND {{ b }}", "SELECT a FROM t WHERE d BETWEEN 0 AND 0"),
        ("SELECT a FROM t WHERE d IN ({{ a }}, {{ b }})", "SELECT a FROM t WHERE d IN (0, 0)"),
        ("SELECT a FROM t LIMIT {{ n }}", "SELECT a FROM t LIMIT 0"),
        ("SELECT a FROM t LIMIT ${n}", "SELECT a FROM t LIMIT 0"),
        ("-- for {{ ds }}\nSELECT a FROM t", "-- for ${ds}\nSELECT a FROM t"),
        ("SELECT {% for c in ['a', 'b'] %}{{ c }}, {% endfor %}1 FROM t", "SELECT a, b, 1 FROM t"),
        ("{% set t = 'x' %}SELECT a FROM {{ t }}", "SELECT a FROM x"),
        ("SELECT {{ x | default('a') }} FROM t", "SELECT a FROM t"),
        ("SET day = 1;\nSELECT ${day}", "SET day = 1;\nSELECT ${day}"),
        ("SELECT a FROM t {# nothing #}", "SELECT a FROM t "),
    ],
)
def test_what_does_not_change_the_lineage_is_no_gap(text: str, expected: str) -> None:
    assert rendered(text) == ([expected], [])


def test_a_variable_in_the_name_of_a_table_stays_in_the_name_and_is_said() -> None:
    texts, gaps = rendered("SELECT a\nFROM {{ params.schema }}.orders_{{ ds_nodash }}")
    assert texts == ["SELECT a\nFROM `${params_schema}`.`orders_${ds_nodash}`"]
    assert gaps == [
        (2, "the name ${params_schema} holds params.schema, of which no value is known; give it as a variable"),
        (2, "the name orders_${ds_nodash} holds ds_nodash, of which no value is known; give it as a variable"),
    ]
    program = read_sql(f"CREATE TABLE x.y AS {texts[0]}", TableCatalog())
    assert [str(edge.source) for edge in flatten([program]).edges] == ["${params_schema}.orders_${ds_nodash}.a"]


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [("postgres", '"${s}"'), ("tsql", "[${s}]"), ("bigquery", "`${s}`"), ("snowflake", '"${s}"')],
)
def test_names_are_quoted_as_the_dialect_does(dialect: str, expected: str) -> None:
    assert rendered("SELECT a FROM {{ s }}.t", dialect)[0] == [f"SELECT a FROM {expected}.t"]


def test_variables_that_are_given_are_filled_in() -> None:
    text = "SELECT a FROM {{ params.schema }}.orders, ${env}.x, ${hiveconf:day}"
    assert rendered(text, params={"schema": "core"}, env="dev", day="d") == (
        ["SELECT a FROM core.orders, dev.x, d"],
        [],
    )


def test_a_part_that_is_not_known_is_left_out_and_said() -> None:
    texts, gaps = rendered("SELECT {{ columns }}\nFROM t\n{{ where }}")
    assert texts == ["SELECT null\nFROM t\n"]
    assert gaps == [
        (1, "no value is known for columns, and what it stands for was left out; give it as a variable"),
        (3, "no value is known for where, and what it stands for was left out; give it as a variable"),
    ]


def test_both_sides_of_a_condition_on_something_unknown_are_read() -> None:
    texts, gaps = rendered("{% if params.full %}DELETE FROM t;{% else %}SELECT 1;{% endif %}")
    assert texts == ["SELECT 1;", "DELETE FROM t;"]
    assert not gaps


def test_a_loop_over_something_unknown_is_read_once() -> None:
    texts, gaps = rendered("{% for t in tables %}SELECT a FROM {{ t }}{% endfor %}")
    assert texts == ["SELECT a FROM `${tables}`"]
    assert len(gaps) == 1


def test_lines_are_those_of_the_template() -> None:
    text = "{% for t in ['a', 'b'] %}\nSELECT\n  x\nFROM {{ t }};\n{% endfor %}\nSELECT 2"
    (sql,), _ = render_sql(text, "a.sql")
    lines = sql.text.split("\n")
    where = {line: sql.line(number) for number, line in enumerate(lines, 1) if line.strip()}
    assert where == {"SELECT": 2, "  x": 3, "FROM a;": 4, "FROM b;": 4, "SELECT 2": 6}


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("SELECT 1;\n{% if x %}", 2, "the template cannot be read: Unexpected end of template"),
        ("a\n{% endif %}", 2, "the template cannot be read: Encountered unknown tag 'endif'"),
        ("a\n{{ 1 // 0 }}", 2, "the template cannot be rendered: integer division or modulo by zero"),
        ("a\n{{ 'a' * 10000000000 }}", 2, "the template cannot be rendered: a number or text grows too large"),
        ("a\n{{ ('a' * 9999999) * 9999999 }}", 2, "the template cannot be rendered: a number or text grows too large"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", 1, "the template cannot be rendered: its macros call"),
        ("{% include 'x' %}", 1, "the template cannot be rendered:"),
        ("{{ range(999999999) | list }}", 1, "the template cannot be rendered: Range too big"),
        ("{{ x | what }}", 1, "the template cannot be read: No filter named 'what'"),
    ],
)
def test_what_cannot_be_rendered_is_a_gap(text: str, line: int, reason: str) -> None:
    texts, gaps = rendered(text)
    assert texts == []
    (found,) = gaps
    assert found[0] == line
    assert found[1].startswith(reason)


@pytest.mark.parametrize("text", ["{{ ''.__class__.__mro__ }}", "{{ range.__globals__ }}", "{{ cycler.__init__ }}"])
def test_a_template_cannot_reach_out(text: str) -> None:
    texts, gaps = rendered(f"SELECT 1 AS a, {text}")
    assert all("class" not in one and "module" not in one for one in texts)
    assert gaps


def test_the_environment_is_not_read() -> None:
    os.environ["FORGE_TEMPLATE_SECRET"] = "leaked"
    try:
        assert (
            "leaked"
            not in rendered("SELECT '{{ env_var('FORGE_TEMPLATE_SECRET') }}', '${FORGE_TEMPLATE_SECRET}'")[0][0]
        )
    finally:
        del os.environ["FORGE_TEMPLATE_SECRET"]


def test_plain_sql_is_no_template() -> None:
    assert not has_template("SELECT '{1}', $1, ${ FROM t WHERE a = '%' AND b = '{ {'")
    assert all(has_template(text) for text in ("{{ a }}", "{% a %}", "{# a #}", "${a}"))


MODEL = """{{ config(materialized='incremental') }}
select o.id, o.amount * {{ var('rate', 2) }} as eur, c.name
from {{ ref('stg_orders') }} o join {{ source('crm', 'customers') }} c on c.id = o.customer_id
{% if is_incremental() %}where o.updated > (select max(x.updated) from {{ this }} x){% endif %}
"""


def test_a_model_of_dbt_without_its_project_makes_what_its_file_is_called() -> None:
    found = flatten([read_sql_file(MODEL, TableCatalog(), file="models/fct_orders.sql")])
    assert {(str(edge.source), str(edge.target)) for edge in found.edges} == {
        ("stg_orders.id", "fct_orders.id"),
        ("stg_orders.amount", "fct_orders.eur"),
        ("crm.customers.name", "fct_orders.name"),
    }
    assert not found.gaps


def test_a_query_with_variables_is_no_model() -> None:
    assert flatten([read_sql_file("SELECT a FROM t WHERE d = {{ ds }}", TableCatalog(), file="q.sql")]).edges == ()
