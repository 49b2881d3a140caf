"""The monitor store in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from forge.flows.runs.records import AuditRecord, DatasetTally, VerdictTally
from forge.model.names import BranchName, RunId, TableName
from forge.quality.monitors.monitor import OPEN, CheckResult, Monitor, MonitorRun, MonitorRunStatus, Trigger
from forge.quality.verdict import Outcome
from forge.versioning.commit import TableVersion


class MemoryMonitors:
    """`changed`: called with names of tables, as the log of the catalog's changes is."""

    def __init__(self, changed: Callable[[Sequence[str]], None] = lambda names: None) -> None:
        self._changed = changed
        self.audit: list[AuditRecord] = []
        self._monitors: dict[str, Monitor] = {}
        self._runs: dict[str, MonitorRun] = {}
        self._seen: dict[str, datetime] = {}
        self._results: list[CheckResult] = []
        self._lock = threading.Lock()

    def monitors(
        self, *, table: TableName | None = None, enabled: bool | None = None, removed: bool = False
    ) -> tuple[Monitor, ...]:
        found = (
            one
            for one in tuple(self._monitors.values())
            if table in (None, one.table) and enabled in (None, one.enabled) and (removed or one.removed_at is None)
        )
        return tuple(sorted(found, key=lambda one: (one.name, one.id)))

    def monitor(self, monitor_id: str) -> Monitor | None:
        return self._monitors.get(monitor_id)

    def add(self, monitor: Monitor, audit: AuditRecord) -> bool:
        with self._lock:
            if monitor.id in self._monitors:
                return False
            self._monitors[monitor.id] = monitor
            self.audit.append(audit)
            return True

    def change(self, monitor: Monitor, expected: datetime | None, audit: AuditRecord) -> bool:
        with self._lock:
            known = self._monitors.get(monitor.id)
            if known is None or known.updated_at != expected:
                return False
            self._monitors[monitor.id] = monitor
            self.audit.append(audit)
        if monitor.removed_at is not None:
            self._changed([str(monitor.table)])
        return True

    def claim(self, run: MonitorRun) -> bool:
        with self._lock:
            claims = {(one.monitor_id, one.claim) for one in self._runs.values() if one.monitor_id is not None}
            taken = (run.monitor_id, run.claim) in claims
            if taken or run.id in self._runs:
                return False
            self._runs[run.id], self._seen[run.id] = run, run.queued_at
            return True

    def save(self, run: MonitorRun) -> None:
        with self._lock:
            self._update(run)

    def _update(self, run: MonitorRun, statuses: Sequence[MonitorRunStatus] = OPEN) -> bool:
        known = self._runs.get(run.id)
        if known is None or known.status not in statuses:
            return False
        self._runs[run.id] = run
        self._seen[run.id] = run.finished_at or run.started_at or run.queued_at
        return True

    def finish(self, run: MonitorRun, check_results: Sequence[CheckResult], audit: AuditRecord | None) -> bool:
        with self._lock:
            if not self._update(run, (*OPEN, MonitorRunStatus.INTERRUPTED)):
                return False
            self._results += [
                replace(one, id=f"{run.id}.{n}", monitor_run_id=run.id) for n, one in enumerate(check_results, start=1)
            ]
            self.audit += [audit] if audit is not None else []
        if check_results:
            self._changed(sorted({one.dataset for one in check_results}))
        return True

    def remark(self, run_id: str, notes: Sequence[str]) -> None:
        with self._lock:
            known = self._runs[run_id]
            self._runs[run_id] = replace(known, notes=(*known.notes, *notes))

    def beat(self, run_ids: Sequence[str], at: datetime) -> None:
        with self._lock:
            self._seen |= {run_id: at for run_id in run_ids if run_id in self._runs}

    def silent(self, before: datetime) -> tuple[MonitorRun, ...]:
        found = (run for run in tuple(self._runs.values()) if not run.is_over and self._seen[run.id] < before)
        return tuple(sorted(found, key=lambda run: run.id))

    def run(self, run_id: str) -> MonitorRun | None:
        return self._runs.get(run_id)

    def runs(
        self,
        *,
        monitor_id: str | None = None,
        table: TableName | None = None,
        statuses: Iterable[MonitorRunStatus] = (),
        triggers: Iterable[Trigger] = (),
        since: datetime | None = None,
        limit: int = 100,
    ) -> tuple[MonitorRun, ...]:
        words, reasons = set(statuses), set(triggers)
        found = (
            run
            for run in tuple(self._runs.values())
            if monitor_id in (None, run.monitor_id) and (since is None or run.queued_at >= since)
            if table is None or run.dataset.partition("@")[0] == str(table)
            if (not words or run.status in words) and (not reasons or run.trigger in reasons)
        )
        return tuple(sorted(found, key=lambda run: (run.queued_at, run.id), reverse=True)[:limit])

    def newest(
        self,
        monitor_ids: Iterable[str],
        triggers: Iterable[Trigger] = (),
        statuses: Iterable[MonitorRunStatus] = (),
    ) -> Mapping[str, MonitorRun]:
        wanted, reasons, states = set(monitor_ids), tuple(triggers), tuple(statuses)
        firsts = {one: self.runs(monitor_id=one, triggers=reasons, statuses=states, limit=1) for one in wanted}
        return {one: found[0] for one, found in firsts.items() if found}

    def tallies(self, since: datetime, until: datetime, branch: BranchName | None = None) -> tuple[VerdictTally, ...]:
        return tuple(
            VerdictTally(RunId(run.id), at, run.passed, run.failed, run.not_measured)
            for at, run in self._between(since, until, branch)
        )

    def dataset_tallies(
        self, since: datetime, until: datetime, branch: BranchName | None = None
    ) -> tuple[DatasetTally, ...]:
        return tuple(
            DatasetTally(run.dataset.partition("@")[0], at, run.passed, run.failed, run.not_measured)
            for at, run in self._between(since, until, branch)
        )

    def _between(
        self, since: datetime, until: datetime, branch: BranchName | None
    ) -> list[tuple[datetime, MonitorRun]]:
        found = [
            (run.started_at, run)
            for run in tuple(self._runs.values())
            if run.is_over and run.started_at is not None and since <= run.started_at < until
            if branch is None or run.branch == branch
        ]
        return sorted(found, key=lambda pair: (pair[0], pair[1].id))

    def results(
        self,
        *,
        monitor_id: str | None = None,
        run_ids: Iterable[str] | None = None,
        table: TableName | None = None,
        check_id: str | None = None,
        verdict: Outcome | None = None,
        since: datetime | None = None,
        limit: int = 100,
    ) -> tuple[CheckResult, ...]:
        runs = set(run_ids) if run_ids is not None else None
        found = [
            one
            for one in tuple(self._results)
            if monitor_id in (None, one.monitor_id) and (runs is None or one.monitor_run_id in runs)
            if check_id in (None, one.check_id) and (table is None or one.dataset == str(table))
            if verdict in (None, one.verdict) and (since is None or one.executed_at >= since)
        ]
        return tuple(_newest_first(found)[:limit])

    def result(self, result_id: str) -> CheckResult | None:
        return next((one for one in tuple(self._results) if one.id == result_id), None)

    def standing(self, versions: Mapping[TableName, TableVersion]) -> tuple[CheckResult, ...]:
        snapshots = {str(table): version.snapshot_id for table, version in versions.items()}
        gone = {one.id for one in tuple(self._monitors.values()) if one.removed_at is not None}
        newest: dict[tuple[str, str], CheckResult] = {}
        for one in reversed(_newest_first(tuple(self._results))):
            if one.monitor_id in gone or one.dataset not in snapshots or one.snapshot_id != snapshots[one.dataset]:
                continue
            newest[one.dataset, one.check_id] = one
        return tuple(newest[key] for key in sorted(newest))


def _newest_first(results: Sequence[CheckResult]) -> list[CheckResult]:
    by_run = sorted(results, key=lambda one: one.monitor_run_id or "", reverse=True)
    return sorted(by_run, key=lambda one: one.executed_at, reverse=True)
