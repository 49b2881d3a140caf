"""One run of a monitor, or one judgement by hand: judge, store the results, notify observers."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from forge.flows.quality.judge import CheckPorts, JudgedTable, judge_dataset
from forge.flows.quality.monitors.store import MonitorStore
from forge.flows.quality.observers import JudgementEvent, ObserverChain, results_of
from forge.flows.runs.build import StepEvent
from forge.flows.runs.id import new_run_id
from forge.flows.runs.processes import Process
from forge.flows.runs.records import AuditRecord, RunStatus
from forge.flows.upkeep.query_audit import audit_checks
from forge.model.errors import ForgeError
from forge.model.names import BranchName, RunId, TableName
from forge.model.schema import Schema
from forge.model.time import Clock
from forge.quality.check import Check, Context
from forge.quality.monitors.monitor import CheckResult, Monitor, MonitorRun, MonitorRunStatus, Trigger, status_of
from forge.quality.plan import check_ids
from forge.quality.spec import load_checks
from forge.quality.verdict import Outcome

BEAT_SECONDS = 15.0
_log = logging.getLogger("forge.quality")
_ENDS = {RunStatus.CANCELLED: MonitorRunStatus.CANCELLED, RunStatus.INTERRUPTED: MonitorRunStatus.INTERRUPTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePorts:
    """`checks` creates the ports of judging for a run of that id."""

    store: MonitorStore
    checks: Callable[[RunId, Callable[[StepEvent], None], Callable[[], RunStatus | None]], CheckPorts]
    observers: ObserverChain
    clock: Clock
    actor: str
    default_branch: BranchName
    process: Process


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A finished run. `judged` is None where nothing could be judged."""

    run: MonitorRun
    judged: JudgedTable | None
    results: tuple[CheckResult, ...]


def new_run(monitor: Monitor | None, dataset: str, trigger: Trigger, ports: JudgePorts, **fields: object) -> MonitorRun:
    """Queued, by this process. An unscheduled run is its own claim."""
    now = ports.clock()
    run_id = new_run_id(now)
    given: Mapping[str, object] = {"claim": run_id, **fields}
    process = ports.process
    return MonitorRun(
        id=run_id,
        monitor_id=monitor.id if monitor else None,
        dataset=dataset,
        trigger=trigger,
        status=MonitorRunStatus.QUEUED,
        queued_at=now,
        by=ports.actor,
        host=process.host,
        pid=process.pid,
        process_started=process.process_started,
        **given,  # type: ignore[arg-type]  # the caller's fields are those of MonitorRun
    )


def carry_out(
    monitor: Monitor,
    run: MonitorRun,
    ports: JudgePorts,
    notify: Callable[[StepEvent], None] = lambda event: None,
    stopped: Callable[[], RunStatus | None] = lambda: None,
) -> FinishedRun:
    """Executes a claimed run of a monitor. Failure to judge is also a result: not measured, with the reason."""
    table = monitor.table

    def judge(checks: CheckPorts) -> JudgedTable:
        own = load_checks(list(monitor.checks), table=table, where=monitor.file or f"monitor {monitor.id}")
        judged = judge_dataset(run.dataset, checks, checks=own or None, promises=True)
        if own and monitor.file is None:
            audit_checks(checks.metadata, ports.clock, run.by or ports.actor, f"monitor {monitor.id}", judged)
        if not judged.checks:
            raise nothing_to_judge(table)
        return judged

    return _carry_out(run, ports, judge, notify, stopped, monitor=monitor)


def judge_by_hand(
    dataset: str,
    ports: JudgePorts,
    *,
    checks: Sequence[Check] | None = None,
    at: str | None = None,
    since: str | None = None,
    whole: bool = True,
    notify: Callable[[StepEvent], None] = lambda event: None,
) -> FinishedRun:
    """Like a monitor run, for a person: results are stored and alerts move. Failure to judge is raised."""
    run = new_run(None, dataset, Trigger.MANUAL, ports)
    quiet = ports.checks(RunId(run.id), notify, lambda: None)
    judged = judge_dataset(dataset, quiet, checks=checks, at=at, since=since, promises=True)
    ports.store.claim(run)
    return _keep(replace(run, started_at=run.queued_at), judged, ports, monitor=None, whole=whole and since is None)


def nothing_to_judge(table: TableName) -> ForgeError:
    return ForgeError(
        "E725",
        f"There are no checks of {table}",
        why="The monitor has none of its own, and the project has none for this table.",
        fix=f"Give the monitor checks, or write some for the table; `forge quality suggest {table}` proposes them.",
    )


def _carry_out(
    run: MonitorRun,
    ports: JudgePorts,
    judge: Callable[[CheckPorts], JudgedTable],
    notify: Callable[[StepEvent], None],
    stopped: Callable[[], RunStatus | None],
    *,
    monitor: Monitor,
) -> FinishedRun:
    begun = replace(run, status=MonitorRunStatus.RUNNING, started_at=ports.clock())
    ports.store.save(begun)
    table = monitor.table
    notify(StepEvent(RunId(run.id), table, "started"))
    with _beating(ports, begun.id):
        try:
            judged, error = _try(lambda: judge(ports.checks(RunId(begun.id), notify, stopped)))
        except KeyboardInterrupt:
            end_run(begun, MonitorRunStatus.CANCELLED, ports, None)
            raise
        end = stopped()
        if end is not None:
            return end_run(begun, _ENDS.get(end, MonitorRunStatus.CANCELLED), ports, None)
        if judged is None:
            assert error is not None
            notify(StepEvent(RunId(run.id), table, "failed", error.what))
            judged = _unmeasured(monitor, error, ports)
            if judged is None:
                return end_run(begun, MonitorRunStatus.NOT_MEASURED, ports, error)
        else:
            notify(StepEvent(RunId(run.id), table, "checked", _in_words(judged)))
        done = _keep(begun, judged, ports, monitor=monitor, error=error)
        notify(StepEvent(RunId(run.id), table, str(done.run.status), "; ".join(done.run.notes)))
        return done


def _try(act: Callable[[], JudgedTable]) -> tuple[JudgedTable | None, ForgeError | None]:
    try:
        return act(), None
    except ForgeError as error:
        return None, error
    except Exception as error:  # in the record, with the trace in the log
        _log.exception("a dataset could not be judged")
        return None, ForgeError("E000", f"{type(error).__name__}: {error}", fix="The log has more.")


def _unmeasured(monitor: Monitor, error: ForgeError, ports: JudgePorts) -> JudgedTable | None:
    """Each check of the monitor as not measured, with the reason. None where the checks cannot be read either."""
    table, now = monitor.table, ports.clock()
    try:
        checks = load_checks(list(monitor.checks), table=table, where=f"monitor {monitor.id}")
        if not checks:
            quiet = ports.checks(RunId(""), lambda event: None, lambda: None)
            project = quiet.project()
            checks = (*project.checks.get(table, ()), *project.promises.get(table, ()))
    except ForgeError:
        return None
    if not checks:
        return None
    context, why = Context(table, Schema(()), now), f"{error.what} ({error.code})"
    named = zip(checks, check_ids(checks, table), strict=True)
    verdicts = tuple(replace(check.not_measured(why, context), check_id=id_) for check, id_ in named)
    branch = monitor.branch or ports.default_branch
    return JudgedTable(
        table=table,
        branch=branch,
        commit_id=None,
        snapshot_id=None,
        schema=Schema(()),
        checks=tuple(checks),
        verdicts=verdicts,
        readings={},
        executed_at=now,
    )


def _keep(
    run: MonitorRun,
    judged: JudgedTable,
    ports: JudgePorts,
    *,
    monitor: Monitor | None,
    error: ForgeError | None = None,
    whole: bool = True,
) -> FinishedRun:
    outcomes = [verdict.outcome for verdict in judged.verdicts]
    ended = replace(
        run,
        status=status_of([(verdict.outcome, verdict.severity) for verdict in judged.verdicts]),
        finished_at=ports.clock(),
        branch=judged.branch,
        commit_id=judged.commit_id,
        snapshot_id=judged.snapshot_id,
        passed=outcomes.count(Outcome.PASSED),
        failed=outcomes.count(Outcome.FAILED),
        not_measured=outcomes.count(Outcome.NOT_MEASURED),
        error=error.to_dict() if error else None,
    )
    if error is not None:
        ended = replace(ended, status=MonitorRunStatus.NOT_MEASURED)
    results = results_of(judged, monitor_run_id=run.id, monitor_id=monitor.id if monitor else None)
    if not ports.store.finish(ended, results, _note(ended, ports)):
        return FinishedRun(ports.store.run(run.id) or ended, judged, ())  # it was ended by someone else meanwhile
    notes = ports.observers.notify(JudgementEvent(judged, results, monitor, run.id, whole))
    if notes:
        ports.store.remark(run.id, notes)
    return FinishedRun(replace(ended, notes=notes), judged, results)


def end_run(run: MonitorRun, status: MonitorRunStatus, ports: JudgePorts, error: ForgeError | None) -> FinishedRun:
    """Ends a run without verdicts."""
    ended = replace(run, status=status, finished_at=ports.clock(), error=error.to_dict() if error else None)
    ports.store.finish(ended, (), _note(ended, ports))
    return FinishedRun(ended, None, ())


def _note(run: MonitorRun, ports: JudgePorts) -> AuditRecord:
    counts = {"passed": run.passed, "failed": run.failed, "not_measured": run.not_measured}
    detail = {"dataset": run.dataset, "status": run.status.value, **counts}
    return AuditRecord(ports.clock(), run.by, "quality.judge", run.monitor_id or run.id, detail)


def _in_words(judged: JudgedTable) -> str:
    outcomes = [verdict.outcome for verdict in judged.verdicts]
    counts = (f"{outcomes.count(outcome)} {outcome}" for outcome in Outcome if outcome in outcomes)
    return ", ".join(counts)


@contextmanager
def _beating(ports: JudgePorts, run_id: str) -> Iterator[None]:
    """Heartbeat while it works: a server on another host cannot see whether the process lives."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(BEAT_SECONDS):
            try:
                ports.store.beat((run_id,), ports.clock())
            except ForgeError as error:
                _log.warning("run %s could not give a sign: %s", run_id, error)

    thread = threading.Thread(target=beat, name=f"forge-beat-{run_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
