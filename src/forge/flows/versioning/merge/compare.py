"""Comparison of two branches: what a merge of them would bring, and whether it would conflict. Nothing is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from forge.flows.runs.id import new_run_id
from forge.flows.runs.processes import begin_run
from forge.flows.runs.publish.changes import tree_with
from forge.flows.versioning.branches import BranchComparison, compare_branches
from forge.flows.versioning.merge.merge import MergeRequest
from forge.flows.versioning.merge.preview import constraint_conflicts, judge_preview
from forge.flows.versioning.merge.record import TableTally
from forge.flows.versioning.merge.row_counts import rows_between, with_row_counts
from forge.flows.versioning.merge.tree import TreeMerge, merge_trees
from forge.flows.versioning.ports import Operation, VersionPorts
from forge.flows.versioning.read import TableChange, diff_stat
from forge.flows.versioning.tables import DataFile
from forge.model.errors import CancellationError
from forge.model.names import BranchName, CommitId, TableName
from forge.quality.verdict import Verdict
from forge.versioning.commit import TableVersion, Tree
from forge.versioning.conflict import Answers, Conflict

SHOWN = 100  # conflicts of a preview


@dataclass(frozen=True, slots=True)
class FileChange:
    """The number of data files a table gained and lost."""

    table: TableName
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class MetadataComparison:
    """`changes` and `files` are those of the compared side since the merge base; without one, all of it."""

    lines: BranchComparison
    changes: tuple[TableChange, ...]
    files: tuple[FileChange, ...]


def compare(ports: VersionPorts, base: str, other: str) -> MetadataComparison:
    """From metadata alone: no data file is opened."""
    metadata = ports.metadata
    lines = compare_branches(metadata, base, other, ports.default_branch)
    start = metadata.commit(lines.merge_base) if lines.merge_base else None
    theirs = metadata.commit(lines.compare)
    changes = diff_stat(metadata, ports.lake, start, theirs) if start and theirs else ()
    before, after = metadata.tree(lines.merge_base), metadata.tree(lines.compare)
    files = tuple(_file_change(ports, table, before, after) for table in lines.compare_tables)
    return MetadataComparison(lines, changes, files)


def _file_change(ports: VersionPorts, table: TableName, before: Tree, after: Tree) -> FileChange:
    old, new = _files(ports, before.get(table)), _files(ports, after.get(table))
    return FileChange(table, len(new - old), len(old - new))


def _files(ports: VersionPorts, version: TableVersion | None) -> frozenset[DataFile]:
    if version is None or version.snapshot_id is None:
        return frozenset()
    return ports.tables.files(version.catalog, version.snapshot_id).files


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePreview:
    """The expected result of `merge`. `conflicts` are the first of them; `verdicts` are present if checks were
    requested."""

    lines: BranchComparison
    can_merge: bool
    reason: str = ""  # why not
    conflicts: tuple[Conflict, ...] = ()
    conflict_count: int = 0
    tables: tuple[TableTally, ...] = ()
    verdicts: tuple[Verdict, ...] = ()

    @property
    def has_conflicts(self) -> bool:
        return self.conflict_count > 0


def preview_merge(request: MergeRequest, ports: VersionPorts, *, check: bool = False) -> MergePreview:
    """A dry run of the three-way merge of the source into the target; `check`: the gates are evaluated as well,
    which may start the engine."""
    lines = compare_branches(ports.metadata, request.target, request.source, ports.default_branch)
    if lines.ahead == 0:
        return MergePreview(lines=lines, can_merge=False, reason="already up to date")
    if lines.merge_base is None:
        return MergePreview(lines=lines, can_merge=False, reason="no common ancestor")
    answers = Answers((*ports.rules, *request.rules))
    with unrecorded_operation(ports, BranchName(request.target)) as work:
        merged = _merged(work, lines, answers, request)
        conflicts, count = merged.conflicts, merged.conflict_count
        verdicts: tuple[Verdict, ...] = ()
        if check and merged.changed and not count:
            tree = tree_with(ports.metadata.tree(lines.base), merged.changed)
            verdicts = judge_preview(work, ports.project(), tree, merged.changed)
            conflicts = constraint_conflicts(verdicts)
            count = len(conflicts)
    blocked = [v.check_id for v in verdicts if v.blocks]
    reason = f"{count} conflicts" if count else f"{blocked[0]} failed" if blocked else ""
    return MergePreview(
        lines=lines,
        can_merge=not reason,
        reason=reason,
        conflicts=conflicts[:SHOWN],
        conflict_count=count,
        tables=merged.tallies,
        verdicts=verdicts,
    )


def _merged(work: Operation, lines: BranchComparison, answers: Answers, request: MergeRequest) -> TreeMerge:
    def tree(commit: CommitId | None) -> Tree:
        return work.ports.metadata.tree(commit)

    merged = merge_trees(work, tree(lines.merge_base), tree(lines.base), tree(lines.compare), answers, request.keys)
    return with_row_counts(merged, rows_between(work.ports.metadata, lines.merge_base, lines.compare))


class UnrecordedOperation(Operation):
    """An operation without a run record."""

    __slots__ = ()

    def step(self, name: str) -> None:
        if self.ports.stopped() is not None:
            raise CancellationError("It was cancelled", why="Nothing of it was published.", fix="Try again.")


@contextmanager
def unrecorded_operation(ports: VersionPorts, branch: BranchName) -> Iterator[Operation]:
    """A temporary stage that is discarded. What a dead process leaves of it belongs to no run, so `forge doctor`
    finds it."""
    now = ports.clock()
    record = replace(begin_run(new_run_id(now), branch, ports.author.email, now), kind="preview")
    try:
        yield UnrecordedOperation(ports, record)
    finally:
        ports.lake.drop_stages(record.id)
