"""`forge saved-query` and `forge query --saved` in the terminal."""

from __future__ import annotations

from typing import Any

import pytest
from sqlite_source import lay_shop

pytestmark = pytest.mark.slow

SQL = "SELECT id, city FROM till.customers WHERE city = :city"


@pytest.fixture
def shop(house: Any) -> Any:
    lay_shop(house.root / "data" / "till.db")
    assert house("source", "add", "till", "--connector", "sqlite", "--path", "data/till.db").status == 0
    return house


def done(shop: Any, *words: str) -> Any:
    ended = shop(*words)
    assert ended.status == 0, ended.err + ended.out
    return ended


def test_a_query_is_saved_asked_changed_and_deleted(shop: Any) -> None:
    (made,) = done(shop, "saved-query", "save", "by city", SQL, "-p", "city=London", "--json").json["saved_queries"]
    assert (made["name"], made["parameters"], made["is_own"]) == ("by city", {"city": "London"}, True)
    assert "by city" in done(shop, "saved-query", "list").out
    assert done(shop, "saved-query", "show", "by city").out.strip() == SQL
    asked = done(shop, "query", "--saved", "by city", "--plan", "--json").json
    assert (asked["rows"], asked["truncated"], sum(asked["rows_read"].values())) == (
        [{"id": 1, "city": "London"}],
        False,
        1,
    )
    assert asked["plan"]["executor"]["name"] == "in-process"
    assert asked["ms"] >= 0
    assert done(shop, "query", "--saved", "by city", "-p", "city=Rome", "--json").json["rows"] == []
    done(shop, "saved-query", "edit", "by city", "--rename", "cities", "--share", "--at", "main")
    (changed,) = done(shop, "saved-query", "show", "cities", "--json").json["saved_queries"]
    assert (changed["id"], changed["is_shared"], changed["at"], changed["sql"]) == (made["id"], True, "main", SQL)
    assert shop("saved-query", "edit", "cities", "--version", "1", "--no-share").status != 0
    assert "Deleted cities" in done(shop, "saved-query", "delete", "cities").err
    gone = shop("query", "--saved", "cities")
    assert "E875" in gone.err
    assert gone.status == 2


def test_a_query_is_a_text_or_a_name_and_has_a_time(shop: Any) -> None:
    assert "--saved NAME" in shop("query").err
    assert "--saved NAME" in shop("query", "SELECT 1", "--saved", "x").err
    assert "--timeout" in shop("query", "SELECT 1", "--timeout", "soon").err
    assert done(shop, "query", "SELECT 1 AS one", "--timeout", "2m", "--json").json["rows"] == [{"one": 1}]
