"""`forge vtable` in the terminal."""

from __future__ import annotations

from typing import Any

import pytest
from sqlite_source import alter, lay_shop

pytestmark = pytest.mark.slow

PEOPLE = ("--source", "c=till.customers", "--column", "c.id", "--column", "town=city:string")


@pytest.fixture
def shop(house: Any) -> Any:
    lay_shop(house.root / "data" / "till.db")
    assert house("source", "add", "till", "--connector", "sqlite", "--path", "data/till.db").status == 0
    return house


def vtable(shop: Any, *words: str, status: int = 0) -> Any:
    ended = shop("vtable", *words)
    assert ended.status == status, ended.err + ended.out
    return ended


def test_a_virtual_table_is_created_asked_changed_and_deleted(shop: Any) -> None:
    made = vtable(shop, "create", "people", *PEOPLE, "--compute", "shout:string=upper(c.city)", "--json")
    assert made.json["schema_version"] == 1
    columns = made.json["virtual_tables"][0]["columns"]
    assert [(one["name"], one["data_type"]) for one in columns] == [
        ("id", "bigint"),
        ("town", "string"),
        ("shout", "string"),
    ]
    assert "Created people." in made.err
    found = shop("query", "SELECT * FROM virtual.people", "--json").json
    assert found["rows"] == [{"id": 1, "town": "London", "shout": "LONDON"}]
    assert found["engine"] == "in-process"
    shown = vtable(shop, "show", "people", "--json").json
    assert [one["name"] for one in shown["columns"]] == ["id", "town", "shout"]
    assert "Changed, version 2." in vtable(shop, "edit", "people", "--hide", "town", "--version", "1").err
    assert shop("query", "SELECT town FROM virtual.people", "--json").json["rows"] == [{"town": None}]
    vtable(shop, "edit", "people", "--hide", "", "--version", "1", status=1)
    assert "Nothing to change." in vtable(shop, "edit", "people", "--hide", "town").err
    assert '"version":2' in vtable(shop, "list", "--format", "ndjson").out
    assert "Deleted people." in vtable(shop, "delete", "people").err
    assert vtable(shop, "list", "--json").json["virtual_tables"] == []


def test_joins_and_filters_are_said_in_options(shop: Any) -> None:
    words = ("--source", "c=till.customers", "--source", "o=till.orders", "--column", "c.id", "--column", "o.amount")
    join = ("--join", "left c.id = o.id", "--filter", "c.id > 0")
    made = vtable(shop, "create", "bought", *words, *join, "--json").json["virtual_tables"][0]
    assert made["joins"] == [
        {
            "left_alias": "c",
            "right_alias": "o",
            "join_type": "left",
            "conditions": [{"left": "id", "right": "id", "op": "="}],
        }
    ]
    assert shop("query", "SELECT * FROM virtual.bought", "--json").json["rows"] == [{"id": 1, "amount": None}]
    wrong = vtable(shop, "create", "x", *words, "--join", "c.id like o.id", status=2)
    assert "--join" in wrong.err


def test_a_definition_comes_from_a_file(shop: Any) -> None:
    text = (
        "sources: [{alias: c, connector_id: till, table_name: customers}]\ncolumns: [{name: id, source_column: c.id}]\n"
    )
    (shop.root / "people.yaml").write_text(text)
    vtable(shop, "create", "people", "--file", str(shop.root / "people.yaml"))
    assert shop("query", "SELECT id FROM virtual.people", "--json").json["rows"] == [{"id": 1}]
    vtable(shop, "create", "more", "--file", str(shop.root / "nothing.yaml"), status=2)


def test_drift_is_a_finding_until_it_is_taken(shop: Any) -> None:
    vtable(shop, "create", "people", *PEOPLE)
    assert "As it was at" in vtable(shop, "drift", "people").err
    file = shop.root / "data" / "till.db"
    alter(file, "ALTER TABLE customers DROP COLUMN city", "ALTER TABLE customers ADD COLUMN city INTEGER")
    found = vtable(shop, "drift", "people", "--json", status=1).json
    assert [(one["change"], one["table"], one["column"]) for one in found["changes"]] == [
        ("retyped", "till.customers", "city")
    ]
    assert "fits its sources" in vtable(shop, "test", "people").err
    assert "As it was at" in vtable(shop, "drift", "people").err
    alter(file, "ALTER TABLE customers DROP COLUMN city")
    assert "E893" in vtable(shop, "test", "people", status=1).err


def test_unknown_names_and_bad_definitions(shop: Any) -> None:
    vtable(shop, "create", "people", *PEOPLE)
    wrong = vtable(shop, "show", "peple", status=2)
    assert "Did you mean people?" in wrong.err
    wrong = vtable(shop, "create", "x", "--source", "c=till.customers", "--column", "c.idd", status=1)
    assert "Did you mean id?" in wrong.err
    wrong = vtable(shop, "create", "x", *PEOPLE, "--compute", "n:bigint=(SELECT count(*) FROM core.orders)", status=2)
    assert "E894" in wrong.err


def test_a_select_is_drafted_and_nothing_is_created(shop: Any) -> None:
    sql = "SELECT c.id, CAST(upper(c.city) AS string) AS shout FROM till.customers c WHERE c.id > 0"
    made = vtable(shop, "draft", sql, "--json").json
    assert [(one["name"], one["source_column"]) for one in made["columns"]] == [("id", "c.id"), ("shout", "")]
    assert [one["table_name"] for one in made["sources"]] == ["customers"]
    assert len(made["default_filters"]) == 1
    assert "E889" in shop("vtable", "draft", "SELECT count(*) AS n FROM till.customers").err
    assert vtable(shop, "list", "--json").json["virtual_tables"] == []
