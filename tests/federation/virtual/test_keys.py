"""Virtual tables in files: what they say, and all that is wrong with them at once."""

from __future__ import annotations

from typing import Any

import pytest
from each_case import each_case

from forge.federation.source import SourceOrigin
from forge.federation.virtual.keys import load_virtual_tables, read_virtual_table
from forge.federation.virtual_table import JoinCondition, VirtualColumn, VirtualJoin, virtual_table_of
from forge.model.errors import ForgeError, errors_of

GUIDE = """\
virtual_tables:
  - name: Customer_Orders
    description: Orders with the names of who made them
    sources:
      - {alias: o, connector_id: lake, schema_name: core, table_name: orders}
      - {alias: c, connector_id: crm, table_name: customers, column_mappings: {town: city}}
    joins:
      - {left_alias: o, right_alias: c, join_type: left, conditions: [{left: customer_id, right: id}]}
    columns:
      - {name: order_id, source_column: o.id, nullable: false}
      - {name: who, expression: "upper(c.name || ' of ' || c.town)", data_type: string}
    default_filters: ["o.status <> 'cancelled'"]
    cache_ttl_seconds: 600
    readers: [ada@example.com]
    hidden: [who]
"""
TABLE: dict[str, Any] = {
    "name": "people",
    "sources": [{"alias": "p", "connector_id": "crm", "table_name": "people"}],
    "columns": [{"name": "id", "source_column": "p.id"}],
}
TWO: dict[str, Any] = {
    **TABLE,
    "sources": [
        {"alias": "a", "connector_id": "crm", "table_name": "a"},
        {"alias": "b", "connector_id": "crm", "table_name": "b"},
    ],
    "columns": [{"name": "id", "source_column": "a.id"}],
    "joins": [{"left_alias": "a", "right_alias": "b", "conditions": [{"left": "id", "right": "id"}]}],
}
ON = [{"left": "id", "right": "id"}]


def test_a_file_is_read_as_the_guide_says() -> None:
    (found,), errors = load_virtual_tables(GUIDE, "virtual_tables/a.yaml")
    assert errors == ()
    assert (found.name, found.where, found.cache_enabled, found.cache_ttl_seconds) == (
        "customer_orders",
        "virtual_tables/a.yaml:2",
        True,
        600,
    )
    assert found.joins == (VirtualJoin("o", "c", (JoinCondition("customer_id", "id"),), "left"),)
    assert found.columns[0] == VirtualColumn("order_id", "", "o.id", nullable=False)
    assert found.sources[1].column("Town") == "city"
    assert (found.may_read("ada@example.com"), found.may_read("Ada@example.com")) == (True, False)


def test_what_is_stored_is_what_was_read() -> None:
    found = read_virtual_table(TWO, origin=SourceOrigin.HTTP)
    assert virtual_table_of(found.definition, SourceOrigin.HTTP) == found


def test_all_that_is_wrong_is_told_at_once_with_its_line() -> None:
    text = GUIDE.replace("o.id,", "x.id,").replace("upper(", "max(").replace("left_alias: o", "left_alias: oo")
    _, errors = load_virtual_tables(text, "virtual_tables/a.yaml")
    assert [(one.code, one.where) for one in errors] == [
        ("E894", "virtual_tables/a.yaml:8"),
        ("E894", "virtual_tables/a.yaml:10"),
        ("E894", "virtual_tables/a.yaml:11"),
    ]
    assert "max is not possible here" in (errors[2].why or "")
    assert errors[0].fix == "Did you mean o?"


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("is not a name of a virtual table", {**TABLE, "name": "my people"}),
    ("unknown alias 'q'", {**TABLE, "columns": [{"name": "id", "source_column": "q.id"}]}),
    ("two columns are called", {**TABLE, "columns": [TABLE["columns"][0], {"name": "ID", "source_column": "p.id"}]}),
    ("either a source_column or an expression", {**TABLE, "columns": [{"name": "id"}]}),
    ("has no data_type", {**TABLE, "columns": [{"name": "id", "expression": "p.id + 1"}]}),
    ("unknown type", {**TABLE, "columns": [{"name": "id", "source_column": "p.id", "data_type": "number9"}]}),
    ("hidden column 'x' is not", {**TABLE, "hidden": ["x"]}),
    ("hidden column 'id' has no data_type", {**TABLE, "hidden": ["id"]}),
    ("a reader has no name", {**TABLE, "readers": [" "]}),
    ("which source has id is not said", {**TWO, "columns": [{"name": "id", "source_column": "id"}]}),
    ("two sources have the alias", {**TWO, "sources": [TWO["sources"][0]] * 2}),
    ("the source b is not joined", {**TWO, "joins": []}),
    ("a is joined twice", {**TWO, "joins": [*TWO["joins"], {"left_alias": "b", "right_alias": "a", "conditions": ON}]}),
    ("a is joined twice", {**TWO, "joins": [{"left_alias": "a", "right_alias": "a", "conditions": ON}]}),
    ("a join has no conditions", {**TWO, "joins": [{**TWO["joins"][0], "conditions": []}]}),
    ("is not a column of b", {**TWO, "joins": [{**TWO["joins"][0], "conditions": [{"left": "id", "right": "a.id"}]}]}),
    ("schema_name and a table_name", {**TABLE, "sources": [{"alias": "p", "connector_id": "lake", "table_name": "x"}]}),
    (
        "the lake has no schema",
        {
            **TABLE,
            "sources": [{"alias": "p", "connector_id": "lake", "schema_name": "virtual", "table_name": "x"}],
        },
    ),
    ("table_name alone", {**TABLE, "sources": [{"alias": "p", "connector_id": "virtual"}]}),
    ("is not one of SELECT", {**TABLE, "allowed_operations": ["INSERT"]}),
    ("join_type", {**TWO, "joins": [{**TWO["joins"][0], "join_type": "cross"}]}),
    ("unknown key", {**TABLE, "sql": "SELECT 1"}),
    ("cache_ttl_seconds", {**TABLE, "cache_ttl_seconds": -1}),
]


@each_case(WRONG, lambda case: case[0])
def test_a_wrong_key_is_told(case: tuple[str, dict[str, Any]]) -> None:
    words, fields = case
    with pytest.raises(ForgeError) as caught:
        read_virtual_table(fields)
    found = errors_of(caught.value)
    assert all(one.code in ("E894", "E104") for one in found)
    assert any(words in one.what for one in found), [one.what for one in found]


EXPRESSIONS = [
    "(SELECT 1)", "p.id IN (SELECT 1)", "EXISTS (SELECT 1 FROM crm.people)", "sum(p.id)", "count(*)", "p.*", "*",
    "row_number() OVER ()", "p.id AS x", "p.id, p.id", "DISTINCT p.id", "/*+ BROADCAST(p) */ p.id", "p.id FROM crm.x",
    "p.id; SELECT 1", "reflect('a','b')", "java_method('a','b')", "rand()", "current_user()", "current_timestamp()",
    ":name", "?", "a.b.c.d", "explode(p.id)", "p.id -> 1", "transform(p.id, x -> x)", "'it''s'", "", " ", "--",
    "CASE WHEN (SELECT 1) = 1 THEN 1 END", "CAST(p.id AS STRUCT<a: INT>)", "input_file_name()", "p.id[0]",
    "upper(p.id) FILTER (WHERE true)", "NULL; DROP TABLE x", "p.id " + "+ 1 " * 2000, "(" * 400 + "p.id" + ")" * 400,
]  # fmt: skip


@each_case(EXPRESSIONS, lambda text: text[:60])
def test_only_plain_expressions_of_columns_are_taken(text: str) -> None:
    for fields in (
        {"columns": [{"name": "id", "expression": text, "data_type": "string"}]},
        {"default_filters": [text]} if text.strip() else {"columns": [{"name": "id", "expression": text}]},
    ):
        with pytest.raises(ForgeError) as caught:
            read_virtual_table({**TABLE, **fields})
        assert {one.code for one in errors_of(caught.value)} == {"E894"}


@each_case(
    ["p.id + 1", "upper(name) || 'x'", "CASE WHEN p.id > 1 THEN 'a' ELSE 'b' END", "CAST(p.id AS DECIMAL(10,2))",
     "coalesce(p.a, 'it\\'s')", "p.day >= DATE '2026-01-01'", "p.id IN (1, 2)", "p.a LIKE 'x%' AND p.b IS NOT NULL"],
    lambda text: text,
)  # fmt: skip
def test_expressions_that_both_engines_compute_are_taken(text: str) -> None:
    found = read_virtual_table({**TABLE, "columns": [{"name": "id", "expression": text, "data_type": "string"}]})
    assert found.columns[0].expression == text
