"""Rebase: each commit of the source picked onto the target, all of them published at once."""

from __future__ import annotations

from dataclasses import replace

from forge.flows.runs.input_pins import PinnedBranch
from forge.flows.runs.publish.changes import tree_with
from forge.flows.runs.publish.publish import CommitDraft
from forge.flows.runs.records import PublishConflict
from forge.flows.versioning.merge.conclusion import MergePlan, finish, finish_unmoved
from forge.flows.versioning.merge.result import MergeResult
from forge.flows.versioning.merge.row_counts import rows_between, with_row_counts
from forge.flows.versioning.merge.tree import TableOutcome, TreeMerge, merge_trees
from forge.flows.versioning.ports import Operation
from forge.model.names import TableName
from forge.versioning.commit import TableVersion
from forge.versioning.conflict import Conflict


def rebase(work: Operation, plan: MergePlan, line: PinnedBranch) -> MergeResult | PublishConflict:
    """Stops at the first commit with conflicts; once resolved, the next attempt continues from there."""
    metadata = work.ports.metadata
    ours = dict(line.tree)
    changed: dict[TableName, TableVersion | None] = {}
    outcomes: dict[TableName, TableOutcome] = {}
    drafts: list[CommitDraft] = []
    for commit_id in plan.steps:
        commit = metadata.commit(commit_id)
        assert commit is not None
        parent = commit.parents[0] if commit.parents else None
        merged = merge_trees(work, metadata.tree(parent), ours, metadata.tree(commit_id), plan.answers, plan.keys)
        merged = with_row_counts(merged, rows_between(metadata, parent, commit_id))
        for table, outcome in merged.outcomes.items():
            outcomes[table] = _added(outcomes.get(table), outcome)
        changed |= merged.changed
        if merged.conflict_count:
            break
        if not merged.changed:
            continue  # the target has it already
        ours = tree_with(ours, merged.changed)
        drafts.append(
            CommitDraft(
                message=commit.message,
                author=commit.author,
                statistics={t: merged.outcomes[t].statistics for t in merged.changed},
                metadata={"run_id": str(work.run_id), "cherry-pick": commit_id},
                tree=dict(ours),
                changed=tuple(merged.changed),
            )
        )
    replayed = TreeMerge(changed, outcomes)
    if not drafts and not replayed.conflict_count:  # the target has every one of them already
        return finish_unmoved(work, plan, replayed)
    return finish(work, plan, line, replayed, tuple(drafts))


def _added(before: TableOutcome | None, now: TableOutcome) -> TableOutcome:
    if before is None:
        return now
    first, last = before.tally, now.tally
    tally = replace(
        last,
        inserted=first.inserted + last.inserted,
        updated=first.updated + last.updated,
        deleted=first.deleted + last.deleted,
        resolved=first.resolved + last.resolved,
        bytes_read=first.bytes_read + last.bytes_read,
    )
    conflicts: tuple[Conflict, ...] = (*before.conflicts, *now.conflicts)
    return replace(now, tally=replace(tally, conflicts=len(conflicts)), conflicts=conflicts)
