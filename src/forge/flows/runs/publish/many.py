"""One commit of several tables: what was staged for each is published in one transaction, or nothing is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from forge.flows.runs.pins import Line
from forge.flows.runs.project import Project
from forge.flows.runs.publish.changes import Prepared, assets_of, land, lineage_of_both, placed
from forge.flows.runs.records import AuditRecord, Moved, OutputStatus, Publication, RunStatus, TableLineage
from forge.flows.versioning.merge.preview import outputs_of
from forge.flows.versioning.merge.tree import TableOutcome
from forge.flows.versioning.ports import Work
from forge.model.names import CommitId, TableName
from forge.quality.verdict import Verdict
from forge.quality.workflow import Remediation
from forge.versioning.commit import Commit, make_commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Several:
    """`made_of`: a table whose rows come from another one, as those in quarantine do; its lineage says so."""

    outcomes: Mapping[TableName, TableOutcome]
    message: str
    action: str  # in the audit
    verdicts: tuple[Verdict, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    made_of: Mapping[TableName, TableLineage] = field(default_factory=dict)
    remediation: Callable[[CommitId], Remediation] | None = None  # as it is once this commit stands


def commit_several(work: Work, line: Line, project: Project, several: Several) -> Commit | Moved:
    """Moved: the branch, or one of the tables on it, is not where the work began; nothing was written."""
    changed = {table: outcome.version for table, outcome in several.outcomes.items()}
    landed = land(work, work.ports, line, changed, _publication(work, line, project, several))
    if isinstance(landed, Moved):
        return landed
    assert isinstance(landed, Publication)
    return landed.commit


def _publication(work: Work, line: Line, project: Project, several: Several) -> Callable[[Prepared], Publication]:
    ports, outcomes = work.ports, several.outcomes
    lineage = tuple(
        several.made_of.get(table) or lineage_of_both(ports, table, line.tree.get(table), outcome.version)
        for table, outcome in outcomes.items()
        if outcome.version is not None
    )

    def record(prepared: Prepared) -> Publication:
        now = ports.clock()
        tree = placed(line.tree, prepared.versions)
        commit = make_commit(
            tree=tree,
            parents=(line.head,) if line.head else (),
            author=ports.author,
            message=several.message,
            time=now,
            branch=line.branch,
            statistics={table: outcome.statistics for table, outcome in outcomes.items()},
            metadata={"run_id": str(work.run_id), **several.metadata},
            signer=ports.signer,
        )
        outputs = tuple(
            replace(
                output,
                status=OutputStatus.PUBLISHED,
                rows=outcomes[output.table].statistics.record_count,
                rows_added=outcomes[output.table].statistics.rows_added,
            )
            for output in outputs_of(tree, tuple(outcomes), several.verdicts, several.action)
            if output.table in outcomes
        )
        run = replace(
            work.record,
            status=RunStatus.SUCCEEDED,
            finished_at=now,
            step="finished",
            commit_id=commit.id,
            outputs=outputs,
        )
        detail = {"commit": commit.id, "run": str(work.run_id), "tables": [str(t) for t in outcomes]}
        staged = {table: o.version for table, o in outcomes.items() if o.version is not None}
        return Publication(
            pointers=prepared.pointers,
            branch=line.branch,
            expected_head=line.head,
            commit=commit,
            tree=tree,
            run=run,
            verdicts=several.verdicts,
            lineage=lineage,
            assets=assets_of(ports, project, prepared.versions, staged=staged) if line.is_default else (),
            audit=(AuditRecord(now, ports.author.email, several.action, str(line.branch), detail),),
            sealed=prepared.sealed,
            contracts=ports.register(tuple(outcomes), work.run_id) if line.is_default else (),
            remediation=several.remediation(commit.id) if several.remediation else None,
        )

    return record
