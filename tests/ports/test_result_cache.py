"""What every cache of results does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from redis_server import RedisServer, running_redis

from forge.flows.federation.result_cache import ResultCache
from forge.stores.disk.result_cache import DiskResultCache
from forge.stores.memory.result_cache import MemoryResultCache
from forge.stores.redis.result_cache import RedisResultCache

START = datetime(2026, 11, 19, 12, tzinfo=UTC)
SEAL = 32  # bytes of the digest, which count


@dataclass
class Site:
    """`again`: the same store as another process opens it. `damage`: changes one byte of every body."""

    make: Callable[[int, Callable[[], datetime]], ResultCache]
    damage: Callable[[ResultCache], None]
    now: datetime = START
    most: int = 10_000
    known: list[ResultCache] = field(default_factory=list)

    def open(self) -> ResultCache:
        self.known.append(self.make(self.most, lambda: self.now))
        return self.known[-1]


@pytest.fixture(scope="module")
def redis_server() -> Iterator[RedisServer]:
    with running_redis() as server:
        yield server


@pytest.fixture(params=["memory", "disk", pytest.param("redis", marks=pytest.mark.services("redis"))])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    match request.param:
        case "memory":
            made: list[MemoryResultCache] = []
            yield Site(lambda most, clock: made[0] if made else _first(made, most, clock), _damage_memory)
        case "disk":
            folder = tmp_path / ".forge" / "results"
            yield Site(lambda most, clock: DiskResultCache(folder, most, clock), lambda _: _damage_files(folder))
        case _:
            url = request.getfixturevalue("redis_server").url
            site = Site(lambda most, clock: RedisResultCache(url, str(tmp_path), most, clock), _damage_redis)
            yield site
            for one in site.known:
                assert isinstance(one, RedisResultCache)
                one.close()


def _first(made: list[MemoryResultCache], most: int, clock: Callable[[], datetime]) -> MemoryResultCache:
    made.append(MemoryResultCache(most, clock))
    return made[0]


def _damage_memory(cache: Any) -> None:
    for key, entry in cache._entries.items():
        changed = entry.stored[:-1] + bytes([entry.stored[-1] ^ 1])
        cache._entries[key] = type(entry)(changed, entry.tags, entry.expires)


def _damage_files(folder: Path) -> None:
    for file in folder.glob("*.arrow"):
        stored = file.read_bytes()
        file.write_bytes(stored[:-1] + bytes([stored[-1] ^ 1]))


def _damage_redis(cache: Any) -> None:
    for key in cache._client.scan_iter(f"{cache._prefix}:e:*"):
        stored = cache._client.get(key)
        cache._client.set(key, stored[:-1] + bytes([stored[-1] ^ 1]), keepttl=True)


def put(cache: ResultCache, key: str, body: bytes = b"rows", *tags: str, hours: float = 1, mark: int = 0) -> bool:
    return cache.put(key, body, tags=tags, expires=START + timedelta(hours=hours), mark=mark)


def test_what_was_put_is_found(site: Site) -> None:
    cache = site.open()
    assert cache.look("a").body is None
    assert put(cache, "a", bytes(range(256)))
    assert cache.holds("a")
    assert not cache.holds("b")
    assert cache.look("a").body == bytes(range(256))
    assert site.open().look("a").body == bytes(range(256))
    stats = cache.stats()
    assert (stats.entries, stats.bytes, stats.hits, stats.misses, stats.evictions) == (1, 256 + SEAL, 2, 1, 0)


def test_a_second_put_replaces_the_first(site: Site) -> None:
    cache = site.open()
    put(cache, "a", b"old", "s:crm")
    put(cache, "a", b"newer", "s:shop")
    assert cache.look("a").body == b"newer"
    assert (cache.stats().entries, cache.stats().bytes) == (1, 5 + SEAL)
    assert cache.invalidate("s:crm") == 0
    assert cache.invalidate("s:shop") == 1


def test_what_has_expired_is_gone(site: Site) -> None:
    cache = site.open()
    assert put(cache, "a", hours=1)
    assert put(cache, "b", hours=3)
    assert not put(cache, "c", hours=0)
    site.now += timedelta(hours=2)
    assert (cache.holds("a"), cache.look("a").body, cache.look("b").body) == (False, None, b"rows")
    assert (cache.stats().entries, cache.stats().evictions) == (1, 0)


def test_what_was_used_last_stays(site: Site) -> None:
    site.most = 3 * (100 + SEAL)
    cache = site.open()
    for key in "abc":
        put(cache, key, b"x" * 100)
    assert cache.look("a").body
    put(cache, "d", b"x" * 100)
    assert [cache.holds(key) for key in "abcd"] == [True, False, True, True]
    put(cache, "e", b"x" * 200)
    assert [cache.holds(key) for key in "acde"] == [False, False, True, True]
    assert (cache.stats().evictions, cache.stats().bytes) == (3, 300 + 2 * SEAL)


def test_what_is_larger_than_the_store_is_not_kept(site: Site) -> None:
    site.most = 200
    cache = site.open()
    put(cache, "a")
    assert not put(cache, "b", b"x" * 200)
    assert (cache.holds("a"), cache.holds("b"), cache.stats().evictions) == (True, False, 0)


def test_entries_go_by_tag(site: Site) -> None:
    cache = site.open()
    for key, tags in {"a": ("s:crm", "t:crm:people"), "b": ("s:crm", "s:shop"), "c": ("s:shop",)}.items():
        put(cache, key, b"rows", *tags)
    assert cache.invalidate("t:crm:people") == 1
    assert cache.invalidate("s:crm") == 1
    assert cache.invalidate("s:nobody") == 0
    assert [cache.holds(key) for key in "abc"] == [False, False, True]
    assert cache.clear() == 1
    assert (cache.stats().entries, cache.stats().bytes) == (0, 0)


def test_what_was_computed_before_an_invalidation_is_not_kept(site: Site) -> None:
    cache = site.open()
    mark = cache.look("a").mark
    site.open().invalidate("s:crm")
    assert not put(cache, "a", mark=mark)
    assert not cache.holds("a")
    mark = cache.look("a").mark
    assert put(cache, "a", mark=mark)
    mark = cache.look("b").mark
    cache.clear()
    assert not put(cache, "b", mark=mark)


def test_what_is_damaged_is_a_miss_and_removed(site: Site) -> None:
    cache = site.open()
    put(cache, "a", b"rows of somebody", "s:crm")
    site.damage(cache)
    assert cache.look("a").body is None
    stats = cache.stats()
    assert (stats.entries, stats.bytes, stats.hits, stats.misses) == (0, 0, 0, 1)
    assert put(cache, "a", b"rows")
    assert cache.look("a").body == b"rows"


def test_one_can_be_dropped(site: Site) -> None:
    cache = site.open()
    put(cache, "a")
    put(cache, "b")
    cache.drop("a")
    cache.drop("no such key")
    assert [cache.holds(key) for key in "ab"] == [False, True]


@pytest.mark.slow
def test_many_at_once_disturb_nobody(site: Site) -> None:
    site.most = 20 * (1000 + SEAL)
    wrong: list[object] = []

    def work(number: int) -> None:
        cache = site.open()
        for turn in range(25):
            key = f"k{(number + turn) % 30}"
            try:
                look = cache.look(key)
                if look.body not in (None, key.encode() * (1000 // len(key))):
                    wrong.append(key)
                cache.put(
                    key,
                    key.encode() * (1000 // len(key)),
                    tags=(f"s:{number}",),
                    expires=START + timedelta(hours=1),
                    mark=look.mark,
                )
            except Exception as error:
                wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    stats = site.open().stats()
    assert stats.hits + stats.misses == 150
    assert 0 < stats.bytes <= site.most
