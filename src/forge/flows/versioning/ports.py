"""The ports of the versioning flows, and the run record of one operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from forge.contracts.policy.governance import Governance
from forge.flows.catalog.personal_data import DeclaredColumns, PersonalAt
from forge.flows.contracts.ports import Registration
from forge.flows.ports import FaultPoint, Lake, Metadata, Stage
from forge.flows.quality.judge import HistoryOf, no_history
from forge.flows.runs.build import StepEvent
from forge.flows.runs.engine import Engine
from forge.flows.runs.id import new_run_id
from forge.flows.runs.processes import begin_run
from forge.flows.runs.project import Project
from forge.flows.runs.publish.changes import PublishPorts
from forge.flows.runs.records import AuditRecord, RunKind, RunRecord, RunStatus
from forge.flows.versioning.adopt import adopt_foreign
from forge.flows.versioning.content_hash import FileHasher
from forge.flows.versioning.key_check import KeyCheck
from forge.flows.versioning.revisions import find_branch
from forge.flows.versioning.tables import FileSlice, RowEngine, RowOperations, Tables
from forge.model.errors import CancellationError, ForgeError
from forge.model.names import BranchName, RunId, TableName
from forge.model.time import Clock
from forge.versioning.branch import Branch
from forge.versioning.commit import Author, Commit, Signer
from forge.versioning.conflict import ResolutionRule
from forge.versioning.errors import IncomparableError
from forge.versioning.protection import effective

SMALL_BYTES = 64 * 2**20  # what the driver reads itself; more is Spark's


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionPorts:
    metadata: Metadata
    lake: Lake
    tables_: Tables | None  # None: the catalog is someone else's
    small: RowOperations | None
    large: Callable[[], RowOperations]
    engine: Callable[[], Engine]
    project: Callable[[], Project]
    declared: DeclaredColumns  # what contracts call personal
    personal: PersonalAt
    clock: Clock
    author: Author
    default_branch: BranchName
    fault_point: FaultPoint = lambda step: None
    notify: Callable[[StepEvent], None] = lambda event: None
    stopped: Callable[[], RunStatus | None] = lambda: None
    protected: frozenset[str] = frozenset()
    review: bool = True
    keys: Mapping[TableName, tuple[str, ...]] = field(default_factory=dict)
    rules: tuple[ResolutionRule, ...] = ()
    hasher: FileHasher | None = None
    signer: Signer | None = None
    small_bytes: int = SMALL_BYTES
    run_id: RunId | None = None  # where it was given out before the work began
    history: HistoryOf = no_history
    governance: Governance = field(default_factory=Governance)
    register: Callable[[Sequence[TableName], RunId], tuple[Registration, ...]] = lambda tables, run_id: ()
    """The contracts of what is about to be published on the default branch; it never raises."""

    @property
    def tables(self) -> Tables:
        if self.tables_ is None:
            raise IncomparableError(
                "E626",
                "Changes of data by row need the catalog in Forge's own database",
                why="Tables of another catalog can only be published one by one, by a run.",
                fix="Set catalog.type: embedded, or change the data by `forge run`.",
            )
        return self.tables_

    @property
    def key_check(self) -> KeyCheck:
        return KeyCheck(self.tables, self.small, self.large, self.small_bytes)

    @property
    def publishing(self) -> PublishPorts:
        return PublishPorts(self.metadata, self.lake, self.fault_point, lambda: self.tables, self.hasher, self.signer)

    def branch(self, name: str) -> Branch:
        """With the protection that the settings add."""
        return effective(find_branch(self.metadata, BranchName(name)), self.protected, self.review)


def row_engine(
    ports: VersionPorts, parts: Iterable[FileSlice | None], needs_engine: bool
) -> tuple[RowOperations, RowEngine]:
    """The driver for small parts, else Spark."""
    size = sum(part.size for part in parts if part)
    if ports.small is None or needs_engine or size > ports.small_bytes:
        return ports.large(), "spark"
    return ports.small, "driver"


def adopt(ports: VersionPorts, branch: str) -> tuple[Commit, ...]:
    """Foreign snapshots on the branch become commits before anything is built on it."""
    now = ports.clock()
    return adopt_foreign(
        ports.metadata,
        ports.lake,
        BranchName(branch),
        ports.default_branch,
        author=ports.author,
        now=now,
        hasher=ports.hasher,
    )


@dataclass(slots=True)
class Operation:
    """One merge, commit or revert in progress: its stages so far, under the id of its run."""

    ports: VersionPorts
    record: RunRecord
    stages: dict[TableName, Stage] = field(default_factory=dict)

    @property
    def run_id(self) -> RunId:
        return self.record.id

    def report(self, step: str, table: TableName | None = None, detail: str = "") -> None:
        self.ports.notify(StepEvent(self.run_id, table, step, detail))

    def step(self, name: str) -> None:
        """A point where it may be stopped; after a crash the record says how far it came."""
        stopped = self.ports.stopped()
        if stopped is not None:
            raise CancellationError("It was cancelled", why="Nothing of it was published.", fix="Try again.")
        self.ports.metadata.enter_step(self.run_id, name)
        self.ports.fault_point(name)

    @property
    def publishing(self) -> PublishPorts:
        """It may be stopped until it publishes."""
        return replace(
            self.ports.publishing,
            fault_point=lambda name: (self.step if name == "prepared" else self.ports.fault_point)(name),
        )


@contextmanager
def run_operation(
    ports: VersionPorts, kind: RunKind, branch: BranchName, words: tuple[str, ...]
) -> Iterator[Operation]:
    """A run of this kind. Its stages are dropped when it ends; an error is recorded as its end, unless it was
    published."""
    now = ports.clock()
    begun = begin_run(ports.run_id or new_run_id(now), branch, ports.author.email, now)
    record = replace(begun, selection=words, kind=kind)
    ports.metadata.start_run(record)
    work = Operation(ports, record)
    try:
        ports.fault_point("started")
        yield work
    except BaseException as failure:
        _record_failure(ports, record, failure)
        raise
    finally:
        ports.lake.drop_stages(record.id)


def _record_failure(ports: VersionPorts, record: RunRecord, failure: BaseException) -> None:
    known = ports.metadata.run(record.id) or record
    if known.status is not RunStatus.RUNNING:
        return
    status = RunStatus.CANCELLED if isinstance(failure, KeyboardInterrupt | CancellationError) else RunStatus.FAILED
    shown = failure.to_dict() if isinstance(failure, ForgeError) else {"what": f"{type(failure).__name__}: {failure}"}
    ended = replace(known, status=status, finished_at=ports.clock(), error=shown)
    audit = AuditRecord(ports.clock(), record.user, f"{record.kind}.{status}", record.id)
    ports.metadata.finish_run(ended, (), (audit,))
