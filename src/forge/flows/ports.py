"""The ports of the flows: what a metadata store, a lake and an engine can do. Each has a memory adapter and a real one,
and all adapters of a port pass the same suite in tests/ports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from forge.flows.catalog.ports import Assets
from forge.flows.quality.ports import Verdicts
from forge.flows.runs.ports import Publications, Runs
from forge.flows.runs.ports import Seam as Seam
from forge.flows.upkeep.ports import Audit
from forge.flows.versioning.store import Commits, ContentHashes, Merges, Refs

if TYPE_CHECKING:
    from datetime import datetime

    from forge.flows.runs.records import (
        Moved,
        Pointer,
    )
    from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
    from forge.model.schema import Schema
    from forge.quality.measure import Measure, Reading
    from forge.versioning.commit import TableStatistics


class Metadata(Refs, Commits, Merges, ContentHashes, Runs, Publications, Verdicts, Assets, Audit, Protocol):
    """All records of one project, in one database: for wiring, and for flows that speak most of these ports."""


CatalogKind = Literal["TABLE", "VIEW"]  # Iceberg's words


@dataclass(frozen=True, slots=True)
class TableState:
    """A table as its catalog row has it now."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
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
        """None where the transaction of `Publications.publish` moves the pointers of all tables."""
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
