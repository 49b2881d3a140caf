"""The publish on an external catalog: table by table, each by the catalog's compare-and-set, then one record of all
that landed. It promises less than one transaction does, and says so: docs/guide/run.md, last section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from forge.flows.ports import ByTable
from forge.flows.runs.build import Built, Job
from forge.flows.runs.pins import Line
from forge.flows.runs.publish.durable import publish_durably
from forge.flows.runs.publish.outputs import (
    Conflict,
    Landed,
    Target,
    asset_of,
    held_lineage,
    lineage_of,
    prepare_targets,
    profile_of,
    publication_of,
    taken_of,
)
from forge.flows.runs.records import OutputStatus, Published, RunRecord, RunStatus
from forge.flows.upkeep.recovery import Intended, note_intent, unsettled
from forge.model.errors import CancellationError, DatabaseBusyError, ForgeError
from forge.model.names import TableName
from forge.model.retry import attempts
from forge.quality.verdict import Verdict
from forge.versioning.commit import Author, TableStatistics


@dataclass(slots=True, kw_only=True)
class _Landing:
    """How far a publish has come."""

    job: Job
    line: Line
    run: RunRecord
    verdicts: Sequence[Verdict]
    author: Author
    message: str
    targets: Mapping[TableName, Target]
    built: Sequence[Built]
    landed: list[Built] = field(default_factory=list)
    refused: list[TableName] = field(default_factory=list)


def publish_by_table(
    catalog: ByTable,
    job: Job,
    line: Line,
    run: RunRecord,
    built: Sequence[Built],
    verdicts: Sequence[Verdict],
    *,
    author: Author,
    message: str,
) -> Landed | Conflict:
    """A table that the catalog refuses is named as a conflict, with all that stand on it; what landed is recorded."""
    ours = [b for b in built if b.status is OutputStatus.PASSED]
    branch = job.metadata.branch(line.branch)
    taken = taken_of(ours, line, job.metadata.tree(branch.head if branch else None))
    taken += unsettled(job.metadata, job.lake, {b.table: b.base for b in ours})
    if taken:
        return Conflict(tuple(dict.fromkeys(taken)))
    prepared = prepare_targets(job.lake, line, ours)
    if isinstance(prepared, Conflict):
        return prepared
    job.seam("prepared")
    # Views have no place in the catalog: the tree holds them.
    targets = {table: replace(target, pointer=None) for table, target in prepared.items()}
    note_intent(job.metadata, run, verdicts, [_intended(job, line, b, targets[b.table]) for b in ours], job.now)
    landing = _Landing(
        job=job, line=line, run=run, verdicts=verdicts, author=author, message=message, targets=targets, built=built
    )
    try:
        _land_all(landing, catalog, ours)
    except BaseException as failure:
        if landing.landed:
            raise _recorded(landing, failure) from failure
        raise
    if not landing.landed:
        return Conflict(tuple(landing.refused))
    return _record(landing)


def _intended(job: Job, line: Line, built: Built, target: Target) -> Intended:
    return Intended(
        table=built.table,
        version=replace(target.version, run_id=str(job.run_id)),
        statistics=built.snapshot.statistics if built.snapshot else TableStatistics(),
        lineage=lineage_of(built),
        asset=asset_of(job.project, built, job.now) if line.is_default else None,
        profile=profile_of(built) if built.snapshot else None,
        loaded=built.files,
    )


def _land_all(landing: _Landing, catalog: ByTable, ours: Sequence[Built]) -> None:
    """In the order they were built, so that a table follows what it reads."""
    job, line = landing.job, landing.line
    for built in ours:
        if any(table in landing.refused for table in built.transform.inputs):
            landing.refused.append(built.table)
        elif built.stage is None:
            landing.landed.append(built)
        elif catalog.land(built.stage, line.branch, is_default=line.is_default, expected=built.base.ref):
            landing.landed.append(built)
            job.seam("land")
        else:
            landing.refused.append(built.table)


def _record(landing: _Landing) -> Landed | Conflict:
    """The commit of what landed. Tried again while others publish other tables; nothing lands a second time."""
    job, line = landing.job, landing.line
    for _ in attempts():
        branch = job.metadata.branch(line.branch)
        head = branch.head if branch else None
        tree = dict(job.metadata.tree(head))
        overtaken = taken_of(landing.landed, line, tree)  # someone built on what we landed, and was recorded first
        kept = [b for b in landing.landed if b.table not in overtaken]
        left = (*landing.refused, *overtaken)
        if not kept:
            return Conflict(left)
        run = landing.run
        if left and run.error is None:
            run = replace(run, status=RunStatus.CONFLICT, error=_in_part(kept, left).to_dict())
        publication = publication_of(
            job,
            replace(line, head=head, tree=tree),
            run,
            kept,
            {b.table: landing.targets[b.table] for b in kept},
            landing.verdicts,
            author=landing.author,
            message=landing.message,
            unpublished=held_lineage(landing.built, kept),
        )
        if isinstance(publish_durably(job.lake, job.metadata, publication, job.seam), Published):
            return Landed(publication.commit, publication.run, left)
    raise DatabaseBusyError(
        f"Branch '{line.branch}' moves too often to record run {job.run_id}",
        why="Its tables have landed in the external catalog.",
        fix="forge repair",
    )


def _recorded(landing: _Landing, failure: BaseException) -> BaseException:
    """What landed before the failure is recorded at once; what to raise."""
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


def _in_part(kept: Sequence[Built], left: Sequence[TableName]) -> ForgeError:
    return ForgeError(
        "E403",
        f"Someone else moved {', '.join(map(str, left))} while this run published",
        why=f"{', '.join(str(b.table) for b in kept)} had been published by then: the catalog is external and takes "
        "tables one by one.",
        fix="Run it again: it will start from what is there now.",
    )
