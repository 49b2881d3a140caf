"""Remediations in memory, by the rules of the SQL store."""

from __future__ import annotations

import threading
from dataclasses import replace

from forge.flows.runs.records import AuditRecord
from forge.model.names import BranchName, TableName
from forge.quality.remediation import Remediation, RemedyStatus, decided_already, may_follow


class MemoryRemediations:
    def __init__(self) -> None:
        self._kept: dict[str, Remediation] = {}
        self._lock = threading.RLock()
        self.notes: list[AuditRecord] = []

    def check(self, remediation: Remediation) -> None:
        """E746 where it was decided meanwhile."""
        known = self._kept.get(remediation.id)
        if known is not None and not may_follow(known.status, remediation.status):
            raise decided_already(remediation.id, known.status)

    def put(self, remediation: Remediation, audit: AuditRecord | None = None) -> None:
        with self._lock:
            self.check(remediation)
            self._kept[remediation.id] = remediation
            if audit is not None:
                self.notes.append(audit)

    def follow(self, old: BranchName, new: BranchName) -> None:
        """The branch was renamed."""
        with self._lock:
            for one in list(self._kept.values()):
                if one.branch == old:
                    self._kept[one.id] = replace(one, branch=new)

    def get(self, remediation_id: str) -> Remediation | None:
        return self._kept.get(remediation_id)

    def find(
        self,
        *,
        table: TableName | None = None,
        branch: BranchName | None = None,
        status: RemedyStatus | None = None,
        limit: int | None = None,
    ) -> tuple[Remediation, ...]:
        found = [
            one
            for one in self._kept.values()
            if table in (None, one.table) and branch in (None, one.branch) and status in (None, one.status)
        ]
        return tuple(sorted(found, key=lambda one: (one.proposed_at, one.id), reverse=True)[:limit])
