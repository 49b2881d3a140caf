"""`forge source` in the terminal."""

from __future__ import annotations

from typing import Any

import pytest
from sqlite_source import alter

pytestmark = pytest.mark.slow

LITE = ("--connector", "sqlite", "--path", "data/till.db")


def source(house_with_database: Any, *words: str, status: int = 0) -> Any:
    ended = house_with_database("source", *words)
    assert ended.status == status, ended.err + ended.out
    return ended


def test_a_source_is_added_tested_shown_and_removed(house_with_database: Any) -> None:
    made = source(
        house_with_database, "add", "till", *LITE, "--hide", "customers.email", "--reader", "ada@example.com", "--json"
    )
    assert made.json["schema_version"] == 1
    assert made.json["sources"][0]["hidden"] == ["customers.email"]
    assert "Added till." in made.err
    assert "✓ till: SQLite 3." in source(house_with_database, "test", "till").out
    assert source(house_with_database, "test", "till", "--json").json["tests"][0]["tables"] == 2
    shown = source(house_with_database, "show", "till", "--json").json
    assert [one["table"] for one in shown["tables"]] == ["customers", "orders"]
    columns = source(house_with_database, "show", "till", "customers", "--json").json["columns"]
    assert [(one["name"], one["type"], one["hidden"]) for one in columns] == [
        ("id", "bigint", False),
        ("email", "string", True),
        ("city", "string", False),
    ]
    assert (
        "Changed, version 2."
        in source(house_with_database, "edit", "till", "--description", "Tills", "--version", "1").err
    )
    source(house_with_database, "edit", "till", "--description", "x", "--version", "1", status=1)
    assert "Nothing to change." in source(house_with_database, "edit", "till", "--description", "Tills").err
    (listed,) = source(house_with_database, "list", "--format", "ndjson").out.splitlines()
    assert '"version":2' in listed
    assert "Removed till." in source(house_with_database, "remove", "till").err
    assert source(house_with_database, "list", "--json").json["sources"] == []


def test_a_database_by_its_driver_is_declared_in_a_file_and_listed(house_with_database: Any) -> None:
    jdbc = ("--connector", "jdbc", "--url", "jdbc:h2:mem:crm")
    refused = source(house_with_database, "add", "crm", *jdbc, status=2).err
    assert "FORGE-E880" in refused
    assert "sources/*.yaml" in refused
    source(house_with_database, "add", "till", *LITE)
    assert "FORGE-E880" in source(house_with_database, "edit", "till", *jdbc, "--path", "", status=2).err
    (house_with_database.root / "sources").mkdir(exist_ok=True)
    (house_with_database.root / "sources" / "crm.yaml").write_text(
        "sources:\n  - {name: crm, connector: jdbc, url: 'jdbc:h2:mem:crm'}\n"
    )
    listed = {one["name"]: one["connector"] for one in source(house_with_database, "list", "--json").json["sources"]}
    assert listed == {"crm": "jdbc", "till": "sqlite"}


def test_a_delta_table_is_added_tested_and_shown(house_with_database: Any) -> None:
    import pyarrow as pa
    from deltalake import write_deltalake

    write_deltalake(house_with_database.root / "data" / "events", pa.table({"id": pa.array([1, 2], pa.int64())}))
    delta = ("--connector", "delta", "--path", "data/events")
    source(house_with_database, "add", "events", *delta, "--option", "versionAsOf=0")
    assert "✓ events: Delta Lake, version 0, 1 table" in source(house_with_database, "test", "events").out
    assert source(house_with_database, "show", "events", "--json").json["tables"][0]["rows"] == 2
    assert "FORGE-E880" in source(house_with_database, "add", "other", *delta, "--option", "version=0", status=2).err


def test_drift_is_a_finding_until_it_is_taken(house_with_database: Any) -> None:
    source(house_with_database, "add", "till", *LITE)
    assert "remembered now" in source(house_with_database, "drift", "till").err
    assert "As it was at" in source(house_with_database, "drift", "till").err
    alter(house_with_database.root / "data" / "till.db", "ALTER TABLE orders ADD COLUMN note TEXT")
    found = source(house_with_database, "drift", "till", "--json", status=1)
    assert [(one["change"], one["table"], one["column"]) for one in found.json["changes"]] == [
        ("added", "orders", "note")
    ]
    assert "added orders.note: TEXT" in source(house_with_database, "test", "till").out
    source(house_with_database, "drift", "till")


def test_what_is_wrong_is_told_with_its_key_and_no_secret(house_with_database: Any) -> None:
    ended = source(
        house_with_database,
        "add",
        "crm",
        "--connector",
        "postgresql",
        "--url",
        "jdbc:postgresql://sa:hunter2@h/d",
        status=3,
    )
    assert "FORGE-E106" in ended.err
    assert "hunter2" not in ended.err + ended.out
    assert "FORGE-E880" in source(house_with_database, "add", "crm", status=2).err
    assert "FORGE-E882" in source(house_with_database, "add", "core", *LITE, status=1).err
    assert "the lake has core.orders" in source(house_with_database, "add", "core", *LITE, status=1).err
    assert "FORGE-E105" in source(house_with_database, "add", "crm", *LITE, "--option", "x", status=2).err
    assert source(house_with_database, "list", "--json").json["sources"] == []


def test_a_source_that_is_down_or_lacks_its_secret_or_is_not_there(house_with_database: Any) -> None:
    source(house_with_database, "add", "till", "--connector", "sqlite", "--path", "data/gone.db")
    assert "FORGE-E308" in source(house_with_database, "test", "till", status=5).err
    source(
        house_with_database,
        "add",
        "crm",
        "--connector",
        "mysql",
        "--url",
        "jdbc:mysql://h/d",
        "--password",
        "env:NOT_SET_AT_ALL",
    )
    assert "NOT_SET_AT_ALL" in source(house_with_database, "test", "crm", status=3).err
    assert "Did you mean till?" in source(house_with_database, "test", "tilt", status=2).err
    source(house_with_database, "edit", "till", "--path", "data/till.db")
    assert "Did you mean orders?" in source(house_with_database, "show", "till", "ordrs", status=2).err


def test_who_is_no_reader_is_not_allowed(house_with_database: Any) -> None:
    source(house_with_database, "add", "till", *LITE, "--reader", "bob@example.com")
    assert "FORGE-E885" in source(house_with_database, "show", "till", status=4).err
    assert "FORGE-E885" in source(house_with_database, "show", "till", "nothing", status=4).err
    assert source(house_with_database, "test", "till", "--json").json["tests"][0]["tables"] is None


def test_sources_of_files_are_listed_with_their_place_and_errors_and_changed_there(house_with_database: Any) -> None:
    (house_with_database.root / "sources").mkdir()
    (house_with_database.root / "sources" / "crm.yaml").write_text(
        "sources:\n  - {name: crm, connector: sqlite, path: data/till.db}\n  - {name: x, connector: ftp}\n"
    )
    listed = source(house_with_database, "list")
    assert "sources/crm.yaml:2" in listed.out
    assert "sources/crm.yaml:3" in listed.err
    assert "sources/crm.yaml:2" in source(house_with_database, "remove", "crm", status=4).err
    assert "orders" in source(house_with_database, "show", "crm").out


def test_columns_and_options_of_files_are_given_by_name(house_with_database: Any) -> None:
    words = ("--path", "data/r.csv", "--column", "day=date", "--column", "rate=decimal(12,6)", "--option", "sep==")
    (made,) = source(house_with_database, "add", "rates", "--connector", "files", *words, "--json").json["sources"]
    assert (made["format"], made["columns"], made["options"]) == (
        "csv",
        {"day": "date", "rate": "decimal(12,6)"},
        {"sep": "="},
    )
    (changed,) = source(house_with_database, "edit", "rates", "--option", "", "--json").json["sources"]
    assert (changed["options"], list(changed["columns"])) == ({}, ["day", "rate"])


def test_masks_and_row_filters_are_given_as_in_a_file(house_with_database: Any) -> None:
    mask = "{column: Customers.email, as: hash, except: [bob@example.com]}"
    rows = "{table: customers, filter: \"city <> 'Rome'\", for: [ada@example.com]}"
    (made,) = source(house_with_database, "add", "till", *LITE, "--mask", mask, "--rows", rows, "--json").json[
        "sources"
    ]
    assert made["masks"] == [{"column": "customers.email", "as": "hash", "except": ["bob@example.com"]}]
    assert made["rows"] == [{"table": "customers", "filter": "city <> 'Rome'", "for": ["ada@example.com"]}]
    columns = source(house_with_database, "show", "till", "customers", "--json").json["columns"]
    assert [(one["name"], one["mask"]) for one in columns] == [("id", None), ("email", "hash"), ("city", None)]
    assert "masked: hash" in source(house_with_database, "show", "till", "customers").out
    (changed,) = source(house_with_database, "edit", "till", "--mask", "", "--json").json["sources"]
    assert (changed["masks"], len(changed["rows"])) == ([], 1)


def test_a_rule_that_is_none_is_told_with_its_place(house_with_database: Any) -> None:
    for option, text, code in (
        ("--mask", "customers.email", "E105"),
        ("--mask", "{column: email, as: hash}", "E880"),
        ("--mask", "{column: customers.email, as: rot13}", "E880"),
        ("--rows", "{table: customers, filter: city = country}", "E880"),
        ("--rows", "{table: customers, filter: 'city IN (SELECT 1)'}", "E880"),
        ("--rows", "{table: customers, filter: 'upper(city) = ''X'''}", "E880"),
        ("--rows", "{table: customers, filter: 'id = 1; SELECT 1'}", "E880"),
        ("--rows", "{table: customers, filter: 'id = 1', for: [a], except: [b]}", "E880"),
        ("--rows", "{table: customers, filter: 'id = 1', for: ['']}", "E880"),
    ):
        assert f"FORGE-{code}" in source(house_with_database, "add", "till", *LITE, option, text, status=2).err, text
