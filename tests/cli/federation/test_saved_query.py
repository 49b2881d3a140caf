"""`forge saved-query` and `forge query --saved` in the terminal."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.slow

SQL = "SELECT id, city FROM till.customers WHERE city = :city"


def done(house_with_source: Any, *words: str) -> Any:
    ended = house_with_source(*words)
    assert ended.status == 0, ended.err + ended.out
    return ended


def test_a_query_is_saved_asked_changed_and_deleted(house_with_source: Any) -> None:
    (made,) = done(house_with_source, "saved-query", "save", "by city", SQL, "-p", "city=London", "--json").json[
        "saved_queries"
    ]
    assert (made["name"], made["parameters"], made["is_own"]) == ("by city", {"city": "London"}, True)
    assert "by city" in done(house_with_source, "saved-query", "list").out
    assert done(house_with_source, "saved-query", "show", "by city").out.strip() == SQL
    asked = done(house_with_source, "query", "--saved", "by city", "--plan", "--json").json
    assert (asked["rows"], asked["truncated"], sum(asked["rows_read"].values())) == (
        [{"id": 1, "city": "London"}],
        False,
        1,
    )
    assert asked["plan"]["executor"]["name"] == "in-process"
    assert asked["ms"] >= 0
    assert done(house_with_source, "query", "--saved", "by city", "-p", "city=Rome", "--json").json["rows"] == []
    done(house_with_source, "saved-query", "edit", "by city", "--rename", "cities", "--share", "--at", "main")
    (changed,) = done(house_with_source, "saved-query", "show", "cities", "--json").json["saved_queries"]
    assert (changed["id"], changed["is_shared"], changed["at"], changed["sql"]) == (made["id"], True, "main", SQL)
    assert house_with_source("saved-query", "edit", "cities", "--version", "1", "--no-share").status != 0
    assert "Deleted cities" in done(house_with_source, "saved-query", "delete", "cities").err
    gone = house_with_source("query", "--saved", "cities")
    assert "E875" in gone.err
    assert gone.status == 2


def test_a_query_is_a_text_or_a_name_and_has_a_time(house_with_source: Any) -> None:
    assert "--saved NAME" in house_with_source("query").err
    assert "--saved NAME" in house_with_source("query", "SELECT 1", "--saved", "x").err
    assert "--timeout" in house_with_source("query", "SELECT 1", "--timeout", "soon").err
    assert done(house_with_source, "query", "SELECT 1 AS one", "--timeout", "2m", "--json").json["rows"] == [{"one": 1}]
