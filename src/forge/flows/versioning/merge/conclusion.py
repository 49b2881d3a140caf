"""The second half of a merge, revert or pick: the result is kept for a decision, or becomes commits."""

from __future__ import annotations

import secrets as randomness
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from forge.flows.runs.input_pins import PinnedBranch
from forge.flows.runs.project import Project
from forge.flows.runs.publish.changes import BranchChanges, assets_of, lineage_of_both, tree_with
from forge.flows.runs.publish.publish import THIS_COMMIT, CommitDraft, PublishRecord, as_published, publish
from forge.flows.runs.records import AuditRecord, OutputStatus, Publication, PublishConflict, RunStatus
from forge.flows.versioning.merge.preview import constraint_conflicts, judge_preview, outputs_of
from forge.flows.versioning.merge.record import MergeKind, MergeRecord, TableTally
from forge.flows.versioning.merge.result import Blocked, Conflicted, Merged, MergedBy, MergeResult, UpToDate
from forge.flows.versioning.merge.tree import TreeMerge
from forge.flows.versioning.ports import Operation, VersionPorts
from forge.model.names import BranchName, CommitId, TableName
from forge.quality.verdict import Verdict
from forge.versioning.branch import Branch, BranchStatus
from forge.versioning.commit import Author
from forge.versioning.conflict import Answers, Conflict
from forge.versioning.errors import NothingToDoError
from forge.versioning.graph import MergeBase
from forge.versioning.merge import OPEN_MERGES, MergeStatus, MergeType, Strategy

_MERGED_BY: Mapping[Strategy, MergedBy] = {
    Strategy.FF: MergeType.FAST_FORWARD,
    Strategy.THREE_WAY: MergeType.THREE_WAY,
    Strategy.SQUASH: MergeType.SQUASH,
    Strategy.REBASE: MergeType.REBASE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePlan:
    """What is merged into what, fixed before the work begins."""

    kind: MergeKind
    source: str
    target: Branch
    head: CommitId | None  # of the target
    theirs: CommitId | None  # None: before the first commit, for a revert of it
    base: MergeBase
    strategy: Strategy
    message: str
    no_ff: bool = False
    keys: Mapping[TableName, tuple[str, ...]] = field(default_factory=dict)
    answers: Answers = field(default_factory=Answers)
    merge_id: str | None = None  # of a merge that is kept already
    parents: tuple[CommitId, ...] = ()
    author: Author | None = None  # of a pick: who made the commit
    steps: tuple[CommitId, ...] = ()  # of a rebase: the commits to replay


def finish(
    work: Operation, plan: MergePlan, line: PinnedBranch, merged: TreeMerge, drafts: tuple[CommitDraft, ...]
) -> MergeResult | PublishConflict:
    """Conflicts and failed gates are kept for someone to decide; else the drafts become commits, in one transaction."""
    ports = work.ports
    if merged.conflict_count:
        return _hold(work, plan, merged, merged.conflicts, merged.conflict_count, ())
    if not merged.changed and plan.kind != "merge":
        what = f"The {plan.kind} of {plan.source[:12]} changes nothing on '{line.branch}'"
        raise NothingToDoError(what, why="The branch is as it would be after it.", fix="`forge log` lists commits.")
    project = ports.project() if merged.changed else None
    preview = tree_with(line.tree, merged.changed)
    verdicts = judge_preview(work, project, preview, merged.changed) if project else ()
    work.step("checked")
    broken = constraint_conflicts(verdicts)
    if broken:
        return _hold(work, plan, merged, broken, len(broken), verdicts)
    if any(verdict.blocks for verdict in verdicts):
        return _hold(work, plan, merged, (), 0, verdicts)
    work.report("publishing", detail=f"{len(merged.changed)} tables")
    record = _record(work, plan, line, merged, drafts, verdicts, project)
    landed = publish(work.publishing, BranchChanges(line=line, versions=merged.changed, stages=work.stages), record)
    if isinstance(landed, PublishConflict):
        _end(work, RunStatus.CONFLICT, verdicts, merged)
        return landed
    assert isinstance(landed, Publication)
    work.report("published", detail=landed.commit.id)
    return Merged(
        type=_MERGED_BY[plan.strategy],
        source=plan.source,
        target=str(line.branch),
        base=plan.base.commit,
        other_bases=plan.base.others,
        commit=landed.commit,
        merge=landed.merge,
        tables=merged.tallies,
        verdicts=verdicts,
        run_id=str(work.run_id),
    )


def finish_unmoved(work: Operation, plan: MergePlan, merged: TreeMerge) -> UpToDate:
    """The target has everything already: no commit is made."""
    _end(work, RunStatus.SUCCEEDED, (), merged)
    kept = close_merge(work.ports, plan.merge_id, plan.head)
    return UpToDate(
        source=plan.source,
        target=str(plan.target.name),
        base=plan.base.commit,
        other_bases=plan.base.others,
        merge=kept,
        run_id=work.run_id,
    )


def close_merge(ports: VersionPorts, merge_id: str | None, head: CommitId | None) -> MergeRecord | None:
    """Close an open merge whose source reached the target in another way: nothing is left to decide."""
    kept = ports.metadata.merge(merge_id) if merge_id else None
    if kept is None:
        return None
    now = ports.clock()
    closed = replace(kept, status=MergeStatus.MERGED, commit_id=head, updated_at=now)
    audit = AuditRecord(now, ports.author.email, f"merge.{MergeStatus.MERGED}", kept.id, {"source": kept.source})
    ports.metadata.put_merge(closed, None, audit)
    return closed


def _record(
    work: Operation,
    plan: MergePlan,
    line: PinnedBranch,
    merged: TreeMerge,
    drafts: tuple[CommitDraft, ...],
    verdicts: tuple[Verdict, ...],
    project: Project | None,
) -> PublishRecord:
    ports, now, changed = work.ports, work.ports.clock(), merged.changed
    kept = ports.metadata.merge(plan.merge_id) if plan.merge_id else None
    outputs = tuple(
        replace(o, status=OutputStatus.PUBLISHED)
        for o in outputs_of(tree_with(line.tree, changed), tuple(changed), verdicts, plan.kind)
    )
    run = as_published(work.record, now, outputs)
    done = None
    if kept is not None:
        done = replace(kept, status=MergeStatus.MERGED, commit_id=THIS_COMMIT, run_id=run.id, updated_at=now)
    own = [t for t, v in changed.items() if v is not None and v.run_id == work.run_id]
    theirs = ports.metadata.tree(plan.theirs) if own else {}
    detail = {"source": plan.source, "from": line.head, "to": THIS_COMMIT, "type": plan.strategy.value}
    return PublishRecord(
        time=now,
        commits=tuple(replace(draft, committer=ports.author) for draft in drafts),
        run=run,
        verdicts=verdicts,
        lineage=tuple(lineage_of_both(ports, t, line.tree.get(t), theirs.get(t)) for t in own),
        assets=assets_of(ports, project, changed) if line.is_default else (),
        audit=(AuditRecord(now, ports.author.email, plan.kind, str(line.branch), detail),),
        merge=done,
        statuses=merged_status(plan, ports),
        contracts=ports.register(tuple(changed), work.run_id) if line.is_default else (),
    )


def _hold(
    work: Operation,
    plan: MergePlan,
    merged: TreeMerge,
    conflicts: tuple[Conflict, ...],
    count: int,
    verdicts: tuple[Verdict, ...],
) -> Conflicted | Blocked:
    """Nothing moves. The merge is kept with its conflicts until someone resolves, continues or aborts it."""
    ports = work.ports
    status = MergeStatus.CONFLICTED if count else MergeStatus.BLOCKED
    _end(work, RunStatus.CONFLICT if count else RunStatus.BLOCKED, verdicts, merged)
    kept = keep_merge(ports, plan, status, str(work.run_id), conflicts, count, merged.resolved_count, merged.tallies)
    if not count:
        return Blocked(
            source=plan.source,
            target=str(plan.target.name),
            base=plan.base.commit,
            other_bases=plan.base.others,
            merge=kept,
            tables=merged.tallies,
            verdicts=verdicts,
            run_id=str(work.run_id),
        )
    return Conflicted(
        source=plan.source,
        target=str(plan.target.name),
        base=plan.base.commit,
        other_bases=plan.base.others,
        merge=kept,
        tables=merged.tallies,
        conflicts=conflicts,
        conflict_count=count,
        verdicts=verdicts,
        run_id=str(work.run_id),
    )


def _end(work: Operation, status: RunStatus, verdicts: tuple[Verdict, ...], merged: TreeMerge) -> None:
    ports = work.ports
    outputs = outputs_of({}, tuple(merged.changed), verdicts, work.record.kind)
    ended = replace(work.record, status=status, finished_at=ports.clock(), step="finished", outputs=outputs)
    audit = AuditRecord(ports.clock(), work.record.user, f"{work.record.kind}.{status}", work.run_id)
    ports.metadata.finish_run(ended, verdicts, (audit,))


def keep_merge(
    ports: VersionPorts,
    plan: MergePlan,
    status: MergeStatus,
    run_id: str | None,
    conflicts: tuple[Conflict, ...],
    open_count: int,
    resolved: int,
    tables: tuple[TableTally, ...] = (),
) -> MergeRecord:
    """An open merge of the same source into the same target is continued."""
    now = ports.clock()
    known = ports.metadata.merge(plan.merge_id) if plan.merge_id else _find_open(ports, plan)
    picked = plan.theirs or plan.base.commit
    assert picked is not None
    record = MergeRecord(
        id=known.id if known else f"m{now:%Y%m%d_%H%M%S}_{randomness.token_hex(3)}",
        kind=plan.kind,
        source=plan.source,
        target=plan.target.name,
        source_commit=picked,
        target_commit=plan.head or picked,
        base_commit=plan.base.commit,
        strategy=plan.strategy,
        status=status,
        message=plan.message,
        author=known.author if known else ports.author,
        created_at=known.created_at if known else now,
        updated_at=now,
        run_id=run_id,
        other_bases=plan.base.others,
        keys={str(table): key for table, key in plan.keys.items()},
        rules=plan.answers.rules,
        tables=tables,
        approvals=known.approvals if known else (),
        conflict_count=open_count + resolved,
        resolved_count=resolved,
    )
    answered = tuple(c for c in ports.metadata.conflicts(record.id) if c.resolution) if known else ()
    new = {conflict.id for conflict in conflicts}
    audit = AuditRecord(now, ports.author.email, f"merge.{status}", record.id, {"source": plan.source})
    ports.metadata.put_merge(record, (*(c for c in answered if c.id not in new), *conflicts), audit)
    return record


def _find_open(ports: VersionPorts, plan: MergePlan) -> MergeRecord | None:
    found = ports.metadata.merges(statuses=OPEN_MERGES, branch=plan.target.name, limit=1000)
    alike = (m for m in found if (m.kind, m.source, m.target) == (plan.kind, plan.source, plan.target.name))
    return next(alike, None)


def merged_status(plan: MergePlan, ports: VersionPorts) -> dict[BranchName, BranchStatus]:
    """A branch that was merged into its origin has the status merged."""
    source = ports.metadata.branch(BranchName(plan.source)) if plan.kind == "merge" else None
    if source is None or source.is_default or source.head != plan.theirs or source.parent != plan.target.name:
        return {}
    return {source.name: "merged"}
