"""Crawls on schedule: a server asks all sources every so many minutes. What did not change costs nothing, so that two
servers that do the same harm nobody."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from forge.flows.catalog.crawl import SourceCrawl

STOP_SECONDS = 5.0
_log = logging.getLogger("forge.catalog")


@dataclass(slots=True)
class ScanSchedule:
    scan: Callable[[], tuple[SourceCrawl, ...]]
    seconds: float
    _stopped: threading.Event = field(default_factory=threading.Event, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)

    def start(self) -> None:
        """The first scan is after one interval: a server that starts has other things to do."""
        self._thread = threading.Thread(target=self._run, name="catalog scans", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while not self._stopped.wait(self.seconds):
            try:
                for found in self.scan():
                    if not found.plan.is_empty:
                        _log.info("scanned %s: %s", found.source, _words(found))
            except Exception as error:  # the next scan may succeed
                _log.warning("a scheduled scan failed: %s", error)


def _words(found: SourceCrawl) -> str:
    said = found.to_dict()
    kinds = ("new", "changed", "renamed", "returned", "vanished")
    return ", ".join(f"{said[kind]} {kind}" for kind in kinds if said[kind])
