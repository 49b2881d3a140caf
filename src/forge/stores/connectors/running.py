"""Reads that run now: each can be ended from any thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from forge.model.errors import CancellationError, ForgeError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(eq=False, slots=True)
class SourceRead:
    """`stop` ends it in the source; it may be called while another thread waits for rows."""

    stop: Callable[[], None]
    cancelled: bool = False


@dataclass(eq=False, slots=True)
class RunningReads:
    source: str
    _lock: Lock = field(default_factory=Lock)
    _reads: list[SourceRead] = field(default_factory=list)

    @contextmanager
    def read(self, stop: Callable[[], None]) -> Iterator[SourceRead]:
        """E901 instead of what a cancelled driver says."""
        read = SourceRead(stop)
        with self._lock:
            self._reads.append(read)
        try:
            yield read
        except ForgeError:
            raise
        except Exception as error:
            if read.cancelled:
                raise self.cancellation() from error
            raise
        finally:
            with self._lock:
                self._reads.remove(read)

    def cancel(self) -> None:
        with self._lock:
            reads = list(self._reads)
        for read in reads:
            read.cancelled = True
            with suppress(Exception):  # it has ended by itself, or the server is gone, which its own thread will see
                read.stop()

    def until_cancelled(self, read: SourceRead, batches: Iterator[Any]) -> Iterator[Any]:
        """A source may be told to end what it has not begun, and begin it then."""
        for batch in batches:
            if read.cancelled:
                raise self.cancellation()
            yield batch
        if read.cancelled:
            raise self.cancellation()

    def cancellation(self) -> CancellationError:
        return CancellationError(f"The query of {self.source} was cancelled")


def started(schema: pa.Schema, batches: Iterator[pa.RecordBatch | None]) -> pa.RecordBatchReader:
    """A reader over a generator whose first item, None, says that the query runs: what is wrong with it is raised
    here, and from now on letting go of the reader ends the generator, and with it the query."""
    import pyarrow as pa

    next(batches)
    return pa.RecordBatchReader.from_batches(schema, batches)
