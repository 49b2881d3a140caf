"""The audit in memory."""

from __future__ import annotations

from forge.flows.runs.records import AuditRecord
from forge.stores.memory.records import MemoryRecords


class MemoryAudit(MemoryRecords):
    def audit(self, *, limit: int = 100) -> tuple[AuditRecord, ...]:
        with self._lock:
            return tuple(reversed(self._audit))[:limit]

    def note(self, audit: AuditRecord) -> None:
        with self._lock:
            self._note([audit])

    def mark(self) -> str:
        return str(self._changes)
