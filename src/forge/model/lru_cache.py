"""An LRU cache for immutable values that are expensive to read."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """Values of at most `size` together, each as large as `weigh` says; the one that was not asked for the longest goes
    first. The newest is kept however large it is."""

    def __init__(self, size: int, weigh: Callable[[V], int] = lambda value: 1) -> None:
        self._size, self._weigh = size, weigh
        self._values: OrderedDict[K, V] = OrderedDict()
        self._weight = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        return self.take([key]).get(key)

    def take(self, keys: Iterable[K]) -> dict[K, V]:
        """Those that are cached."""
        with self._lock:
            found = {key: self._values[key] for key in keys if key in self._values}
            for key in found:
                self._values.move_to_end(key)
        return found

    def keep(self, values: Mapping[K, V]) -> None:
        with self._lock:
            for key, value in values.items():
                if key in self._values:
                    self._weight -= self._weigh(self._values.pop(key))
                self._values[key] = value
                self._weight += self._weigh(value)
            while self._weight > self._size and len(self._values) > 1:
                self._weight -= self._weigh(self._values.popitem(last=False)[1])
