"""The ports of the flows: what a metadata store, a lake and an engine can do. Each has a memory adapter and a real one,
and all adapters of a port pass the same suite in tests/ports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from forge.flows.runs.records import (
        Advance,
        AssetRecord,
        AuditRecord,
        Blob,
        DatasetTally,
        Judgement,
        LoadedFile,
        Moved,
        Pointer,
        ProfileRecord,
        Publication,
        Published,
        RunRecord,
        Sealed,
        TableLineage,
        Tally,
    )
    from forge.flows.versioning.merge.record import MergeRecord
    from forge.model.names import BranchName, CatalogName, CommitId, RunId, SnapshotId, TableName
    from forge.model.schema import Schema
    from forge.quality.measure import Measure, Reading
    from forge.quality.verdict import Outcome, Verdict
    from forge.versioning.branch import Branch
    from forge.versioning.commit import Commit, TableStatistics, Tree
    from forge.versioning.conflict import Conflict, Rule
    from forge.versioning.merge import MergeStatus
    from forge.versioning.tag import Tag

Seam = Callable[[str], None]
"""Called with the name of each step as it is reached; a test kills the process there."""


class Metadata(Protocol):
    """Forge's records. Every method is one transaction."""

    # branches: `create_branch` raises E603 where it exists, `delete_branch` E602 where it does not
    def branches(self) -> tuple[Branch, ...]: ...
    def branch(self, name: BranchName) -> Branch | None: ...
    def create_branch(self, branch: Branch, audit: AuditRecord) -> None: ...
    def delete_branch(self, name: BranchName, audit: AuditRecord) -> None: ...
    def update_branch(self, branch: Branch, audit: AuditRecord) -> None:
        """Everything of the branch but its head, which only a publish moves; E602 where it does not exist."""
        ...

    def rename_branch(self, old: BranchName, new: BranchName, audit: AuditRecord) -> None:
        """Head and history stay, and branches that were made from it follow; E602 unknown, E603 `new` exists."""
        ...

    # tags
    def tags(self) -> tuple[Tag, ...]:
        """By name."""
        ...

    def tag(self, name: str) -> Tag | None: ...
    def put_tag(self, tag: Tag, audit: AuditRecord, *, replace: bool) -> None:
        """A tag of that name that exists is moved where `replace`, else E615."""
        ...

    def delete_tag(self, name: str, audit: AuditRecord) -> None:
        """E614 where it does not exist."""
        ...

    # commits
    def commit(self, commit_id: CommitId) -> Commit | None: ...
    def commits(self, ids: Iterable[CommitId]) -> Mapping[CommitId, Commit]:
        """Those that exist."""
        ...

    def find_commits(self, prefix: str) -> tuple[CommitId, ...]: ...
    def tree(self, commit_id: CommitId | None) -> Tree: ...
    def log(
        self,
        head: CommitId,
        *,
        limit: int | None = None,
        table: TableName | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        author: str | None = None,
    ) -> tuple[Commit, ...]:
        """Ancestors of head, itself included, newest first by time, parents after children. Filters hide commits
        without ending the walk; `author` matches a part of name or e-mail."""
        ...

    def ancestry(self, heads: Iterable[CommitId]) -> Mapping[CommitId, tuple[CommitId, ...]]:
        """Every commit that can be reached from any of the heads, with its parents."""
        ...

    def touching(self, table: TableName) -> frozenset[CommitId]:
        """The commits that changed the table, of whatever branch."""
        ...

    # runs
    def start_run(self, run: RunRecord) -> None: ...
    def enter_step(self, run_id: RunId, step: str) -> None: ...
    def finish_run(
        self,
        run: RunRecord,
        verdicts: Sequence[Verdict],
        audit: Sequence[AuditRecord],
        lineage: Sequence[TableLineage] = (),
    ) -> None:
        """The end of a run that publishes nothing. `lineage` is of what it made."""
        ...

    def run(self, run_id: RunId) -> RunRecord | None: ...
    def runs(
        self, *, limit: int = 50, branch: BranchName | None = None, status: str | None = None
    ) -> tuple[RunRecord, ...]:
        """Newest first, with their outputs."""
        ...

    def find_runs(self, ids: Iterable[RunId]) -> Mapping[RunId, RunRecord]:
        """Those that exist, with their outputs."""
        ...

    def verdicts(
        self,
        *,
        run_id: RunId | None = None,
        run_ids: Iterable[RunId] | None = None,
        table: TableName | None = None,
        outcome: Outcome | None = None,
        limit: int = 1000,
    ) -> tuple[tuple[RunId, Verdict], ...]:
        """Newest run first."""
        ...

    def lineage(self, run_ids: Iterable[RunId]) -> tuple[tuple[RunId, TableLineage], ...]:
        """Of all outputs of these runs, published or not."""
        ...

    # what the checks of a branch say now and said before; none of these grows with the whole history
    def mark(self) -> str:
        """Another one after every change but a step of a run: what was made from the records is good until then."""
        ...

    def blocked(self, branch: BranchName) -> tuple[tuple[RunRecord, TableName], ...]:
        """Tables that the newest run on the branch to settle them held back, each with that run; newest first. A run
        that finds a table up to date settles it: its code, inputs and checks are those of the published version.

        What a run that makes tables held back waits for another one: a commit or a merge changes what readers have,
        and not what waits. What one of these held back ends with whatever settles the table."""
        ...

    def judgements(
        self, branch: BranchName, names: Iterable[TableName], check_ids: Iterable[str], *, runs: int = 500
    ) -> tuple[Judgement, ...]:
        """What the newest `runs` runs of the branch made of these tables, newest first: one for each of these checks
        that spoke, or one without a check."""
        ...

    def tallies(self, branch: BranchName, since: datetime, until: datetime) -> tuple[Tally, ...]:
        """Of the runs on the branch that began from `since` on and before `until`, oldest first."""
        ...

    def dataset_tallies(self, branch: BranchName, since: datetime, until: datetime) -> tuple[DatasetTally, ...]:
        """The same, apart for each table."""
        ...

    def assets(self) -> tuple[AssetRecord, ...]: ...
    def profile(self, table: TableName, snapshot_id: SnapshotId) -> ProfileRecord | None: ...
    def loaded_files(self, table: TableName, head: CommitId | None) -> frozenset[LoadedFile]:
        """Files loaded into the table by the commits from head back."""
        ...

    def audit(self, *, limit: int = 100) -> tuple[AuditRecord, ...]: ...
    def note(self, audit: AuditRecord) -> None:
        """Of a change that is written elsewhere."""
        ...

    # merges and their conflicts
    def put_merge(self, merge: MergeRecord, conflicts: Sequence[Conflict] | None, audit: AuditRecord) -> None:
        """Insert or replace it. `conflicts`, where given, replace those that were kept; an answer to a conflict that
        comes again (the same id) stays. Publications and advances write the merge they carry in their transaction."""
        ...

    def merge(self, merge_id: str) -> MergeRecord | None: ...
    def merges(
        self, *, statuses: Iterable[MergeStatus] | None = None, branch: BranchName | None = None, limit: int = 50
    ) -> tuple[MergeRecord, ...]:
        """Newest first; `branch` is the source or the target."""
        ...

    def conflicts(
        self,
        merge_id: str,
        *,
        table: TableName | None = None,
        column: str | None = None,
        ids: Iterable[str] | None = None,
        open_only: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> tuple[Conflict, ...]:
        """In the order they were given."""
        ...

    def answer(self, merge_id: str, answers: Mapping[str, Rule], audit: AuditRecord) -> None:
        """Set the resolution of these conflicts, by their ids; E616 where one is not there. Counts in the merge's
        `resolved_count` follow."""
        ...

    # integrity
    def recorded_tree(self, commit_id: CommitId) -> Tree:
        """The tree exactly as it was committed; `tree` gives each table where its row stands now."""
        ...

    def blobs(self, paths: Iterable[str]) -> Mapping[str, Blob]:
        """Those that are known."""
        ...

    def table_trees(self, digests: Iterable[str]) -> Mapping[str, Mapping[str, object]]:
        """Those that are known."""
        ...

    def seal(self, sealed: Sealed) -> None:
        """Add hashes that no publication carried."""
        ...

    def advance(self, advance: Advance, seam: Seam) -> Published | Moved:
        """One transaction: all pointers compared and set, the branch moved from `expected_head` to `head`, the records
        written; or nothing. The same seams as `publish`."""
        ...

    def publish(self, publication: Publication, seam: Seam) -> Published | Moved:
        """One transaction: all pointers compared and set, the commit and all records inserted, the branch moved from
        `expected_head`; or nothing. Calls `seam("publish.pointers")` after the pointers were set and
        `seam("publish.records")` before the transaction commits."""
        ...


@dataclass(frozen=True, slots=True)
class TableState:
    """A table as its catalog row has it now."""

    catalog: CatalogName
    location: str  # of the metadata file: the pointer
    uuid: str
    refs: Mapping[str, SnapshotId]
    current_schema_id: int
    kind: str = "TABLE"  # TABLE | VIEW, Iceberg's words; a view has no refs


@dataclass(frozen=True, slots=True)
class SnapshotState:
    snapshot_id: SnapshotId
    parent_id: SnapshotId | None
    schema_id: int
    schema: Schema
    statistics: TableStatistics
    time: datetime
    run_id: RunId | None = None  # of the run that published it, from its summary
    engine: str | None = None  # that wrote it, as it calls itself
    identifier: tuple[str, ...] = ()  # names of Iceberg's identifier fields


@dataclass(frozen=True, slots=True)
class EarlierMetadata:
    """A metadata file that a table's row pointed at before its present one."""

    location: str
    written_at: datetime
    refs: Mapping[str, SnapshotId]
    snapshots: Mapping[SnapshotId, TableStatistics]


@dataclass(frozen=True, slots=True)
class Growth:
    """How a table came from one snapshot to another.

    `kind`: none, the rows are the same; appended, files were only added, and an engine can read these alone; replaced,
    no file of the first is left; rewritten, all else. `same_columns`: names, in lower case, of the columns that are the
    same in both."""

    kind: Literal["none", "appended", "replaced", "rewritten"]
    same_columns: frozenset[str] = frozenset()
    all_the_same: bool = False  # the columns


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a run writes one table: a hidden row of the catalog, named by the run. For a table that exists it starts
    as a copy of the table's metadata with `main` at `base`, over the same files; nothing of the table itself moves."""

    run_id: RunId
    table: TableName
    catalog: CatalogName  # the hidden row
    exists: bool  # False: the engine creates the hidden table at `location`
    location: str  # folder of the table; empty: the catalog decides
    base: SnapshotId | None
    origin: CatalogName | None  # the row of the table itself


@dataclass(frozen=True, slots=True)
class Orphan:
    path: str
    size: int
    modified: datetime


@dataclass(frozen=True, slots=True)
class LandedRef:
    """A ref of a table in an external catalog whose snapshot a run of Forge made."""

    catalog: CatalogName
    ref: str
    uuid: str
    snapshot: SnapshotState
    run_id: RunId


class ByTable(Protocol):
    """Publishing in a catalog that no transaction of Forge's database can reach: one table after the other."""

    def land(self, stage: Stage, branch: BranchName, *, is_default: bool, expected: SnapshotId | None) -> bool:
        """Point `branch` of the table at what was staged, by the catalog's own compare-and-set; False: it refused,
        because the table is not where `prepare` found it. Landing again what has landed is True and changes nothing."""
        ...

    def landed(self) -> tuple[LandedRef, ...]:
        """Every ref that a run published last, of all tables but staged ones."""
        ...


@dataclass(frozen=True, slots=True)
class TableSnapshots:
    """All snapshots that the row of a table reaches."""

    catalog: CatalogName
    location: str  # of the metadata file that says so
    uuid: str
    refs: Mapping[str, SnapshotId]
    parents: Mapping[SnapshotId, SnapshotId | None]
    is_hidden: bool = False  # the table lives on a branch only


class Expiry(Protocol):
    """Letting go of snapshots. Each change is a compare-and-set; False: the row has moved, and nothing was done. No
    file is deleted: what nothing reaches any more is found by `Lake.orphans`."""

    def tables(self) -> tuple[TableSnapshots, ...]:
        """Every table but staged ones."""
        ...

    def expire(self, catalog: CatalogName, gone: frozenset[SnapshotId], expected: str) -> bool: ...
    def drop(self, catalog: CatalogName, expected: str) -> bool:
        """The row of a table that lives on a branch only."""
        ...


class Lake(Protocol):
    """Table metadata: files and catalog rows, and a few rows of data to look at. The real one is PyIceberg on Forge's
    own database."""

    @property
    def promise(self) -> str:
        """What a publish of several tables is, in one line for people."""
        ...

    @property
    def by_table(self) -> ByTable | None:
        """None where the transaction of `Metadata.publish` moves the pointers of all tables."""
        ...

    @property
    def expiry(self) -> Expiry | None:
        """None where the catalog is someone else's, and its snapshots too."""
        ...

    def state(self, catalog: CatalogName) -> TableState | None: ...
    def tables(self) -> tuple[CatalogName, ...]:
        """All rows that are not hidden."""
        ...

    def snapshot(self, catalog: CatalogName, snapshot_id: SnapshotId | None = None) -> SnapshotState | None:
        """Of that snapshot, or of the row's current one."""
        ...

    def open_stage(
        self, run_id: RunId, table: TableName, origin: CatalogName | None, base: SnapshotId | None
    ) -> Stage: ...
    def prepare(
        self, stage: Stage, branch: BranchName, *, is_default: bool, expected: SnapshotId | None
    ) -> Pointer | Moved:
        """Write the metadata file that points `branch` of the table at what was staged. A new table on the default
        branch gets its own name; on another branch it stays under a hidden one. Moved: the branch's ref in the table
        is no longer at `expected`. Called again after another publish, it starts from the new state."""
        ...

    def stages(self) -> tuple[tuple[RunId, CatalogName], ...]:
        """Hidden rows left by runs, finished or not."""
        ...

    def drop_stages(self, run_id: RunId) -> int: ...
    def set_ref(self, catalog: CatalogName, ref: str, snapshot_id: SnapshotId | None) -> None:
        """Create, move or (None) remove an Iceberg ref, retried until it stands."""
        ...

    def measure(
        self, catalog: CatalogName, snapshot_id: SnapshotId, measures: Sequence[Measure]
    ) -> dict[Measure, Reading]:
        """What the manifests answer exactly, with no job; the rest is left out."""
        ...

    def growth(self, catalog: CatalogName, since: SnapshotId, until: SnapshotId) -> Growth | None:
        """What happened to the table from one snapshot to another; None where they are not in one line, or one of them
        is gone."""
        ...

    def rows(
        self, catalog: CatalogName, snapshot_id: SnapshotId, columns: Sequence[str], limit: int
    ) -> tuple[tuple[object, ...], ...] | None:
        """The first rows of that snapshot, these columns only, as plain Python values; opens no more data files than
        it takes. E406 where there is no such snapshot; None where only an engine can read it."""
        ...

    def write_view(self, table: TableName, sql: str, schema: Schema, previous: str | None) -> str:
        """Write a view's metadata file, the next version after `previous`; its location."""
        ...

    def read_view(self, location: str) -> str:
        """The SQL of a view, as written."""
        ...

    def schema(self, catalog: CatalogName) -> Schema | None:
        """The columns of a table as its row has them now, also where nothing was written with them yet."""
        ...

    def view_schema(self, location: str) -> Schema:
        """The columns that a view had when it was written."""
        ...

    def before(self, catalog: CatalogName) -> EarlierMetadata | None:
        """The metadata file before the present one of a table; None where there is none that can be read, or where the
        catalog is someone else's."""
        ...

    def sync(self, locations: Iterable[str]) -> None:
        """These files and the folders that name them are on the disk when it returns, where the lake is on one."""
        ...

    def orphans(self, older_than: datetime) -> tuple[Orphan, ...]:
        """Files below the warehouse that nothing points at."""
        ...

    def delete(self, orphans: Sequence[Orphan]) -> int: ...
    def close(self) -> None:
        """Let go of connections of its own."""
        ...
