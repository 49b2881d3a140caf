"""Merging a branch into another: fast-forward, three-way, squash or rebase; conflicts and approvals are results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from forge.flows.runs.input_pins import PinnedBranch, pin_branch
from forge.flows.runs.publish.changes import BranchChanges, assets_of
from forge.flows.runs.publish.publish import CommitDraft, PublishRecord, publish
from forge.flows.runs.records import AuditRecord, PublishConflict
from forge.flows.versioning.merge.conclusion import MergePlan, close_merge, finish, keep_merge, merged_status
from forge.flows.versioning.merge.key import lacks_key
from forge.flows.versioning.merge.preview import judge_contract
from forge.flows.versioning.merge.record import TableMergeKind, TableTally
from forge.flows.versioning.merge.result import AwaitingApproval, Merged, MergeResult, UpToDate
from forge.flows.versioning.merge.row_counts import rows_between, with_row_counts
from forge.flows.versioning.merge.tree import TreeMerge, merge_trees
from forge.flows.versioning.ports import Operation, VersionPorts, adopt, run_operation
from forge.flows.versioning.revisions import find_commit
from forge.model.errors import DatabaseBusyError, ForgeError
from forge.model.names import CommitId, RunId, TableName
from forge.model.retry import attempts
from forge.versioning.commit import TableStatistics, Tree, same
from forge.versioning.conflict import Answers, ResolutionRule
from forge.versioning.errors import IncomparableError
from forge.versioning.graph import commits_between, is_ancestor, merge_base
from forge.versioning.merge import MergeStatus, MergeType, Strategy
from forge.versioning.protection import who_may_merge

ATTEMPTS = 20  # retries of a merge whose target moved meanwhile
_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRequest:
    source: str  # a branch, or any revision
    target: str
    strategy: Strategy = Strategy.THREE_WAY
    message: str | None = None
    no_ff: bool = False
    keys: Mapping[TableName, tuple[str, ...]] = field(default_factory=dict)
    rules: tuple[ResolutionRule, ...] = ()


def merge(
    request: MergeRequest, ports: VersionPorts, *, merge_id: str | None = None, answers: Answers | None = None
) -> MergeResult:
    """Ours is the target, theirs the source. Nothing moves unless all of it does."""
    for _ in attempts(ATTEMPTS):
        plan = _plan(request, ports, merge_id, answers or Answers((*ports.rules, *request.rules)))
        if isinstance(plan, UpToDate):
            return plan
        waiting = _await_approval(plan, ports)
        if waiting is not None:
            return waiting
        result = execute(plan, ports)
        if not isinstance(result, PublishConflict):
            return result
    raise moves_too_often(request.target)


def moves_too_often(branch: str) -> ForgeError:
    return DatabaseBusyError(
        f"'{branch}' moves too often to merge into it",
        why=f"It was worked out {ATTEMPTS} times, and each time someone else had published meanwhile.",
        fix="Try again when fewer runs publish there.",
    )


def _plan(request: MergeRequest, ports: VersionPorts, merge_id: str | None, answers: Answers) -> MergePlan | UpToDate:
    metadata = ports.metadata
    target = ports.branch(request.target)
    if not who_may_merge(target, ports.author.email) and not who_may_merge(target, ports.author.name):
        raise ForgeError(
            "E620",
            f"{ports.author.email} may not merge into '{target.name}'",
            why=f"Only {', '.join(target.allowed_mergers)} may.",
            fix="Ask one of them.",
        )
    for name in {request.source, request.target}:
        adopt(ports, name)
    target = ports.branch(request.target)
    theirs = find_commit(metadata, request.source, ports.default_branch).id
    parents = metadata.ancestry([c for c in (theirs, target.head) if c])
    base = merge_base(target.head, theirs, parents)
    if target.head is not None and is_ancestor(theirs, target.head, parents):
        kept = close_merge(ports, merge_id, target.head)
        return UpToDate(source=request.source, target=request.target, base=base.commit, merge=kept)
    can_ff = target.head is None or is_ancestor(target.head, theirs, parents)
    if request.strategy is Strategy.FF and not can_ff:
        raise ForgeError(
            "E609",
            f"'{request.target}' cannot be fast-forwarded to '{request.source}'",
            why=f"'{request.target}' has commits that '{request.source}' does not have. Nothing was moved.",
            fix=f"forge merge {request.source} {request.target} merges the two.",
        )
    if base.commit is None and target.head is not None:
        raise IncomparableError(
            "E610",
            f"'{request.source}' and '{request.target}' have no common ancestor",
            why="Without one it cannot be said which side changed what.",
            fix="Commit the tables of one into a branch of the other.",
        )
    fast = can_ff and request.strategy in (Strategy.FF, Strategy.THREE_WAY) and not request.no_ff
    if fast and (objections := _find_objections(ports, request, target.head, theirs)):
        if request.strategy is Strategy.FF and merge_id is None:
            raise _held_back(request, objections)
        fast, request = False, replace(request, strategy=Strategy.THREE_WAY)  # which is judged, and held back
    strategy = Strategy.FF if fast else request.strategy
    return MergePlan(
        kind="merge",
        source=request.source,
        target=target,
        head=target.head,
        theirs=theirs,
        base=base,
        strategy=strategy,
        message=request.message or _message(strategy, request),
        no_ff=request.no_ff,
        keys=request.keys,
        answers=answers,
        merge_id=merge_id,
        parents=_parents(strategy, target.head, theirs),
        steps=commits_between(target.head, theirs, parents) if strategy is Strategy.REBASE else (),
    )


def _find_objections(
    ports: VersionPorts, request: MergeRequest, head: CommitId | None, theirs: CommitId
) -> tuple[str, ...]:
    """Why tables of a fast-forward cannot be taken as they are."""
    ours, new = ports.metadata.tree(head), ports.metadata.tree(theirs)
    changed = [table for table in sorted(new) if not same(ours.get(table), new.get(table))]
    lost = [t for t in changed if lacks_key(ports, t, ours.get(t), new.get(t), request.keys.get(t))]
    return (*(f"{table}: a column of its key is dropped" for table in lost), *_broken_contracts(ports, new, changed))


def _broken_contracts(ports: VersionPorts, new: Tree, changed: Sequence[TableName]) -> list[str]:
    """The violations for which the contract gate would block tables of a fast-forward. They were judged on their
    branch by the contracts of that day; where contracts are enforced, the current ones count."""
    if not ports.governance.is_strict:
        return []
    project = ports.project()
    project.refuse_faulty(*changed)
    verdicts = (verdict for table in changed for verdict in judge_contract(ports.lake, project, new, table))
    return [f"{v.details['code']} {v.table}: {v.message}" for v in verdicts if v.blocks]


def _held_back(request: MergeRequest, objections: Sequence[str]) -> ForgeError:
    """A merge that may only be a fast-forward is refused, and not recorded."""
    more = f" And {len(objections) - _MOST_SHOWN} more." if len(objections) > _MOST_SHOWN else ""
    return ForgeError(
        "E609",
        f"'{request.target}' cannot be fast-forwarded to '{request.source}': contracts or keys hold it back",
        why=f"{'; '.join(objections[:_MOST_SHOWN])}.{more} Nothing was moved.",
        fix=f"Mend the table or its contract; forge merge {request.source} {request.target} makes a merge that waits.",
    )


def _parents(strategy: Strategy, head: CommitId | None, theirs: CommitId) -> tuple[CommitId, ...]:
    first = (head,) if head else ()
    return first if strategy is Strategy.SQUASH else (*first, theirs)


def _message(strategy: Strategy, request: MergeRequest) -> str:
    if strategy is Strategy.SQUASH:
        return f"Squash merge branch '{request.source}'"
    return f"Merge branch '{request.source}' into '{request.target}'"


def _await_approval(plan: MergePlan, ports: VersionPorts) -> AwaitingApproval | None:
    """The merge recorded as pending, where someone else has to approve it first."""
    if not plan.target.needs_approval:
        return None
    known = ports.metadata.merge(plan.merge_id) if plan.merge_id else None
    given = known.approvals if known else ()
    author = known.author.email if known else ports.author.email
    valid = [a for a in given if a.approved and a.source_commit == plan.theirs and a.user != author]
    if valid:
        return None
    kept = keep_merge(ports, plan, MergeStatus.PENDING, None, (), 0, 0)
    return AwaitingApproval(
        source=plan.source,
        target=str(plan.target.name),
        base=plan.base.commit,
        other_bases=plan.base.others,
        merge=kept,
    )


def execute(plan: MergePlan, ports: VersionPorts) -> MergeResult | PublishConflict:
    line = pin_branch(ports.metadata, plan.target.name, ports.default_branch)
    if line.head != plan.head:
        return PublishConflict()
    if plan.strategy is Strategy.FF:
        return _fast_forward(plan, ports, line)
    words = (plan.kind, plan.source, str(plan.target.name))
    with run_operation(ports, plan.kind, plan.target.name, words) as work:
        if plan.strategy is Strategy.REBASE:
            from forge.flows.versioning.merge.rebase import rebase

            return rebase(work, plan, line)
        base = ports.metadata.tree(plan.base.commit)
        theirs = ports.metadata.tree(plan.theirs)
        merged = merge_trees(work, base, line.tree, theirs, plan.answers, plan.keys)
        merged = with_row_counts(merged, rows_between(ports.metadata, plan.base.commit, plan.theirs))
        return finish(work, plan, line, merged, (_draft(work, plan, merged),))


def _fast_forward(plan: MergePlan, ports: VersionPorts, line: PinnedBranch) -> Merged | PublishConflict:
    """No data is read or written: every table's ref moves to the snapshot of the source."""
    assert plan.theirs is not None
    head, theirs = plan.theirs, ports.metadata.tree(plan.theirs)
    tables = sorted({*line.tree, *theirs})
    changed = {t: theirs.get(t) for t in tables if not same(line.tree.get(t), theirs.get(t))}
    commit = ports.metadata.commit(head)
    assert commit is not None
    kept = ports.metadata.merge(plan.merge_id) if plan.merge_id else None
    made_by = RunId(str(commit.metadata.get("run_id", "")))
    now = ports.clock()
    done = None
    if kept is not None:
        done = replace(kept, status=MergeStatus.MERGED, commit_id=head, updated_at=now)
    detail = {"source": plan.source, "from": line.head, "to": head, "type": "fast_forward"}
    record = PublishRecord(
        time=now,
        head=head,
        merge=done,
        assets=assets_of(ports, None, changed) if line.is_default else (),
        statuses=merged_status(plan, ports),
        audit=(AuditRecord(now, ports.author.email, "merge", str(line.branch), detail),),
        contracts=ports.register(tuple(changed), made_by) if line.is_default else (),
    )
    landed = publish(ports.publishing, BranchChanges(line=line, versions=changed), record)
    if isinstance(landed, PublishConflict):
        return landed
    rows = rows_between(ports.metadata, line.head, head)
    tallies = tuple(
        _tally(table, "fast_forward" if version else "removed", rows.get(table)) for table, version in changed.items()
    )
    return Merged(
        type=MergeType.FAST_FORWARD,
        source=plan.source,
        target=str(line.branch),
        base=plan.base.commit,
        other_bases=plan.base.others,
        commit=commit,
        merge=landed.merge,
        tables=tallies,
    )


def _tally(table: TableName, how: TableMergeKind, rows: TableStatistics | None) -> TableTally:
    counts = rows or TableStatistics()
    return TableTally(
        table=str(table), how=how, inserted=counts.rows_added, updated=counts.rows_modified, deleted=counts.rows_deleted
    )


def _draft(work: Operation, plan: MergePlan, merged: TreeMerge) -> CommitDraft:
    statistics = {t: merged.outcomes[t].statistics for t in merged.changed}
    details: dict[str, object] = {"merge": plan.source, "base": plan.base.commit}
    if plan.kind != "merge":
        details = {plan.kind: plan.theirs if plan.kind == "cherry-pick" else plan.base.commit}
    return CommitDraft(
        message=plan.message,
        author=plan.author or work.ports.author,
        statistics=statistics,
        parents=plan.parents,
        metadata={"run_id": str(work.run_id), **details},
    )
