"""Merge records: from the first conflict or request for approval until merged, aborted or rejected."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from forge.flows.versioning.tables import RowEngine
    from forge.model.names import BranchName, CommitId
    from forge.versioning.commit import Author
    from forge.versioning.conflict import ResolutionRule
    from forge.versioning.merge import MergeStatus, Strategy


@dataclass(frozen=True, slots=True)
class Approval:
    """Valid as long as the head of the source does not move."""

    user: str
    time: datetime
    source_commit: CommitId
    approved: bool = True  # False: rejected
    comment: str = ""

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


MergeKind = Literal["merge", "revert", "cherry-pick"]
TableMergeKind = Literal[
    "fast_forward", "zero_copy", "rows", "unchanged", "view", "new", "removed", "restored", "custom"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTally:
    """The row counts of a merge for one table."""

    table: str
    how: TableMergeKind
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    conflicts: int = 0
    resolved: int = 0
    bytes_read: int = 0
    engine: RowEngine | Literal[""] = ""  # where rows were read
    key: tuple[str, ...] = ()  # by which rows were matched
    warning: str = ""  # what to know of how it was merged

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self), "key": list(self.key)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRecord:
    id: str
    kind: MergeKind
    source: str  # the branch, or the revision that is picked or reverted
    target: BranchName
    source_commit: CommitId
    target_commit: CommitId
    base_commit: CommitId | None
    strategy: Strategy
    status: MergeStatus
    message: str
    author: Author
    created_at: datetime
    updated_at: datetime
    commit_id: CommitId | None = None  # once merged
    run_id: str | None = None  # of the last try; its verdicts are those of the preview
    other_bases: tuple[CommitId, ...] = ()  # criss-cross: the other merge bases
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # per call, by table
    rules: tuple[ResolutionRule, ...] = ()
    tables: tuple[TableTally, ...] = ()
    approvals: tuple[Approval, ...] = ()
    conflict_count: int = 0
    resolved_count: int = 0

    @property
    def fully_resolved(self) -> bool:
        return self.resolved_count >= self.conflict_count

    def to_dict(self) -> dict[str, object]:
        return {
            "merge_id": self.id,
            "kind": self.kind,
            "source_branch": self.source,
            "target_branch": str(self.target),
            "source_commit": self.source_commit,
            "target_commit": self.target_commit,
            "base_commit": self.base_commit,
            "other_bases": list(self.other_bases),
            "strategy": str(self.strategy),
            "status": str(self.status),
            "message": self.message,
            "author": self.author.to_dict(),
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "commit": self.commit_id,
            "run_id": self.run_id,
            "total_count": self.conflict_count,
            "resolved_count": self.resolved_count,
            "fully_resolved": self.fully_resolved,
            "approvals": [approval.to_dict() for approval in self.approvals],
            "tables": [tally.to_dict() for tally in self.tables],
            "rules": [rule.to_dict() for rule in self.rules],
            "keys": {table: list(key) for table, key in self.keys.items()},
        }
