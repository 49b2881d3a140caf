"""Tables as sets of files, and the work on their rows: the ports that diffs, merges and commits of data stand on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from forge.flows.ports import Stage
from forge.flows.runs.records import Moved, Pointer
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
from forge.versioning.changes import RowDiff
from forge.versioning.commit import TableVersion
from forge.versioning.conflict import Answers, Conflict
from forge.versioning.field import Fields, Layout

if TYPE_CHECKING:
    import pyarrow


class NeedsEngine(Exception):
    """The driver cannot read or write these files: the same work is to be done by an engine."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file of one snapshot with the delete files that apply to it. Two snapshots hold the same rows in it only
    when both are the same, which is what equality says."""

    path: str
    deletes: tuple[str, ...] = ()  # sorted
    size: int = field(default=0, compare=False)  # bytes, its delete files included
    rows: int = field(default=0, compare=False)  # before deletes
    added_by: SnapshotId | None = field(default=None, compare=False)  # the snapshot that brought it in
    bounds: Mapping[int, tuple[object, object]] = field(default_factory=dict, compare=False)
    """By field id: no value lies outside, and none is NULL or NaN. Left out where the manifest does not prove it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFiles:
    """One snapshot of a table, from its manifests."""

    catalog: CatalogName
    snapshot_id: SnapshotId
    fields: Fields  # of the snapshot's own schema
    identifier: tuple[str, ...]  # names of Iceberg's identifier fields: the declared key
    files: frozenset[DataFile]
    spec_id: int = 0
    ancestors: frozenset[SnapshotId] = frozenset()  # of the snapshot, itself included
    needs_engine: bool = False  # equality deletes, deletion vectors or a format that only an engine reads
    past_columns: frozenset[int | str] = frozenset()  # field ids that the snapshot or one of its ancestors had


@dataclass(frozen=True, slots=True)
class Slice:
    """The rows of some files of a snapshot, deletes applied, with the snapshot's own schema."""

    catalog: CatalogName
    snapshot_id: SnapshotId
    files: tuple[DataFile, ...]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


class Tables(Protocol):
    """The files of a snapshot, and snapshots made of files. Starts no engine."""

    def files(self, catalog: CatalogName, snapshot_id: SnapshotId) -> TableFiles: ...

    def read(self, part: Slice, columns: Sequence[str] | None = None) -> pyarrow.Table:
        """On the driver; for parts that are small. Columns are named and typed by the snapshot's schema, and carry
        their field ids in Arrow's metadata. E406 where a file is gone; NeedsEngine where only an engine can read it."""
        ...

    def swap(self, stage: Stage, removed: Sequence[DataFile], added: Slice | None, fields: Fields) -> SnapshotId:
        """A snapshot on top of the stage without the `removed` files and with the `added` ones, which belong to another
        snapshot of the same table or to a row made by `expose` or an engine. No row is read or written."""
        ...

    def rewrite(
        self, stage: Stage, removed: Sequence[DataFile], rows: pyarrow.Table, fields: Fields, key: Sequence[str] = ()
    ) -> SnapshotId:
        """The same, with the rows written as new files, in the table's partitions. Where the stage does not exist yet,
        the table is created there, with `key` as Iceberg's identifier fields. NeedsEngine where only an engine can
        divide the rows."""
        ...

    def expose(self, run_id: RunId, part: Slice, name: str) -> CatalogName:
        """A hidden row of the catalog that holds exactly these files, for an engine to read; dropped with the stages of
        the run. `name` tells the rows of one run apart."""
        ...

    def scratch(self, stage: Stage, fields: Fields, name: str) -> CatalogName:
        """A hidden row without files but with the stage's partitions, folder and these columns: an engine appends to
        it, `swap` takes the files over."""
        ...

    def advance(self, stage: Stage, snapshot_id: SnapshotId) -> None:
        """The stage stands at another snapshot of its table from now on: nothing is copied."""
        ...

    def point(
        self,
        table: TableName,
        version: TableVersion,
        branch: BranchName,
        *,
        is_default: bool,
        expected: SnapshotId | None,
        is_free: bool = False,
    ) -> Pointer | Moved:
        """The metadata file that sets the branch's ref of the table to the version's snapshot. On the default branch
        the current schema and partitions follow, and a table that stood under a hidden name gets its own; `is_free`:
        another table leaves that name in the same transaction. Moved: the ref is not at `expected` any more."""
        ...

    def hide(self, table: TableName, version: TableVersion, expected: SnapshotId | None) -> Pointer | Moved:
        """The table leaves the default branch: its row goes under a hidden name, all snapshots and other refs stay."""
        ...

    def leave(self, version: TableVersion, branch: BranchName) -> Pointer | None:
        """The table leaves another branch: its ref goes, so that none is left behind to be taken for a foreign write
        when the branch has the table again. None where the table has no such ref."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMerge:
    """The rows of one table to merge. None: no files on that side. `rewritten` are the files of ours that may hold rows
    which theirs changed."""

    table: TableName
    layout: Layout
    base_ours: Slice | None
    ours: Slice | None
    base_theirs: Slice | None
    theirs: Slice | None
    rewritten: Slice | None
    answers: Answers = field(default_factory=Answers)
    limit: int = 1000  # of the conflicts given back
    is_whole: bool = False  # all of `rewritten` is written anew: as they are, its files would show old values


class MergedRows(Protocol):
    """What came of it; nothing is written yet."""

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Those without an answer, at most as many as the limit."""
        ...

    @property
    def conflict_count(self) -> int: ...
    @property
    def resolved_count(self) -> int: ...
    @property
    def inserted(self) -> int: ...
    @property
    def updated(self) -> int: ...
    @property
    def deleted(self) -> int: ...
    @property
    def is_separate(self) -> bool:
        """No row was changed by both sides: files can be taken over as they are."""
        ...

    def write(self, stage: Stage) -> SnapshotId:
        """Rewrite the files of ours that change, with what theirs brings, on top of the stage."""
        ...


@dataclass(frozen=True, slots=True)
class Twins:
    """Keys that are there more than once: how many, and the first of them."""

    count: int = 0
    keys: tuple[Mapping[str, object], ...] = ()


RowEngine = Literal["driver", "spark"]


class RowWork(Protocol):
    """On the driver in Arrow for small parts, on Spark for large ones; the same answers from both."""

    def diff(
        self, left: Slice | None, right: Slice | None, layout: Layout, *, limit: int = 100, offset: int = 0
    ) -> RowDiff:
        """In the layout `base` names the columns of the left, `theirs` those of the right."""
        ...

    def merge(self, work: TableMerge, run_id: RunId) -> MergedRows: ...

    def find_twins(self, new: Slice, old: Slice | None, key: Sequence[str], limit: int) -> Twins:
        """Keys that two rows of `new` have, or a row of `new` and one of `old`; both are parts of one snapshot. Only
        the columns of the key are read. A key with a NULL in it is none."""
        ...
