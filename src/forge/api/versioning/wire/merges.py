"""Merges, their conflicts, and what people say about them. Ours is the target, theirs the source."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from forge.api.runs.wire.runs import VerdictView
from forge.api.versioning.wire.refs import AuthorView, CommitView
from forge.api.wire import Name, Text, Wire
from forge.flows.versioning.data.request import CommitMode
from forge.flows.versioning.merge.record import TableMergeKind
from forge.flows.versioning.tables import RowEngine
from forge.versioning.merge import Strategy

StrategyWord = Literal["three_way", "three-way", "ff", "fast_forward", "fast-forward", "squash", "rebase"]
MergeWord = Literal["fast_forward", "three_way", "squash", "rebase", "conflicted", "blocked", "up_to_date", "pending"]
StatusWord = Literal["pending", "conflicted", "blocked", "merged", "aborted", "rejected"]
TakeWord = Literal["ours", "theirs", "base", "manual", "expression"]
KindWord = Literal[
    "modify_modify",
    "add_add",
    "delete_modify",
    "modify_delete",
    "column_dropped_modified",
    "cardinality",
    "schema_change",
    "constraint",
]
Keys = Annotated[dict[Name, Annotated[list[Name], Field(max_length=50)]], Field(max_length=1000)]


ResolutionWord = Annotated[
    Text,
    Field(
        min_length=1,
        description="ours, theirs, base, manual (with a value), max, min, sum, expression (with its text), or SQL over "
        "base, ours and theirs, like greatest(ours, theirs).",
    ),
]


class RuleBody(Wire):
    """A standing answer: to conflicts of a column, of a table, or of all. `value` is that of `manual`, or the text of
    an `expression` over base, ours and theirs, like greatest(ours, theirs)."""

    take: ResolutionWord
    table: Name | None = None
    column: Name | None = None
    value: Any = None


class MergeStart(Wire):
    source_branch: Name
    target_branch: Name | None = None  # the default branch
    strategy: StrategyWord = "three_way"
    message: Text | None = None
    no_ff: bool = False
    keys: Keys = {}
    rules: Annotated[list[RuleBody], Field(max_length=1000)] = []


class PickStart(Wire):
    """Of a cherry-pick, or of a revert."""

    commit: Name
    branch: Name | None = None  # the default branch
    message: Text | None = None
    keys: Keys = {}
    rules: Annotated[list[RuleBody], Field(max_length=1000)] = []


class ConflictView(Wire):
    """`key` maps key columns to values; of a keyless table it is the whole row, of a schema conflict null. Without a
    `column` it is of the row: base, ours and theirs are rows (null: not there) or, keyless, counts. Personal data is
    null, and `masked` says so."""

    id: str
    kind: KindWord
    table: str | None = None
    key: dict[str, Any] | None = None
    column: str | None = None
    base: Any = None
    ours: Any = None
    theirs: Any = None
    location: str | None = None
    resolution: TakeWord | None = None
    resolved_value: Any = None
    masked: bool = False


class TallyView(Wire):
    """What a merge does to one table."""

    table: str
    how: TableMergeKind
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    conflicts: int = 0
    resolved: int = 0
    bytes_read: int = 0
    engine: RowEngine | Literal[""] = ""  # where rows were read
    key: list[str] = []  # by which rows were matched
    warning: str = ""  # what to know of how it was merged


class MergeStatistics(Wire):
    tables: int = 0
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    conflicts: int = 0
    resolved: int = 0
    bytes_read: int = 0


class MergeResultView(Wire):
    """How a merge, cherry-pick or revert ended. Conflicted, blocked, pending and up to date are results, not errors."""

    type: MergeWord
    merge_id: str | None = None  # where someone has to decide
    merge_commit: str | None = None  # the new head of the target
    commit: CommitView | None = None
    source_branch: str
    target_branch: str
    base: str | None = None
    other_bases: list[str] = []
    conflicts: list[ConflictView] = []  # the first 100
    conflict_count: int = 0
    tables: list[TallyView] = []
    statistics: MergeStatistics = MergeStatistics()
    verdicts: list[VerdictView] = []
    run_id: str | None = None


class ApprovalView(Wire):
    user: str
    time: datetime
    source_commit: str
    approved: bool  # false: rejected
    comment: str = ""
    is_current: bool = True  # false: the source has moved since, and it does not count any more


class MergeView(Wire):
    merge_id: str
    kind: Literal["merge", "revert", "cherry-pick"]
    source_branch: str  # of a revert or cherry-pick: the commit
    target_branch: str
    source_commit: str  # where the source stood when it was worked out last
    source_head: str | None = None  # where it stands now: what an approval of this merge expects
    target_commit: str
    base_commit: str | None = None
    other_bases: list[str] = []
    strategy: Strategy
    status: StatusWord
    message: str
    author: AuthorView
    created_at: datetime
    updated_at: datetime
    commit: str | None = None  # once merged
    run_id: str | None = None
    total_count: int = 0
    resolved_count: int = 0
    fully_resolved: bool = True
    approvals: list[ApprovalView] = []
    tables: list[TallyView] = []
    rules: list[RuleBody] = []
    keys: dict[str, list[str]] = {}


class ConflictGroup(Wire):
    """The conflicts of one column of one table; without a column, of its rows or of its schema."""

    table: str | None = None
    column: str | None = None
    total: int
    open: int


class ConflictSet(MergeView):
    """A merge with one page of its conflicts. `resolved_count` and `total_count` are of all."""

    conflicts: list[ConflictView] = []
    next_cursor: str | None = None
    has_more: bool = False
    groups: list[ConflictGroup] = []
    verdicts: list[VerdictView] = []  # of the checks on the merged preview


class ResolutionBody(Wire):
    """Which conflicts, and what to do with them: one by its id, those of a row, of a column, of a table, or all."""

    conflict_id: Name | None = None
    table: Name | None = None
    column: Name | None = None
    key: dict[str, Any] | None = None
    resolution: ResolutionWord
    manual_value: Any = None
    expression: Text | None = None


class ResolveStart(Wire):
    """One resolution, or `resolutions`, all of them or none."""

    conflict_id: Name | None = None
    table: Name | None = None
    column: Name | None = None
    key: dict[str, Any] | None = None
    resolution: ResolutionWord | None = None
    manual_value: Any = None
    expression: Text | None = None
    resolutions: Annotated[list[ResolutionBody], Field(max_length=10_000)] = []


class JudgeStart(Wire):
    """Why it is approved or rejected, and which commit of the source was looked at: another one is refused (409)."""

    comment: Text = ""
    expected: Name | None = None


class CommitResultView(Wire):
    """A commit of uploaded rows. Blocked: its checks failed, and nothing was committed."""

    type: Literal["committed", "blocked"]
    table: str
    branch: str
    mode: CommitMode
    commit: CommitView | None = None
    rows_added: int = 0
    rows_modified: int = 0
    rows_deleted: int = 0
    verdicts: list[VerdictView] = []
    run_id: str | None = None
