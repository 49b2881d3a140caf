"""What a short name in code stands for."""

from __future__ import annotations

import pytest

from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import ColumnDefinition, TableDefinition, definitions_of
from forge.lineage.extract.schema_file import load_schemas
from forge.model.errors import ForgeError


def known(*names: str, **defaults: str) -> TableCatalog:
    return TableCatalog(definitions_of({name: {"id": "int"} for name in names}), **defaults)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("users", "analytics.public.users"),
        ("public.users", "analytics.public.users"),
        ("sales.users", "analytics.sales.users"),
        ("other.sales.users", "other.sales.users"),
    ],
)
def test_defaults_stand_before_short_names(written: str, meant: str) -> None:
    catalog = TableCatalog((), db="analytics", default_schema="public")
    assert catalog.find(written.split(".")).name == meant


def test_a_table_of_the_defaults_goes_before_one_that_ends_so() -> None:
    catalog = known("a.b.users", "analytics.public.users", db="analytics", default_schema="public")
    assert catalog.find(["users"]).name == "analytics.public.users"


def test_the_one_table_that_ends_so_is_meant_where_the_defaults_have_none() -> None:
    found = known("a.b.users", db="analytics", default_schema="public").find(["users"])
    assert found.name == "a.b.users"
    assert found.definition is not None


def test_of_two_tables_that_end_so_none_is_meant_and_both_are_named() -> None:
    found = known("a.b.users", "a.c.users").find(["users"])
    assert (found.name, found.definition, found.candidates) == ("users", None, ("a.b.users", "a.c.users"))


def test_case_does_not_matter_and_the_definition_gives_the_spelling() -> None:
    assert known("Sales.Orders").find(["sales", "ORDERS"]).name == "Sales.Orders"


def test_a_path_is_not_completed() -> None:
    assert TableCatalog((), db="d", default_schema="s").find(["s3://x/y"]).name == "s3://x/y"


def test_what_is_given_wins_over_ddl_and_ddl_over_a_query() -> None:
    inferred = TableDefinition(name="t", columns=(ColumnDefinition("a"),), inferred=True)
    ddl = TableDefinition(name="t", columns=(ColumnDefinition("b"),))
    [given] = definitions_of({"t": {"c": "int"}})
    for some in ((inferred, ddl, given), (given, ddl, inferred)):
        found = TableCatalog(some).find(["t"]).definition
        assert found is not None
        assert found.names == ("c",)
    found = TableCatalog((ddl, inferred)).find(["t"]).definition
    assert found is not None
    assert found.names == ("b",)


def test_a_file_of_schemas_may_be_nested_and_may_be_json() -> None:
    flat = load_schemas("sales.orders: {id: bigint, note: }", "s.yaml")
    assert flat == {"sales.orders": {"id": "bigint", "note": ""}}
    assert load_schemas('{"sales": {"orders": {"id": "bigint"}}}', "s.json") == {"sales.orders": {"id": "bigint"}}
    assert load_schemas("", "s.yaml") == {}


@pytest.mark.parametrize("text", ["[1]", "sales.orders: 3", "t: {a: 1}", "t: {a: int, b: {c: int}}"])
def test_what_is_no_schema_is_told_with_its_place(text: str) -> None:
    with pytest.raises(ForgeError) as told:
        load_schemas(text, "s.yaml")
    assert told.value.code == "E817"
    assert (told.value.where or "").startswith("s.yaml:")
