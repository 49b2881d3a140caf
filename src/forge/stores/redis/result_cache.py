"""Kept results in Redis, for servers on several machines. What belongs together changes in one script.

Keys of one project, `P` being its prefix, all in one slot of a cluster: `P:e:KEY` the body, `P:size`, `P:used` and
`P:expires` by key, `P:t:TAG` the keys of a tag, `P:of:KEY` the tags of a key, `P:n` the counts."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Collection
from datetime import datetime
from importlib import import_module
from typing import Any

from forge.flows.federation.result_cache import CacheLook, CacheStats, no_answer, sealed, unsealed
from forge.model.errors import ForgeError
from forge.model.time import Clock, utc_now

CONNECT_SECONDS, ANSWER_SECONDS = 1.0, 3.0
PAUSE_SECONDS = 10.0  # a server that did not answer is not asked again before
_FIX = "Start it or correct federation.cache.url, or set federation.cache.store to disk."
_COMMON = """
local p = KEYS[1]
local function forget(key)
  local size = redis.call('HGET', p..':size', key)
  for _, tag in ipairs(redis.call('SMEMBERS', p..':of:'..key)) do redis.call('SREM', p..':t:'..tag, key) end
  redis.call('DEL', p..':e:'..key, p..':of:'..key)
  redis.call('ZREM', p..':used', key)
  redis.call('ZREM', p..':expires', key)
  redis.call('HDEL', p..':size', key)
  if size then redis.call('HINCRBY', p..':n', 'bytes', -size) return 1 end
  return 0
end
local function forget_expired(now)
  for _, key in ipairs(redis.call('ZRANGEBYSCORE', p..':expires', '-inf', now)) do forget(key) end
end
local function counted(name) return tonumber(redis.call('HGET', p..':n', name) or '0') end
"""
_LOOK = """
forget_expired(ARGV[2])
local body = redis.call('GET', p..':e:'..ARGV[1])
if body then
  redis.call('HINCRBY', p..':n', 'hits', 1)
  redis.call('ZADD', p..':used', redis.call('HINCRBY', p..':n', 'used', 1), ARGV[1])
else
  forget(ARGV[1])
  redis.call('HINCRBY', p..':n', 'misses', 1)
end
return {counted('mark'), body}
"""
_PUT = """
if tonumber(ARGV[1]) ~= counted('mark') then return 0 end
local key, size, most = ARGV[2], tonumber(ARGV[6]), tonumber(ARGV[7])
forget_expired(ARGV[5])
forget(key)
redis.call('SET', p..':e:'..key, ARGV[3], 'PX', ARGV[8])
redis.call('HSET', p..':size', key, size)
redis.call('ZADD', p..':expires', ARGV[4], key)
redis.call('ZADD', p..':used', redis.call('HINCRBY', p..':n', 'used', 1), key)
for i = 9, #ARGV do
  redis.call('SADD', p..':t:'..ARGV[i], key)
  redis.call('SADD', p..':of:'..key, ARGV[i])
end
local bytes = redis.call('HINCRBY', p..':n', 'bytes', size)
while bytes > most do
  local oldest = redis.call('ZRANGE', p..':used', 0, 0)[1]
  if not oldest then break end
  forget(oldest)
  redis.call('HINCRBY', p..':n', 'evictions', 1)
  bytes = counted('bytes')
end
return 1
"""
_DAMAGED = """
redis.call('HINCRBY', p..':n', 'hits', -1)
redis.call('HINCRBY', p..':n', 'misses', 1)
return forget(ARGV[1])
"""
_DROP = "return forget(ARGV[1])"
_INVALIDATE = """
redis.call('HINCRBY', p..':n', 'mark', 1)
local removed = 0
for _, key in ipairs(redis.call('SMEMBERS', p..':t:'..ARGV[1])) do removed = removed + forget(key) end
return removed
"""
_CLEAR = """
redis.call('HINCRBY', p..':n', 'mark', 1)
local removed = 0
for _, key in ipairs(redis.call('HKEYS', p..':size')) do removed = removed + forget(key) end
return removed
"""
_STATS = """
forget_expired(ARGV[1])
return {redis.call('HLEN', p..':size'), counted('bytes'), counted('hits'), counted('misses'), counted('evictions')}
"""


class RedisResultCache:
    """`project`: what tells its entries from those of other projects on the same server."""

    def __init__(self, url: str, project: str, max_bytes: int, clock: Clock = utc_now) -> None:
        self._max_bytes, self._clock = max_bytes, clock
        self._prefix = f"forge:{{{hashlib.sha256(project.encode()).hexdigest()[:32]}}}"
        self._driver, self._client = _open(url)
        self._silent_until = -math.inf

    def look(self, key: str) -> CacheLook:
        mark, stored = self._run(_LOOK, key, self._now)
        body = unsealed(stored) if stored is not None else None
        if stored is not None and body is None:
            self._run(_DAMAGED, key)
        return CacheLook(body, int(mark))

    def holds(self, key: str) -> bool:
        found = self._run("return redis.call('ZSCORE', p..':expires', ARGV[1])", key)
        return found is not None and float(found) > self._clock().timestamp()

    def put(self, key: str, body: bytes, *, tags: Collection[str], expires: datetime, mark: int) -> bool:
        stored, left = sealed(body), expires - self._clock()
        if len(stored) > self._max_bytes or left.total_seconds() <= 0:
            return False
        milliseconds = math.ceil(left.total_seconds() * 1000)
        entry = (mark, key, stored, expires.timestamp(), self._now, len(stored), self._max_bytes, milliseconds)
        return bool(self._run(_PUT, *entry, *sorted(set(tags))))

    def drop(self, key: str) -> None:
        self._run(_DROP, key)

    def invalidate(self, tag: str) -> int:
        return int(self._run(_INVALIDATE, tag))

    def clear(self) -> int:
        return int(self._run(_CLEAR))

    def stats(self) -> CacheStats:
        entries, size, hits, misses, evictions = map(int, self._run(_STATS, self._now))
        return CacheStats(
            store="redis",
            entries=entries,
            bytes=size,
            max_bytes=self._max_bytes,
            hits=hits,
            misses=misses,
            evictions=evictions,
        )

    def close(self) -> None:
        self._client.close()

    @property
    def _now(self) -> float:
        return self._clock().timestamp()

    def _run(self, script: str, *values: object) -> Any:
        if time.monotonic() < self._silent_until:
            raise no_answer("redis", "It did not answer a moment ago.", _FIX)
        try:
            return self._client.register_script(_COMMON + script)(keys=[self._prefix], args=list(values))
        except (self._driver.RedisError, OSError) as error:
            if isinstance(error, self._driver.ConnectionError | self._driver.TimeoutError | OSError):
                self._silent_until = time.monotonic() + PAUSE_SECONDS
            raise no_answer("redis", type(error).__name__, _FIX) from None  # its text may hold the address


def _open(url: str) -> tuple[Any, Any]:
    """Connects at the first question."""
    try:
        driver = import_module("redis")
        backoff, retry = import_module("redis.backoff"), import_module("redis.retry")
    except ImportError as error:
        raise ForgeError(
            "E899",
            "The driver of Redis is not installed",
            why="federation.cache.store is redis.",
            fix="pip install 'forge[redis]', or set federation.cache.store to disk.",
        ) from error
    try:
        client = driver.Redis.from_url(
            url,
            socket_connect_timeout=CONNECT_SECONDS,
            socket_timeout=ANSWER_SECONDS,
            retry=retry.Retry(backoff.NoBackoff(), 0),
        )
    except ValueError:
        raise ForgeError(
            "E105",
            "The address of Redis cannot be read",
            where="federation.cache.url",
            fix="Write redis://host:6379/0, rediss://host:6380/0 or unix:///run/redis.sock.",
        ) from None
    return driver, client
