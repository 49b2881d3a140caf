"""Virtual tables in memory."""

from __future__ import annotations

import threading

from forge.federation.drift import SeenSource
from forge.federation.virtual_table import DeclaredVirtualTable
from forge.flows.runs.records import AuditRecord


class MemoryVirtualTables:
    def __init__(self) -> None:
        self.audit: list[AuditRecord] = []
        self._tables: dict[str, DeclaredVirtualTable] = {}
        self._seen: dict[str, SeenSource] = {}
        self._lock = threading.Lock()

    def tables(self) -> tuple[DeclaredVirtualTable, ...]:
        with self._lock:
            return tuple(one for _, one in sorted(self._tables.items()))

    def apply(
        self, before: DeclaredVirtualTable | None, after: DeclaredVirtualTable | None, audit: AuditRecord
    ) -> bool:
        one = before or after
        assert one is not None, "something is created, changed or dropped"
        with self._lock:
            known = self._tables.get(one.name)
            if (known.version if known else None) != (before.version if before else None):
                return False
            if after is None:
                self._tables.pop(one.name)
                self._seen.pop(one.name, None)
            else:
                self._tables[one.name] = after
            self.audit.append(audit)
            return True

    def seen(self, name: str) -> SeenSource | None:
        with self._lock:
            return self._seen.get(name)

    def remember(self, seen: SeenSource) -> None:
        with self._lock:
            self._seen[seen.source] = seen
