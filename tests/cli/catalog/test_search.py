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


def test_words_that_are_none_are_refused(house: Any) -> None:
    assert house("catalog", "search", "x", "--type", "planet").status == 2
    assert house("catalog", "search", "x", "--sort", "luck").status == 2


def test_the_index_is_rebuilt(house: Any) -> None:
    house("catalog", "scan", "lake")
    assert house("catalog", "reindex", "--json").json["index"][0]["documents"] >= 2
