"""The ports of the flows: metadata store, lake and engine. Each has a memory adapter and a real one, and all
adapters of a port pass the same suite in tests/ports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from forge.flows.catalog.ports import Assets
from forge.flows.quality.ports import Verdicts
from forge.flows.runs.ports import FaultPoint as FaultPoint
from forge.flows.runs.ports import Publications, Runs
from forge.flows.upkeep.ports import Audit
from forge.flows.versioning.record_ports import Commits, ContentHashes, Merges, Refs

if TYPE_CHECKING:
    from datetime import datetime

    from forge.flows.runs.records import Pointer, PointerConflict
    from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
    from forge.model.schema import Schema
    from forge.quality.measure import Measure, Reading
    from forge.versioning.commit import TableStatistics


class Metadata(Refs, Commits, Merges, ContentHashes, Runs, Publications, Verdicts, Assets, Audit, Protocol):
    """All records of one project, in one database: for wiring, and for flows that need most of these ports."""


CatalogKind = Literal["TABLE", "VIEW"]  # Iceberg's words


@dataclass(frozen=True, slots=True)
class TableState:
    """The current state of a table by its catalog row."""

    catalog: CatalogName
    location: str  # of the metadata file: the pointer
    uuid: str
    refs: Mapping[str, SnapshotId]
    current_schema_id: int
    kind: CatalogKind = "TABLE"  # a view has no refs


@dataclass(frozen=True, slots=True, kw_only=True)
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
    """A metadata file that the catalog row of a table pointed at before."""

    location: str
    written_at: datetime
    refs: Mapping[str, SnapshotId]
    snapshots: Mapping[SnapshotId, TableStatistics]


@dataclass(frozen=True, slots=True)
class SnapshotGrowth:
    """How a table came from one snapshot to another.

    `kind`: none, the rows are the same; appended, files were only added, and an engine can read these alone;
    replaced, no file of the first is left; rewritten, anything else. `same_columns`: names, in lower case, of the
    columns that are the same in both."""

    kind: Literal["none", "appended", "replaced", "rewritten"]
    same_columns: frozenset[str] = frozenset()
    all_the_same: bool = False  # the columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where a run writes one table: a hidden catalog row, named by the run. For an existing table it starts as a
    copy of the table's metadata with `main` at `base`, over the same files; the table itself does not change."""

    run_id: RunId
    table: TableName
    catalog: CatalogName  # the hidden row
    location: str  # folder of the table; empty: the catalog decides
    base: SnapshotId | None
    origin: CatalogName | None  # the row of the table itself

    @property
    def exists(self) -> bool:
        """False: the engine creates the hidden table at `location`."""
        return self.origin is not None


@dataclass(frozen=True, slots=True)
class OrphanFile:
    path: str
    size: int
    modified: datetime


@dataclass(frozen=True, slots=True)
class PublishedRef:
    """A ref of a table in an external catalog whose snapshot was written by a run of Forge."""

    catalog: CatalogName
    ref: str
    uuid: str
    snapshot: SnapshotState
    run_id: RunId


class TablePublisher(Protocol):
    """Publishing in a catalog outside Forge's database transaction: table by table."""

    def land(self, stage: Stage, branch: BranchName, *, is_default: bool, expected: SnapshotId | None) -> bool:
        """Point `branch` of the table at what was staged, by the catalog's own compare-and-set; False: it refused,
        because the table is not where `prepare` found it. Idempotent."""

    def landed(self) -> tuple[PublishedRef, ...]:
        """Every ref that was last published by a run, of all tables but staged ones."""


@dataclass(frozen=True, slots=True)
class TableSnapshots:
    """All snapshots reachable from the catalog row of a table."""

    catalog: CatalogName
    location: str  # of the metadata file
    uuid: str
    refs: Mapping[str, SnapshotId]
    parents: Mapping[SnapshotId, SnapshotId | None]
    is_hidden: bool = False  # the table lives on a branch only


class Expiry(Protocol):
    """Snapshot expiration. Each change is a compare-and-set; False: the row has moved, and nothing was done. No file
    is deleted: unreachable files are found by `Lake.orphans`."""

    def tables(self) -> tuple[TableSnapshots, ...]:
        """Every table but staged ones."""

    def expire(self, catalog: CatalogName, gone: frozenset[SnapshotId], expected: str) -> bool: ...
    def drop(self, catalog: CatalogName, expected: str) -> bool:
        """Remove the row of a table that exists on a branch only."""


class Lake(Protocol):
    """Table metadata: files and catalog rows, and a few rows of data for samples. The real one is PyIceberg on
    Forge's own database."""

    @property
    def promise(self) -> str:
        """The guarantee of a multi-table publication, in one line for people."""

    @property
    def by_table(self) -> TablePublisher | None:
        """None where the transaction of `Publications.publish` moves the pointers of all tables."""

    @property
    def expiry(self) -> Expiry | None:
        """None for an external catalog, which expires its own snapshots."""

    def state(self, catalog: CatalogName) -> TableState | None: ...
    def tables(self) -> tuple[CatalogName, ...]:
        """All rows that are not hidden."""

    def snapshot(self, catalog: CatalogName, snapshot_id: SnapshotId | None = None) -> SnapshotState | None:
        """The given snapshot, or the current one of the row."""

    def open_stage(
        self, run_id: RunId, table: TableName, origin: CatalogName | None, base: SnapshotId | None
    ) -> Stage: ...
    def prepare(
        self, stage: Stage, branch: BranchName, *, is_default: bool, expected: SnapshotId | None
    ) -> Pointer | PointerConflict:
        """Write the metadata file that points `branch` of the table at what was staged. A new table on the default
        branch gets its own name; on another branch it stays under a hidden one. Conflict: the branch's ref in the
        table is no longer at `expected`. Called again after another publication, it starts from the new state."""

    def stages(self) -> tuple[tuple[RunId, CatalogName], ...]:
        """Hidden rows left by runs, finished or not."""

    def drop_stages(self, run_id: RunId) -> int: ...
    def set_ref(self, catalog: CatalogName, ref: str, snapshot_id: SnapshotId | None) -> None:
        """Create, move or (None) remove an Iceberg ref, retried until it succeeds."""

    def measure(
        self, catalog: CatalogName, snapshot_id: SnapshotId, measures: Sequence[Measure]
    ) -> dict[Measure, Reading]:
        """What the manifests answer exactly, with no job; the rest is left out."""

    def growth(self, catalog: CatalogName, since: SnapshotId, until: SnapshotId) -> SnapshotGrowth | None:
        """What changed from one snapshot of the table to another; None where neither descends from the other, or one
        has expired."""

    def rows(
        self, catalog: CatalogName, snapshot_id: SnapshotId, columns: Sequence[str], limit: int
    ) -> tuple[tuple[object, ...], ...] | None:
        """The first rows of that snapshot, these columns only, as plain Python values; opens as few data files as
        possible. E406 where there is no such snapshot; None where only an engine can read it."""

    def write_view(self, table: TableName, sql: str, schema: Schema, previous: str | None) -> str:
        """Write the metadata file of a view, the next version after `previous`; its location."""

    def read_view(self, location: str) -> str:
        """The SQL of a view, as written."""

    def schema(self, catalog: CatalogName) -> Schema | None:
        """The current columns of a table, even if nothing was written with them yet."""

    def view_schema(self, location: str) -> Schema:
        """The columns that a view had when it was written."""

    def before(self, catalog: CatalogName) -> EarlierMetadata | None:
        """The metadata file before the current one of a table; None where none can be read, or the catalog is
        external."""

    def sync(self, locations: Iterable[str]) -> None:
        """Fsync these files and their folders, where the lake is on a local disk."""

    def orphans(self, older_than: datetime) -> tuple[OrphanFile, ...]:
        """Files below the warehouse that nothing references."""

    def delete(self, orphans: Sequence[OrphanFile]) -> int: ...
    def close(self) -> None:
        """Close its own connections."""
