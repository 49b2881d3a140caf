"""The scheduler of a server: which monitors are due, and which server runs them.

Any number of servers may share the schedules. Each due time, and each new version of a table, is a claim: one row in
the database, and whoever inserts it makes the run. Due times are derived from records alone, so that a restart loses
nothing."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from forge.flows.ports import Metadata
from forge.flows.quality.monitors.run import JudgePorts, end_run, new_run
from forge.flows.quality.monitors.store import MonitorStore
from forge.flows.runs.processes import Process, is_alive
from forge.model.errors import CancellationError, ForgeError
from forge.model.names import BranchName, CommitId
from forge.quality.monitors.monitor import (
    OPEN,
    SETTLED,
    MissedPolicy,
    Monitor,
    MonitorRun,
    MonitorRunStatus,
    ScheduleType,
    Trigger,
    state_of,
)
from forge.quality.monitors.schedule import LATE, due_now, next_due, since_of
from forge.versioning.commit import Tree

SILENT = timedelta(seconds=120)  # a run on another host that gave no sign for so long has died
_AGAIN = " again"
_AFTER = " after "
_log = logging.getLogger("forge.scheduler")


@dataclass(frozen=True, slots=True)
class RunClaim:
    """A run to make, or (`skip`) a due time that is only recorded."""

    text: str
    trigger: Trigger
    due: datetime | None = None
    skip: str | None = None
    notes: tuple[str, ...] = ()


def claim_by_time(monitor: Monitor, last: MonitorRun | None, now: datetime, *, is_open: bool) -> RunClaim | None:
    """The claim of a cron or interval schedule now; `last`: the newest run that the schedule made."""
    schedule = monitor.schedule
    assert schedule is not None
    anchor = monitor.created_at or now
    start = monitor.scheduled_from or anchor
    due = due_now(schedule, anchor, since_of(start, last.due if last else None), now)
    if due is None:
        return _once_more(schedule.missed, last, now)
    text = due.at.isoformat()
    if not due.run:
        skip = f"{_times(due.missed)} passed while no server kept the schedule"
        return RunClaim(text, Trigger.SCHEDULE, due.at, skip=skip)
    if is_open:
        return RunClaim(text, Trigger.SCHEDULE, due.at, skip="the run before it had not ended")
    notes = (f"{_times(due.missed)} passed before it while no server kept the schedule",) if due.missed else ()
    return RunClaim(text, Trigger.SCHEDULE, due.at, notes=notes)


def _times(number: int) -> str:
    return "1 due time" if number == 1 else f"{number} due times"


def _once_more(missed: MissedPolicy, last: MonitorRun | None, now: datetime) -> RunClaim | None:
    """A run whose process died is retried once, unless it is too late."""
    if last is None or last.due is None or last.status is not MonitorRunStatus.INTERRUPTED:
        return None
    if last.claim.endswith(_AGAIN) or (missed is MissedPolicy.SKIP and now - last.due > LATE):
        return None
    notes = (f"run {last.id} was cut off",)
    return RunClaim(last.due.isoformat() + _AGAIN, Trigger.SCHEDULE, last.due, notes=notes)


def claim_by_change(version: str | None, last: MonitorRun | None, *, is_open: bool) -> RunClaim | None:
    """`version`: the table's current one. A version that returns is also a change: the claim names the run before."""
    if version is None or is_open:
        return None
    before = last.id if last else "nothing"
    if last is not None and version == _judged_by(last):
        gave_up = _AGAIN + _AFTER in last.claim
        if last.status is not MonitorRunStatus.INTERRUPTED or gave_up:
            return None
        return RunClaim(f"{version}{_AGAIN}{_AFTER}{before}", Trigger.CHANGE, notes=(f"run {last.id} was cut off",))
    return RunClaim(f"{version}{_AFTER}{before}", Trigger.CHANGE)


def _judged_by(run: MonitorRun) -> str:
    """The version it judged, which may be newer than the claimed one."""
    if run.snapshot_id is not None:
        return str(run.snapshot_id)
    return run.claim.partition(_AFTER)[0].removesuffix(_AGAIN)


def next_run_at(monitor: Monitor, now: datetime) -> datetime | None:
    """None: paused, by hand, or when the table changes."""
    if monitor.schedule is None or not monitor.enabled or monitor.removed_at is not None:
        return None
    return next_due(monitor.schedule, monitor.created_at or now, now)


@dataclass(frozen=True, slots=True)
class MonitorStatus:
    """A monitor, its newest run, and where that is unfinished, the newest finished one."""

    monitor: Monitor
    newest: MonitorRun | None
    settled: MonitorRun | None
    now: datetime

    def to_dict(self) -> dict[str, object]:
        return {
            **self.monitor.to_dict(),
            "state": state_of(self.monitor, self.settled),
            "last_run": self.newest.to_dict() if self.newest else None,
            "next_run_at": next_run_at(self.monitor, self.now),
        }


def monitor_statuses(monitors: Sequence[Monitor], store: MonitorStore, now: datetime) -> tuple[MonitorStatus, ...]:
    ids = [monitor.id for monitor in monitors if monitor.id]
    newest, settled = store.newest(ids), store.newest(ids, statuses=SETTLED)
    return tuple(MonitorStatus(one, newest.get(one.id), settled.get(one.id), now) for one in monitors)


class Scheduler:
    """`submit` queues a claimed run; `waiting`: queued runs of this process; `sync` reads changed files."""

    def __init__(
        self,
        ports: JudgePorts,
        metadata: Metadata,
        submit: Callable[[Monitor, MonitorRun], object],
        *,
        waiting: Callable[[], Sequence[str]] = tuple,
        sync: Callable[[], object] = lambda: None,
        every: float = 5.0,
    ) -> None:
        self._ports = ports
        self._metadata = metadata
        self._submit = submit
        self._waiting = waiting
        self._sync = sync
        self._every = every
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._trees: dict[CommitId, Tree] = {}

    def start(self) -> None:
        self._thread = threading.Thread(target=self._keep, name="forge-scheduler", daemon=True)
        self._thread.start()

    def stop(self, patience: float = 5.0) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(patience)

    def _keep(self) -> None:
        while True:
            try:
                self.tick()
            except ForgeError as error:  # a database that is away now is back at the next tick
                _log.warning("the schedules could not be looked at: %s", error)
            except Exception:
                _log.exception("the schedules could not be looked at")
            if self._stopping.wait(self._every):
                return

    def tick(self) -> tuple[MonitorRun, ...]:
        """Claims everything due now; returns the claimed runs."""
        self._take_in()
        now = self._ports.clock()
        self._give_signs(now)
        end_dead_runs(self._ports)
        monitors = tuple(one for one in self._ports.store.monitors(enabled=True) if one.schedule is not None)
        if not monitors:
            return ()
        store, ids = self._ports.store, [monitor.id for monitor in monitors]
        by_time, by_change = store.newest(ids, (Trigger.SCHEDULE,)), store.newest(ids, (Trigger.CHANGE,))
        busy = {run.monitor_id for run in store.runs(statuses=OPEN, limit=100_000)}
        made: list[MonitorRun] = []
        for monitor in monitors:
            if self._stopping.is_set():
                break
            last = (by_change if _by_change(monitor) else by_time).get(monitor.id)
            made += self._look_at(monitor, last, now, is_open=monitor.id in busy)
        return tuple(made)

    def _take_in(self) -> None:
        """Unreadable files stop no schedule."""
        try:
            self._sync()
        except ForgeError as error:
            _log.warning("files of monitors could not be taken in: %s", error)
        except Exception:
            _log.exception("files of monitors could not be taken in")

    def _look_at(
        self, monitor: Monitor, last: MonitorRun | None, now: datetime, *, is_open: bool
    ) -> tuple[MonitorRun, ...]:
        """Errors of one monitor are logged and stop no other."""
        try:
            claim = self._claim(monitor, last, now, is_open=is_open)
            return self._make(monitor, claim) if claim is not None else ()
        except ForgeError as error:
            _log.warning("monitor %s could not be looked at: %s", monitor.id, error)
        except Exception:
            _log.exception("monitor %s could not be looked at", monitor.id)
        return ()

    def _claim(self, monitor: Monitor, last: MonitorRun | None, now: datetime, *, is_open: bool) -> RunClaim | None:
        if _by_change(monitor):
            return claim_by_change(self._version(monitor), last, is_open=is_open)
        return claim_by_time(monitor, last, now, is_open=is_open)

    def _make(self, monitor: Monitor, claim: RunClaim) -> tuple[MonitorRun, ...]:
        ports = self._ports
        run = new_run(
            monitor, monitor.dataset, claim.trigger, ports, claim=claim.text, due=claim.due, notes=claim.notes
        )
        run = replace(run, by="schedule")
        if not ports.store.claim(run):
            return ()  # another server was first
        if claim.skip is not None:
            end_run(replace(run, notes=(claim.skip,)), MonitorRunStatus.SKIPPED, ports, None)
            _log.info("monitor %s, due %s: %s", monitor.id, claim.due, claim.skip)
            return ()
        try:
            self._submit(monitor, run)
        except ForgeError as error:  # in its record already
            _log.warning("monitor %s: %s", monitor.id, error)
            return ()
        except Exception as error:  # no one else knows of the run: left open it would block all later ones
            fault = ForgeError("E000", f"{type(error).__name__}: {error}", fix="The log has more.")
            end_run(run, MonitorRunStatus.NOT_MEASURED, ports, fault)
            raise
        return (run,)

    def _version(self, monitor: Monitor) -> str | None:
        """The table's current version as a claim; None where there is no table."""
        name: BranchName = monitor.branch or self._ports.default_branch
        branch = self._metadata.branch(name)
        if branch is None or branch.head is None:
            return None
        if branch.head not in self._trees:
            self._trees = {**dict(list(self._trees.items())[-20:]), branch.head: self._metadata.tree(branch.head)}
        version = self._trees[branch.head].get(monitor.table)
        if version is None:
            return None
        return str(version.snapshot_id if version.snapshot_id is not None else version.metadata_location)

    def _give_signs(self, now: datetime) -> None:
        waiting = self._waiting()
        if waiting:
            self._ports.store.beat(waiting, now)


def end_dead_runs(ports: JudgePorts) -> tuple[MonitorRun, ...]:
    """Ends runs whose process died: on this host detected at once, on another by missing heartbeats."""
    here = ports.process.host
    dead = [(run, "its process died") for run in ports.store.runs(statuses=OPEN, limit=10_000) if _died(run, ports)]
    dead += [
        (run, f"its server {run.host} gave no sign any more")
        for run in ports.store.silent(ports.clock() - SILENT)
        if run.host != here
    ]
    for run, why in dead:
        error = CancellationError("The run was cut off", where=f"{run.host}, process {run.pid}", why=why)
        end_run(run, MonitorRunStatus.INTERRUPTED, ports, error)
    return tuple(run for run, _ in dead)


def _died(run: MonitorRun, ports: JudgePorts) -> bool:
    process = Process(run.host, run.pid, run.process_started)
    return process.host == ports.process.host and process != ports.process and not is_alive(process)


def _by_change(monitor: Monitor) -> bool:
    return monitor.schedule is not None and monitor.schedule.type is ScheduleType.ON_CHANGE
