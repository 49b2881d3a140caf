"""Work of requests that may take long: it is waited for a while, and goes on as a run when that is over.

What changes nothing (`read_limits.KINDS`) has threads of its own, which tokens take turns at, and limits: so no reader
blocks another reader or a write.

What a run leaves behind is recorded by the work itself; before that begins, and of work that leaves no record, it
remembers it. Jobs that nobody waits for, that outlive a restart and go one after the other are those of
`flows.runs.jobs.JobQueue`: one queue is in the records, the other in the requests. Writes have a pool whose threads the
process waits for at its end, reads one whose threads it leaves."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from starlette.responses import JSONResponse, Response

from forge.api.auth import Principal
from forge.api.fair_queue import FairPool
from forge.api.preemption import Preemption, RunningRead
from forge.api.read_limits import KINDS, ReadLimits, shortened
from forge.api.runs.wire.runs import RunTicket
from forge.api.wire import Wire
from forge.flows.runs.build import StepEvent
from forge.flows.runs.engine import Engine, StarvedJobs
from forge.flows.runs.id import new_run_id
from forge.flows.runs.jobs import JobEvent, JobKind, JobRecord, JobStatus
from forge.flows.runs.processes import this_process
from forge.flows.runs.records import RunStatus
from forge.flows.upkeep.access import TokenScope
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.tables import RowOperations
from forge.model.errors import CancellationError, ForgeError
from forge.model.names import RunId
from forge.versioning.commit import Author
from forge.wiring import Wiring

T = TypeVar("T")
PATIENCE = 20.0  # seconds that a request waits
WORKERS, LIMIT = 4, 40
REMEMBERED = 200  # pieces of work that have ended
SHARED_SECONDS = 120.0  # how long what was found stays, for those who ask again for what took too long
STOP_SECONDS = 5.0
LOOK_SECONDS = 0.25  # how often it is asked whether who waits is still there
WATCH_SECONDS = 1.0  # how often to check whether writes wait for cores
_log = logging.getLogger("forge.executor")


@dataclass(frozen=True, slots=True)
class PendingTask:
    """The work takes longer than the request may wait."""

    run_id: str
    kind: JobKind


@dataclass(slots=True, kw_only=True)
class Task:
    """`job` is replaced, never mutated, so that readers need no lock."""

    job: JobRecord
    user: str
    scope: TokenScope = TokenScope.WRITE  # of who asked
    owner: str = ""  # whose limits count
    waiters: int = 0  # requests that wait for it
    reason: ForgeError | None = None  # why it was stopped, where nobody cancelled it
    stop: RunStatus | None = None
    on_stop: Callable[[], None] = lambda: None
    began: float | None = None  # on the clock that only goes forward
    was_long: bool = False  # a client was asked to retry
    failure: ForgeError | None = None
    ended_at: float = math.inf  # on the clock that only goes forward
    future: Future[Any] = field(default_factory=Future)

    @property
    def is_over(self) -> bool:
        return self.ended_at < math.inf

    @property
    def is_read(self) -> bool:
        return self.job.kind in KINDS

    def shows_text(self, caller: Principal | None) -> bool:
        """What a read asks is for who asked, and for who may cancel it. `caller`: None stands for anyone."""
        if not self.is_read:
            return True
        return caller is not None and (caller.user == self.user or caller.scope is TokenScope.WRITE)

    def shows_failure(self, caller: Principal | None) -> bool:
        """It may name the place of a source and hold values: it was worded for who asked, by the scope of his token."""
        if not self.is_read:
            return True
        return caller is not None and caller.user == self.user and caller.scope in (self.scope, TokenScope.WRITE)


class RequestExecutor:
    def __init__(
        self,
        wiring: Wiring,
        *,
        patience: float = PATIENCE,
        workers: int = WORKERS,
        limit: int = LIMIT,
        limits: ReadLimits | None = None,
    ) -> None:
        self.patience = patience
        self._wiring = wiring
        self._limit = limit
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="forge-executor")
        self.limits = limits or ReadLimits.of(wiring.settings)
        self._reads = FairPool(self.limits.at_once, self.limits.per_token, "forge-read")
        self._watch: threading.Thread | None = None
        self._tasks: dict[str, Task] = {}
        self._shared: dict[Hashable, Task] = {}
        self._lock = threading.Lock()
        self._stopping = False

    def do(
        self,
        kind: JobKind,
        work: Callable[[VersionPorts], T],
        principal: Principal,
        *,
        branch: str = "",
        text: str = "",
        share: Hashable | None = None,
        after: Callable[[], None] = lambda: None,
        on_stop: Callable[[], None] = lambda: None,
    ) -> T | PendingTask:
        """The result or error of the work, or that it continues. Callers with the same `share` key wait for the same
        work; a result that came too late is kept for those who ask again. `after` is called once, when the work has
        ended or was never started; `on_stop` where it is stopped, to end what the engine does not know of. `text`
        describes the work in listings. A read that nobody waits for is cancelled."""
        task = self._accept(kind, work, principal, (branch, shortened(text)), share, after, on_stop)
        try:
            found: T = self._wait(task, principal)
            return found
        except NotYet:
            if task.future.done():  # the work itself raised a timeout
                raise
            task.was_long = True
            return PendingTask(task.job.id, kind)
        finally:
            with self._lock:
                task.waiters -= 1

    def start(
        self, kind: JobKind, work: Callable[[VersionPorts], T], principal: Principal, *, text: str, share: Hashable
    ) -> PendingTask:
        """Work that nobody waits for; while it goes on, who starts the same gets the same."""
        task = self._accept(kind, work, principal, ("", shortened(text)), share, lambda: None)
        with self._lock:
            task.waiters -= 1
        return PendingTask(task.job.id, kind)

    def _wait(self, task: Task, principal: Principal) -> Any:
        deadline = time.monotonic() + self.patience
        while True:
            left = deadline - time.monotonic()
            try:
                return task.future.result(min(LOOK_SECONDS, left) if left > 0 else 0)
            except NotYet:
                if left <= 0 or task.future.done():
                    raise
            if task.is_read and task.waiters == 1 and not task.was_long and principal.gone():
                self._stop_one(task, RunStatus.CANCELLED)

    def _accept(
        self,
        kind: JobKind,
        work: Callable[[VersionPorts], T],
        principal: Principal,
        target: tuple[str, str],
        share: Hashable | None,
        after: Callable[[], None],
        on_stop: Callable[[], None] = lambda: None,
    ) -> Task:
        now = self._wiring.clock()
        request = {"branch": target[0], **({"text": target[1]} if target[1] else {})}
        job = JobRecord(
            id=new_run_id(now),
            kind=kind,
            status=JobStatus.QUEUED,
            request=request,
            created_at=now,
            server=this_process(),
        )
        task = Task(job=job, user=principal.user, scope=principal.scope, owner=principal.owner, on_stop=on_stop)
        author = Author(principal.user, principal.user)
        with self._lock:
            known = self._same(share)
            if known is None:
                try:
                    self._refuse_more(task)
                    if task.is_read:
                        self._watch_cores()
                        task.future = self._reads.submit(task.owner, partial(self._work_on, task, work, author, after))
                    else:
                        task.future = self._pool.submit(self._work_on, task, work, author, after)
                except BaseException:
                    after()
                    raise
                self._tasks = {**self._forget(), job.id: task}
                if share is not None:
                    self._shared[share] = task
            (known or task).waiters += 1
        if known is not None:
            after()
        return known or task

    def _same(self, share: Hashable | None) -> Task | None:
        old = time.monotonic() - SHARED_SECONDS
        self._shared = {key: task for key, task in self._shared.items() if task.ended_at > old}
        known = self._shared.get(share) if share is not None else None
        if known is None or known.stop is not None or known.failure is not None:
            return None
        return known if known.was_long or not known.is_over else None

    def _refuse_more(self, new: Task) -> None:
        if self._stopping:
            raise ForgeError("E906", "The server is being stopped", fix="Try again once it is back.")
        if new.is_read:
            alive = sum(task.owner == new.owner for task in self.reads())
            if alive >= self.limits.per_token + self.limits.waiting:
                raise self.limits.too_many()
            return
        if sum(not task.is_over and not task.is_read for task in self._tasks.values()) >= self._limit:
            raise ForgeError(
                "E906", f"{self._limit} requests are being worked on", why="Nothing was begun.", fix="Try again later."
            )

    def _forget(self) -> dict[str, Task]:
        over = [key for key, task in self._tasks.items() if task.is_over]
        gone = set(over[: max(0, len(over) - REMEMBERED)])
        return {key: task for key, task in self._tasks.items() if key not in gone}

    def _work_on(self, task: Task, work: Callable[[VersionPorts], T], author: Author, after: Callable[[], None]) -> T:
        try:
            if task.stop is not None:
                raise CancellationError("It was cancelled before it began", fix="Try again.")
            task.job = replace(task.job, status=JobStatus.RUNNING, started_at=self._wiring.clock())
            task.began = time.monotonic()
            with self._limited(task):
                return work(self._ports(task, author))
        except ForgeError as error:
            task.failure = task.reason or error
            if task.reason is not None:
                raise task.reason from error
            raise
        except Exception as error:
            _log.exception("%s %s", task.job.kind, task.job.id)
            task.failure = ForgeError("E000", f"{type(error).__name__}: {error}", fix="The server's log has more.")
            raise
        finally:
            after()
            ended = JobStatus.CANCELLED if task.stop and task.failure else JobStatus.DONE
            task.job = replace(task.job, status=ended, finished_at=self._wiring.clock())
            task.ended_at = time.monotonic()

    def _ports(self, task: Task, author: Author) -> VersionPorts:
        run_id = RunId(task.job.id)
        ports = self._wiring.versioning.ports(
            lambda event: self._note(task, event), author=author, run_id=run_id, stopped=lambda: task.stop
        )
        if not task.is_read:
            return ports
        wiring = self._wiring

        def engine() -> Engine:
            wiring.engine.begin_read(run_id)
            return wiring.engine

        def large() -> RowOperations:
            engine()
            return ports.large()

        return replace(ports, engine=engine, large=large)

    @contextmanager
    def _limited(self, task: Task) -> Iterator[None]:
        """A read is stopped when its time limit is over."""
        if not task.is_read:
            yield
            return
        late = (task, RunStatus.CANCELLED, self.limits.too_long())
        clock = threading.Timer(self.limits.seconds, self._stop_one, late)
        clock.daemon = True
        clock.start()
        try:
            yield
        finally:
            clock.cancel()
            if "engine" in self._wiring.__dict__:
                self._wiring.engine.end()

    def _watch_cores(self) -> None:
        """While reads run, one thread checks whether they starve other work of cores."""
        if self._watch is None:
            self._watch = threading.Thread(target=self._give_way, name="forge-cores", daemon=True)
            self._watch.start()

    def _give_way(self) -> None:
        preemption = Preemption()
        while not self._stopping:
            time.sleep(WATCH_SECONDS)
            alive = {RunId(task.job.id): task for task in self.reads() if task.began is not None}
            starved = StarvedJobs()
            if alive and "engine" in self._wiring.__dict__:
                starved = self._wiring.engine.find_starved(alive)
            running = (RunningRead(i, t.owner, t.began) for i, t in alive.items() if t.began and t.stop is None)
            found = preemption.choose(running, starved, time.monotonic())
            if found is not None:
                self._stop_one(alive[found.id], RunStatus.CANCELLED, self.limits.gave_way(found.by))
            with self._lock:
                if not self.reads():
                    self._watch = None
                    return

    def _note(self, task: Task, event: StepEvent) -> None:
        entry = JobEvent(self._wiring.clock(), str(event.table) if event.table else None, event.step, event.detail)
        task.job = replace(task.job, events=(*task.job.events, entry))

    # what a page shows

    def reads(self) -> tuple[Task, ...]:
        """Reads that run or wait."""
        return tuple(task for task in self._tasks.values() if task.is_read and not task.is_over)

    def known_reads(self) -> tuple[Task, ...]:
        """Those, and ended reads whose id was given to a client or that were stopped."""
        return tuple(t for t in self._tasks.values() if t.is_read and (not t.is_over or t.was_long or t.stop))

    def task(self, run_id: str) -> Task | None:
        return self._tasks.get(run_id)

    def can_cancel(self, run_id: str) -> bool:
        task = self._tasks.get(run_id)
        return task is not None and not task.is_over and task.stop is None

    def stopping(self, run_id: str) -> bool:
        task = self._tasks.get(run_id)
        return task is not None and not task.is_over and task.stop is not None

    # what happens to it

    def cancel(self, run_id: str) -> bool:
        """False: no such work here."""
        task = self._tasks.get(run_id)
        if task is None or task.is_over:
            return False
        self._stop_one(task, RunStatus.CANCELLED)
        return True

    def _stop_one(self, task: Task, status: RunStatus, reason: ForgeError | None = None) -> None:
        if task.is_over:
            return
        task.reason = task.reason or (reason if task.stop is None else None)
        task.stop = task.stop or status
        if task.is_read and self._reads.end_now(task.future):
            return
        task.on_stop()
        if "engine" in self._wiring.__dict__:  # one that was never asked for has nothing to stop
            self._wiring.engine.cancel(RunId(task.job.id))

    def stop(self, patience: float = STOP_SECONDS) -> None:
        """Stop all work; what does not end in time is left to `forge repair`."""
        with self._lock:
            self._stopping = True
        alive = [task for task in self._tasks.values() if not task.is_over]
        for task in alive:
            self._stop_one(task, RunStatus.INTERRUPTED)
        self._pool.shutdown(wait=False, cancel_futures=False)  # queued tasks end by themselves, at their first check
        deadline = time.monotonic() + patience
        while any(not task.is_over for task in alive) and time.monotonic() < deadline:
            time.sleep(0.02)
        for task in alive:
            if not task.is_over:
                _log.warning("%s %s did not end in time", task.job.kind, task.job.id)


def respond(outcome: T | PendingTask, show: Callable[[T], Wire | Response]) -> Wire | Response:
    """The result or, if it takes longer, 202 and where to follow it."""
    if isinstance(outcome, PendingTask):
        ticket = RunTicket(run_id=outcome.run_id, kind=outcome.kind)
        headers = {"location": f"/api/v1/runs/{outcome.run_id}"}
        return JSONResponse(ticket.model_dump(mode="json"), 202, headers)
    return show(outcome)


LONG: dict[int | str, dict[str, Any]] = {
    202: {
        "model": RunTicket,
        "description": "It takes longer. Follow the run; a reading request may be sent again.",
        "headers": {"Location": {"schema": {"type": "string"}, "description": "The address of the run."}},
    }
}
