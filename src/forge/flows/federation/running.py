"""A query that runs, for whoever ends it: in its executor, and in each source that it reads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from forge.model.errors import CancellationError, ForgeError, NamedError

LONGEST_SECONDS = 86_400


class QueryTimeoutError(NamedError):
    code = "E916"


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


@contextmanager
def ends_after(running: RunningQuery, seconds: float | None) -> Iterator[None]:
    """The query is cancelled, in its sources too, when the time that was given to it is over (E916)."""
    if seconds is None:
        yield
        return
    is_over = threading.Event()

    def stop() -> None:
        is_over.set()
        running.cancel()

    clock = threading.Timer(seconds, stop)
    clock.daemon = True
    clock.start()
    try:
        yield
    except ForgeError as error:
        if is_over.is_set():
            raise _too_long(seconds) from error
        raise
    finally:
        clock.cancel()


def checked_timeout(seconds: float | None, where: str) -> float | None:
    if seconds is None or 0 < seconds <= LONGEST_SECONDS:
        return seconds
    raise ForgeError(
        "E105",
        f"{where}: {seconds:g} is no number of seconds that a query may take",
        fix=f"Give more than 0 and at most {LONGEST_SECONDS:,}, or leave it out.",
    )


def _too_long(seconds: float) -> QueryTimeoutError:
    return QueryTimeoutError(
        f"The query was stopped after {seconds:g} seconds",
        why="That is the timeout it was given. Its sources were told to end it.",
        fix="Ask for less: fewer rows or columns, a filter; or give it longer (timeout).",
    )
