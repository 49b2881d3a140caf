"""Tables as sets of files, and operations on their rows: the ports of diffs, merges and commits of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from forge.flows.ports import Stage
from forge.flows.runs.records import Pointer, PointerConflict
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
from forge.versioning.changes import RowDiff
from forge.versioning.commit import TableVersion
from forge.versioning.conflict import Answers, Conflict
from forge.versioning.field import Fields, Layout

if TYPE_CHECKING:
    import pyarrow


class NeedsEngine(Exception):
    """The driver cannot read or write these files: the same work has to be done by an engine."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file of one snapshot with the delete files that apply to it. Two snapshots have the same rows in it
    only if both are equal, which is what equality means."""

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
class FileSlice:
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

    def read(self, part: FileSlice, columns: Sequence[str] | None = None) -> pyarrow.Table:
        """On the driver; for small parts. Columns are named and typed by the snapshot's schema, and carry their
        field ids in Arrow's metadata. E406 where a file is missing; NeedsEngine where only an engine can read it."""

    def swap(self, stage: Stage, removed: Sequence[DataFile], added: FileSlice | None, fields: Fields) -> SnapshotId:
        """A snapshot on top of the stage without the `removed` files and with the `added` ones, which belong to
        another snapshot of the same table or to a row made by `expose` or an engine. No row is read or written."""

    def rewrite(
        self, stage: Stage, removed: Sequence[DataFile], rows: pyarrow.Table, fields: Fields, key: Sequence[str] = ()
    ) -> SnapshotId:
        """The same, with the rows written as new files, in the table's partitions. Where the stage does not exist
        yet, the table is created there, with `key` as Iceberg's identifier fields. NeedsEngine where only an engine
        can partition the rows."""

    def expose(self, run_id: RunId, part: FileSlice, name: str) -> CatalogName:
        """A hidden catalog row that holds exactly these files, for an engine to read; dropped with the stages of the
        run. `name` distinguishes the rows of one run."""

    def scratch(self, stage: Stage, fields: Fields, name: str) -> CatalogName:
        """A hidden row without files but with the stage's partitions, folder and these columns: an engine appends to
        it, `swap` takes over the files."""

    def advance(self, stage: Stage, snapshot_id: SnapshotId) -> None:
        """Move the stage to another snapshot of its table: nothing is copied."""

    def point(
        self,
        table: TableName,
        version: TableVersion,
        branch: BranchName,
        *,
        is_default: bool,
        expected: SnapshotId | None,
        is_free: bool = False,
    ) -> Pointer | PointerConflict:
        """The metadata file that sets the branch's ref of the table to the version's snapshot. On the default branch
        the current schema and partitions follow, and a table under a hidden name gets its own; `is_free`: another
        table leaves that name in the same transaction. Conflict: the ref is not at `expected` any more."""

    def hide(self, table: TableName, version: TableVersion, expected: SnapshotId | None) -> Pointer | PointerConflict:
        """The table leaves the default branch: its row is moved under a hidden name, all snapshots and other refs
        stay."""

    def leave(self, version: TableVersion, branch: BranchName) -> Pointer | None:
        """The table leaves another branch: its ref is removed, so that it is not taken for a foreign write when the
        branch has the table again. None where the table has no such ref."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMerge:
    """The rows of one table to merge. None: no files on that side. `rewritten` are the files of ours that may hold rows
    which theirs changed."""

    table: TableName
    layout: Layout
    base_ours: FileSlice | None
    ours: FileSlice | None
    base_theirs: FileSlice | None
    theirs: FileSlice | None
    rewritten: FileSlice | None
    answers: Answers = field(default_factory=Answers)
    limit: int = 1000  # of the conflicts given back
    is_whole: bool = False  # all of `rewritten` is rewritten: unchanged, its files would show old values


class MergedRows(Protocol):
    """The result of a merge; nothing is written yet."""

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Open conflicts, at most as many as the limit."""

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

    def write(self, stage: Stage) -> SnapshotId:
        """Rewrite the changed files of ours, with the changes of theirs, on top of the stage."""


@dataclass(frozen=True, slots=True)
class DuplicateKeys:
    """Duplicate keys: how many, and the first of them."""

    count: int = 0
    keys: tuple[Mapping[str, object], ...] = ()


RowEngine = Literal["driver", "spark"]


class RowOperations(Protocol):
    """On the driver in Arrow for small parts, on Spark for large ones; both give the same results."""

    def diff(
        self, left: FileSlice | None, right: FileSlice | None, layout: Layout, *, limit: int = 100, offset: int = 0
    ) -> RowDiff:
        """In the layout `base` names the columns of the left, `theirs` those of the right."""

    def merge(self, work: TableMerge, run_id: RunId) -> MergedRows: ...

    def find_twins(self, new: FileSlice, old: FileSlice | None, key: Sequence[str], limit: int) -> DuplicateKeys:
        """Keys of two rows of `new`, or of a row of `new` and one of `old`; both are parts of one snapshot. Only the
        key columns are read. Keys with a NULL are ignored."""


def open_conflicts(table: TableName, count: int) -> ForgeError:
    """E617: a merge that is not resolved cannot be written."""
    why = "Nothing is written until all are resolved."
    return ForgeError("E617", f"{table} has {count} open conflicts", why=why, fix="forge conflicts")
