"""Publishing on an external catalog: table by table, each by the catalog's compare-and-set, then one record of all
that succeeded. The guarantee is weaker than that of one transaction: docs/guide/run.md, last section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from forge.flows.ports import TablePublisher
from forge.flows.runs.build import BuildContext, BuiltOutput
from forge.flows.runs.input_pins import PinnedBranch
from forge.flows.runs.publish.changes import BranchChanges, prepare
from forge.flows.runs.publish.outputs import (
    PublishedOutputs,
    asset_of,
    changes_of,
    lineage_of,
    profile_of,
    publish_ports,
    record_of,
)
from forge.flows.runs.publish.publish import publish
from forge.flows.runs.records import OutputStatus, Publication, PublishConflict, RunRecord, RunStatus
from forge.flows.upkeep.recovery import PublishIntent, note_intent, unsettled
from forge.model.errors import CancellationError, DatabaseBusyError, ForgeError
from forge.model.names import TableName
from forge.quality.verdict import Verdict
from forge.versioning.commit import Author, TableStatistics, TableVersion, Tree


@dataclass(slots=True, kw_only=True)
class _Landing:
    """The progress of a publication."""

    job: BuildContext
    line: PinnedBranch
    run: RunRecord
    verdicts: Sequence[Verdict]
    author: Author
    message: str
    versions: Mapping[TableName, TableVersion | None]  # where they stand in the catalog once they have landed
    built: Sequence[BuiltOutput]
    landed: list[BuiltOutput] = field(default_factory=list)
    refused: list[TableName] = field(default_factory=list)


def publish_by_table(
    catalog: TablePublisher,
    job: BuildContext,
    line: PinnedBranch,
    run: RunRecord,
    built: Sequence[BuiltOutput],
    verdicts: Sequence[Verdict],
    *,
    author: Author,
    message: str,
) -> PublishedOutputs | PublishConflict:
    """A table that the catalog refuses is a conflict, with all tables that depend on it; what succeeded is recorded."""
    ours = [b for b in built if b.status is OutputStatus.PASSED]
    branch = job.metadata.branch(line.branch)
    taken = _moved(ours, line, job.metadata.tree(branch.head if branch else None))
    taken += unsettled(job.metadata, job.lake, {b.table: b.base for b in ours})
    if taken:
        return PublishConflict(tuple(dict.fromkeys(taken)))
    prepared = prepare(publish_ports(job), changes_of(job, line, ours))
    if isinstance(prepared, PublishConflict):
        return prepared
    job.fault_point("prepared")
    versions = prepared.versions
    note_intent(job.metadata, run, verdicts, [_intended(job, line, b, versions[b.table]) for b in ours], job.now)
    landing = _Landing(
        job=job, line=line, run=run, verdicts=verdicts, author=author, message=message, versions=versions, built=built
    )
    try:
        _land_all(landing, catalog, ours)
    except BaseException as failure:
        if landing.landed:
            raise _recorded(landing, failure) from failure
        raise
    if not landing.landed:
        return PublishConflict(tuple(landing.refused))
    return _record(landing)


def _moved(ours: Sequence[BuiltOutput], line: PinnedBranch, tree: Tree) -> list[TableName]:
    return [b.table for b in ours if tree.get(b.table) != line.tree.get(b.table)]


def _intended(job: BuildContext, line: PinnedBranch, built: BuiltOutput, version: TableVersion | None) -> PublishIntent:
    assert version is not None, "a run takes no table out"
    return PublishIntent(
        table=built.table,
        version=version,
        statistics=built.snapshot.statistics if built.snapshot else TableStatistics(),
        lineage=lineage_of(built),
        asset=asset_of(job.project, built, job.now) if line.is_default else None,
        profile=profile_of(built) if built.snapshot else None,
        loaded=built.files,
    )


def _land_all(landing: _Landing, catalog: TablePublisher, ours: Sequence[BuiltOutput]) -> None:
    """In build order, so that a table follows its inputs."""
    job, line = landing.job, landing.line
    for built in ours:
        if any(table in landing.refused for table in built.transform.inputs):
            landing.refused.append(built.table)
        elif built.stage is None:
            landing.landed.append(built)
        elif catalog.land(built.stage, line.branch, is_default=line.is_default, expected=built.base.ref):
            landing.landed.append(built)
            job.fault_point("land")
        else:
            landing.refused.append(built.table)


def _record(landing: _Landing) -> PublishedOutputs | PublishConflict:
    """The commit of what landed. No pointer moves: the catalog has, and views are in the tree alone. A table that
    someone built on and recorded first is left out."""
    job, line, kept, left = landing.job, landing.line, landing.landed, tuple(landing.refused)
    while kept:
        run = landing.run
        if left and run.error is None:
            run = replace(run, status=RunStatus.CONFLICT, error=_in_part(kept, left).to_dict())
        record = record_of(
            job, line, run, landing.built, kept, landing.verdicts, author=landing.author, message=landing.message
        )
        versions = {b.table: landing.versions[b.table] for b in kept}
        done = publish(
            publish_ports(job), BranchChanges(line=line, versions=versions, holds_branch=False, pointers=()), record
        )
        if isinstance(done, Publication):
            return PublishedOutputs(done.commit, done.run, left)
        assert isinstance(done, PublishConflict)
        branch = job.metadata.branch(line.branch)
        overtaken = _moved(kept, line, job.metadata.tree(branch.head if branch else None))
        if not overtaken:
            raise DatabaseBusyError(
                f"Branch '{line.branch}' moves too often to record run {job.run_id}",
                why="Its tables have landed in the external catalog.",
                fix="forge repair",
            )
        left = (*left, *overtaken)
        kept = [b for b in kept if b.table not in overtaken]
    return PublishConflict(left)


def _recorded(landing: _Landing, failure: BaseException) -> BaseException:
    """Records what was published before the failure; the error to raise."""
    cancelled = isinstance(failure, KeyboardInterrupt)
    names = ", ".join(str(b.table) for b in landing.landed)
    why = f"{names} had been published by then: the catalog is external and takes tables one by one."
    error = CancellationError("The run was cancelled while it published", why=why, fix="Run it again for the rest.")
    if not cancelled:
        what = f"{type(failure).__name__}: {failure}"
        shown = failure.to_dict() if isinstance(failure, ForgeError) else {"what": what}
        landing.run = replace(landing.run, status=RunStatus.FAILED, error={**shown, "why": why})
    else:
        landing.run = replace(landing.run, status=RunStatus.CANCELLED, error=error.to_dict())
    _record(landing)
    return error if cancelled else failure


def _in_part(kept: Sequence[BuiltOutput], left: Sequence[TableName]) -> ForgeError:
    return ForgeError(
        "E403",
        f"Someone else moved {', '.join(map(str, left))} while this run published",
        why=f"{', '.join(str(b.table) for b in kept)} had been published by then: the catalog is external and takes "
        "tables one by one.",
        fix="Run it again: it will start from what is there now.",
    )
