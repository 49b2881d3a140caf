"""A project in memory whose transforms stop at gates, so that a test says when each goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from forge.flows.runs.build import StepEvent
from forge.flows.runs.events import on
from forge.flows.runs.jobs import JobQueue, JobRecord, JobStore
from forge.flows.runs.processes import Process
from forge.flows.runs.project import Project
from forge.flows.runs.records import AuditRecord, RunRecord, TableLineage
from forge.flows.runs.run import RunPorts
from forge.flows.runs.run_jobs import RunJobHandler, RunSpec
from forge.flows.versioning.branches import create_default_branch
from forge.model.errors import DatabaseBusyError, ForgeError, UnknownNameError
from forge.model.names import BranchName, RunId, TableName
from forge.quality.verdict import Verdict
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.jobs import MemoryJobs
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.transforms.transform import PythonFunction, Transform
from forge.versioning.commit import Author

BEGIN = datetime(2026, 11, 15, 6, 10, tzinfo=UTC)
ADA = Author("Ada", "ada@example.com")
MAIN = BranchName("main")
SECONDS = 20.0  # a test that waits so long has failed


def until(is_so: Callable[[], object]) -> None:
    """Wait for something that happens in another thread."""
    deadline = time.monotonic() + SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError("it did not happen in time")
        time.sleep(0.005)


@dataclass
class Gate:
    """Where a transform waits until the test opens it."""

    reached: threading.Event = field(default_factory=threading.Event)
    open: threading.Event = field(default_factory=threading.Event)

    def pass_through(self) -> None:
        self.reached.set()
        assert self.open.wait(SECONDS)


class BusyJobs(MemoryJobs):
    """Answers as a locked database does, while it is `locked`."""

    locked = False
    refused = 0

    def save(self, job: JobRecord) -> None:
        if self.locked:
            self.refused += 1
            raise DatabaseBusyError("The database is busy")
        super().save(job)


class BusyMetadata(MemoryMetadata):
    """Refuses to record the end of a run so many times."""

    refusals = 0

    def finish_run(
        self,
        run: RunRecord,
        verdicts: Sequence[Verdict],
        audit: Sequence[AuditRecord],
        lineage: Sequence[TableLineage] = (),
    ) -> None:
        if self.refusals:
            self.refusals -= 1
            raise DatabaseBusyError("The database is busy")
        super().finish_run(run, verdicts, audit, lineage)


class GatedEngine(MemoryEngine):
    """One that lets go of its work when it is cancelled, as Spark does, where `lets_go`."""

    def __init__(self, lake: MemoryLake, gate: Gate) -> None:
        super().__init__(lake)
        self.gate, self.lets_go = gate, False

    def cancel(self, run_id: RunId) -> None:
        super().cancel(run_id)
        if self.lets_go:
            self.gate.open.set()


@dataclass
class MemoryWorld:
    """`raw.orders` ← `core.orders`; `gate` holds raw.orders up."""

    store: JobStore = field(default_factory=MemoryJobs)
    gate: Gate = field(default_factory=Gate)
    broken: ForgeError | None = None  # the project cannot be read
    queues: list[JobQueue] = field(default_factory=list)

    def __post_init__(self) -> None:
        catalog = MemoryCatalog()
        self.metadata = BusyMetadata(catalog)
        self.lake = MemoryLake(catalog)
        self.engine = GatedEngine(self.lake, self.gate)
        self._ticks = count()
        create_default_branch(self.metadata, MAIN, ADA, BEGIN)

    def clock(self) -> datetime:
        return BEGIN + timedelta(seconds=next(self._ticks))

    def project(self) -> Project:
        if self.broken is not None:
            raise self.broken

        def raw() -> list[dict[str, object]]:
            self.gate.pass_through()
            return [{"id": 1}]

        made = (("raw.orders", raw, ()), ("core.orders", lambda raw_orders: raw_orders, ("raw.orders",)))
        transforms: dict[TableName, Transform] = {}
        for output, function, inputs in made:
            names = {text.replace(".", "_"): TableName.parse(text) for text in inputs}
            table = TableName.parse(output)
            body = PythonFunction(function, names, False)
            transforms[table] = Transform(
                output=table, body=body, file=f"{table}.py", line=1, code_hash="1", inputs=tuple(names.values())
            )
        return Project(
            root=Path(), transforms=transforms, contracts={}, checks={}, rules_hash={}, owner_of=lambda table: None
        )

    def ports(self, notify: Callable[[StepEvent], None]) -> RunPorts:
        events = on(StepEvent, notify)
        return RunPorts(
            metadata=self.metadata,
            lake=self.lake,
            engine=self.engine,
            clock=self.clock,
            author=ADA,
            secrets=lambda reference: "",
            events=events,
        )

    def bind(self, given: Mapping[str, str]) -> dict[str, object]:
        unknown = [name for name in given if name not in ("day", "start", "end")]
        if unknown:
            raise UnknownNameError(f"unknown parameter '{unknown[0]}'")
        return dict(given)

    def work(self) -> RunJobHandler:
        return RunJobHandler(
            metadata=self.metadata,
            lake=lambda: self.lake,
            engine=lambda: self.engine,
            author=ADA,
            clock=self.clock,
            project=self.project,
            bind=self.bind,
            ports=self.ports,
        )

    def queue(self, *, limit: int = 20, server: Process | None = None, start: bool = True) -> JobQueue:
        made = JobQueue(self.store, self.work(), self.clock, limit=limit, server=server)
        self.queues.append(made)
        if start:
            made.start()
        return made

    def close(self) -> None:
        self.gate.open.set()
        for queue in self.queues:
            queue.stop()

    def status(self, job: JobRecord) -> str:
        known = self.metadata.run(RunId(job.id))
        return str(known.status) if known else "none"

    def job_status(self, job: JobRecord) -> str:
        known = self.store.job(job.id)
        return str(known.status) if known else "none"


def order(*selection: str, branch: str = "main", **changes: object) -> dict[str, object]:
    return RunSpec.of({"branch": branch, "selection": selection, "force": True, **changes}).to_dict()
