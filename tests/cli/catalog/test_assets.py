"""`forge catalog scan|show|edit|tag|history|undo|approve` in the terminal, and `f.catalog` in Python. No JVM."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from forge.connection.catalog.assets import CatalogView
from forge.wiring import Wiring

pytestmark = pytest.mark.slow

NAME = "core.orders"
YAML = """
catalog:
  sources: {broken: {url: "jdbc:postgresql://127.0.0.1:1/shop", user: "env:NOBODY_SET_THIS"}}
  domains: {finance: {required: [owner], approval: true}}
"""


def set_catalog(root: Path, text: str) -> None:
    """In place of what the project says of its catalog."""
    settings = (root / "forge.yaml").read_text()
    (root / "forge.yaml").write_text(settings.replace("catalog: {follow: false}\n", "") + text)


def shop_database(root: Path) -> None:
    """A database that the project names: a table and a view."""
    with closing(sqlite3.connect(root / "crm.db")) as connection:
        connection.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, mail TEXT NOT NULL)")
        connection.execute("CREATE VIEW mails AS SELECT mail FROM people")
    set_catalog(root, 'catalog: {sources: {crm: {url: "jdbc:sqlite:crm.db"}}}\n')


@pytest.fixture
def site(house: Any) -> Any:
    assert house("catalog", "scan", "lake").status == 0
    return house


def test_a_scan_says_what_came_of_each_source(house: Any) -> None:
    shop_database(house.root)
    first = {one["source"]: one for one in house("catalog", "scan", "--json").json["sources"]}
    assert first["lake"]["names"]["new"] == [NAME]
    assert first["crm"]["names"]["new"] == ["sqlite:crm.people", "sqlite:crm.mails"]
    again = house("catalog", "scan", "--json").json["sources"]
    assert {one["new"] + one["changed"] + one["vanished"] for one in again} == {0}
    assert "UNCHANGED" in house("catalog", "scan").out
    assert house("catalog", "scan", "nowhere").status == 2


def test_a_dry_run_keeps_nothing(house: Any) -> None:
    shop_database(house.root)
    dry = house("catalog", "scan", "--dry-run")
    assert dry.status == 0
    assert "Nothing was kept" in dry.err
    assert house("catalog", "show", "sqlite:crm.people").status == 2


def test_a_source_that_fails_is_told_and_others_go_on(house: Any) -> None:
    set_catalog(house.root, YAML)
    ended = house("catalog", "scan", "--json")
    assert ended.status == 1
    found = {one["source"]: one for one in ended.json["sources"]}
    assert "NOBODY_SET_THIS" in found["broken"]["failed"]
    assert found["lake"]["failed"] is None


def test_what_is_said_is_shown_kept_and_undone(site: Any) -> None:
    edited = site("catalog", "edit", NAME, "--owner", "grace", "--description", "All orders", "--json").json
    assert (edited["assets"][0]["owner"], edited["edit"]["documentation_version"]) == ("grace", 1)
    site("catalog", "tag", NAME, "gold", "silver")
    site("catalog", "tag", NAME, "bronze", "--", "-silver")
    site("catalog", "tag", NAME, "money", "--column", "amount")
    site("catalog", "edit", NAME, "--column", "amount", "--description", "in euros", "--term", "net_amount")
    found = site("catalog", "show", NAME, "--json").json
    assert (found["tags"], found["description"], found["documentation_version"]) == (
        ["gold", "bronze"],
        "All orders",
        5,
    )
    amount = next(column for column in found["schema"] if column["name"] == "amount")
    assert (amount["description"], amount["tags"], amount["term"]) == ("in euros", ["money"], "net_amount")
    text = site("catalog", "show", NAME).out
    assert "owner: grace" in text
    undone = site("catalog", "undo", NAME, "1", "--json").json
    assert undone["edit"]["undoes"] == 1
    history = site("catalog", "history", NAME, "--json").json["edits"]
    assert [one["documentation_version"] for one in history] == [6, 5, 4, 3, 2, 1]
    assert "undoes 1" in site("catalog", "history", NAME).out
    assert site("catalog", "edit", NAME, "--team", "none").err.strip() == "It says that already."


def test_other_commands_say_what_the_catalog_says_and_a_commit_does_not_take_it_over(site: Any) -> None:
    site("catalog", "edit", NAME, "--owner", "grace", "--description", "All orders")
    site("catalog", "edit", NAME, "--column", "amount", "--description", "in euros")
    shown = site("show", NAME, "--json").json["table"]
    assert (shown["owner"], shown["description"]) == ("grace", "All orders")
    assert "in euros" in site("show", NAME).out
    site.change("order_id,amount\n1,99\n", "-m", "More")
    assert "FORGE-E853" in site("catalog", "undo", NAME, "1", "--expected-version", "7").err
    site("catalog", "undo", NAME, "1", "--expected-version", "2")
    assert site("show", NAME, "--json").json["table"]["owner"] is None
    assert site("catalog", "show", NAME, "--json").json["description"] == ""


def test_what_is_wrong_is_said_with_its_fix(site: Any) -> None:
    assert site("catalog", "edit", NAME).status == 2
    assert "FORGE-E851" in site("catalog", "edit", NAME, "--classification", "secret").err
    assert "FORGE-E853" in site("catalog", "edit", NAME, "--owner", "x", "--expected-version", "7").err
    assert "Did you mean core.orders" in site("catalog", "show", "core.order").err
    assert site("catalog", "edit", NAME, "--description", "@nowhere.md").status == 2
    assert site("catalog", "edit", NAME, "--column", "amount", "--owner", "x").status == 2


def test_a_hostile_text_does_not_move_the_terminal(site: Any, tmp_path: Path) -> None:
    (tmp_path / "text.md").write_text("<script>\x1b[31mred\x07 abc\u202edef", "utf-8")
    site("catalog", "edit", NAME, "--description", f"@{tmp_path / 'text.md'}", "--owner", "a\x1b]0;x\x07")
    for words in (("show", NAME), ("history", NAME)):
        shown = site("catalog", *words).out
        assert not {"\x1b", "\x07", "\u202e"} & set(shown)
        assert "\\x1b[31mred" in shown
    assert "\u202e" in site("catalog", "show", NAME, "--json").json["description"]


def test_an_edit_of_a_domain_is_proposed_and_decided_by_someone_else(site: Any) -> None:
    set_catalog(site.root, YAML)
    done = site("catalog", "edit", NAME, "--domain", "finance", "--owner", "ada", "--json")
    proposal = done.json["proposal"]["id"]
    assert "forge catalog approve" in done.err
    assert [one["id"] for one in site("catalog", "approve", "--json").json["proposals"]] == [proposal]
    assert site("catalog", "approve", proposal).status == 4
    assert site("catalog", "approve", proposal, "--reject", "--json").json["proposals"][0]["state"] == "rejected"
    assert "No edit waits" in site("catalog", "approve").err


def test_python_says_the_same_words(site: Any) -> None:
    wiring = Wiring.of(site.root)
    view = CatalogView(wiring)
    assert view.edit(NAME, owner="grace", tags=["gold"]).changed
    assert view.get(NAME).to_dict()["owner"] == "grace"
    assert [one.name for one in view.tags()] == ["gold"]
    assert [line.to_dict()["id"] for line in view.list(tags=["gold"])] == [NAME]
    assert view.register({"qualified_name": "bi:weekly", "type": "dashboard"}).rows()[0]["type"] == "dashboard"
    assert view.tag(NAME, remove=["gold"]).item.tags == ()
    assert view.undo(NAME).item.tags == ("gold",)
    assert len(view.history(NAME)) == 3
    assert view.domains() == ()
    assert view.proposals() == ()
    assert {one["source"] for one in view.scan(dry_run=True).rows()} >= {"lake", "project", "files"}
    sheet = view.get(NAME).to_dict()
    assert site("catalog", "show", NAME, "--json").json.keys() == {*sheet, "schema_version"}
    wiring.close()


def test_what_no_crawler_sees_is_registered_with_its_labels(site: Any) -> None:
    (site.root / "bi.yaml").write_text(
        "assets:\n- {qualified_name: 'bi:weekly', type: dashboard, domain: sales, tags: [gold]}\n"
        "- {qualified_name: 'ml:churn', type: model, domain: sales}\n"
    )
    told = site("catalog", "register", str(site.root / "bi.yaml"), "--json")
    assert [one["type"] for one in told.json["assets"]] == ["dashboard", "model"]
    assert site("catalog", "domains", "--json").json["items"] == [{"name": "sales", "assets": 2}]
    assert {"name": "gold", "assets": 1} in site("catalog", "tags", "go", "--json").json["items"]
    assert site("catalog", "tags", "zz", "--json").json["items"] == []
    shown = site("catalog", "show", "bi:weekly", "--json").json
    assert (shown["type"], shown["commit"], shown["usage"]["views"]) == ("dashboard", "", 0)
    assert site("catalog", "show", "bi:weekly", "--json").json["usage"]["views"] == 1  # the one before
    (site.root / "bi.yaml").write_text("assets:\n- {qualified_name: 'bi:other', type: dashboard}\n- {type: model}\n")
    assert site("catalog", "register", str(site.root / "bi.yaml")).status == 2
    assert site("catalog", "show", "bi:other").status == 2
    assert site("catalog", "register", str(site.root / "nowhere.yaml")).status == 2


def test_an_asset_is_shown_with_what_other_rooms_know_of_it(site: Any) -> None:
    now = site("catalog", "show", NAME, "--json").json
    assert {"quality_score", "freshness_hours", "contract", "usage", "downstream_count", "upstream_tables"} <= set(now)
    assert {"pii", "pii_type", "statistics", "upstream", "failing"} <= set(now["schema"][0])
    assert (now["version"], now["at"]) == (1, "HEAD")
    assert len(now["commit"]) == 64
    first = site("catalog", "show", f"{NAME}@main", "--json").json
    assert (first["at"], first["commit"]) == ("main", now["commit"])
    assert site("catalog", "show", NAME, "--at", "nosuch").status == 2
    assert "NULLABLE" in site("catalog", "show", NAME).out
