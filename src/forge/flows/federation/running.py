"""A query that runs, for whoever ends it: in its executor, and in each source that it reads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from forge.model.errors import CancellationError


class RunningQuery:
    """Cancelled once, it begins nothing any more. From any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancels: list[Callable[[], None]] = []
        self._is_cancelled = False

    def cancel(self) -> None:
        with self._lock:
            self._is_cancelled = True
            cancels = tuple(self._cancels)
        for cancel in cancels:
            cancel()

    def check(self) -> None:
        if self._is_cancelled:
            raise CancellationError("The query was cancelled", fix="Ask again.")

    @contextmanager
    def ends_with(self, cancel: Callable[[], None]) -> Iterator[None]:
        """`cancel` is called where the query is cancelled meanwhile."""
        with self._lock:
            self._cancels.append(cancel)
        try:
            self.check()
            yield
        finally:
            with self._lock:
                self._cancels.remove(cancel)
