"""Decisions on remediations: approve, reject, revert. Each ends in one commit on the target branch, or in none."""

from __future__ import annotations

from dataclasses import replace

from forge.flows.quality.remediation.ports import RemedyPorts
from forge.flows.quality.remediation.proposal import drop_branch, find_remediation, notify_listeners, tidy
from forge.flows.quality.remediation.work import (
    RemedyGate,
    applied,
    end_run,
    find_broken,
    judged_on_preview,
    message_of,
    with_checks,
    work_out,
)
from forge.flows.runs.input_pins import PinnedBranch, pin_branch
from forge.flows.runs.project import Project
from forge.flows.runs.publish.changes import tree_with
from forge.flows.runs.publish.multi_table import MultiTableCommit, commit_tables
from forge.flows.runs.publish.publish import THIS_COMMIT
from forge.flows.runs.records import AuditRecord, PublishConflict, RunStatus
from forge.flows.versioning.branches import changed_tables
from forge.flows.versioning.merge.merge import ATTEMPTS, moves_too_often
from forge.flows.versioning.merge.pick import revert as revert_commit
from forge.flows.versioning.merge.preview import judge_preview
from forge.flows.versioning.merge.record import TableTally
from forge.flows.versioning.merge.result import Merged, conflicts_of
from forge.flows.versioning.merge.tree import TableOutcome
from forge.flows.versioning.ports import Operation, adopt, run_operation
from forge.flows.versioning.rollback import restored
from forge.model.errors import ForgeError
from forge.model.names import CommitId, RunId, TableName
from forge.model.retry import attempts
from forge.quality.remediation import Remediation, RemedyStatus, decided_already, why_not_approve
from forge.quality.verdict import Verdict
from forge.versioning.commit import Commit, TableStatistics, Tree, same
from forge.versioning.errors import UnknownRevisionError
from forge.versioning.protection import may_approve, refuse_change, who_may_merge


def why_not(record: Remediation, ports: RemedyPorts) -> str | None:
    """Why the caller may not approve it, or None."""
    author, branch = ports.versions.author, ports.versions.branch(record.branch)
    if not (who_may_merge(branch, author.email) or who_may_merge(branch, author.name)):
        return f"Only {', '.join(branch.allowed_mergers)} may change '{branch.name}'."
    if branch.needs_approval and not may_approve(record.proposed_by, author.email):
        return f"'{branch.name}' is protected, and it was you who proposed it."
    return why_not_approve(ports.policy, record, (author.email, author.name))


def approve(remediation_id: str, ports: RemedyPorts, *, comment: str = "") -> Remediation:
    """Publishes it to the target as one commit: the preview where its tables are unchanged, else recomputed."""
    tidy(ports)
    record = _open(remediation_id, ports)
    reason = why_not(record, ports)
    if reason is not None:
        raise ForgeError(
            "E747", f"You may not approve remediation {record.id}", why=reason, fix="Ask someone else to approve it."
        )
    _refuse_changed_preview(record, ports)
    decided = _decided(record, ports, comment)
    landed = _take_preview(decided, ports) or _rework(decided, ports.again())
    drop_branch(landed, ports)
    notify_listeners(landed, ports)
    return landed


def reject(remediation_id: str, ports: RemedyPorts, *, comment: str = "") -> Remediation:
    record = _decided(_open(remediation_id, ports), ports, comment)
    rejected = replace(record, status=RemedyStatus.REJECTED)
    _put(rejected, ports)
    drop_branch(rejected, ports)
    notify_listeners(rejected, ports)
    return rejected


def revert(remediation_id: str, ports: RemedyPorts, *, comment: str = "") -> Remediation:
    """A new commit that reverts it. Where its tables are unchanged since, they are restored; else only its changes are
    reverted, which may conflict."""
    record = find_remediation(remediation_id, ports)
    if record.status is not RemedyStatus.APPLIED:
        raise decided_already(record.id, record.status)
    if record.commit is None:
        raise ForgeError("E749", f"Remediation {record.id} changed no data", fix="There is nothing to take back.")
    refuse_change(ports.versions.branch(record.branch), "revert")
    words = f"Taken back by {ports.versions.author.email}. {comment}".strip()
    record = replace(record, note=f"{record.note} {words}".strip())
    for _ in attempts(ATTEMPTS):
        adopt(ports.versions, record.branch)
        line = pin_branch(ports.versions.metadata, record.branch, ports.versions.default_branch)
        if not _is_as_left(record, line, ports):
            back = _revert_by_rows(record, ports)
            break
        taken = _take_back(record, line, ports)
        ports = ports.again()
        if taken is not None:
            back = taken
            break
    else:
        raise moves_too_often(record.branch)
    notify_listeners(back, ports)
    return back


def _open(remediation_id: str, ports: RemedyPorts) -> Remediation:
    record = find_remediation(remediation_id, ports)
    if not record.is_open:
        raise decided_already(record.id, record.status)
    return record


def _decided(record: Remediation, ports: RemedyPorts, comment: str) -> Remediation:
    now = ports.versions.clock()
    return replace(record, decided_by=ports.versions.author.email, decided_at=now, comment=comment)


def _put(record: Remediation, ports: RemedyPorts) -> None:
    now, user = ports.versions.clock(), ports.versions.author.email
    ports.store.put(record, AuditRecord(now, user, f"remediation.{record.status}", record.id))


# approving


def _refuse_changed_preview(record: Remediation, ports: RemedyPorts) -> None:
    """Other commits on its branch are not part of the proposal, and approval would delete them."""
    branch = ports.versions.metadata.branch(record.preview_branch)
    if branch is not None and branch.head != record.preview:
        raise ForgeError(
            "E749",
            f"'{record.preview_branch}' has changed since remediation {record.id} was proposed",
            why="An approval takes what was proposed, and would lose what was committed there since.",
            fix=f"Merge it, then reject this: forge merge {record.preview_branch} {record.branch}",
        )


def _take_preview(record: Remediation, ports: RemedyPorts) -> Remediation | None:
    """Publishes the preview; no row is read or written. None: one of its tables has changed since."""
    versions = ports.versions
    assert record.preview is not None, "a proposal has a preview"
    adopt(versions, record.branch)
    line = pin_branch(versions.metadata, record.branch, versions.default_branch)
    base, after = versions.metadata.tree(record.base), versions.metadata.tree(record.preview)
    tables = changed_tables(base, after)
    if any(not same(line.tree.get(table), base.get(table)) for table in tables):
        return None
    with run_operation(versions, "remediate", record.branch, ("approve", record.id)) as work:
        made = versions.metadata.commit(record.preview)
        assert made is not None, "the preview is a commit"
        project, _ = with_checks(ports, record)
        outcomes = {table: _as_previewed(line, after, table, made) for table in tables}
        verdicts = _judged(work, project, line, record, made, outcomes)
        judged = replace(record, verdicts=judged_on_preview(verdicts))
        broken = find_broken(work, project, line.tree, judged, verdicts).held_by(RemedyGate.OTHERS)
        if broken:
            end_run(work, RunStatus.BLOCKED, verdicts, tables)
            raise _breaks(record, broken)
        changes = MultiTableCommit(
            outcomes=outcomes,
            message=message_of(judged),
            action="remediate",
            verdicts=verdicts,
            metadata={"remediation": record.id, "checks": list(record.check_ids), "preview": record.preview},
            remediation=applied(judged, THIS_COMMIT),
        )
        landed = commit_tables(work, line, project, changes)
        if isinstance(landed, PublishConflict):
            end_run(work, RunStatus.CONFLICT)
            return None
        return applied(judged, landed.commit.id)


def _as_previewed(line: PinnedBranch, after: Tree, table: TableName, made: Commit) -> TableOutcome:
    version, before = after[table], line.tree.get(table)
    number = before.number + 1 if before else 1
    return TableOutcome(
        replace(version, number=number),
        TableTally(table=str(table), how="fast_forward"),
        statistics=made.statistics.get(table, TableStatistics()),
    )


def _judged(
    work: Operation,
    project: Project,
    line: PinnedBranch,
    record: Remediation,
    made: Commit,
    outcomes: dict[TableName, TableOutcome],
) -> tuple[Verdict, ...]:
    """The preview's verdicts where nothing has changed, else judged again."""
    run_id = made.metadata.get("run_id")
    if line.head == record.base and isinstance(run_id, str):
        return tuple(verdict for _, verdict in work.ports.metadata.verdicts(run_id=RunId(run_id)))
    tree = tree_with(line.tree, {table: outcome.version for table, outcome in outcomes.items()})
    return judge_preview(work, project, tree, tuple(outcomes))


def _rework(record: Remediation, ports: RemedyPorts) -> Remediation:
    """The tables have changed since the proposal: the same steps on the current versions."""
    worked = work_out(ports, record, record.branch, applied, gate=RemedyGate.OTHERS)
    if worked.broken:
        raise _breaks(record, worked.broken)
    if worked.commit is None:
        ended = replace(worked.record, status=RemedyStatus.NOTHING)
        _put(ended, ports)
        return ended
    return worked.record


def _breaks(record: Remediation, broken: tuple[str, ...]) -> ForgeError:
    return ForgeError(
        "E751",
        f"Remediation {record.id} would make a check fail that passes now",
        why="\n".join(broken),
        fix=f"Look: forge diff {record.branch}..{record.preview_branch}. Correct it there and merge it, or reject it.",
    )


# taking back


def _is_as_left(record: Remediation, line: PinnedBranch, ports: RemedyPorts) -> bool:
    before, after = _sides(record, ports)
    return all(same(line.tree.get(table), after.get(table)) for table in changed_tables(before, after))


def _sides(record: Remediation, ports: RemedyPorts) -> tuple[Tree, Tree]:
    metadata = ports.versions.metadata
    made = metadata.commit(record.commit) if record.commit else None
    if made is None:
        raise UnknownRevisionError(f"Commit {record.commit} of remediation {record.id} is gone", fix="forge log")
    return metadata.tree(made.parents[0] if made.parents else None), metadata.tree(made.id)


def _take_back(record: Remediation, line: PinnedBranch, ports: RemedyPorts) -> Remediation | None:
    """Moves the tables back to their previous versions; no row is read. None: the branch moved meanwhile."""
    versions = ports.versions
    before, after = _sides(record, ports)
    with run_operation(versions, "revert", record.branch, ("revert", record.id)) as work:
        outcomes: dict[TableName, TableOutcome] = {}
        for table in changed_tables(before, after):
            version = before.get(table)
            gone = TableOutcome(None, TableTally(table=str(table), how="removed"))
            outcomes[table] = gone if version is None else restored(versions, line, table, version)
        first = message_of(record).splitlines()[0]
        changes = MultiTableCommit(
            outcomes=outcomes,
            message=f'Revert "{first}"\n\nThis takes back remediation {record.id}.',
            action="remediation.revert",
            metadata={"revert": record.commit, "remediation": record.id},
            remediation=_reverted(record, THIS_COMMIT),
        )
        landed = commit_tables(work, line, versions.project(), changes)
        if isinstance(landed, PublishConflict):
            end_run(work, RunStatus.CONFLICT)
            return None
        return _reverted(record, landed.commit.id)


def _reverted(record: Remediation, commit_id: CommitId) -> Remediation:
    return replace(record, status=RemedyStatus.REVERTED, reverted_by_commit=commit_id)


def _revert_by_rows(record: Remediation, ports: RemedyPorts) -> Remediation:
    """The tables have changed since: other changes are kept."""
    assert record.commit is not None, "it was applied"
    result = revert_commit(record.commit, str(record.branch), ports.versions)
    if not isinstance(result, Merged):
        blocking = "; ".join(verdict.message for verdict in result.verdicts if verdict.blocks)
        why = blocking or f"{conflicts_of(result)[1]} rows were changed by later commits, too."
        kept = f" {result.merge.id}" if result.merge else ""
        raise ForgeError(
            "E750",
            f"Remediation {record.id} cannot be taken back as it is",
            why=why,
            fix=f"forge conflicts show{kept} shows what is in the way; resolve it there.",
        )
    reverted = _reverted(record, result.commit.id)
    _put(reverted, ports)
    return reverted
