"""The only path onto a branch: what is staged and what is recorded of it become visible together, or not at all.

Runs, merges, commits of rows, remediations, resets, adopted snapshots and repairs all end here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from forge.flows.runs.publish.changes import BranchChanges, PreparedChanges, PublishPorts, prepare, tree_with
from forge.flows.runs.records import (
    AssetRecord,
    AuditRecord,
    BranchAdvance,
    HashRecords,
    LoadedFile,
    OutputRecord,
    ProfileRecord,
    Publication,
    PublishConflict,
    PublishedCommit,
    RunRecord,
    RunStatus,
    TableLineage,
)
from forge.flows.versioning.content_hash import hash_series, hash_versions
from forge.model.names import BranchName, CommitId, TableName
from forge.model.retry import attempts
from forge.versioning.commit import Author, Commit, TableStatistics, TableVersion, Tree, make_commit

if TYPE_CHECKING:
    from forge.flows.contracts.ports import Registration
    from forge.flows.runs.input_pins import PinnedBranch
    from forge.flows.versioning.merge.record import MergeRecord
    from forge.quality.remediation import Remediation
    from forge.quality.verdict import Verdict
    from forge.versioning.branch import BranchStatus

THIS_COMMIT = CommitId("this commit")
"""In records that are handed to `publish`: the commit that it is about to make."""
ALL_COMMITS = "all commits"
"""Likewise, in the detail of an audit record: the ids of all that it makes."""

_FILES = frozenset({"data", "delete", "manifest", "manifest list", "view"})  # the other blobs are of the records
_Record = TypeVar("_Record", "RunRecord", "MergeRecord", "Remediation")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitDraft:
    """A commit, as far as it is known before its tables are in their place."""

    message: str
    author: Author
    statistics: Mapping[TableName, TableStatistics]
    metadata: Mapping[str, object]
    committer: Author | None = None  # None: the author
    parents: tuple[CommitId, ...] | None = None  # None: the commit before it
    tree: Tree | None = None  # None: the branch with all changes; else with staged versions in their hidden rows
    changed: Sequence[TableName] = ()  # of `tree`: the tables that this commit changes


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRecord:
    """What the transaction writes next to the pointers. Without `commits` the branch goes to `head`, which exists."""

    time: datetime
    commits: tuple[CommitDraft, ...] = ()  # oldest first
    head: CommitId | None = None
    run: RunRecord | None = None  # as it is once published, like all that follows
    verdicts: tuple[Verdict, ...] = ()
    lineage: tuple[TableLineage, ...] = ()
    unpublished: tuple[TableLineage, ...] = ()  # of what a run made and holds back
    assets: tuple[AssetRecord, ...] = ()
    profiles: tuple[ProfileRecord, ...] = ()
    loaded: Mapping[TableName, tuple[LoadedFile, ...]] = field(default_factory=dict)
    audit: tuple[AuditRecord, ...] = ()
    merge: MergeRecord | None = None
    statuses: Mapping[BranchName, BranchStatus] = field(default_factory=dict)
    remediation: Remediation | None = None
    contracts: tuple[Registration, ...] = ()


def as_published(run: RunRecord, now: datetime, outputs: tuple[OutputRecord, ...] = ()) -> RunRecord:
    """The run as it is once what it made is published."""
    ended = replace(run, status=RunStatus.SUCCEEDED, finished_at=now, step="finished")
    return replace(ended, commit_id=THIS_COMMIT, outputs=outputs)


def publish(
    ports: PublishPorts, changes: BranchChanges, record: PublishRecord
) -> Publication | BranchAdvance | PublishConflict:
    """New files are on the disk before a pointer names them; then the one transaction. Tried again while others move
    what these changes do not depend on: other branches of the same tables, and, unless the changes hold the branch,
    other tables of it."""
    line, hashes = changes.line, changes.hashes
    for _ in attempts():
        if not changes.holds_branch:
            line = _line_now(ports, changes.line)
            taken = tuple(t for t in changes.versions if line.tree.get(t) != changes.line.tree.get(t))
            if taken:
                return PublishConflict(taken)
        prepared = prepare(ports, changes)
        if isinstance(prepared, PublishConflict):
            return prepared
        if changes.pointers is None:
            if record.commits:
                prepared, hashes = _hash_prepared(ports, prepared, hashes)
            ports.fault_point("prepared")
        change, hashes = _change(ports, changes, record, line, prepared, hashes)
        ports.lake.sync(new_files(change))
        commit = ports.metadata.publish if isinstance(change, Publication) else ports.metadata.advance
        outcome = commit(change, ports.fault_point)  # type: ignore[arg-type]
        if isinstance(outcome, PublishedCommit):
            ports.fault_point("published")
            return change
        if changes.holds_branch and outcome.branch_moved:
            break
        if changes.pointers is not None and outcome.tables:
            break  # they are given, and would be no other the next time
    return PublishConflict(tuple(changes.versions))


def new_files(change: Publication | BranchAdvance) -> tuple[str, ...]:
    """Known without looking at the lake: what was hashed for this publish, and where its pointers go."""
    hashed = (
        [blob.path for blob in change.hashes.blobs if blob.kind in _FILES] if isinstance(change, Publication) else []
    )
    return (*hashed, *(pointer.location for pointer in change.pointers if not pointer.gone))


def _line_now(ports: PublishPorts, line: PinnedBranch) -> PinnedBranch:
    branch = ports.metadata.branch(line.branch)
    head = branch.head if branch else None
    return replace(line, head=head, tree=ports.metadata.tree(head))


def _hash_prepared(
    ports: PublishPorts, prepared: PreparedChanges, before: HashRecords
) -> tuple[PreparedChanges, HashRecords]:
    """With the digests of what becomes a commit; what `before` has is not hashed again."""
    kept = {table: version for table, version in prepared.versions.items() if version is not None}
    digested, hashes = hash_versions(ports.metadata, ports.hasher, kept, prepared.pointers, before)
    return replace(prepared, versions={**prepared.versions, **digested}), hashes


def _change(
    ports: PublishPorts,
    changes: BranchChanges,
    record: PublishRecord,
    line: PinnedBranch,
    prepared: PreparedChanges,
    hashes: HashRecords,
) -> tuple[Publication | BranchAdvance, HashRecords]:
    if not record.commits:
        assert record.head is not None, "a branch that gets no new commit goes to one that exists"
        advance = BranchAdvance(
            pointers=prepared.pointers,
            branch=line.branch,
            expected_head=line.head,
            head=record.head,
            run=record.run,
            merge=record.merge,
            assets=record.assets,
            statuses=record.statuses,
            audit=record.audit,
            contracts=record.contracts,
        )
        return advance, hashes
    assert record.run is not None, "a commit is made by a run of some kind"
    trees = [_tree(draft, line, prepared) for draft in record.commits]
    if changes.pointers is None:
        trees, hashes = _hash_between(ports, record.commits, trees, prepared, hashes)
    commits = _commits(ports, record, line, trees)
    *before, (commit, tree) = commits
    publication = Publication(
        pointers=prepared.pointers,
        branch=line.branch,
        expected_head=line.head,
        commit=commit,
        tree=tree,
        run=_naming(record.run, commit.id),
        verdicts=record.verdicts,
        lineage=record.lineage,
        unpublished=record.unpublished,
        assets=record.assets,
        profiles=record.profiles,
        loaded=record.loaded,
        audit=tuple(_audited(one, [made.id for made, _ in commits]) for one in record.audit),
        before=tuple(before),
        merge=_naming(record.merge, commit.id) if record.merge else None,
        statuses=record.statuses,
        hashes=hashes,
        remediation=_naming(record.remediation, commit.id) if record.remediation else None,
        contracts=record.contracts,
    )
    return publication, hashes


def _tree(draft: CommitDraft, line: PinnedBranch, prepared: PreparedChanges) -> Tree:
    if draft.tree is None:
        return tree_with(line.tree, prepared.versions)
    return {table: _settled(version, prepared.versions.get(table)) for table, version in draft.tree.items()}


def _settled(version: TableVersion, final: TableVersion | None) -> TableVersion:
    """A version that was staged, where it stands once published: the versions before the last are in the same table."""
    if final is None or version.uuid != final.uuid:
        return version
    return final if version.snapshot_id == final.snapshot_id else replace(version, catalog=final.catalog)


def _hash_between(
    ports: PublishPorts,
    drafts: Sequence[CommitDraft],
    trees: Sequence[Tree],
    prepared: PreparedChanges,
    hashes: HashRecords,
) -> tuple[list[Tree], HashRecords]:
    """Versions that only commits before the last have."""
    changed = [tree[t] for draft, tree in zip(drafts, trees, strict=True) for t in draft.changed if t in tree]
    digested, hashes = hash_series(ports.metadata, ports.hasher, changed, prepared.pointers, hashes)
    return [{table: digested.get(version, version) for table, version in tree.items()} for tree in trees], hashes


def _commits(
    ports: PublishPorts, record: PublishRecord, line: PinnedBranch, trees: Sequence[Tree]
) -> list[tuple[Commit, Tree]]:
    """Each on top of the one before it."""
    made: list[tuple[Commit, Tree]] = []
    for draft, tree in zip(record.commits, trees, strict=True):
        before = made[-1][0].id if made else line.head
        commit = make_commit(
            tree=tree,
            parents=draft.parents if draft.parents is not None else ((before,) if before else ()),
            author=draft.author,
            committer=draft.committer,
            message=draft.message,
            time=record.time,
            branch=line.branch,
            statistics=draft.statistics,
            metadata=draft.metadata,
            signer=ports.signer,
        )
        made.append((commit, tree))
    return made


def _naming(record: _Record, commit: CommitId) -> _Record:
    """The record with the commit's id wherever it says THIS_COMMIT."""
    named = {one.name: commit for one in fields(record) if getattr(record, one.name) == THIS_COMMIT}
    return replace(record, **named)  # type: ignore[arg-type]


def _audited(record: AuditRecord, commits: Sequence[CommitId]) -> AuditRecord:
    known: dict[str, object] = {THIS_COMMIT: commits[-1], ALL_COMMITS: list(commits)}
    detail = {key: known.get(value, value) if isinstance(value, str) else value for key, value in record.detail.items()}
    return replace(record, detail=detail)
