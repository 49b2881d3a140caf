"""Crawls on schedule: a server asks all sources every so many minutes, and after publications. What did not change
costs nothing, so that two servers that do the same harm nobody."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from forge.flows.catalog.crawl import SourceCrawl

STOP_SECONDS = 5.0
LEAST_SECONDS = 300.0
"""Between two scans that publications ask for: they may come by the second, and databases belong to others."""
_log = logging.getLogger("forge.catalog")


@dataclass(slots=True)
class ScanSchedule:
    scan: Callable[[], tuple[SourceCrawl, ...]]
    seconds: float
    least_seconds: float = LEAST_SECONDS
    _stopped: threading.Event = field(default_factory=threading.Event, init=False)
    _due: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    def start(self) -> None:
        """The first scan is after one interval: a server that starts has other things to do."""
        self._thread = threading.Thread(target=self._run, name="catalog scans", daemon=True)
        self._thread.start()

    def hasten(self) -> None:
        """The next scan is at once, or as soon as the last one is not too near. The caller does not wait."""
        self._due.set()

    def stop(self) -> None:
        self._stopped.set()
        self._due.set()
        if self._thread is not None:
            self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        rest, least = 0.0, min(self.least_seconds, self.seconds)
        while not self._stopped.is_set():
            if self._due.wait(self.seconds) and self._stopped.wait(max(0.0, rest - time.monotonic())):
                return
            self._due.clear()
            self._scan_once()
            rest = time.monotonic() + least

    def _scan_once(self) -> None:
        try:
            for found in self.scan():
                if not found.plan.is_empty:
                    _log.info("scanned %s: %s", found.source, _words(found))
        except Exception as error:  # the next scan may succeed
            _log.warning("a scheduled scan failed: %s", error)


def _words(found: SourceCrawl) -> str:
    counts = found.to_dict()
    kinds = ("new", "changed", "renamed", "returned", "vanished")
    return ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind])
