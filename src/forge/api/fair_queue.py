"""A thread pool shared fairly: owners take turns, so that one with many requests delays only itself."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Entry:
    owner: Hashable
    work: Callable[[], Any]
    future: Future[Any]

    def do(self) -> None:
        try:
            self.future.set_result(self.work())
        except BaseException as error:
            self.future.set_exception(error)


class FairPool:
    """`each`: how many tasks of one owner run at once."""

    def __init__(self, workers: int, each: int, name: str) -> None:
        self._workers, self._each, self._name = workers, each, name
        self._waiting: dict[Hashable, deque[_Entry]] = {}  # whose turn is next comes first
        self._running: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    def submit(self, owner: Hashable, work: Callable[[], T]) -> Future[T]:
        entry = _Entry(owner, work, Future())
        with self._lock:
            self._waiting.setdefault(owner, deque()).append(entry)
            more = self._running.total() < self._workers
        if more:
            threading.Thread(target=self._work, name=self._name, daemon=True).start()
        return entry.future

    def end_now(self, future: Future[Any]) -> bool:
        """Run a queued task at once in the calling thread, because it has been asked to stop. False: it is not
        queued."""
        with self._lock:
            found = next((one for queue in self._waiting.values() for one in queue if one.future is future), None)
            if found is None:
                return False
            self._waiting[found.owner].remove(found)
        found.do()
        return True

    def _work(self) -> None:
        """Until no task may run now."""
        while (entry := self._next()) is not None:
            try:
                entry.do()
            finally:
                with self._lock:
                    self._running[entry.owner] -= 1
                    self._running += Counter()  # owners with nothing at work are forgotten

    def _next(self) -> _Entry | None:
        with self._lock:
            if self._running.total() >= self._workers:
                return None
            self._waiting = {owner: queue for owner, queue in self._waiting.items() if queue}
            owner = next((one for one in self._waiting if self._running[one] < self._each), None)
            if owner is None:
                return None
            queue = self._waiting.pop(owner)
            entry = queue.popleft()
            if queue:
                self._waiting[owner] = queue  # behind the others
            self._running[owner] += 1
            return entry
