"""`forge vtable` in the terminal."""

from __future__ import annotations

from typing import Any

import pytest
from sqlite_source import alter

pytestmark = pytest.mark.slow

PEOPLE = ("--source", "c=till.customers", "--column", "c.id", "--column", "town=city:string")


def vtable(house_with_source: Any, *words: str, status: int = 0) -> Any:
    ended = house_with_source("vtable", *words)
    assert ended.status == status, ended.err + ended.out
    return ended


def test_a_virtual_table_is_created_asked_changed_and_deleted(house_with_source: Any) -> None:
    made = vtable(house_with_source, "create", "people", *PEOPLE, "--compute", "shout:string=upper(c.city)", "--json")
    assert made.json["schema_version"] == 1
    columns = made.json["virtual_tables"][0]["columns"]
    assert [(one["name"], one["data_type"]) for one in columns] == [
        ("id", "bigint"),
        ("town", "string"),
        ("shout", "string"),
    ]
    assert "Created people." in made.err
    found = house_with_source("query", "SELECT * FROM virtual.people", "--json").json
    assert found["rows"] == [{"id": 1, "town": "London", "shout": "LONDON"}]
    assert found["engine"] == "in-process"
    shown = vtable(house_with_source, "show", "people", "--json").json
    assert [one["name"] for one in shown["columns"]] == ["id", "town", "shout"]
    assert "Changed, version 2." in vtable(house_with_source, "edit", "people", "--hide", "town", "--version", "1").err
    assert house_with_source("query", "SELECT town FROM virtual.people", "--json").json["rows"] == [{"town": None}]
    vtable(house_with_source, "edit", "people", "--hide", "", "--version", "1", status=1)
    assert "Nothing to change." in vtable(house_with_source, "edit", "people", "--hide", "town").err
    assert '"version":2' in vtable(house_with_source, "list", "--format", "ndjson").out
    assert "Deleted people." in vtable(house_with_source, "delete", "people").err
    assert vtable(house_with_source, "list", "--json").json["virtual_tables"] == []


def test_joins_and_filters_are_said_in_options(house_with_source: Any) -> None:
    words = ("--source", "c=till.customers", "--source", "o=till.orders", "--column", "c.id", "--column", "o.amount")
    join = ("--join", "left c.id = o.id", "--filter", "c.id > 0")
    made = vtable(house_with_source, "create", "bought", *words, *join, "--json").json["virtual_tables"][0]
    assert made["joins"] == [
        {
            "left_alias": "c",
            "right_alias": "o",
            "join_type": "left",
            "conditions": [{"left": "id", "right": "id", "op": "="}],
        }
    ]
    assert house_with_source("query", "SELECT * FROM virtual.bought", "--json").json["rows"] == [
        {"id": 1, "amount": None}
    ]
    wrong = vtable(house_with_source, "create", "x", *words, "--join", "c.id like o.id", status=2)
    assert "--join" in wrong.err


def test_a_definition_comes_from_a_file(house_with_source: Any) -> None:
    text = (
        "sources: [{alias: c, connector_id: till, table_name: customers}]\ncolumns: [{name: id, source_column: c.id}]\n"
    )
    (house_with_source.root / "people.yaml").write_text(text)
    vtable(house_with_source, "create", "people", "--file", str(house_with_source.root / "people.yaml"))
    assert house_with_source("query", "SELECT id FROM virtual.people", "--json").json["rows"] == [{"id": 1}]
    vtable(house_with_source, "create", "more", "--file", str(house_with_source.root / "nothing.yaml"), status=2)


def test_drift_is_a_finding_until_it_is_taken(house_with_source: Any) -> None:
    vtable(house_with_source, "create", "people", *PEOPLE)
    assert "As it was at" in vtable(house_with_source, "drift", "people").err
    file = house_with_source.root / "data" / "till.db"
    alter(file, "ALTER TABLE customers DROP COLUMN city", "ALTER TABLE customers ADD COLUMN city INTEGER")
    found = vtable(house_with_source, "drift", "people", "--json", status=1).json
    assert [(one["change"], one["table"], one["column"]) for one in found["changes"]] == [
        ("retyped", "till.customers", "city")
    ]
    assert "fits its sources" in vtable(house_with_source, "test", "people").err
    assert "As it was at" in vtable(house_with_source, "drift", "people").err
    alter(file, "ALTER TABLE customers DROP COLUMN city")
    assert "E893" in vtable(house_with_source, "test", "people", status=1).err


def test_unknown_names_and_bad_definitions(house_with_source: Any) -> None:
    vtable(house_with_source, "create", "people", *PEOPLE)
    wrong = vtable(house_with_source, "show", "peple", status=2)
    assert "Did you mean people?" in wrong.err
    wrong = vtable(house_with_source, "create", "x", "--source", "c=till.customers", "--column", "c.idd", status=1)
    assert "Did you mean id?" in wrong.err
    wrong = vtable(
        house_with_source, "create", "x", *PEOPLE, "--compute", "n:bigint=(SELECT count(*) FROM core.orders)", status=2
    )
    assert "E894" in wrong.err


def test_a_select_is_drafted_and_nothing_is_created(house_with_source: Any) -> None:
    sql = "SELECT c.id, CAST(upper(c.city) AS string) AS shout FROM till.customers c WHERE c.id > 0"
    made = vtable(house_with_source, "draft", sql, "--json").json
    assert [(one["name"], one["source_column"]) for one in made["columns"]] == [("id", "c.id"), ("shout", "")]
    assert [one["table_name"] for one in made["sources"]] == ["customers"]
    assert len(made["default_filters"]) == 1
    assert "E889" in house_with_source("vtable", "draft", "SELECT count(*) AS n FROM till.customers").err
    assert vtable(house_with_source, "list", "--json").json["virtual_tables"] == []
