"""What follows a publication: changed tables are scanned for personal data, profiled and crawled, and the search index
is brought up to date.

It comes after the publication, never inside of it: a failure is logged, and the published data stays as it is. Each
step gets what changed, and does what is due by its own records, too: what an earlier one could not do."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from forge.catalog.crawl import CrawlPlan
from forge.model.errors import ForgeError
from forge.model.names import TableName

STOP_SECONDS = 5.0
_log = logging.getLogger("forge.catalog")


@dataclass(frozen=True, slots=True)
class FollowStep:
    """`name`: what it does, in words of a sentence."""

    name: str
    act: Callable[[Sequence[TableName]], object]


def changed_tables(plans: Sequence[CrawlPlan]) -> tuple[TableName, ...]:
    """Tables of the lake that a crawl writes, or that are gone."""
    names = dict.fromkeys(write.asset.qualified_name for plan in plans for write in plan.writes)
    names |= dict.fromkeys(mark.name for plan in plans for mark in plan.vanished)
    return tuple(TableName.parse(name) for name in names if name.count(".") == 1)


class CatalogFollower:
    """Marked by each publication of this process; `catch_up` does what is due. In a server a thread of its own does."""

    def __init__(self, changed: Callable[[], Sequence[TableName]], steps: Sequence[FollowStep]) -> None:
        self._changed, self._steps = changed, tuple(steps)
        self._due = threading.Event()
        self._stopping = False
        self._working = threading.Lock()
        self._marked: dict[TableName, None] = {}
        self._thread: threading.Thread | None = None

    def mark(self, tables: Iterable[TableName] = ()) -> None:
        """`tables` that are known to have changed: whoever crawled them first."""
        self._marked = {**self._marked, **dict.fromkeys(tables)}
        self._due.set()

    def catch_up(self) -> tuple[str, ...]:
        """Never raises; what failed, in words."""
        if not self._due.is_set():
            return ()
        with self._working:
            self._due.clear()
            marked, self._marked = self._marked, {}
            tables = list(marked)
            notes = self._try("Changed tables", lambda: tables.extend(self._changed()))
            tables = list(dict.fromkeys(tables))
            for step in self._steps:
                notes += self._try(step.name, lambda step=step: step.act(tables))  # type: ignore[misc]
            if notes:  # the next publication tries again
                self._marked = {**marked, **self._marked}
            return notes

    def _try(self, name: str, act: Callable[[], object]) -> tuple[str, ...]:
        try:
            act()
        except ForgeError as error:
            _log.warning("%s after a publication: %s", name, error.line)
            return (f"{name}: {error.line}",)
        except Exception as error:  # a fault of ours: the data is published, the log has the trace
            _log.exception("%s after a publication", name)
            return (f"{name}: {type(error).__name__}",)
        return ()

    def start(self, more: Sequence[FollowStep] = ()) -> None:
        """Catch up at once after each publication, and with what an earlier process left. `more`: steps that a command
        does not take, in which somebody waits for the end."""
        self._steps += tuple(more)
        self.mark()
        self._thread = threading.Thread(target=self._run, name="forge-catalog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopping = True
        self._due.set()
        if self._thread is not None:
            self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while self._due.wait() and not self._stopping:
            self.catch_up()
