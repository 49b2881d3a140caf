"""The ports of versioning records. Every method is one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from forge.flows.runs.records import AuditRecord, Blob, HashRecords, LoadedFile
    from forge.flows.versioning.merge.record import MergeRecord
    from forge.model.names import BranchName, CommitId, TableName
    from forge.versioning.branch import Branch
    from forge.versioning.commit import Commit, Tree
    from forge.versioning.conflict import Conflict, ResolutionRule
    from forge.versioning.merge import MergeStatus
    from forge.versioning.tag import Tag


class Refs(Protocol):
    """Branches and tags. `create_branch` raises E603 where it exists, `delete_branch` E602 where it does not."""

    def branches(self) -> tuple[Branch, ...]: ...
    def branch(self, name: BranchName) -> Branch | None: ...
    def create_branch(self, branch: Branch, audit: AuditRecord) -> None: ...
    def delete_branch(self, name: BranchName, audit: AuditRecord) -> None: ...
    def update_branch(self, branch: Branch, audit: AuditRecord) -> None:
        """Everything of the branch but its head, which only a publication moves; E602 where it does not exist."""

    def rename_branch(self, old: BranchName, new: BranchName, audit: AuditRecord) -> None:
        """Head and history stay, and branches created from it are updated; E602 unknown, E603 `new` exists."""

    def tags(self) -> tuple[Tag, ...]:
        """By name."""

    def tag(self, name: str) -> Tag | None: ...
    def put_tag(self, tag: Tag, audit: AuditRecord, *, replace: bool) -> None:
        """An existing tag is moved if `replace`, else E615."""

    def delete_tag(self, name: str, audit: AuditRecord) -> None:
        """E614 where it does not exist."""


class Commits(Protocol):
    """Commits, their trees and the files they loaded."""

    def commit(self, commit_id: CommitId) -> Commit | None: ...
    def commits(self, ids: Iterable[CommitId]) -> Mapping[CommitId, Commit]:
        """Those that exist."""

    def find_commits(self, prefix: str) -> tuple[CommitId, ...]: ...
    def tree(self, commit_id: CommitId | None) -> Tree: ...
    def recorded_tree(self, commit_id: CommitId) -> Tree:
        """The tree exactly as it was committed; `tree` has the current catalog row of each table."""

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

    def ancestry(self, heads: Iterable[CommitId]) -> Mapping[CommitId, tuple[CommitId, ...]]:
        """Every commit that can be reached from any of the heads, with its parents."""

    def touching(self, table: TableName) -> frozenset[CommitId]:
        """The commits that changed the table, on any branch."""

    def loaded_files(self, table: TableName, head: CommitId | None) -> frozenset[LoadedFile]:
        """Files loaded into the table by the commits from head back."""


class CommitHistory(Refs, Commits, Protocol):
    """The records that revisions are resolved against."""


class Merges(Protocol):
    """Merges and their conflicts, kept until they are decided."""

    def put_merge(self, merge: MergeRecord, conflicts: Sequence[Conflict] | None, audit: AuditRecord) -> None:
        """Insert or replace it. `conflicts`, where given, replace the recorded ones; the resolution of a conflict
        that recurs (the same id) stays. Publications and advances write their merge in their own transaction."""

    def merge(self, merge_id: str) -> MergeRecord | None: ...
    def merges(
        self, *, statuses: Iterable[MergeStatus] | None = None, branch: BranchName | None = None, limit: int = 50
    ) -> tuple[MergeRecord, ...]:
        """Newest first; `branch` is the source or the target."""

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

    def answer(self, merge_id: str, answers: Mapping[str, ResolutionRule], audit: AuditRecord) -> None:
        """Set the resolution of these conflicts, by their ids; E616 where one does not exist. Updates the merge's
        `resolved_count`."""


class MergeHistory(CommitHistory, Merges, Protocol):
    """Everything that may hold a commit: refs, later commits and open merges."""


class ContentHashes(Protocol):
    """Hashes of data files and of tables, for verification."""

    def blobs(self, paths: Iterable[str]) -> Mapping[str, Blob]:
        """Those that are known."""

    def table_trees(self, digests: Iterable[str]) -> Mapping[str, Mapping[str, object]]:
        """Those that are known."""

    def add_hashes(self, hashes: HashRecords) -> None:
        """Add hashes outside a publication."""
