"""`forge cache` and `forge query --no-cache` in the terminal."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.slow

SQL = "SELECT id, city FROM till.customers ORDER BY id"


def done(house_with_source: Any, *words: str) -> Any:
    ended = house_with_source(*words)
    assert ended.status == 0, ended.err + ended.out
    return ended


def test_a_result_is_kept_counted_and_let_go_of(house_with_source: Any) -> None:
    first, second = (done(house_with_source, "query", SQL, "--json").json for _ in range(2))
    assert (first["cache"], second["cache"]) == ("miss", "hit")
    assert first["kept_until"] == second["kept_until"] > "2026"
    assert first["rows"] == second["rows"]
    assert done(house_with_source, "query", SQL, "--json", "--no-cache").json["cache"] == "off"
    assert done(house_with_source, "query", SQL, "--explain").out.rstrip().endswith("Cache: hit")
    (stats,) = done(house_with_source, "cache", "stats", "--json").json["stats"]
    assert (stats["store"], stats["entries"], stats["hits"], stats["misses"]) == ("disk", 1, 1, 1)
    assert done(house_with_source, "cache", "clear", "nobody", "--json").json["removed"][0]["removed"] == 0
    assert "1 result removed." in done(house_with_source, "cache", "clear", "till", "--table", "customers").out
    assert done(house_with_source, "query", SQL, "--json").json["cache"] == "miss"
    assert "1 result removed." in done(house_with_source, "cache", "clear").out
    assert "entries" in done(house_with_source, "cache", "stats").out


def test_an_edited_source_is_read_again(house_with_source: Any) -> None:
    done(house_with_source, "query", SQL)
    done(house_with_source, "source", "edit", "till", "--hide", "customers.city", "--cache-ttl", "60")
    found = done(house_with_source, "query", SQL, "--json").json
    assert (found["cache"], {row["city"] for row in found["rows"]}) == ("miss", {None})
    assert done(house_with_source, "source", "list", "--json").json["sources"][0]["cache_ttl_seconds"] == 60


def test_nothing_is_kept_where_the_settings_say_so(house_with_source: Any) -> None:
    yaml = house_with_source.root / "forge.yaml"
    yaml.write_text(yaml.read_text() + "federation: {cache: {store: off}}\n")
    assert done(house_with_source, "query", SQL, "--json").json["cache"] == "off"
    assert done(house_with_source, "cache", "stats", "--json").json["stats"][0]["store"] == "off"
    assert "0 results removed." in done(house_with_source, "cache", "clear").out


def test_wrong_settings_are_named(house_with_source: Any) -> None:
    yaml = house_with_source.root / "forge.yaml"
    plain = yaml.read_text()
    for keys, said in {
        "{store: redis}": "federation.cache.url is not set",
        "{store: redis, url: 'env:NO_SUCH_NAME'}": "NO_SUCH_NAME",
        "{store: memcached}": "federation.cache.store",
        "{max_bytes: 1}": "federation.cache.max_bytes",
    }.items():
        yaml.write_text(plain + f"federation: {{cache: {keys}}}\n")
        ended = house_with_source("query", SQL)
        assert ended.status != 0
        assert said in ended.err
