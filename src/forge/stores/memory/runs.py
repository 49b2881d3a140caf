"""Runs in memory, with the lineage of their outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from forge.flows.runs.records import AuditRecord, RunRecord, TableLineage
from forge.model.names import BranchName, RunId
from forge.quality.verdict import Verdict
from forge.stores.memory.records import MemoryRecords


class MemoryRuns(MemoryRecords):
    def start_run(self, run: RunRecord) -> None:
        with self._lock:
            self._keep_run(run)

    def enter_step(self, run_id: RunId, step: str) -> None:
        with self._lock:
            if run_id in self._runs:
                self._runs[run_id] = replace(self._runs[run_id], step=step)

    def finish_run(
        self,
        run: RunRecord,
        verdicts: Sequence[Verdict],
        audit: Sequence[AuditRecord],
        lineage: Sequence[TableLineage] = (),
    ) -> None:
        with self._lock:
            self._keep_run(run)
            self._keep_verdicts(run.id, verdicts)
            self._keep_lineage(run.id, lineage)
            self._note(audit)

    def run(self, run_id: RunId) -> RunRecord | None:
        return self._runs.get(run_id)

    def runs(
        self, *, limit: int = 50, branch: BranchName | None = None, status: str | None = None
    ) -> tuple[RunRecord, ...]:
        return tuple(run for run in self._newest_runs(branch) if status is None or run.status == status)[:limit]

    def find_runs(self, ids: Iterable[RunId]) -> dict[RunId, RunRecord]:
        with self._lock:
            return {run_id: self._runs[run_id] for run_id in ids if run_id in self._runs}

    def lineage(self, run_ids: Iterable[RunId]) -> tuple[tuple[RunId, TableLineage], ...]:
        with self._lock:
            return tuple(
                (run_id, lineage)
                for run_id in dict.fromkeys(run_ids)
                for _, lineage in sorted(self._lineage.get(run_id, {}).items())
                if lineage.edges or lineage.indirect or lineage.table_edges
            )
