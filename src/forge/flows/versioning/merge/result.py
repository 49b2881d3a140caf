"""How a merge, revert or cherry-pick ended: one class for each outcome, distinguished by `match`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from forge.versioning.merge import MergeType

if TYPE_CHECKING:
    from forge.flows.versioning.merge.record import MergeRecord, TableTally
    from forge.model.names import CommitId
    from forge.quality.verdict import Verdict
    from forge.versioning.commit import Commit
    from forge.versioning.conflict import Conflict

MergedBy = Literal[MergeType.FAST_FORWARD, MergeType.THREE_WAY, MergeType.SQUASH, MergeType.REBASE]

COUNTS = ("inserted", "updated", "deleted", "conflicts", "resolved", "bytes_read")  # of tallies, added up


@dataclass(frozen=True, slots=True, kw_only=True)
class _MergeOutcome:
    if TYPE_CHECKING:

        @property
        def type(self) -> MergeType: ...

    source: str
    target: str
    base: CommitId | None = None
    other_bases: tuple[CommitId, ...] = ()
    merge: MergeRecord | None = None  # that someone had, or has, to decide
    tables: tuple[TableTally, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    run_id: str | None = None

    def to_dict(self) -> dict[str, object]:
        commit = self.commit if isinstance(self, Merged) else None
        conflicts, count = (self.conflicts, self.conflict_count) if isinstance(self, Conflicted) else ((), 0)
        return {
            "type": str(self.type),
            "merge_id": self.merge.id if self.merge else None,
            "merge_commit": commit.id if commit else None,
            "commit": commit.to_dict() if commit else None,
            "source_branch": self.source,
            "target_branch": self.target,
            "base": self.base,
            "other_bases": list(self.other_bases),
            "conflicts": [conflict.to_dict() for conflict in conflicts],
            "conflict_count": count,
            "tables": [tally.to_dict() for tally in self.tables],
            "statistics": {
                "tables": sum(tally.how != "unchanged" for tally in self.tables),
                **{name: sum(getattr(tally, name) for tally in self.tables) for name in COUNTS},
            },
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "run_id": self.run_id,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged(_MergeOutcome):
    """The target moved; `commit` is its new head."""

    type: MergedBy
    commit: Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class UpToDate(_MergeOutcome):
    """The target has it all already."""

    type: Literal[MergeType.UP_TO_DATE] = MergeType.UP_TO_DATE


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflicted(_MergeOutcome):
    """Kept until its conflicts are resolved. `conflicts` are the first of `conflict_count`."""

    merge: MergeRecord
    conflicts: tuple[Conflict, ...]
    conflict_count: int
    type: Literal[MergeType.CONFLICTED] = MergeType.CONFLICTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked(_MergeOutcome):
    """Kept because a check or a contract fails on the merged tables."""

    merge: MergeRecord
    type: Literal[MergeType.BLOCKED] = MergeType.BLOCKED


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitingApproval(_MergeOutcome):
    """Kept until someone else approves it."""

    merge: MergeRecord
    type: Literal[MergeType.PENDING] = MergeType.PENDING


MergeResult = Merged | UpToDate | Conflicted | Blocked | AwaitingApproval


def commit_of(result: MergeResult) -> Commit | None:
    """The new head of the target, where it moved."""
    return result.commit if isinstance(result, Merged) else None


def conflicts_of(result: MergeResult) -> tuple[tuple[Conflict, ...], int]:
    """The first of them, and how many there are."""
    return (result.conflicts, result.conflict_count) if isinstance(result, Conflicted) else ((), 0)
