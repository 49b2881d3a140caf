from __future__ import annotations

from forge.model.lru_cache import LruCache


def test_what_was_not_asked_for_the_longest_goes_first() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.keep({"a": 1, "b": 2})
    assert cache.get("a") == 1
    cache.keep({"c": 3})
    assert cache.take(["a", "b", "c"]) == {"a": 1, "c": 3}


def test_values_weigh_what_they_say_and_the_newest_stays_however_large() -> None:
    cache: LruCache[str, str] = LruCache(5, weigh=len)
    cache.keep({"a": "xx", "b": "yyy"})
    assert len(cache) == 2
    cache.keep({"a": "x", "c": "z"})
    assert cache.take("abc") == {"a": "x", "b": "yyy", "c": "z"}
    cache.keep({"d": "much too long"})
    assert cache.take("abcd") == {"d": "much too long"}
    cache.keep({"e": "short"})
    assert cache.take("de") == {"e": "short"}
