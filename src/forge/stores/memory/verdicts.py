"""Verdicts of runs in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from forge.flows.runs.records import (
    JUDGED,
    MAKES_TABLES,
    SETTLED,
    DatasetTally,
    OutputStatus,
    RunRecord,
    RunVerdict,
    VerdictTally,
)
from forge.model.names import BranchName, RunId, TableName
from forge.quality.verdict import Outcome, Verdict
from forge.stores.memory.records import MemoryRecords


class MemoryVerdicts(MemoryRecords):
    def verdicts(
        self,
        *,
        run_id: RunId | None = None,
        run_ids: Iterable[RunId] | None = None,
        table: TableName | None = None,
        outcome: Outcome | None = None,
        limit: int = 1000,
    ) -> tuple[tuple[RunId, Verdict], ...]:
        wanted = None if run_ids is None else set(run_ids)
        found = [
            (run.id, verdict)
            for run in self._newest_runs()
            if (run_id is None or run.id == run_id) and (wanted is None or run.id in wanted)
            for verdict in self._verdicts.get(run.id, ())
            if (table is None or verdict.table == str(table)) and (outcome is None or verdict.outcome is outcome)
        ]
        return tuple(found[:limit])

    def blocked(self, branch: BranchName) -> tuple[tuple[RunRecord, TableName], ...]:
        newest: dict[TableName, tuple[RunRecord, OutputStatus]] = {}
        made: dict[TableName, tuple[RunRecord, OutputStatus]] = {}
        for run in self._newest_runs(branch):
            for output in run.outputs:
                if output.status in SETTLED:
                    newest.setdefault(output.table, (run, output.status))
                if output.status in SETTLED and run.kind == MAKES_TABLES:
                    made.setdefault(output.table, (run, output.status))
        newest |= {table: last for table, last in made.items() if last[1] is OutputStatus.BLOCKED}
        now = [(run, table) for table, (run, status) in sorted(newest.items()) if status is OutputStatus.BLOCKED]
        return tuple(sorted(now, key=lambda pair: (pair[0].started_at, pair[0].id), reverse=True))

    def judgements(
        self, branch: BranchName, names: Iterable[TableName], check_ids: Iterable[str], *, runs: int = 500
    ) -> tuple[RunVerdict, ...]:
        wanted, checks = set(names), set(check_ids)
        found = []
        for run in self._newest_runs(branch)[:runs]:
            for output in run.outputs:
                if output.table not in wanted or output.status not in JUDGED:
                    continue
                bare = RunVerdict(
                    run_id=run.id, time=run.started_at, table=output.table, status=output.status, kind=run.kind
                )
                verdicts = [
                    replace(bare, check_id=verdict.check_id, outcome=verdict.outcome, message=verdict.message)
                    for verdict in self._verdicts.get(run.id, ())
                    if verdict.check_id in checks and verdict.table == str(output.table)
                ]
                found += verdicts or [bare]
        return tuple(found)

    def tallies(self, branch: BranchName, since: datetime, until: datetime) -> tuple[VerdictTally, ...]:
        found = []
        for run in reversed(self._newest_runs(branch)):
            if since <= run.started_at < until:
                counted = Counter(verdict.outcome for verdict in self._verdicts.get(run.id, ()))
                found.append(VerdictTally(run.id, run.started_at, *(counted[outcome] for outcome in Outcome)))
        return tuple(found)

    def dataset_tallies(self, branch: BranchName, since: datetime, until: datetime) -> tuple[DatasetTally, ...]:
        found = []
        for run in reversed(self._newest_runs(branch)):
            verdicts = self._verdicts.get(run.id, ()) if since <= run.started_at < until else ()
            for table in sorted({verdict.table for verdict in verdicts}):
                counted = Counter(verdict.outcome for verdict in verdicts if verdict.table == table)
                found.append(DatasetTally(table, run.started_at, *(counted[outcome] for outcome in Outcome)))
        return tuple(found)
