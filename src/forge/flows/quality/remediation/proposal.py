"""Remediations from proposal to outcome. A proposal is a commit on a branch of its own; approved, it becomes one commit
on its target; each can be reverted."""

from __future__ import annotations

import logging
import secrets as randomness
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from forge.flows.quality.judge import JudgedTable
from forge.flows.quality.remediation.ports import RemedyPorts
from forge.flows.quality.remediation.work import RemedyGate, applied, proposed, work_out
from forge.flows.runs.records import AuditRecord
from forge.flows.versioning.branches import create_branch, delete_branch
from forge.flows.versioning.diff import DiffPage, diff_trees
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import BranchName, CommitId, RunId, TableName
from forge.quality.remediation import Remediation, RemedyPlan, RemedyStatus, RemedyStep, plan_remedies
from forge.quality.remedy import Action, ActionKind, RemedyResult
from forge.versioning.changes import TableDiff
from forge.versioning.commit import same
from forge.versioning.protection import refuse_change

_log = logging.getLogger("forge.remediate")
PREFIX = "remedy/"
LEFT_AFTER = timedelta(days=1)  # a branch without a record belongs to someone who died


@dataclass(frozen=True, slots=True)
class RemedyOrder:
    """The steps to execute, and why."""

    table: TableName
    branch: BranchName
    steps: tuple[RemedyStep, ...]
    run_id: RunId | None = None
    monitor_id: str | None = None


def observe_failures(
    judged: JudgedTable, ports: RemedyPorts, *, monitor_id: str | None = None, from_files: bool = True
) -> tuple[Remediation, ...]:
    """Executes `on_failure` of the failed checks: notify, apply or propose. Blocked data is not on the branch, so there
    is nothing to remedy. Failures are recorded and never raised. `from_files`: the checks are from project files; code
    of other checks is not executed."""
    plan = plan_remedies(judged.checks, judged.verdicts)
    if plan.is_empty:
        return ()
    stands = _is_current(judged, ports)
    made = _notify(plan, judged, ports, monitor_id, stands=stands)
    if not stands:
        return tuple(made)
    for steps, auto in ((plan.now, True), (plan.later, False)):
        if steps:
            wanted = RemedyOrder(judged.table, judged.branch, steps, judged.run_id, monitor_id)
            known = _known(wanted, ports)
            made.append(known or _start_safely(wanted, ports, auto=auto, from_files=from_files))
    return tuple(made)


def _notify(
    plan: RemedyPlan, judged: JudgedTable, ports: RemedyPorts, monitor_id: str | None, *, stands: bool
) -> list[Remediation]:
    """Once per failure and content, and never for content that is not on the branch."""
    wanted = RemedyOrder(judged.table, judged.branch, plan.notify, judged.run_id, monitor_id)
    if not plan.notify or (stands and _was_done_before(wanted, ports)):
        return []
    results = []
    for step in plan.notify:
        try:
            results.append(RemedyResult(ActionKind.NOTIFY, True, ports.notify(step, judged)))
        except ForgeError as error:
            _log.warning("%s: %s", judged.table, error)
            results.append(RemedyResult(ActionKind.NOTIFY, False, error.line))
    done = all(result.success for result in results)
    record = replace(
        _record(wanted, ports, auto=True),
        status=RemedyStatus.APPLIED if done else RemedyStatus.FAILED,
        note=" ".join(result.message for result in results),
        results=tuple(results),
        base=ports.versions.branch(judged.branch).head,
    )
    return [_ended(record, ports)]


def _was_done_before(wanted: RemedyOrder, ports: RemedyPorts) -> bool:
    metadata = ports.versions.metadata
    now = metadata.tree(ports.versions.branch(wanted.branch).head).get(wanted.table)
    return any(
        one.steps == wanted.steps and one.base is not None and same(metadata.tree(one.base).get(wanted.table), now)
        for one in ports.store.find(table=wanted.table, branch=wanted.branch, status=RemedyStatus.APPLIED, limit=50)
    )


def _is_current(judged: JudgedTable, ports: RemedyPorts) -> bool:
    """Whether the judged version is the branch's current one."""
    found = ports.versions.metadata.branch(judged.branch)
    version = ports.versions.metadata.tree(found.head).get(judged.table) if found else None
    return version is not None and version.kind == "table" and version.snapshot_id == judged.snapshot_id


def _known(wanted: RemedyOrder, ports: RemedyPorts) -> Remediation | None:
    """The same steps on the same content were requested before: a check that fails every five minutes is one
    proposal."""
    metadata = ports.versions.metadata
    found = metadata.branch(wanted.branch)
    now = metadata.tree(found.head).get(wanted.table) if found else None
    for one in ports.store.find(table=wanted.table, branch=wanted.branch, limit=20):
        if one.steps == wanted.steps and one.status not in (RemedyStatus.APPLIED, RemedyStatus.REVERTED):
            then = metadata.tree(one.base).get(wanted.table) if one.base else None
            if same(then, now):
                return one
            if one.is_open:
                _supersede(one, ports)
    return None


def _supersede(old: Remediation, ports: RemedyPorts) -> None:
    """The table has changed; open proposals on it are recomputed."""
    note = f"{old.note} The table has changed since; another one takes its place.".strip()
    decided = replace(old, status=RemedyStatus.REJECTED, note=note, decided_at=ports.versions.clock())
    ports.store.put(decided)
    drop_branch(decided, ports)


def _start_safely(wanted: RemedyOrder, ports: RemedyPorts, *, auto: bool, from_files: bool) -> Remediation:
    try:
        if not from_files:
            refuse_code(step.action for step in wanted.steps)
        return start(wanted, ports, auto=auto)
    except ForgeError as error:
        _log.warning("%s: %s", wanted.table, error)
        head = ports.versions.branch(wanted.branch).head
        reason = f"{error.what}. {error.why or ''}".strip()
        record = replace(_record(wanted, ports, auto=auto), status=RemedyStatus.FAILED, note=reason, base=head)
        return _ended(record, ports)


def refuse_code(actions: Iterable[Action]) -> None:
    """Actions that run code must come from the project's files, where they are versioned and reviewed."""
    for action in actions:
        if action.kind is ActionKind.CUSTOM:
            raise ForgeError(
                "E749",
                "A custom action is taken from files of the project only",
                why="It runs SQL or Python of its own.",
                fix="Write it into on_failure of a check in checks/ or quality/*.yaml.",
            )


def start(wanted: RemedyOrder, ports: RemedyPorts, *, auto: bool = False) -> Remediation:
    """Applied at once with `auto`, else proposed. What does not fix the checks, or a protected branch rejects, is
    always proposed."""
    tidy(ports)
    ports.versions.branch(wanted.branch)
    record = _record(wanted, ports, auto=auto)
    if not auto:
        return _propose(record, ports)
    try:
        refuse_change(ports.versions.branch(wanted.branch), "commit")
    except ForgeError as error:
        return _propose(record, ports, f"It waits for an approval: {error.what}.")
    worked = work_out(ports, record, wanted.branch, applied, gate=RemedyGate.ALL)
    if worked.broken:
        return _propose(record, ports.again(), f"It was not done by itself, for with it {'; '.join(worked.broken)}.")
    if worked.commit is None:
        return _ended(replace(worked.record, status=RemedyStatus.NOTHING), ports)
    notify_listeners(worked.record, ports)
    return worked.record


def _record(wanted: RemedyOrder, ports: RemedyPorts, *, auto: bool) -> Remediation:
    now = ports.versions.clock()
    return Remediation(
        id=f"q{now:%Y%m%d_%H%M%S}_{randomness.token_hex(3)}",
        table=wanted.table,
        branch=wanted.branch,
        steps=wanted.steps,
        status=RemedyStatus.PROPOSED,
        proposed_by=ports.versions.author.email,
        proposed_at=now,
        auto=auto,
        run_id=wanted.run_id,
        monitor_id=wanted.monitor_id,
    )


def _propose(record: Remediation, ports: RemedyPorts, note: str = "") -> Remediation:
    versions = ports.versions
    create_branch(
        versions.metadata,
        str(record.preview_branch),
        str(record.branch),
        current=record.branch,
        author=versions.author,
        clock=versions.clock,
        description=f"What remediation {record.id} would change in {record.table}.",
    )

    def done(worked: Remediation, commit_id: CommitId) -> Remediation:
        return proposed(replace(worked, note=f"{note} {worked.note}".strip()), commit_id)

    try:
        worked = work_out(ports, record, record.preview_branch, done, gate=RemedyGate.NONE)
    except BaseException:
        drop_branch(record, ports)
        raise
    if worked.commit is None:
        drop_branch(record, ports)
        return _ended(replace(worked.record, status=RemedyStatus.NOTHING), ports)
    notify_listeners(worked.record, ports)
    return worked.record


def _ended(record: Remediation, ports: RemedyPorts) -> Remediation:
    detail = {"table": str(record.table), "status": str(record.status)}
    now = ports.versions.clock()
    audit = AuditRecord(now, ports.versions.author.email, f"remediation.{record.status}", record.id, detail)
    ports.store.put(record, audit)
    notify_listeners(record, ports)
    return record


def notify_listeners(record: Remediation, ports: RemedyPorts) -> None:
    """Errors of listeners do not affect the remediation."""
    try:
        ports.report(record, str(record.status))
    except Exception:
        _log.exception("remediation %s is %s, which could not be told", record.id, record.status)


# what there is


def find_remediation(remediation_id: str, ports: RemedyPorts) -> Remediation:
    found = ports.store.get(remediation_id)
    if found is None:
        near = did_you_mean(remediation_id, (one.id for one in ports.store.find(limit=200)))
        raise ForgeError(
            "E745", f"There is no remediation {remediation_id}", why=near, fix="forge quality remediate list"
        )
    return found


def preview_diff(
    record: Remediation, ports: RemedyPorts, *, tables: Sequence[TableName] | None = None, page: DiffPage
) -> tuple[TableDiff, ...]:
    """From the branch without the remediation to the branch with it."""
    metadata = ports.versions.metadata
    after = record.commit or record.preview
    if after is None:
        return ()
    made = metadata.commit(after)
    before = made.parents[0] if made is not None and made.parents else record.base
    return diff_trees(ports.versions, metadata.tree(before), metadata.tree(after), tables=tables, page=page)


def tidy(ports: RemedyPorts) -> tuple[BranchName, ...]:
    """Deletes branches of decided remediations, and of those never recorded: leftovers of a crash."""
    versions, gone = ports.versions, []
    for branch in versions.metadata.branches():
        if not branch.name.startswith(PREFIX):
            continue
        record = ports.store.get(branch.name.removeprefix(PREFIX))
        old = branch.created_at < versions.clock() - LEFT_AFTER
        if (record is None and old) or (record is not None and not record.is_open):
            _delete(branch.name, ports)
            gone.append(branch.name)
    return tuple(gone)


def drop_branch(record: Remediation, ports: RemedyPorts) -> None:
    if ports.versions.metadata.branch(record.preview_branch) is not None:
        _delete(record.preview_branch, ports)


def _delete(name: BranchName, ports: RemedyPorts) -> None:
    versions = ports.versions
    delete_branch(
        versions.metadata,
        versions.lake,
        str(name),
        default=versions.default_branch,
        author=versions.author,
        clock=versions.clock,
        force=True,
    )
