"""What differs: between two branches, between two commits, and who wrote what."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from forge.api.runs.wire.runs import VerdictView
from forge.api.versioning.wire.merges import ConflictView, TallyView
from forge.api.versioning.wire.refs import BranchView, CommitView, SampleColumn
from forge.api.wire import ErrorView, Wire
from forge.versioning.changes import ColumnChangeKind
from forge.versioning.verify_findings import BrokenKind


class SchemaChangeView(Wire):
    change: ColumnChangeKind
    column: str
    before: str | None = None
    after: str | None = None


class ChangedTable(Wire):
    """One table that `compare` has and `base` has not as it is. Rows are counted where that was asked for."""

    table: str
    change: Literal["added", "removed", "changed", "unreadable"]
    both: bool = False  # changed on the side of `base`, too: only such can conflict
    key: list[str] = []
    inserted: int | None = None
    updated: int | None = None
    deleted: int | None = None
    files_added: int | None = None
    files_removed: int | None = None
    schema_changes: list[SchemaChangeView] = []


class CompareView(Wire):
    """Merging `compare` into `base`, without doing it. Without a preview only records are read: `has_conflicts` is null
    where it takes the data to say."""

    base: str
    compare: str
    base_branch: BranchView | None = None  # null: another revision than a branch
    compare_branch: BranchView | None = None
    base_commit: str
    compare_commit: str
    merge_base: str | None = None
    other_bases: list[str] = []
    ahead: int  # commits that only `compare` has
    behind: int
    can_merge: bool  # false: there is nothing to merge, conflicts are open, or `error` says why
    can_fast_forward: bool
    has_conflicts: bool | None = None
    conflicts: list[ConflictView] = []  # the first 100
    conflict_count: int = 0
    tables: list[ChangedTable] = []
    commits: list[CommitView] = []  # that only `compare` has, newest first, the first 100
    previewed: bool = False
    tallies: list[TallyView] = []  # how each table would merge
    verdicts: list[VerdictView] = []  # of the checks on the merged preview
    error: ErrorView | None = None  # why the two cannot be merged


class RowChangeView(Wire):
    """`key` of a keyless table is the whole row, and `count` how often it came or went. Masked values are null."""

    kind: Literal["inserted", "updated", "deleted"]
    key: dict[str, Any]
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    columns: list[str] = []  # that changed; of an update
    count: int = 1


class TableDiffView(Wire):
    table: str
    change: Literal["added", "removed", "changed", "unreadable"]
    key: list[str] = []
    columns: list[SampleColumn] = []
    schema_changes: list[SchemaChangeView] = []
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    changed_columns: dict[str, int] = {}  # how many updates touched each
    files_added: int = 0
    files_removed: int = 0
    bytes_read: int = 0
    rows: list[RowChangeView] = []  # one page, by key
    has_more: bool = False


class DiffSummary(Wire):
    tables: int
    inserted: int
    updated: int
    deleted: int
    schema_changes: int


class DiffView(Wire):
    """`limit` and `offset` are of the rows of each table."""

    base_commit: str
    compare_commit: str
    limit: int
    offset: int
    summary: DiffSummary
    tables: list[TableDiffView]


class BlameCell(Wire):
    column: str
    commit: str
    run_id: str | None = None
    author: str = ""
    time: datetime | None = None
    message: str = ""


class BlameRow(Wire):
    key: dict[str, Any]
    commit: str  # that wrote the row last
    run_id: str | None = None
    author: str = ""
    time: datetime | None = None
    message: str = ""
    cells: list[BlameCell] = []


class BlameView(Wire):
    table: str
    at: str
    commit: str
    key: list[str]
    rows: list[BlameRow]
    truncated: bool = False


class BrokenView(Wire):
    kind: BrokenKind
    object: str
    where: str
    expected: str
    actual: str | None = None  # null: it is missing
    commit: str | None = None
    table: str | None = None
    error: ErrorView


class VerifyView(Wire):
    level: Literal["chain", "tree", "full", "logical"]
    is_good: bool
    commits: int
    trees: int
    files: int
    bytes: int
    seconds: float
    broken: list[BrokenView] = []
    unsealed: int = 0
    signed: int = 0
    unchecked: int = 0
    foreign: list[str] = []
