"""Recovery of interrupted publications on an external catalog: tables that were published there and are in no commit.

Before the first table moves, everything its record will need is written as an intent; the run id in a snapshot's
summary leads from the catalog back to the intent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial

from forge.flows.ports import Lake, Metadata, PublishedRef
from forge.flows.runs.input_pins import MAIN_REF, BaseVersion, PinnedBranch
from forge.flows.runs.ports import Runs
from forge.flows.runs.processes import is_alive
from forge.flows.runs.publish.changes import BranchChanges, PublishPorts
from forge.flows.runs.publish.publish import THIS_COMMIT, CommitDraft, PublishRecord, publish
from forge.flows.runs.records import (
    AssetRecord,
    AuditRecord,
    LoadedFile,
    OutputStatus,
    ProfileRecord,
    Publication,
    RunRecord,
    RunStatus,
    TableLineage,
)
from forge.flows.upkeep.ports import Audit
from forge.flows.versioning.record_ports import Commits
from forge.model.errors import DatabaseBusyError, ForgeError
from forge.model.names import CatalogName, CommitId, RunId, SnapshotId, TableName
from forge.quality.verdict import Verdict
from forge.versioning.commit import Author, TableStatistics, TableVersion, Tree

LANDING = "run.land"  # the audit's word for a publish that has begun
_ALL = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishIntent:
    """One table of a publication in progress, with everything for its record."""

    table: TableName
    version: TableVersion
    statistics: TableStatistics
    lineage: TableLineage
    asset: AssetRecord | None = None
    profile: ProfileRecord | None = None
    loaded: tuple[LoadedFile, ...] = ()


def note_intent(
    metadata: Runs, run: RunRecord, verdicts: Sequence[Verdict], intended: Sequence[PublishIntent], now: datetime
) -> None:
    """The run, still running, and what it is about to publish."""
    from pydantic import TypeAdapter

    tables = TypeAdapter(tuple[PublishIntent, ...]).dump_python(tuple(intended), mode="json")
    begun = replace(run, status=RunStatus.RUNNING, finished_at=None, step="prepared")
    metadata.finish_run(begun, verdicts, (AuditRecord(now, run.user, LANDING, run.id, {"tables": tables}),))


def read_intent(metadata: Audit, run_id: RunId) -> tuple[PublishIntent, ...]:
    from pydantic import TypeAdapter

    found = (r for r in metadata.audit(limit=_ALL) if r.action == LANDING and r.subject == run_id)
    note = next(found, None)
    return () if note is None else TypeAdapter(tuple[PublishIntent, ...]).validate_python(note.detail["tables"])


@dataclass(frozen=True, slots=True)
class UnrecordedTable:
    """A table that a run published in the external catalog and that its branch does not have."""

    run: RunRecord
    table: TableName
    landed: PublishedRef


def find_unrecorded(metadata: Metadata, lake: Lake) -> tuple[UnrecordedTable, ...]:
    """Of runs that have ended or died; a live run may be about to write its record."""
    if lake.by_table is None:
        return ()
    found = []
    run_of = cache(metadata.run)
    held = cache(partial(_held, metadata))
    for landed in lake.by_table.landed():
        run = run_of(landed.run_id)
        branch = metadata.branch(run.branch) if run else None
        if run is None or branch is None or _works(run):
            continue
        if landed.ref != (MAIN_REF if branch.is_default else branch.name):
            continue
        if (landed.catalog, landed.snapshot.snapshot_id) in held(branch.head) | held(run.commit_id):
            continue
        table = _table_of(metadata, run, landed)
        if table is not None:
            found.append(UnrecordedTable(run, table, landed))
    return tuple(found)


def unsettled(metadata: Metadata, lake: Lake, bases: Mapping[TableName, BaseVersion]) -> dict[TableName, RunRecord]:
    """Tables that are at a snapshot of a run that is not recorded (yet), each with that run."""
    found: dict[TableName, RunRecord] = {}
    for table, base in bases.items():
        if lake.by_table is None or not base.is_foreign or base.catalog is None or base.ref is None:
            continue
        snapshot = lake.snapshot(base.catalog, base.ref)
        run = metadata.run(snapshot.run_id) if snapshot and snapshot.run_id else None
        if run is not None and (base.catalog, base.ref) not in _held(metadata, run.commit_id):
            found[table] = run
    return found


def refuse_unsettled(metadata: Metadata, lake: Lake, bases: Mapping[TableName, BaseVersion]) -> None:
    """Building on an unrecorded table could load the same files twice."""
    left = [(table, run) for table, run in unsettled(metadata, lake, bases).items() if not _works(run)]
    if left:
        table, run = left[0]
        raise ForgeError(
            "E403",
            f"Run {run.id} published {table}, but its record was never completed",
            why="It ended between the external catalog and Forge's record. Nothing of this run was published.",
            fix="forge repair",
        )


def complete_record(
    metadata: Metadata, lake: Lake, run: RunRecord, missing: Sequence[UnrecordedTable], *, author: Author, now: datetime
) -> RunRecord:
    """One commit with the published tables, on top of the branch of the run; the run in its new state."""
    branch = metadata.branch(run.branch)
    head = branch.head if branch else None
    line = PinnedBranch(run.branch, bool(branch and branch.is_default), head, metadata.tree(head))
    noted = {(i.version.catalog, i.version.snapshot_id): i for i in read_intent(metadata, run.id)}
    done = [noted.get((m.landed.catalog, m.landed.snapshot.snapshot_id)) or _bare(m, line.tree) for m in missing]
    versions = {i.table: replace(i.version, run_id=run.id) for i in done}
    changes = BranchChanges(line=line, versions=versions, holds_branch=False, pointers=())
    landed = publish(PublishPorts(metadata, lake), changes, _record(run, done, author, now))
    if not isinstance(landed, Publication):
        what = f"Branch '{run.branch}' moves too often to complete run {run.id}"
        raise DatabaseBusyError(what, fix="forge repair")
    return landed.run


def _record(run: RunRecord, done: Sequence[PublishIntent], author: Author, now: datetime) -> PublishRecord:
    names = [str(i.table) for i in done]
    draft = CommitDraft(
        message=f"Repair of run {run.id}: {', '.join(names)}",
        author=Author(run.user, run.user),
        committer=author,
        statistics={i.table: i.statistics for i in done},
        metadata={"run_id": run.id, "repair": True},
    )
    landed = {i.table for i in done}
    outputs = tuple(replace(o, status=OutputStatus.PUBLISHED) if o.table in landed else o for o in run.outputs)
    detail = {"commit": THIS_COMMIT, "tables": names}
    return PublishRecord(
        time=now,
        commits=(draft,),
        run=replace(run, commit_id=THIS_COMMIT, outputs=outputs),
        lineage=tuple(i.lineage for i in done),
        assets=tuple(i.asset for i in done if i.asset),
        profiles=tuple(i.profile for i in done if i.profile),
        loaded={i.table: i.loaded for i in done if i.loaded},
        audit=(AuditRecord(now, author.email, "run.repair", run.id, detail),),
    )


def _bare(missing: UnrecordedTable, tree: Tree) -> PublishIntent:
    """What the catalog itself knows, where the intent is missing."""
    landed, before = missing.landed, tree.get(missing.table)
    snapshot = landed.snapshot
    number = before.number + 1 if before else 1
    version = TableVersion(
        catalog=landed.catalog,
        uuid=landed.uuid,
        snapshot_id=snapshot.snapshot_id,
        schema_id=snapshot.schema_id,
        number=number,
        key=before.key if before else (),
    )
    return PublishIntent(
        table=missing.table, version=version, statistics=snapshot.statistics, lineage=TableLineage(missing.table)
    )


def _table_of(metadata: Audit, run: RunRecord, landed: PublishedRef) -> TableName | None:
    if landed.ref == MAIN_REF:
        return TableName(landed.catalog.namespace, landed.catalog.name)
    built = (o.table for o in run.outputs if o.snapshot_id == landed.snapshot.snapshot_id)
    noted = (i.table for i in read_intent(metadata, run.id) if i.version.catalog == landed.catalog)
    return next(built, None) or next(noted, None)


def _held(metadata: Commits, commit: CommitId | None) -> frozenset[tuple[CatalogName, SnapshotId | None]]:
    return frozenset((v.catalog, v.snapshot_id) for v in metadata.tree(commit).values())


def _works(run: RunRecord) -> bool:
    return run.status is RunStatus.RUNNING and is_alive(run)
