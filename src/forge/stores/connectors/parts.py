"""A read in several parts at once, each over a connection of its own; all see the snapshot of the first. What was read
waits in a short queue, so that memory is bounded however slow the reader of it is. The first error ends all parts."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import KW_ONLY, dataclass, field
from queue import Empty, Full, Queue
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError

if TYPE_CHECKING:
    import psycopg
    import pyarrow as pa

    Connection = psycopg.Connection[tuple[object, ...]]

MOST_PARTS = 4  # connections of one read
_WAIT = 0.2  # seconds, until it is looked whether the read has ended


@dataclass(eq=False)
class PartedRead:
    """`first` is in its transaction; `joined` opens another connection that sees the same, `stream` reads one part over
    a connection, `parts` are its bounds."""

    first: Connection
    _: KW_ONLY
    joined: Callable[[], Connection]
    stream: Callable[[Connection, str, str | None], Iterator[pa.RecordBatch | None]]
    parts: Sequence[tuple[str, str | None]]
    _ended: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _open: list[Connection] = field(default_factory=list)

    def stop(self) -> None:
        """In the source, too. From any thread."""
        self._ended.set()
        with self._lock:
            open_ = list(self._open)
        for connection in open_:
            with suppress(Exception):  # it has ended by itself
                connection.cancel_safe(timeout=10)

    def batches(self) -> Iterator[pa.RecordBatch | None]:
        """First None, once one part has its first row or is empty."""
        waiting = deque(self.parts)
        number = max(1, min(MOST_PARTS, os.cpu_count() or 1, len(self.parts)))
        found: Queue[pa.RecordBatch | BaseException | None] = Queue(number)
        threads = [
            threading.Thread(target=self._work, args=(waiting, found, place == 0), name="forge-part", daemon=True)
            for place in range(number)
        ]
        for thread in threads:
            thread.start()
        try:
            begun = False
            while number and not self._ended.is_set():  # who stopped it says why
                try:
                    item = found.get(timeout=_WAIT)
                except Empty:
                    continue
                if isinstance(item, BaseException):
                    raise item
                if not begun:
                    yield None
                    begun = True
                if item is None:
                    number -= 1
                else:
                    yield item
        finally:
            self.stop()
            for thread in threads:
                thread.join()

    def _work(
        self,
        waiting: deque[tuple[str, str | None]],
        found: Queue[pa.RecordBatch | BaseException | None],
        is_first: bool,
    ) -> None:
        try:
            if is_first:
                self._read(self.first, waiting, found)
            else:
                # A source that lets nobody else in is read by those that are in.
                with suppress(ForgeError), closing(self.joined()) as connection:
                    try:
                        self._read(connection, waiting, found)
                    except ForgeError as error:
                        self._put(found, error)
            self._put(found, None)
        except BaseException as error:  # raised again by who reads the queue
            self._put(found, error)

    def _read(
        self,
        connection: Connection,
        waiting: deque[tuple[str, str | None]],
        found: Queue[pa.RecordBatch | BaseException | None],
    ) -> None:
        with self._lock:
            self._open.append(connection)
        try:
            while not self._ended.is_set():
                try:
                    low, high = waiting.popleft()
                except IndexError:
                    return
                with closing(self.stream(connection, low, high)) as batches:  # type: ignore[type-var]
                    for batch in batches:
                        if batch is not None and not self._put(found, batch):
                            return
        finally:
            with self._lock:
                self._open.remove(connection)

    def _put(
        self, found: Queue[pa.RecordBatch | BaseException | None], item: pa.RecordBatch | BaseException | None
    ) -> bool:
        """Whether anybody still wants it."""
        while not self._ended.is_set():
            with suppress(Full):
                found.put(item, timeout=_WAIT)
                return True
        return False
