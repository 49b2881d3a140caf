"""`forge catalog search` and `reindex` in the terminal. No JVM."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.slow


def test_what_was_crawled_is_found_with_reasons(house: Any) -> None:
    assert house("catalog", "scan", "lake").status == 0
    answer = house("catalog", "search", "ordrs", "--explain", "--json")
    assert answer.status == 0, answer.err
    (hit,) = answer.json["items"]
    assert (hit["id"], hit["type"], hit["stage"]) == ("core.orders", "table", "fuzzy")
    assert hit["explanation"]["stage"] == "fuzzy"
    assert answer.json["total_count"] == 1
    assert "core.orders" in house("catalog", "search", "orders").out
    assert house("catalog", "search", "orders", "--tag", "nosuch", "--json").json["items"] == []
    assert house("catalog", "search", "order", "--type", "column", "--json").json["total_count"] >= 1


def test_pages_facets_and_context_as_over_http(house: Any) -> None:
    assert house("catalog", "scan", "lake").status == 0
    ask = ("catalog", "search", "--type", "table", "--type", "schema", "--limit", "1", "--facet", "type", "--json")
    first = house(*ask).json
    assert sum(one["count"] for one in first["facets"]["type"]) == first["total_count"]
    assert house(*ask, "--cursor", first["next_cursor"]).json["items"][0]["id"] != first["items"][0]["id"]
    assert "type: table" in house("catalog", "search", "--facet", "type").out
    assert house("catalog", "suggest", "core.ord", "--json").json["items"][0]["qualified_name"] == "core.orders"
    assert house(*ask, "--offset", "1").json["items"] == house(*ask, "--cursor", first["next_cursor"]).json["items"]
    assert "## core.orders (table)" in house("catalog", "context", "where are the orders?").out
    assert house("catalog", "context", "orders", "--json").json["assets"][0] == "core.orders"
    assert house("catalog", "context", "orders", "--max-chars", "1").status == 2
    assert house("catalog", "search", "orders", "--in", "raw", "--quality", "poor", "--json").json["items"] == []


def test_words_that_are_none_are_refused(house: Any) -> None:
    assert house("catalog", "search", "x", "--type", "planet").status == 2
    assert house("catalog", "search", "x", "--sort", "luck").status == 2
    assert house("catalog", "search", "x", "--facet", "luck").status == 2
    assert house("catalog", "search", "x", "--cursor", "luck").status == 2


def test_the_index_is_rebuilt(house: Any) -> None:
    house("catalog", "scan", "lake")
    assert house("catalog", "reindex", "--json").json["index"][0]["documents"] >= 2
