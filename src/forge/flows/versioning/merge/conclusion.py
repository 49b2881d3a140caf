"""The second half of a merge, revert or pick: what was worked out is held for a decision, or becomes commits."""

from __future__ import annotations

import secrets as randomness
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from forge.flows.runs.pins import Line
from forge.flows.runs.project import Project
from forge.flows.runs.publish.changes import Prepared, assets_of, land, lineage_of_both, placed
from forge.flows.runs.records import AuditRecord, Moved, OutputStatus, Publication, RunStatus, Sealed
from forge.flows.versioning.content_hash import seal_series
from forge.flows.versioning.merge.preview import constraint_conflicts, judge_preview, outputs_of
from forge.flows.versioning.merge.record import MergeRecord, TableTally
from forge.flows.versioning.merge.result import Blocked, Conflicted, Merged, MergedBy, MergeResult, UpToDate
from forge.flows.versioning.merge.tree import TreeMerge
from forge.flows.versioning.ports import VersionPorts, Work
from forge.model.names import BranchName, CommitId, TableName
from forge.quality.verdict import Verdict
from forge.versioning.branch import Branch
from forge.versioning.commit import Author, Commit, TableStatistics, TableVersion, Tree, make_commit
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
class Plan:
    """What is merged into what, fixed before the work begins."""

    kind: str  # merge | revert | cherry-pick
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One commit that the work makes: what it changes, and what its parents, author and message are."""

    changed: Mapping[TableName, object]  # names are what counts; versions are taken once they are in place
    tree: Tree  # with staged versions where they are in their hidden rows
    message: str
    author: Author
    statistics: Mapping[TableName, TableStatistics]
    parents: tuple[CommitId, ...] | None = None  # None: the commit before it
    metadata: Mapping[str, object] = field(default_factory=dict)


def finish(work: Work, plan: Plan, line: Line, merged: TreeMerge, steps: tuple[Step, ...]) -> MergeResult | Moved:
    """Conflicts and failed gates are kept for someone to decide; else the steps become commits, in one transaction."""
    ports = work.ports
    if merged.conflict_count:
        return _hold(work, plan, merged, merged.conflicts, merged.conflict_count, ())
    if not merged.changed and plan.kind != "merge":
        what = f"The {plan.kind} of {plan.source[:12]} changes nothing on '{line.branch}'"
        raise NothingToDoError(what, why="The branch is as it would be after it.", fix="`forge log` lists commits.")
    project = ports.project() if merged.changed else None
    preview = placed(line.tree, merged.changed)
    verdicts = judge_preview(work, project, preview, merged.changed) if project else ()
    work.step("checked")
    broken = constraint_conflicts(verdicts)
    if broken:
        return _hold(work, plan, merged, broken, len(broken), verdicts)
    if any(verdict.blocks for verdict in verdicts):
        return _hold(work, plan, merged, (), 0, verdicts)
    work.tell("publishing", detail=f"{len(merged.changed)} tables")
    landed = land(work, ports, line, merged.changed, _publication(work, plan, line, merged, steps, verdicts, project))
    if isinstance(landed, Moved):
        _end(work, RunStatus.CONFLICT, verdicts, merged)
        return landed
    assert isinstance(landed, Publication)
    work.tell("published", detail=landed.commit.id)
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


def finish_unmoved(work: Work, plan: Plan, merged: TreeMerge) -> UpToDate:
    """There is nothing that the target does not have: no commit is made."""
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
    """A merge that waited, and that the target got in another way meanwhile: nothing is left to decide."""
    kept = ports.metadata.merge(merge_id) if merge_id else None
    if kept is None:
        return None
    now = ports.clock()
    closed = replace(kept, status=MergeStatus.MERGED, commit_id=head, updated_at=now)
    audit = AuditRecord(now, ports.author.email, f"merge.{MergeStatus.MERGED}", kept.id, {"source": kept.source})
    ports.metadata.put_merge(closed, None, audit)
    return closed


def _publication(
    work: Work,
    plan: Plan,
    line: Line,
    merged: TreeMerge,
    steps: tuple[Step, ...],
    verdicts: tuple[Verdict, ...],
    project: Project | None,
) -> Callable[[Prepared], Publication]:
    ports = work.ports
    kept = ports.metadata.merge(plan.merge_id) if plan.merge_id else None
    sides = {t: (line.tree.get(t), ports.metadata.tree(plan.theirs).get(t)) for t in merged.changed}

    def record(prepared: Prepared) -> Publication:
        commits, sealed = _commits(work, line, steps, prepared)
        commit, tree = commits[-1]
        now = ports.clock()
        outputs = tuple(
            replace(o, status=OutputStatus.PUBLISHED)
            for o in outputs_of(tree, tuple(merged.changed), verdicts, plan.kind)
        )
        run = replace(
            work.record,
            status=RunStatus.SUCCEEDED,
            finished_at=now,
            step="finished",
            commit_id=commit.id,
            outputs=outputs,
        )
        done = None
        if kept is not None:
            done = replace(kept, status=MergeStatus.MERGED, commit_id=commit.id, run_id=run.id, updated_at=now)
        own = [t for t, v in prepared.versions.items() if v is not None and v.run_id == work.run_id]
        detail = {"source": plan.source, "from": line.head, "to": commit.id, "type": plan.strategy.value}
        return Publication(
            pointers=prepared.pointers,
            branch=line.branch,
            expected_head=line.head,
            commit=commit,
            tree=tree,
            run=run,
            verdicts=verdicts,
            lineage=tuple(lineage_of_both(ports, t, *sides[t]) for t in own),
            assets=assets_of(ports, project, prepared.versions, staged=placed({}, merged.changed))
            if line.is_default
            else (),
            audit=(AuditRecord(now, ports.author.email, plan.kind, str(line.branch), detail),),
            before=tuple(commits[:-1]),
            merge=done,
            statuses=merged_status(plan, ports),
            sealed=sealed,
            contracts=ports.register(tuple(merged.changed), work.run_id) if line.is_default else (),
        )

    return record


def _commits(
    work: Work, line: Line, steps: tuple[Step, ...], prepared: Prepared
) -> tuple[list[tuple[Commit, Tree]], Sealed]:
    """The commits, each on top of the one before it, with every table where it will stand; and what was hashed."""
    ports = work.ports
    made: list[tuple[Commit, Tree]] = []
    trees = [{t: _settled(version, prepared.versions.get(t)) for t, version in step.tree.items()} for step in steps]
    changed = [tree[table] for step, tree in zip(steps, trees, strict=True) for table in step.changed if table in tree]
    digested, sealed = seal_series(ports.metadata, ports.seals, changed, prepared.pointers, prepared.sealed)
    for step, settled in zip(steps, trees, strict=True):
        tree = {table: digested.get(version, version) for table, version in settled.items()}
        before = made[-1][0].id if made else line.head
        parents = step.parents if step.parents is not None else ((before,) if before else ())
        commit = make_commit(
            tree=tree,
            parents=parents,
            author=step.author,
            committer=ports.author,
            message=step.message,
            time=ports.clock(),
            branch=line.branch,
            statistics=step.statistics,
            metadata=step.metadata,
        )
        if ports.signer is not None:
            commit = replace(commit, signature=ports.signer(commit.id))
        made.append((commit, tree))
    return made, sealed


def _settled(version: TableVersion, final: TableVersion | None) -> TableVersion:
    """A version that was staged, where it stands once published: the versions before the last are in the same table."""
    if final is None or version.uuid != final.uuid:
        return version
    return final if version.snapshot_id == final.snapshot_id else replace(version, catalog=final.catalog)


def _hold(
    work: Work,
    plan: Plan,
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


def _end(work: Work, status: RunStatus, verdicts: tuple[Verdict, ...], merged: TreeMerge) -> None:
    ports = work.ports
    outputs = outputs_of({}, tuple(merged.changed), verdicts, work.record.kind)
    ended = replace(work.record, status=status, finished_at=ports.clock(), step="finished", outputs=outputs)
    audit = AuditRecord(ports.clock(), work.record.user, f"{work.record.kind}.{status}", work.run_id)
    ports.metadata.finish_run(ended, verdicts, (audit,))


def keep_merge(
    ports: VersionPorts,
    plan: Plan,
    status: MergeStatus,
    run_id: str | None,
    conflicts: tuple[Conflict, ...],
    open_count: int,
    resolved: int,
    tables: tuple[TableTally, ...] = (),
) -> MergeRecord:
    """A merge of the same source into the same target that is open already is the one that goes on."""
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


def _find_open(ports: VersionPorts, plan: Plan) -> MergeRecord | None:
    found = ports.metadata.merges(statuses=OPEN_MERGES, branch=plan.target.name, limit=1000)
    alike = (m for m in found if (m.kind, m.source, m.target) == (plan.kind, plan.source, plan.target.name))
    return next(alike, None)


def merged_status(plan: Plan, ports: VersionPorts) -> dict[BranchName, str]:
    """A branch whose work has gone where it came from is merged."""
    source = ports.metadata.branch(BranchName(plan.source)) if plan.kind == "merge" else None
    if source is None or source.is_default or source.head != plan.theirs or source.parent != plan.target.name:
        return {}
    return {source.name: "merged"}
