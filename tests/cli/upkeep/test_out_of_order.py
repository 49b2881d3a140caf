"""One metadata file that cannot be read: that table is out of order, and nothing else is. No JVM."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sealed_lake import local

import forge as forge_package
from forge.model.errors import ForgeError
from forge.wiring import Wiring

House = Any  # as tests/cli/conftest.py makes it
ITEM = "item_id,price\n1,2.5\n"


def pointer(house: House, table: str) -> Path:
    """The metadata file that the catalog row of a table points at."""
    with closing(sqlite3.connect(house.root / ".forge" / "forge.db")) as connection:
        query = "SELECT metadata_location FROM iceberg_tables WHERE table_name = ? AND table_namespace = 'core'"
        (location,) = connection.execute(query, (table,)).fetchone()
    return local(location)


def damage(house: House, how: str) -> Path:
    file = pointer(house, "orders")
    if how == "cut off":
        file.write_bytes(file.read_bytes()[:100])
    elif how == "gone":
        file.unlink()
    elif how == "other bytes":
        file.write_bytes(b"\x00\xff" * 500)
    else:
        file.write_text("{}")
    return file


@pytest.fixture
def two(house: House, house_folder: Any) -> House:
    """core.orders in two versions; core.items on main, and with one commit more on `fix`."""

    def make(_: Path) -> None:
        house.commit(ITEM, "--key", "item_id", table="core.items", name="items.csv")
        house.change("order_id,amount\n1,11\n", "-m", "Amount of 1")
        assert house("branch", "create", "fix").status == 0
        house.commit("item_id,price\n2,3.5\n", "--branch", "fix", table="core.items", name="items.csv")

    house_folder.lay("two", make)
    return house


@pytest.fixture(params=["cut off", "gone", "other bytes", "empty JSON"])
def hurt(two: House, request: pytest.FixtureRequest) -> House:
    damage(two, request.param)
    return two


@pytest.mark.slow
def test_other_tables_are_committed_merged_picked_reset_and_read(hurt: House) -> None:
    for words in (
        ("log",),
        ("show",),
        ("show", "HEAD~1"),
        ("show", "core.items"),
        ("diff", "HEAD~1", "HEAD"),
        ("diff", "main", "fix", "--stat"),
        ("plan",),
        ("branch", "create", "other"),
        ("branch", "delete", "other"),
        ("merge", "fix"),
        ("revert", "HEAD"),
        ("reset", "HEAD~1", "--yes"),
        ("tag", "create", "v1"),
        ("blame", "core.items"),
    ):
        ended = hurt(*words)
        assert ended.status == 0, (words, ended.err)
    hurt.commit("item_id,price\n3,1\n", table="core.items", name="items.csv")
    assert len(hurt.rows("main", "core.items")) == 3


def test_what_asks_for_the_table_itself_is_told_which_file_and_what_to_do(hurt: House) -> None:
    for words in (
        ("show", "core.orders"),
        ("commit", "core.orders", "--file", "rows.csv", "--mode", "merge"),
        ("diff", "HEAD~2", "HEAD", "--table", "core.orders"),
    ):
        ended = hurt(*words)
        assert ended.status == 3, (words, ended.out, ended.err)
        assert "FORGE-E406" in ended.err
        assert "core.orders is out of order" in ended.err
        assert str(pointer(hurt, "orders")) in ended.err
        assert "forge repair" in ended.err


def test_the_table_is_named_among_the_changes_of_a_diff(hurt: House) -> None:
    ended = hurt("diff", "HEAD~2", "HEAD", "--json")
    assert ended.status == 0, ended.err
    assert "unreadable" in ended.out
    assert "core.items" in hurt("diff", "HEAD~2", "HEAD", "--json").out


def test_verify_goes_on_and_names_the_one_table(hurt: House) -> None:
    ended = hurt("verify", "--level", "full", "--json")
    assert ended.status == 1
    found = {(item["kind"], item["table"], item["where"]) for item in ended.json["broken"]}
    assert found == {("metadata", "core.orders", str(pointer(hurt, "orders")))}
    assert ended.json["files"] > 0


def test_python_raises_the_same_error_for_that_table_alone(hurt: House) -> None:
    with forge_package.connect(hurt.root) as connected:
        assert len(connected.log()) > 1
        with pytest.raises(ForgeError) as raised:
            connected.diff("HEAD~2", "HEAD", table="core.orders")
    assert raised.value.code == "E406"
    assert "core.orders is out of order" in raised.value.what


@pytest.mark.slow
def test_doctor_names_it_and_repair_offers_the_version_before_and_does_nothing_unasked(hurt: House) -> None:
    file = pointer(hurt, "orders")
    found = hurt("doctor", "--json")
    assert found.status == 1
    (finding,) = found.json["findings"]
    assert finding["kind"] in ("unreadable metadata file", "missing metadata file")
    assert finding["subject"] == "core.orders"
    assert str(file) in finding["detail"]
    assert "forge repair" in finding["fix"]
    head = hurt("log", "-n", "1", "--json").json["commits"][0]["id"]
    for words in (("repair", "--dry-run"), ("repair",)):
        offered = hurt(*words, "--json")
        (table,) = offered.json["tables"]
        assert (table["table"], table["status"], table["file"]) == ("core.orders", "can go back", str(file))
        assert "from version 2 of core.orders back to what it was at version 1" in table["offer"]
        assert pointer(hurt, "orders") == file
        assert hurt("log", "-n", "1", "--json").json["commits"][0]["id"] == head
    assert offered.status == 1
    assert "forge repair --yes" in offered.err


@pytest.mark.slow
def test_repair_goes_back_to_the_version_before_when_told_to(hurt: House) -> None:
    done = hurt("repair", "--yes", "--json")
    assert done.status == 0, done.err
    assert done.json["tables"][0]["status"] == "went back"
    for branch in ("main", "fix"):
        assert hurt.values(branch, "amount") == {1: 10.0, 2: 20.0, 3: 30.0}
    assert hurt("doctor", "--json").json["findings"] == []
    (commit,) = hurt("log", "-n", "1", "--json").json["commits"]
    assert commit["message"].startswith("Repair: core.orders as it was before")
    assert [item for item in hurt("verify", "--json").json["broken"] if item["kind"] != "snapshot"] == []
    hurt.change("order_id,amount\n1,12\n")
    assert hurt.values("main", "amount")[1] == 12.0
    assert hurt("repair", "--json").json["tables"] == []


def test_a_table_without_a_version_before_is_not_offered_one(house: House) -> None:
    file = damage(house, "cut off")
    ended = house("repair", "--yes", "--json")
    assert ended.status == 1
    (table,) = ended.json["tables"]
    assert (table["status"], table["before"]) == ("out of order", None)
    assert "Bring the file back from a copy" in table["offer"]
    assert pointer(house, "orders") == file


def test_going_back_costs_no_branch_anything_where_only_a_ref_was_written(two: House) -> None:
    wiring = Wiring.of(two.root)
    from forge.model.names import CatalogName

    catalog = CatalogName("core", "orders")
    state = wiring.lake.state(catalog)
    assert state is not None
    wiring.lake.set_ref(catalog, "kept", state.refs["main"])
    wiring.close()
    damage(two, "cut off")
    head = two("log", "-n", "1", "--json").json["commits"][0]["id"]
    done = two("repair", "--yes", "--json")
    assert "no branch loses anything" in done.json["tables"][0]["offer"]
    assert two("log", "-n", "1", "--json").json["commits"][0]["id"] == head
    assert two.values("main", "amount")[1] == 11.0
