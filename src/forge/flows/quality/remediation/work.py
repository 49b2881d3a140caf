"""Executes a remediation on a branch: steps, judgement, and publication as one commit with the remediation's record in
the same transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from forge.flows.quality.remediation.ports import RemedyPorts
from forge.flows.quality.remediation.steps import StepsContext, StepsResult, carry_out, checks_by_id
from forge.flows.runs.input_pins import PinnedBranch, pin_branch
from forge.flows.runs.project import Project
from forge.flows.runs.publish.changes import tree_with
from forge.flows.runs.publish.multi_table import MultiTableCommit, commit_tables
from forge.flows.runs.publish.publish import THIS_COMMIT
from forge.flows.runs.records import AuditRecord, PublishConflict, RunStatus
from forge.flows.versioning.merge.merge import ATTEMPTS, moves_too_often
from forge.flows.versioning.merge.preview import judge_preview, outputs_of
from forge.flows.versioning.merge.tree import TableOutcome
from forge.flows.versioning.ports import Operation, adopt, run_operation
from forge.model.names import BranchName, CommitId, TableName
from forge.model.retry import attempts
from forge.quality.check import Check
from forge.quality.remediation import PreviewVerdict, Remediation, RemedyStatus, TableCount
from forge.quality.remedy import ActionKind, RemedyResult
from forge.quality.verdict import Outcome, Verdict
from forge.versioning.commit import Commit, TableStatistics, TableVersion, Tree


class RemedyGate(StrEnum):
    """The condition for publication."""

    NONE = "none"  # a preview shows whatever comes of it
    OTHERS = "others"  # no other check begins to fail; a person has seen the rest
    ALL = "all"  # and those that asked for it pass


@dataclass(frozen=True, slots=True)
class BrokenChecks:
    """In words: the requesting checks that still do not pass, and new blocking failures."""

    still: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def held_by(self, gate: RemedyGate) -> tuple[str, ...]:
        return {RemedyGate.NONE: (), RemedyGate.OTHERS: self.others, RemedyGate.ALL: (*self.still, *self.others)}[gate]


@dataclass(frozen=True, slots=True)
class WorkResult:
    """`commit` None: nothing was published, as there was nothing to do or `broken` lists failures."""

    record: Remediation  # in its current state
    commit: Commit | None = None
    broken: tuple[str, ...] = ()


def with_checks(ports: RemedyPorts, record: Remediation) -> tuple[Project, dict[str, Check]]:
    """The project with all checks of the table, and these by id: its own, and those of the monitor that found the
    failure."""
    project = ports.versions.project()
    known = checks_by_id(record.table, project.checks_of(record.table))
    checks = {**known, **checks_by_id(record.table, ports.more_checks(record))}
    return replace(project, checks={**project.checks, record.table: tuple(checks.values())}), checks


def work_out(
    ports: RemedyPorts,
    record: Remediation,
    branch: BranchName,
    done: Callable[[Remediation, CommitId], Remediation],
    *,
    gate: RemedyGate,
) -> WorkResult:
    """`done` completes the record once the commit exists. Retried where the branch moves meanwhile."""
    versions = ports.versions
    words = ("remediate", str(record.table), record.id)
    with run_operation(versions, "remediate", branch, words) as work:
        for _ in attempts(ATTEMPTS):
            adopt(versions, branch)
            line = pin_branch(versions.metadata, branch, versions.default_branch)
            worked = _attempt(ports, work, line, record, done, gate=gate)
            if not isinstance(worked, PublishConflict):
                return worked
            work.stages.clear()
            versions.lake.drop_stages(work.run_id)
        raise moves_too_often(branch)


def _attempt(
    ports: RemedyPorts,
    work: Operation,
    line: PinnedBranch,
    record: Remediation,
    done: Callable[[Remediation, CommitId], Remediation],
    *,
    gate: RemedyGate,
) -> WorkResult | PublishConflict:
    project, checks = with_checks(ports, record)
    stamp = str(record.run_id or work.run_id)
    work.report("staging", record.table)
    carried = carry_out(
        StepsContext(
            ports=ports,
            work=work,
            line=line,
            branch=record.branch,
            project=project,
            table=record.table,
            checks=checks,
            stamp_run=stamp,
        ),
        record.steps,
    )
    worked = replace(record, results=carried.results, base=line.head, counts=counts_of(carried.outcomes))
    if not carried.outcomes:
        end_run(work, RunStatus.NOTHING_TO_DO)
        return WorkResult(replace(worked, note=_words(carried.results)))
    verdicts = judge_preview(work, project, tree_with(line.tree, _versions(carried)), tuple(carried.outcomes))
    work.step("checked")
    worked = replace(worked, verdicts=judged_on_preview(verdicts))
    broken = find_broken(work, project, line.tree, worked, verdicts)
    if broken.held_by(gate):
        end_run(work, RunStatus.BLOCKED, verdicts, tuple(carried.outcomes))
        return WorkResult(worked, None, broken.held_by(gate))
    worked = replace(worked, note=_note(worked, broken))
    changes = MultiTableCommit(
        outcomes=carried.outcomes,
        message=message_of(worked),
        action="remediate",
        verdicts=verdicts,
        metadata={"remediation": record.id, "checks": list(record.check_ids)},
        made_of=carried.made_of,
        remediation=done(worked, THIS_COMMIT),
    )
    landed = commit_tables(work, line, project, changes)
    if isinstance(landed, PublishConflict):
        return landed
    work.report("published", record.table, landed.commit.id)
    return WorkResult(done(worked, landed.commit.id), landed.commit)


def _versions(carried: StepsResult) -> dict[TableName, TableVersion | None]:
    return {table: outcome.version for table, outcome in carried.outcomes.items()}


def find_broken(
    work: Operation, project: Project, before: Tree, record: Remediation, verdicts: Sequence[Verdict]
) -> BrokenChecks:
    """A rollback restores a published version: only its own checks count."""
    asked = set(record.check_ids)
    still = [v for v in verdicts if v.check_id in asked and v.outcome is not Outcome.PASSED]
    others = [v for v in verdicts if v.check_id not in asked and v.blocks]
    if others and any(step.action.kind is ActionKind.ROLLBACK for step in record.steps):
        others = []
    if others:
        tables = {TableName.parse(v.table) for v in others} & set(before)
        known = {v.check_id for v in judge_preview(work, project, before, tables) if v.blocks}
        others = [v for v in others if v.check_id not in known]
    return BrokenChecks(tuple(v.message for v in still), tuple(v.message for v in others))


def judged_on_preview(verdicts: Sequence[Verdict]) -> tuple[PreviewVerdict, ...]:
    return tuple(PreviewVerdict(v.check_id, v.outcome, v.message) for v in verdicts)


def _note(record: Remediation, broken: BrokenChecks) -> str:
    words, failing = _words(record.results), (*broken.still, *broken.others)
    return f"{words} With it, {'; '.join(failing)}." if failing else words


def _words(results: Sequence[RemedyResult]) -> str:
    return " ".join(result.message for result in results)


def message_of(record: Remediation) -> str:
    """The commit message: action and reason."""
    kinds = ", ".join(dict.fromkeys(str(r.action) for r in record.results if r.success))
    why = f"\n\nFor {', '.join(record.check_ids)}." if record.check_ids else ""
    return f"{kinds.capitalize()}: {_words([r for r in record.results if r.success])}{why}"


def counts_of(outcomes: Mapping[TableName, TableOutcome]) -> tuple[TableCount, ...]:
    return tuple(_count(table, outcome.statistics) for table, outcome in outcomes.items())


def _count(table: TableName, counted: TableStatistics) -> TableCount:
    return TableCount(str(table), counted.rows_added, counted.rows_modified, counted.rows_deleted)


def end_run(
    work: Operation, status: RunStatus, verdicts: tuple[Verdict, ...] = (), tables: tuple[TableName, ...] = ()
) -> None:
    """Ends the run without publication; findings are kept."""
    ports = work.ports
    outputs = outputs_of({}, tables, verdicts, "remediate")
    ended = replace(work.record, status=status, finished_at=ports.clock(), step="finished", outputs=outputs)
    audit = AuditRecord(ports.clock(), work.record.user, f"remediate.{status.replace(' ', '_')}", work.run_id)
    ports.metadata.finish_run(ended, verdicts, (audit,))


def proposed(record: Remediation, commit_id: CommitId) -> Remediation:
    return replace(record, status=RemedyStatus.PROPOSED, preview=commit_id)


def applied(record: Remediation, commit_id: CommitId) -> Remediation:
    return replace(record, status=RemedyStatus.APPLIED, commit=commit_id)
