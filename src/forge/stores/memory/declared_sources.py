"""Declared sources in memory."""

from __future__ import annotations

import threading

from forge.federation.drift import SeenSource
from forge.federation.source import DeclaredSource
from forge.flows.runs.records import AuditRecord


class MemoryDeclaredSources:
    def __init__(self) -> None:
        self.audit: list[AuditRecord] = []
        self._sources: dict[str, DeclaredSource] = {}
        self._seen: dict[str, SeenSource] = {}
        self._lock = threading.Lock()

    def sources(self) -> tuple[DeclaredSource, ...]:
        with self._lock:
            return tuple(one for _, one in sorted(self._sources.items()))

    def apply(self, before: DeclaredSource | None, after: DeclaredSource | None, audit: AuditRecord) -> bool:
        one = before or after
        assert one is not None, "something is created, changed or dropped"
        with self._lock:
            known = self._sources.get(one.name)
            if (known.version if known else None) != (before.version if before else None):
                return False
            if after is None:
                self._sources.pop(one.name)
                self._seen.pop(one.name, None)
            else:
                self._sources[one.name] = after
            self.audit.append(audit)
            return True

    def seen(self, name: str) -> SeenSource | None:
        with self._lock:
            return self._seen.get(name)

    def remember(self, seen: SeenSource) -> None:
        with self._lock:
            self._seen[seen.source] = seen
