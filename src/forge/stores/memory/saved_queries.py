"""Saved queries in memory."""

from __future__ import annotations

import threading

from forge.federation.saved_query import SavedQuery
from forge.flows.runs.records import AuditRecord


class MemorySavedQueries:
    def __init__(self) -> None:
        self.audit: list[AuditRecord] = []
        self._queries: dict[str, SavedQuery] = {}
        self._lock = threading.Lock()

    def visible_to(self, user: str) -> tuple[SavedQuery, ...]:
        with self._lock:
            seen = [one for one in self._queries.values() if one.may_see(user)]
        return tuple(sorted(seen, key=lambda one: (one.name, one.owner)))

    def find(self, query_id: str) -> SavedQuery | None:
        with self._lock:
            return self._queries.get(query_id)

    def apply(self, before: SavedQuery | None, after: SavedQuery | None, audit: AuditRecord) -> bool:
        one = before or after
        assert one is not None, "something is kept, changed or dropped"
        with self._lock:
            known = self._queries.get(one.id)
            if (known.version if known else None) != (before.version if before else None):
                return False
            if after is not None and any(
                (other.owner, other.name) == (after.owner, after.name) and other.id != after.id
                for other in self._queries.values()
            ):
                return False
            if after is None:
                self._queries.pop(one.id)
            else:
                self._queries[one.id] = after
            self.audit.append(audit)
            return True
