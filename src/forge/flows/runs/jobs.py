"""Jobs: long work of the server, as rows that outlive the process. The id of a job that runs transforms is the id of
its run."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Literal, Protocol

from forge.flows.runs.build import StepEvent
from forge.flows.runs.engine import JobProgress
from forge.flows.runs.id import new_run_id
from forge.flows.runs.processes import Process, is_alive, this_process
from forge.flows.runs.records import OutputStatus, RunStatus
from forge.model.errors import CancellationError, ForgeError
from forge.model.time import Clock

LOOK_SECONDS = 0.5  # how often Spark is asked where it is
TIDY_SECONDS = 10.0  # how often to look for runs of dead processes
RETRY_SECONDS = 1.0
STOP_SECONDS = 5.0
ENDS = frozenset(str(status) for status in OutputStatus)  # the last word about a table
_log = logging.getLogger("forge.jobs")


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


OPEN = (JobStatus.QUEUED, JobStatus.RUNNING)


@dataclass(frozen=True, slots=True)
class JobEvent:
    at: datetime
    table: str | None
    step: str
    detail: str = ""


ReadKind = Literal["query", "diff", "blame", "compare", "verify"]  # what changes nothing
WriteKind = Literal["commit", "merge", "revert", "cherry-pick", "reset", "remediate", "scan", "profile"]
JobKind = Literal["run", "monitor"] | WriteKind | ReadKind


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    id: str
    kind: JobKind
    status: JobStatus
    request: Mapping[str, object]
    created_at: datetime
    server: Process  # whose queue it is in
    started_at: datetime | None = None  # None: it never began
    finished_at: datetime | None = None
    tables: tuple[str, ...] = ()  # what it is going to make, in order
    events: tuple[JobEvent, ...] = ()


class JobStore(Protocol):
    """Every method is one transaction."""

    def add(self, job: JobRecord, *, limit: int | None, apart: frozenset[str] = frozenset()) -> bool:
        """False, and nothing written, where `limit` jobs of its server wait already. Jobs of kinds in `apart` and
        all others are counted separately."""

    def job(self, job_id: str) -> JobRecord | None: ...
    def jobs(
        self,
        *,
        ids: Sequence[str] | None = None,
        statuses: tuple[JobStatus, ...] = (),
        never_began: bool = False,
        limit: int = 50,
    ) -> tuple[JobRecord, ...]:
        """Newest first."""

    def save(self, job: JobRecord) -> None: ...


class JobHandler(Protocol):
    """Executes jobs. `cancel` and `progress` never raise and never start anything."""

    def plan(self, request: Mapping[str, object]) -> tuple[str, ...]:
        """The tables it would make, in order; raises everything that is wrong with the request."""

    def execute(
        self, job: JobRecord, notify: Callable[[StepEvent], None], stopped: Callable[[], RunStatus | None]
    ) -> None: ...
    def cancel(self, job_id: str) -> None: ...
    def progress(self, job_id: str, table: str) -> JobProgress: ...
    def settle(self, job: JobRecord, status: RunStatus, error: ForgeError) -> RunStatus:
        """How its run ended. A run without an end gets this one."""

    def never_began(self, job: JobRecord) -> None:
        """It was queued, and cancelled or interrupted before its turn."""

    def status_of(self, job_id: str) -> RunStatus | None: ...
    def repair(self, *, thorough: bool) -> None:
        """End the runs of dead processes, and drop their stages."""

    def not_ours(self, job_id: str, job: JobRecord | None) -> ForgeError:
        """Why it cannot be cancelled here."""


@dataclass(slots=True)
class _Live:
    """A job running here. `job` is replaced, never mutated, so that readers need no lock."""

    job: JobRecord
    stop: RunStatus | None = None
    progress: Mapping[str, JobProgress] = field(default_factory=dict)
    writing: threading.Lock = field(default_factory=threading.Lock)


class JobQueue:
    """A bounded queue of one server. Each of `workers` threads does one job after the other. Kinds in `apart` have a
    thread of their own: a check that is due does not wait behind a long run."""

    def __init__(
        self,
        store: JobStore,
        work: JobHandler,
        clock: Clock,
        *,
        limit: int = 20,
        workers: int = 1,
        apart: frozenset[str] = frozenset(),
        server: Process | None = None,
    ) -> None:
        self.store = store
        self.limit = limit
        self.server = server or this_process()
        self._work = work
        self._clock = clock
        self._workers = workers
        self._apart = apart
        self._waiting: tuple[JobRecord, ...] = ()
        self._live: dict[str, _Live] = {}
        self._cut_off: tuple[JobRecord, ...] = ()
        self._turn = threading.Condition()  # held to change what waits and what works, never to read it
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []

    # what a page shows; nothing here waits for a lock

    @property
    def running(self) -> tuple[str, ...]:
        return tuple(self._live)

    @property
    def queued(self) -> tuple[str, ...]:
        return tuple(job.id for job in self._waiting)

    @property
    def interrupted(self) -> tuple[str, ...]:
        """Jobs that the last stop interrupted and nobody has started again."""
        return tuple(job.id for job in self._cut_off)

    def position(self, job_id: str) -> int | None:
        """0: next."""
        queued = self.queued
        return queued.index(job_id) if job_id in queued else None

    def stopping(self, job_id: str) -> bool:
        live = self._live.get(job_id)
        return live is not None and live.stop is not None

    def progress(self, job_id: str) -> Mapping[str, JobProgress]:
        """Spark's progress, by table, of a job running here."""
        live = self._live.get(job_id)
        return live.progress if live else {}

    # what happens to it

    def start(self) -> None:
        """Jobs that a dead server left queued or running are marked as interrupted; none is started again."""
        self._tidy(thorough=True)
        newest = self.store.jobs(limit=self.limit + self._workers)
        self._cut_off = tuple(
            job for job in newest if job.status is JobStatus.INTERRUPTED and job.server == newest[0].server
        )
        for job in self._cut_off:
            _log_event(job, "was cut off by the last stop")
        lanes = [False] * self._workers + [True] * bool(self._apart)
        names = [*(f"forge-job-{number}" for number in range(len(lanes))), "forge-jobs"]
        targets: list[Callable[[], None]] = [*(partial(self._work_on, apart=lane) for lane in lanes), self._keep]
        self._threads = [
            threading.Thread(target=target, name=name, daemon=True) for target, name in zip(targets, names, strict=True)
        ]
        for thread in self._threads:
            thread.start()

    def submit(
        self, request: Mapping[str, object], kind: JobKind = "run", *, job_id: str | None = None, bounded: bool = True
    ) -> JobRecord:
        """Raises everything that is wrong with the request, and E906 where the queue is full; then nothing was
        written. `bounded` False: the caller limits the number itself."""
        tables = self._work.plan(request)
        now = self._clock()
        job = JobRecord(
            id=job_id or new_run_id(now),
            kind=kind,
            status=JobStatus.QUEUED,
            request=dict(request),
            created_at=now,
            server=self.server,
            tables=tables,
        )
        with self._turn:
            if self._stopping.is_set():
                raise ForgeError("E906", "The server is being stopped", fix="Try again once it is back.")
            if not self.store.add(job, limit=self.limit if bounded else None, apart=self._apart):
                raise ForgeError(
                    "E906",
                    f"{self.limit} runs wait already",
                    why="The queue takes no more. Nothing was queued.",
                    fix="Wait until some have ended, or cancel one that waits.",
                )
            self._waiting = (*self._waiting, job)
            self._cut_off = tuple(other for other in self._cut_off if dict(other.request) != dict(job.request))
            _log_event(job, "queued")  # before its turn can come
            self._turn.notify_all()
        return job

    def cancel(self, job_id: str) -> JobRecord:
        """A queued job never begins; a running one is interrupted. E907: it runs elsewhere. E909: it has ended."""
        with self._turn:
            waiting = next((job for job in self._waiting if job.id == job_id), None)
            if waiting is not None:
                gone = replace(waiting, status=JobStatus.CANCELLED, finished_at=self._clock())
                self.store.save(gone)
                self._waiting = tuple(job for job in self._waiting if job.id != job_id)
                self._work.never_began(gone)
                _log_event(gone, "ended", gone.status)
                return gone
            live = self._live.get(job_id)
            if live is not None:
                live.stop = live.stop or RunStatus.CANCELLED
        if live is None:
            raise self._work.not_ours(job_id, self.store.job(job_id))
        self._work.cancel(job_id)
        return live.job

    def stop(self, patience: float = STOP_SECONDS) -> None:
        """Running jobs are cancelled and recorded as interrupted, queued ones are interrupted, within a few seconds."""
        with self._turn:
            self._stopping.set()
            waiting, self._waiting = self._waiting, ()
            lives = tuple(self._live.values())
            for live in lives:
                live.stop = live.stop or RunStatus.INTERRUPTED
            self._turn.notify_all()
        for live in lives:
            self._work.cancel(live.job.id)
        for job in waiting:
            gone = replace(job, status=JobStatus.INTERRUPTED, finished_at=self._clock())
            self._try_save(gone)
            self._try(f"the end of job {job.id} is not recorded", partial(self._work.never_began, gone))
            _log_event(job, "ended", JobStatus.INTERRUPTED)
        deadline = time.monotonic() + patience
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        for live in tuple(self._live.values()):  # Spark did not release it: the process ends all the same
            _log.warning("job %s did not end in time", live.job.id)
            self._try(f"the end of job {live.job.id} is not recorded", partial(self._end, live, None))

    # threads

    def _work_on(self, *, apart: bool) -> None:
        while (live := self._next(apart=apart)) is not None:
            try:
                self._execute(live)
            except Exception:  # whatever one job does, the next gets its turn
                _log.exception("job %s", live.job.id)
            finally:
                with self._turn:
                    self._live = {key: other for key, other in self._live.items() if other is not live}

    def _next(self, *, apart: bool) -> _Live | None:
        with self._turn:
            while True:
                if self._stopping.is_set():
                    return None
                job = next((one for one in self._waiting if (one.kind in self._apart) == apart), None)
                if job is not None:
                    break
                self._turn.wait()
            live = _Live(job)
            self._live = {**self._live, job.id: live}
            self._waiting = tuple(other for other in self._waiting if other is not job)
            return live

    def _execute(self, live: _Live) -> None:
        live.job = replace(live.job, status=JobStatus.RUNNING, started_at=self._clock())
        self._until_it_works(lambda: self.store.save(live.job))
        _log_event(live.job, "started")
        failure: ForgeError | None = None
        try:
            self._work.execute(live.job, lambda event: self._note(live, event), lambda: live.stop)
        except ForgeError as error:
            failure = error
        except Exception as error:
            _log.exception("job %s", live.job.id)
            failure = ForgeError("E000", f"{type(error).__name__}: {error}", fix="The server's log has more.")
        self._until_it_works(lambda: self._end(live, failure))

    def _end(self, live: _Live, failure: ForgeError | None) -> None:
        why = failure or CancellationError(
            "The run was stopped", why="Nothing of it was published.", fix="Run it again."
        )
        ended = self._work.settle(live.job, live.stop or RunStatus.FAILED, why)
        with live.writing:
            live.job = replace(live.job, status=_job_status(ended), finished_at=self._clock())
            self.store.save(live.job)
        _log_event(live.job, "ended", ended)

    def _note(self, live: _Live, event: StepEvent) -> None:
        """Stored at once, so that a page reload shows it. A run does not fail because its progress cannot be
        written: the next event writes all of them."""
        entry = JobEvent(self._clock(), str(event.table) if event.table else None, event.step, event.detail)
        with live.writing:
            live.job = replace(live.job, events=(*live.job.events, entry))
            self._try_save(live.job)

    def _until_it_works(self, act: Callable[[], None]) -> None:
        """A database that is locked or away for a while must not leave a job without its state."""
        while True:
            try:
                return act()
            except ForgeError as error:
                if self._stopping.is_set():
                    raise
                _log.warning("%s; trying again", error)
            self._stopping.wait(RETRY_SECONDS)

    def _try(self, otherwise: str, act: Callable[[], None]) -> None:
        try:
            act()
        except ForgeError as error:
            _log.warning("%s: %s", otherwise, error)

    def _try_save(self, job: JobRecord) -> None:
        self._try(f"job {job.id} is not written", lambda: self.store.save(job))

    def _keep(self) -> None:
        tidied = time.monotonic()
        while not self._stopping.wait(LOOK_SECONDS):
            for live in tuple(self._live.values()):
                if live.stop is not None:
                    self._work.cancel(live.job.id)  # again: a Spark job may have begun after the first time
                else:
                    seen = {t: self._work.progress(live.job.id, t) for t in _at_work(live.job)}
                    live.progress = {**live.progress, **seen}
            if time.monotonic() - tidied > TIDY_SECONDS:
                tidied = time.monotonic()
                self._try("the jobs of other servers could not be read", lambda: self._tidy(thorough=False))

    def _tidy(self, *, thorough: bool) -> None:
        """Jobs of dead servers. Those of live servers, here or elsewhere, are left alone."""
        try:
            self._work.repair(thorough=thorough)
        except Exception as error:  # a catalog that is away must not keep the server from starting
            _log.warning("what runs left behind could not be put in order yet: %s", error)
        for job in self.store.jobs(statuses=OPEN, limit=10_000):
            if job.server == self.server or is_alive(job.server):
                continue
            status = self._work.status_of(job.id)
            ended = JobStatus.INTERRUPTED if status in (None, RunStatus.RUNNING) else _job_status(status)
            began = job.started_at if status is not None else None
            self.store.save(replace(job, status=ended, started_at=began, finished_at=self._clock()))


def _log_event(job: JobRecord, what: str, status: str | None = None) -> None:
    facts: dict[str, object] = {"run_id": job.id, "event": what, "branch": job.request.get("branch")}
    if status is not None:
        facts["status"] = str(status)
    _log.info("%s %s %s%s", job.kind, job.id, what, f": {status}" if status else "", extra={"facts": facts})


def _job_status(status: RunStatus | None) -> JobStatus:
    match status:
        case RunStatus.CANCELLED:
            return JobStatus.CANCELLED
        case RunStatus.INTERRUPTED:
            return JobStatus.INTERRUPTED
        case _:
            return JobStatus.DONE


def last_steps(job: JobRecord) -> dict[str, JobEvent | None]:
    """The newest event of each table; None where it is pending. In the order of the plan."""
    steps: dict[str, JobEvent | None] = dict.fromkeys(job.tables)
    for event in job.events:
        if event.table is not None:
            steps[event.table] = event
    return steps


def _at_work(job: JobRecord) -> tuple[str, ...]:
    return tuple(table for table, event in last_steps(job).items() if event is not None and event.step not in ENDS)
