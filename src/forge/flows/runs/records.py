"""Run records: the data that the metadata store keeps and the faces show."""

from __future__ import annotations

# Records stored as a whole (publish intents) are parsed by their annotations, so the types are imported at run time.
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from forge.lineage.edge import Edge, IndirectEdge, TableEdge
from forge.model.names import BranchName, CatalogName, CommitId, RunId, SnapshotId, TableName
from forge.versioning.branch import BranchStatus

if TYPE_CHECKING:
    from forge.flows.contracts.ports import Registration
    from forge.flows.versioning.merge.record import MergeRecord
    from forge.quality.remediation import Remediation
    from forge.quality.verdict import Outcome, Verdict
    from forge.versioning.commit import Commit, Tree


class RunStatus(StrEnum):
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    BLOCKED = "blocked"  # a gate failed; what passed may have been published
    FAILED = "failed"  # could not run
    CONFLICT = "conflict"  # someone else published the same table first
    NOTHING_TO_DO = "nothing to do"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"  # the process died; found by `forge doctor`


class OutputStatus(StrEnum):
    PUBLISHED = "published"
    PASSED = "passed"  # checked, but not published (another output failed under publish: all, or a conflict)
    UP_TO_DATE = "up to date"
    BLOCKED = "blocked"
    FAILED = "failed"
    SKIPPED = "skipped"  # an input was blocked or failed


MADE_BY = "made_by"
"""In the metadata of a run's commit: for each of its tables the file and line of the code that made it."""
JUDGED = (OutputStatus.PUBLISHED, OutputStatus.PASSED, OutputStatus.BLOCKED)
"""What an output is once its checks have spoken."""
SETTLED = (*JUDGED, OutputStatus.UP_TO_DATE)
"""What an output is once it is known whether readers have its newest state: up to date says that they have."""
RunKind = Literal["run", "commit", "merge", "revert", "cherry-pick", "adopt", "repair", "remediate", "preview"]
MAKES_TABLES: RunKind = "run"
"""The kind of run that makes tables by the code of the project. The others change what readers have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputRecord:
    """The outcome of one table in one run."""

    table: TableName
    status: OutputStatus
    reason: str = ""
    kind: str = "full"
    rows: int | None = None  # rows in the table after the run
    rows_added: int | None = None
    snapshot_id: SnapshotId | None = None
    fingerprint: str | None = None
    spark_jobs: int = 0
    seconds: float = 0.0
    inputs: Mapping[str, SnapshotId | None] = field(default_factory=dict)  # pinned
    error: Mapping[str, str | None] | None = None
    parts: Mapping[str, str] | None = None  # of the fingerprint, by name: what a plan says has changed

    def to_dict(self) -> dict[str, object]:
        return {
            "table": str(self.table),
            "status": str(self.status),
            "reason": self.reason,
            "kind": self.kind,
            "rows": self.rows,
            "rows_added": self.rows_added,
            "snapshot_id": _text(self.snapshot_id),
            "spark_jobs": self.spark_jobs,
            "seconds": self.seconds,
            "inputs": {table: _text(snapshot) for table, snapshot in self.inputs.items()},
            "error": dict(self.error) if self.error else None,
        }


def _text(snapshot: SnapshotId | None) -> str | None:
    """JavaScript's numbers cannot hold a snapshot id."""
    return None if snapshot is None else str(snapshot)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    id: RunId
    branch: BranchName
    status: RunStatus
    started_at: datetime
    user: str
    host: str
    pid: int
    process_started: str  # distinguishes a reused pid from the process that ran
    selection: tuple[str, ...] = ()
    params: Mapping[str, object] = field(default_factory=dict)
    step: str = "started"  # the last step that was entered; where a crash happened
    finished_at: datetime | None = None
    commit_id: CommitId | None = None
    outputs: tuple[OutputRecord, ...] = ()
    error: Mapping[str, str | None] | None = None
    start: datetime | None = None  # of the time range, [start, end)
    end: datetime | None = None
    kind: RunKind = MAKES_TABLES

    @property
    def seconds(self) -> float | None:
        return (self.finished_at - self.started_at).total_seconds() if self.finished_at else None

    def to_dict(self) -> dict[str, object]:
        return {
            "run_id": self.id,
            "kind": self.kind,
            "status": str(self.status),
            "branch": self.branch,
            "started_at": self.started_at,
            "finished_at": self.finished_at,
            "seconds": self.seconds,
            "commit": self.commit_id,
            "user": self.user,
            "host": self.host,
            "pid": self.pid,
            "step": self.step,
            "selection": list(self.selection),
            "params": dict(self.params),
            "start": self.start,
            "end": self.end,
            "error": dict(self.error) if self.error else None,
            "outputs": [output.to_dict() for output in self.outputs],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetRecord:
    """The catalog entry of a table after a publication."""

    table: TableName
    kind: Literal["table", "view"]
    description: str
    owner: str | None
    tags: tuple[str, ...]
    columns: tuple[Mapping[str, object], ...]  # name, type, description, pii
    updated_at: datetime
    row_count: int | None = None
    size_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ProfileRecord:
    """Readings of one published version, by the name of the measure."""

    table: TableName
    snapshot_id: SnapshotId | None
    readings: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class AuditRecord:
    time: datetime
    actor: str
    action: str  # run.publish, branch.create, …
    subject: str
    detail: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LoadedFile:
    path: str
    size: int
    modified_ns: int
    digest: str | None = field(default=None, compare=False)  # of its content; files of early loads have none


@dataclass(frozen=True, slots=True)
class TableLineage:
    """The edges of one output in one run."""

    table: TableName
    edges: tuple[Edge, ...] = ()
    indirect: tuple[IndirectEdge, ...] = ()
    table_edges: tuple[TableEdge, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVerdict:
    """One verdict of one run about one table; without a `check_id` no check was evaluated."""

    run_id: RunId
    time: datetime  # when the run began
    table: TableName
    status: OutputStatus
    check_id: str | None = None
    outcome: Outcome | None = None
    message: str | None = None
    kind: RunKind = MAKES_TABLES  # of the run


@dataclass(frozen=True, slots=True)
class VerdictTally:
    """Counts of the verdicts of one run."""

    run_id: RunId
    time: datetime  # when the run began
    passed: int = 0
    failed: int = 0
    not_measured: int = 0


@dataclass(frozen=True, slots=True)
class DatasetTally:
    """Counts of the verdicts about one table, judged once."""

    table: str
    time: datetime
    passed: int = 0
    failed: int = 0
    not_measured: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """One compare-and-set of the publication: the catalog row `catalog` moves from `expected` to `location`.

    `expected` None: the row must not exist and is inserted. `staged`: the hidden row of the run, removed by the same
    transaction. `home`: the previous catalog row of the table of that uuid, at that location; it is removed, and
    commits find the table under `catalog` from then on. `gone`: the row is removed, and its name is free for another
    pointer."""

    catalog: CatalogName
    expected: str | None
    location: str
    kind: Literal["TABLE", "VIEW"] = "TABLE"  # Iceberg's words
    staged: CatalogName | None = None
    home: PreviousRow | None = None
    gone: bool = False


@dataclass(frozen=True, slots=True)
class PreviousRow:
    """The current row of a table that is about to be renamed in the catalog."""

    uuid: str
    catalog: CatalogName
    location: str


BlobKind = Literal["data", "delete", "manifest", "manifest list", "view", "node", "tree", "logical"]


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of the lake and the hash of its bytes."""

    path: str
    digest: str  # BLAKE3
    size: int
    kind: BlobKind


@dataclass(frozen=True, slots=True)
class HashRecords:
    """What makes the commits of a publication verifiable: hashes of new files, and the bodies of new table trees,
    each by its digest."""

    blobs: tuple[Blob, ...] = ()
    table_trees: Mapping[str, Mapping[str, object]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchAdvance:
    """Moves a branch to an existing commit: fast-forward and reset. One transaction, like a publication."""

    pointers: tuple[Pointer, ...]
    branch: BranchName
    expected_head: CommitId | None
    head: CommitId
    run: RunRecord | None = None
    merge: MergeRecord | None = None
    assets: tuple[AssetRecord, ...] = ()
    statuses: Mapping[BranchName, BranchStatus] = field(default_factory=dict)  # of other branches, like merged
    audit: tuple[AuditRecord, ...] = ()
    contracts: tuple[Registration, ...] = ()  # of what it brings


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """Everything one transaction writes."""

    pointers: tuple[Pointer, ...]
    branch: BranchName
    expected_head: CommitId | None
    commit: Commit
    tree: Tree
    run: RunRecord  # as it is once published
    verdicts: tuple[Verdict, ...] = ()
    lineage: tuple[TableLineage, ...] = ()
    unpublished: tuple[TableLineage, ...] = ()  # of what the run made and holds back; it belongs to no commit
    assets: tuple[AssetRecord, ...] = ()
    profiles: tuple[ProfileRecord, ...] = ()
    loaded: Mapping[TableName, tuple[LoadedFile, ...]] = field(default_factory=dict)
    audit: tuple[AuditRecord, ...] = ()
    before: tuple[tuple[Commit, Tree], ...] = ()  # commits that come before `commit`, oldest first: a rebase
    merge: MergeRecord | None = None  # as it is once published
    statuses: Mapping[BranchName, BranchStatus] = field(default_factory=dict)  # of other branches, like merged
    hashes: HashRecords = HashRecords()
    remediation: Remediation | None = None  # as it is once published
    contracts: tuple[Registration, ...] = ()  # of what is published


@dataclass(frozen=True, slots=True)
class PublishedCommit:
    commit_id: CommitId


@dataclass(frozen=True, slots=True)
class PointerConflict:
    """Nothing was written: these pointers, or the branch, are no longer where they were expected."""

    tables: tuple[CatalogName, ...]
    branch_moved: bool


@dataclass(frozen=True, slots=True)
class PublishConflict:
    """Someone else published these tables, or moved the branch, since the work began. Nothing was written."""

    tables: tuple[TableName, ...] = ()


def published_by(run: RunRecord) -> frozenset[TableName]:
    return frozenset(o.table for o in run.outputs if o.status is OutputStatus.PUBLISHED)
