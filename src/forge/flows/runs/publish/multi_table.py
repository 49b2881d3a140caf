"""A multi-table commit: what was staged for each table is published in one transaction, or nothing is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from forge.flows.runs.input_pins import PinnedBranch
from forge.flows.runs.project import Project
from forge.flows.runs.publish.changes import BranchChanges, assets_of, lineage_of_both, tree_with
from forge.flows.runs.publish.publish import THIS_COMMIT, CommitDraft, PublishRecord, as_published, publish
from forge.flows.runs.records import (
    AuditRecord,
    BranchAdvance,
    OutputStatus,
    Publication,
    PublishConflict,
    TableLineage,
)
from forge.flows.versioning.merge.preview import outputs_of
from forge.flows.versioning.merge.tree import TableOutcome
from forge.flows.versioning.ports import Operation
from forge.model.names import TableName
from forge.quality.remediation import Remediation
from forge.quality.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiTableCommit:
    """`made_of`: lineage of tables whose rows come from another one, as quarantined rows do."""

    outcomes: Mapping[TableName, TableOutcome]
    message: str
    action: str  # in the audit
    verdicts: tuple[Verdict, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    made_of: Mapping[TableName, TableLineage] = field(default_factory=dict)
    remediation: Remediation | None = None  # as it is once THIS_COMMIT stands
    detail: Mapping[str, object] = field(default_factory=dict)  # of the audit, in addition to commit, run and tables
    kind: str | None = None  # of the outputs; None: the action


def commit_tables(
    work: Operation, line: PinnedBranch, project: Project, change: MultiTableCommit
) -> Publication | PublishConflict:
    """A conflict: the branch, or one of the tables on it, is not where the work began."""
    ports, outcomes = work.ports, change.outcomes
    versions = {table: outcome.version for table, outcome in outcomes.items()}
    now = ports.clock()
    outputs = tuple(
        replace(
            output,
            status=OutputStatus.PUBLISHED,
            rows=outcomes[output.table].statistics.record_count,
            rows_added=outcomes[output.table].statistics.rows_added,
        )
        for output in outputs_of(
            tree_with(line.tree, versions), tuple(outcomes), change.verdicts, change.kind or change.action
        )
        if output.table in outcomes
    )
    run = as_published(work.record, now, outputs)
    draft = CommitDraft(
        message=change.message,
        author=ports.author,
        statistics={table: outcome.statistics for table, outcome in outcomes.items()},
        metadata={"run_id": str(work.run_id), **change.metadata},
    )
    lineage = tuple(
        change.made_of.get(table) or lineage_of_both(ports, table, line.tree.get(table), version)
        for table, version in versions.items()
        if version is not None
    )
    names = [str(table) for table in outcomes]
    detail = {"commit": THIS_COMMIT, "run": str(work.run_id), "tables": names, **change.detail}
    record = PublishRecord(
        time=now,
        commits=(draft,),
        run=run,
        verdicts=change.verdicts,
        lineage=lineage,
        assets=assets_of(ports, project, versions) if line.is_default else (),
        audit=(AuditRecord(now, ports.author.email, change.action, str(line.branch), detail),),
        remediation=change.remediation,
        contracts=ports.register(tuple(outcomes), work.run_id) if line.is_default else (),
    )
    landed = publish(work.publishing, BranchChanges(line=line, versions=versions, stages=work.stages), record)
    assert not isinstance(landed, BranchAdvance), "it makes a commit"
    return landed
