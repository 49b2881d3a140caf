"""The port of kept results of queries: bytes by key, in a store of limited size."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from forge.model.errors import ForgeError

CacheStoreName = Literal["disk", "redis", "memory", "off"]
_DIGEST = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStats:
    """Counted since the store was made or last emptied of everything. `evictions`: entries that made room for others;
    not those that were invalidated or have expired."""

    store: CacheStoreName
    entries: int = 0
    bytes: int = 0
    max_bytes: int = 0
    hits: int = 0
    misses: int = 0
    evictions: int = 0

    def to_dict(self) -> dict[str, object]:
        return {
            "store": self.store,
            "entries": self.entries,
            "bytes": self.bytes,
            "max_bytes": self.max_bytes,
            "hits": self.hits,
            "misses": self.misses,
            "evictions": self.evictions,
        }


@dataclass(frozen=True, slots=True)
class CacheLook:
    """`body` is None: a miss. `mark` goes back to `put`."""

    body: bytes | None
    mark: int


class ResultCache(Protocol):
    """Used by several threads and processes at once. The entries that were used last stay. What is damaged is a miss,
    and removed. E899 where the store does not answer."""

    def look(self, key: str) -> CacheLook:
        """Counts a hit or a miss."""

    def holds(self, key: str) -> bool:
        """Whether a look would find it; nothing is counted."""

    def put(self, key: str, body: bytes, *, tags: Collection[str], expires: datetime, mark: int) -> bool:
        """Replaces what is there. `mark`: that of the look before the body was made; where anything was invalidated
        since, nothing is kept, for it may have been made of rows from before. False: it was not kept."""

    def drop(self, key: str) -> None: ...
    def invalidate(self, tag: str) -> int:
        """Removes the entries with this tag; how many."""

    def clear(self) -> int:
        """Removes all entries; how many. Counts stay."""

    def stats(self) -> CacheStats: ...


def sealed(body: bytes) -> bytes:
    """With its digest before it, by which damage is found."""
    return hashlib.sha256(body).digest() + body


def unsealed(stored: bytes) -> bytes | None:
    """None: it is damaged."""
    body = stored[_DIGEST:]
    return body if len(stored) >= _DIGEST and hashlib.sha256(body).digest() == stored[:_DIGEST] else None


def no_answer(store: str, why: str, fix: str) -> ForgeError:
    return ForgeError("E899", f"The cache of results ({store}) does not answer", why=why, fix=fix)
