"""Kept results in Redis, where the server is not there, is gone, or is somebody else's, too."""

from __future__ import annotations

import socket
from datetime import UTC, datetime, timedelta

import pytest
from redis_server import running_redis

from forge.model.errors import ForgeError
from forge.stores.redis.result_cache import RedisResultCache


def put(cache: RedisResultCache, key: str) -> bool:
    return cache.put(key, b"rows", tags=("s:crm",), expires=datetime.now(UTC) + timedelta(hours=1), mark=0)


def test_a_server_that_is_not_there_is_named_without_its_address() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    cache = RedisResultCache(f"redis://:only-for-tests@127.0.0.1:{port}/0", "x", 1000)
    for _ in range(2):
        with pytest.raises(ForgeError) as caught:
            cache.look("a")
        assert caught.value.code == "E899"
        assert "only-for-tests" not in str(caught.value)
    with pytest.raises(ForgeError) as caught:
        RedisResultCache("http://only-for-tests@cache.example", "x", 1000)
    assert caught.value.code == "E105"
    assert "only-for-tests" not in str(caught.value)


@pytest.mark.services("redis")
def test_projects_do_not_meet_and_what_a_server_forgets_is_a_miss() -> None:
    with running_redis() as server:
        mine, theirs = (RedisResultCache(server.url, name, 1000) for name in ("mine", "theirs"))
        assert put(mine, "a")
        assert (theirs.holds("a"), theirs.look("a").body, theirs.stats().entries) == (False, None, 0)
        assert theirs.clear() == 0
        assert mine.look("a").body == b"rows"
        for key in mine._client.scan_iter(f"{mine._prefix}:e:*"):  # as a server does that is short of memory
            mine._client.delete(key)
        assert mine.look("a").body is None
        assert (mine.stats().entries, mine.stats().bytes) == (0, 0)
        server.stop()
        with pytest.raises(ForgeError, match="does not answer"):
            mine.stats()
        mine.close()
        theirs.close()
