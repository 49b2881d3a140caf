"""A project in memory with a table that changes when a test says so, monitors on it, and a clock that a test sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from forge.flows.quality.judge import CheckPorts
from forge.flows.quality.monitors.run import FinishedRun, JudgePorts, carry_out, new_run
from forge.flows.quality.monitors.scheduler import Scheduler
from forge.flows.quality.monitors.store import MonitorPorts, MonitorStore, create_monitor
from forge.flows.quality.observers import JudgementEvent, JudgementObserver, ObserverChain
from forge.flows.runs.build import StepEvent
from forge.flows.runs.processes import Process, this_process
from forge.flows.runs.project import Project
from forge.flows.runs.records import RunStatus
from forge.flows.runs.run import RunPorts, RunRequest, run
from forge.flows.versioning.branches import create_default_branch
from forge.model.names import BranchName, RunId, TableName
from forge.quality.check import Check
from forge.quality.monitors.monitor import Monitor, MonitorRun, Trigger
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.metadata import MemoryMetadata
from forge.stores.memory.quality.monitors import MemoryMonitors
from forge.transforms.transform import PythonFunction, Transform
from forge.versioning.commit import Author

ADA = Author("Ada", "ada@example.com")
MAIN = BranchName("main")
ORDERS = TableName("core", "orders")
MONDAY = datetime(2026, 11, 16, 6, 0, tzinfo=UTC)
NOT_NULL = {"type": "not_null", "column": "id"}


@dataclass
class MonitorWorld:
    store: MonitorStore = field(default_factory=MemoryMonitors)
    now: datetime = MONDAY
    checks: tuple[Check, ...] = ()
    promises: tuple[Check, ...] = ()
    rows: list[dict[str, object]] = field(default_factory=list)
    seen: list[JudgementEvent] = field(default_factory=list)
    observers: list[JudgementObserver] = field(default_factory=list)
    process: Process = field(default_factory=this_process)

    def __post_init__(self) -> None:
        catalog = MemoryCatalog()
        self.metadata, self.lake = MemoryMetadata(catalog), MemoryLake(catalog)
        self.engine = MemoryEngine(self.lake)
        self.observers.append(JudgementObserver("watch", self._watch))
        create_default_branch(self.metadata, MAIN, ADA, MONDAY)

    def _watch(self, seen: JudgementEvent) -> tuple[str, ...]:
        self.seen.append(seen)
        return ()

    def clock(self) -> datetime:
        return self.now

    def later(self, **spans: float) -> None:
        self.now += timedelta(**spans)

    def project(self) -> Project:
        body = PythonFunction(lambda: list(self.rows), {}, False)
        made = Transform(output=ORDERS, body=body, file="orders.py", line=1, code_hash="1")
        promises = {ORDERS: self.promises}
        return Project(
            root=Path(),
            transforms={ORDERS: made},
            contracts={},
            checks={ORDERS: self.checks},
            rules_hash={},
            owner_of=lambda table: None,
            promises=promises,
        )

    def publish(self, *ids: int | None) -> None:
        """core.orders, written anew with these ids."""
        self.rows = [{"id": number} for number in ids]
        ports = RunPorts(
            metadata=self.metadata,
            lake=self.lake,
            engine=self.engine,
            clock=self.clock,
            author=ADA,
            secrets=lambda reference: "",
        )
        project = replace(self.project(), checks={})
        assert run(RunRequest(branch=MAIN, force=True), project, ports).run.status is RunStatus.SUCCEEDED

    def check_ports(
        self,
        run_id: RunId | None = None,
        notify: Callable[[StepEvent], None] = lambda event: None,
        stopped: Callable[[], RunStatus | None] = lambda: None,
    ) -> CheckPorts:
        return CheckPorts(
            metadata=self.metadata,
            lake=self.lake,
            engine=lambda: self.engine,
            project=self.project,
            clock=self.clock,
            default_branch=MAIN,
            notify=notify,
            stopped=stopped,
            run_id=run_id,
        )

    @property
    def judging(self) -> JudgePorts:
        observers = ObserverChain(tuple(self.observers))
        return JudgePorts(
            store=self.store,
            checks=self.check_ports,
            observers=observers,
            clock=self.clock,
            actor="ada",
            default_branch=MAIN,
            process=self.process,
        )

    @property
    def ports(self) -> MonitorPorts:
        return MonitorPorts(
            store=self.store,
            metadata=self.metadata,
            clock=self.clock,
            actor="ada",
            default_branch=MAIN,
            channels=lambda: ("ops",),
        )

    def monitor(self, schedule: dict[str, object] | None = None, **fields: object) -> Monitor:
        given = {"name": "Orders", "dataset": "core.orders", "checks": [NOT_NULL], "schedule": schedule, **fields}
        return create_monitor(given, self.ports)

    def run(self, monitor: Monitor) -> FinishedRun:
        made = new_run(monitor, monitor.dataset, Trigger.MANUAL, self.judging)
        assert self.store.claim(made)
        return carry_out(monitor, made, self.judging)

    def scheduler(self, submitted: list[MonitorRun] | None = None, *, carries_out: bool = True) -> Scheduler:
        """Whose runs are made at once; `submitted` gets them."""

        def submit(monitor: Monitor, run: MonitorRun) -> None:
            if submitted is not None:
                submitted.append(run)
            if carries_out:
                carry_out(monitor, run, self.judging)

        return Scheduler(self.judging, self.metadata, submit)

    def statuses(self, monitor: Monitor) -> list[str]:
        """Of its runs, oldest first."""
        return [str(run.status) for run in reversed(self.store.runs(monitor_id=monitor.id))]


def ids(runs: Sequence[MonitorRun]) -> list[str]:
    return [run.id for run in runs]
