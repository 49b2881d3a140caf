"""Monitor runs as server jobs, in one queue with governed runs, distinguished by the kind of job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from forge.flows.quality.monitors.run import JudgePorts, carry_out, end_run, new_run
from forge.flows.quality.monitors.store import find_monitor
from forge.flows.runs.build import StepEvent
from forge.flows.runs.engine import JobProgress
from forge.flows.runs.jobs import JobHandler, JobKind, JobQueue, JobRecord
from forge.flows.runs.records import RunStatus
from forge.model.errors import ForgeError
from forge.quality.monitors.monitor import Monitor, MonitorRun, MonitorRunStatus, Trigger

KIND: JobKind = "monitor"
_ENDS = {RunStatus.CANCELLED: MonitorRunStatus.CANCELLED, RunStatus.INTERRUPTED: MonitorRunStatus.INTERRUPTED}
_STATUSES = {
    MonitorRunStatus.QUEUED: RunStatus.RUNNING,
    MonitorRunStatus.RUNNING: RunStatus.RUNNING,
    MonitorRunStatus.CANCELLED: RunStatus.CANCELLED,
    MonitorRunStatus.INTERRUPTED: RunStatus.INTERRUPTED,
}


def status_as_run(run: MonitorRun) -> RunStatus:
    """A monitor run with failed checks succeeded as a job; one that could not judge anything failed."""
    return RunStatus.FAILED if run.error is not None else _STATUSES.get(run.status, RunStatus.SUCCEEDED)


@dataclass(frozen=True, slots=True)
class MonitorWork:
    """Executes monitor runs from the queue. Each was claimed before it was queued."""

    ports: JudgePorts
    engine: JobHandler  # of governed runs: Spark's jobs are cancelled and watched the same way

    def plan(self, request: Mapping[str, object]) -> tuple[str, ...]:
        return (str(find_monitor(self.ports.store, str(request["monitor_id"])).table),)

    def execute(
        self, job: JobRecord, notify: Callable[[StepEvent], None], stopped: Callable[[], RunStatus | None]
    ) -> None:
        run = self._run(job.id)
        if run.is_over:  # it was given up meanwhile
            return
        monitor = self.ports.store.monitor(str(job.request["monitor_id"]))
        if monitor is None or monitor.removed_at is not None:
            end_run(run, MonitorRunStatus.CANCELLED, self.ports, None)
            return
        carry_out(monitor, run, self.ports, notify, stopped)

    def _run(self, run_id: str) -> MonitorRun:
        run = self.ports.store.run(run_id)
        assert run is not None, "a run is claimed before it is queued"
        return run

    def cancel(self, job_id: str) -> None:
        self.engine.cancel(job_id)

    def progress(self, job_id: str, table: str) -> JobProgress:
        return self.engine.progress(job_id, table)

    def settle(self, job: JobRecord, status: RunStatus, error: ForgeError) -> RunStatus:
        run = self._run(job.id)
        if not run.is_over:
            why = None if status in _ENDS else error
            run = end_run(run, _ENDS.get(status, MonitorRunStatus.NOT_MEASURED), self.ports, why).run
        return status_as_run(run)

    def never_began(self, job: JobRecord) -> None:
        run = self._run(job.id)
        if not run.is_over:
            end_run(run, MonitorRunStatus(str(job.status)), self.ports, None)

    def status_of(self, job_id: str) -> RunStatus | None:
        run = self.ports.store.run(job_id)
        return status_as_run(run) if run else None

    def repair(self, *, thorough: bool) -> None:
        """The scheduler finds runs whose process died."""

    def not_ours(self, job_id: str, job: JobRecord | None) -> ForgeError:
        run = self.ports.store.run(job_id)
        if run is not None and run.is_over:
            return ForgeError("E909", f"Run {job_id} has ended: {run.status}", fix="There is nothing to cancel.")
        return self.engine.not_ours(job_id, job)


@dataclass(frozen=True, slots=True)
class WorkByKind:
    """Dispatches jobs by kind; `usual` is the default."""

    usual: JobHandler
    others: Mapping[str, JobHandler]

    def _of(self, kind: object) -> JobHandler:
        return self.others.get(str(kind), self.usual)

    def _of_id(self, job_id: str) -> JobHandler:
        known = (work for work in self.others.values() if work.status_of(job_id) is not None)
        return next(known, self.usual)

    def plan(self, request: Mapping[str, object]) -> tuple[str, ...]:
        return self._of(request.get("kind")).plan(request)

    def execute(
        self, job: JobRecord, notify: Callable[[StepEvent], None], stopped: Callable[[], RunStatus | None]
    ) -> None:
        self._of(job.kind).execute(job, notify, stopped)

    def cancel(self, job_id: str) -> None:
        self.usual.cancel(job_id)

    def progress(self, job_id: str, table: str) -> JobProgress:
        return self.usual.progress(job_id, table)

    def settle(self, job: JobRecord, status: RunStatus, error: ForgeError) -> RunStatus:
        return self._of(job.kind).settle(job, status, error)

    def never_began(self, job: JobRecord) -> None:
        self._of(job.kind).never_began(job)

    def status_of(self, job_id: str) -> RunStatus | None:
        return self._of_id(job_id).status_of(job_id)

    def repair(self, *, thorough: bool) -> None:
        for work in (self.usual, *self.others.values()):
            work.repair(thorough=thorough)

    def not_ours(self, job_id: str, job: JobRecord | None) -> ForgeError:
        work = self._of(job.kind) if job is not None else self._of_id(job_id)
        return work.not_ours(job_id, job)


def submit(monitor: Monitor, run: MonitorRun, queue: JobQueue, ports: JudgePorts) -> JobRecord:
    """Queues a claimed run. If the queue is full, the run ends with that error. Scheduled runs are always accepted:
    each monitor has at most one waiting."""
    branch = monitor.branch or ports.default_branch
    request = {"kind": KIND, "monitor_id": monitor.id, "branch": branch, "name": monitor.name}
    try:
        return queue.submit(request, KIND, job_id=run.id, bounded=run.trigger is Trigger.MANUAL)
    except ForgeError as error:
        end_run(run, MonitorRunStatus.NOT_MEASURED, ports, error)
        raise


def start_by_hand(monitor: Monitor, queue: JobQueue, ports: JudgePorts) -> MonitorRun:
    run = new_run(monitor, monitor.dataset, Trigger.MANUAL, ports)
    ports.store.claim(run)
    submit(monitor, run, queue, ports)
    return run
