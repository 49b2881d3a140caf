"""Kept results in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from forge.flows.federation.result_cache import CacheLook, CacheStats, sealed, unsealed
from forge.model.time import Clock, utc_now


@dataclass(frozen=True, slots=True)
class _Entry:
    stored: bytes
    tags: frozenset[str]
    expires: datetime


class MemoryResultCache:
    def __init__(self, max_bytes: int, clock: Clock = utc_now) -> None:
        self._max_bytes, self._clock = max_bytes, clock
        self._lock = threading.RLock()
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._hits = self._misses = self._evictions = self._mark = 0

    def look(self, key: str) -> CacheLook:
        with self._lock:
            self._drop_expired()
            entry = self._entries.get(key)
            body = unsealed(entry.stored) if entry else None
            if body is None:
                self._entries.pop(key, None)
                self._misses += 1
            else:
                self._entries.move_to_end(key)
                self._hits += 1
            return CacheLook(body, self._mark)

    def holds(self, key: str) -> bool:
        with self._lock:
            self._drop_expired()
            return key in self._entries

    def put(self, key: str, body: bytes, *, tags: Collection[str], expires: datetime, mark: int) -> bool:
        stored = sealed(body)
        with self._lock:
            if mark != self._mark or len(stored) > self._max_bytes or expires <= self._clock():
                return False
            self._drop_expired()
            self._entries.pop(key, None)
            self._entries[key] = _Entry(stored, frozenset(tags), expires)
            while self._bytes > self._max_bytes:
                self._entries.popitem(last=False)
                self._evictions += 1
            return True

    def drop(self, key: str) -> None:
        with self._lock:
            self._entries.pop(key, None)

    def invalidate(self, tag: str) -> int:
        with self._lock:
            self._mark += 1
            return self._remove([key for key, entry in self._entries.items() if tag in entry.tags])

    def clear(self) -> int:
        with self._lock:
            self._mark += 1
            return self._remove(list(self._entries))

    def stats(self) -> CacheStats:
        with self._lock:
            self._drop_expired()
            return CacheStats(
                store="memory",
                entries=len(self._entries),
                bytes=self._bytes,
                max_bytes=self._max_bytes,
                hits=self._hits,
                misses=self._misses,
                evictions=self._evictions,
            )

    @property
    def _bytes(self) -> int:
        return sum(len(entry.stored) for entry in self._entries.values())

    def _drop_expired(self) -> None:
        now = self._clock()
        self._remove([key for key, entry in self._entries.items() if entry.expires <= now])

    def _remove(self, keys: list[str]) -> int:
        for key in keys:
            del self._entries[key]
        return len(keys)
