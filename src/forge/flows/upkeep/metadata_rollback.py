"""Rollback to the previous metadata file, where that of a table cannot be read and there is no backup.

What was written since is lost to the table, so it needs confirmation. The loss is a commit like any other: on each
branch that had a lost version, the table returns to its version before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from forge.flows.catalog.ports import Assets
from forge.flows.ports import EarlierMetadata, Lake, Metadata
from forge.flows.runs.id import new_run_id
from forge.flows.runs.input_pins import PinnedBranch, pin_branch
from forge.flows.runs.processes import begin_run
from forge.flows.runs.publish.changes import BranchChanges, PublishPorts
from forge.flows.runs.publish.publish import THIS_COMMIT, CommitDraft, PublishRecord, as_published, publish
from forge.flows.runs.records import (
    AssetRecord,
    AuditRecord,
    OutputRecord,
    OutputStatus,
    Pointer,
    PublishConflict,
)
from forge.flows.upkeep.unreadable_metadata import UnreadableMetadata, readable_state
from forge.flows.versioning.record_ports import CommitHistory, Commits
from forge.model.errors import DatabaseBusyError
from forge.model.names import BranchName, CatalogName, TableName
from forge.versioning.commit import Author, TableStatistics, TableVersion


@dataclass(frozen=True, slots=True)
class BranchLoss:
    """The version of a table that a branch has, and the one it would get; None: it would lose the table."""

    line: PinnedBranch
    table: TableName
    now: TableVersion
    then: TableVersion | None


@dataclass(frozen=True, slots=True)
class MetadataRollback:
    """A table with unreadable metadata, and the earlier file to return to; `earlier` None: there is none."""

    catalog: CatalogName
    error: UnreadableMetadata
    earlier: EarlierMetadata | None
    losses: tuple[BranchLoss, ...] = ()

    @property
    def words(self) -> str:
        """What would be done, and at what cost."""
        if self.earlier is None:
            return "There is no version before it that can be read. Bring the file back from a copy."
        lost = [
            f"'{loss.line.branch}' goes from version {loss.now.number} of {loss.table} back to "
            + (f"what it was at version {loss.then.number}" if loss.then else "not having it")
            for loss in self.losses
        ]
        back = f"Back to the metadata file of {self.earlier.written_at:%Y-%m-%d %H:%M:%S} UTC: "
        return back + ("; ".join(lost) if lost else "no branch loses anything") + "."


def find_metadata_rollbacks(metadata: CommitHistory, lake: Lake, default: BranchName) -> tuple[MetadataRollback, ...]:
    """One for each table with unreadable metadata: of the catalog, and of any branch."""
    lines = [pin_branch(metadata, branch.name, default) for branch in metadata.branches()]
    held = {v.catalog for line in lines for v in line.tree.values() if v.kind == "table"}
    found = []
    for catalog in sorted({*held, *lake.tables()}):
        error = readable_state(lake, catalog)
        if isinstance(error, UnreadableMetadata):
            earlier = lake.before(catalog) if any(line.head for line in lines if line.is_default) else None
            losses = () if earlier is None else tuple(_losses(metadata, lines, catalog, earlier))
            found.append(MetadataRollback(catalog, error, earlier, losses))
    return tuple(found)


def _losses(
    metadata: Commits, lines: Sequence[PinnedBranch], catalog: CatalogName, earlier: EarlierMetadata
) -> Iterable[BranchLoss]:
    for line in lines:
        for table, now in line.tree.items():
            if now.catalog != catalog or now.kind != "table":
                continue
            at = earlier.refs.get(line.ref)
            if now.snapshot_id in earlier.snapshots and at in (None, now.snapshot_id):
                continue
            yield BranchLoss(line, table, now, _last_of(metadata, line, table, now, earlier))


def _last_of(
    metadata: Commits, line: PinnedBranch, table: TableName, now: TableVersion, earlier: EarlierMetadata
) -> TableVersion | None:
    """The newest version in the branch's history that the earlier file has: that of its ref, if there is one."""
    at, newest = earlier.refs.get(line.ref), None
    for commit in metadata.log(line.head, table=table) if line.head else ():
        version = metadata.tree(commit.id).get(table)
        if version is None or version.uuid != now.uuid or version.snapshot_id not in earlier.snapshots:
            continue
        if at in (None, version.snapshot_id):
            return version
        newest = newest or version
    return newest


def roll_back_metadata(
    metadata: Metadata, lake: Lake, step: MetadataRollback, default: BranchName, *, author: Author, now: datetime
) -> None:
    """The row moves with the last of the commits, so that an interruption leaves the table as it was."""
    assert step.earlier is not None, "there is something to go back to"
    pointer = Pointer(catalog=step.catalog, expected=step.error.location, location=step.earlier.location)
    ports = PublishPorts(metadata, lake)
    if not step.losses:
        line = pin_branch(metadata, default, default)
        assert line.head is not None, "a table has a commit"
        audit = AuditRecord(now, author.email, "repair.table", str(step.catalog), _locations(step))
        record = PublishRecord(time=now, head=line.head, audit=(audit,))
        _done(publish(ports, BranchChanges(line=line, versions={}, pointers=(pointer,)), record))
    for number, loss in enumerate(step.losses, start=1):
        pointers = (pointer,) if number == len(step.losses) else ()
        versions = {loss.table: replace(loss.then, number=loss.now.number + 1) if loss.then else None}
        changes = BranchChanges(line=loss.line, versions=versions, pointers=pointers)
        _done(publish(ports, changes, _record(metadata, step, loss, author, now)))


def _done(outcome: object) -> None:
    if isinstance(outcome, PublishConflict):
        raise DatabaseBusyError("Someone else published meanwhile", why="Nothing was repaired.", fix="forge repair")


def _locations(step: MetadataRollback) -> dict[str, object]:
    return {"from": step.error.location, "to": step.earlier.location if step.earlier else None}


def _record(metadata: Assets, step: MetadataRollback, loss: BranchLoss, author: Author, now: datetime) -> PublishRecord:
    line, table, earlier = loss.line, loss.table, step.earlier
    assert earlier is not None
    counted = TableStatistics()
    if loss.then is not None and loss.then.snapshot_id:
        counted = earlier.snapshots.get(loss.then.snapshot_id, counted)
    run_id = new_run_id(now)
    draft = CommitDraft(
        message=f"Repair: {table} as it was before, because its metadata file could not be read",
        author=author,
        statistics={table: counted},
        metadata={"run_id": str(run_id), "repair": str(table), **_locations(step)},
    )
    at = loss.then.snapshot_id if loss.then else None
    output = OutputRecord(
        table=table, status=OutputStatus.PUBLISHED, reason="went back to its version before", snapshot_id=at
    )
    run = replace(begin_run(run_id, line.branch, author.email, now), selection=(str(table),), kind="repair")
    detail = {"commit": THIS_COMMIT, "table": str(table), **_locations(step)}
    return PublishRecord(
        time=now,
        commits=(draft,),
        run=as_published(run, now, (output,)),
        assets=tuple(_assets(metadata, loss, counted, now)) if line.is_default else (),
        audit=(AuditRecord(now, author.email, "repair.table", str(step.catalog), detail),),
    )


def _assets(metadata: Assets, loss: BranchLoss, counted: TableStatistics, now: datetime) -> Iterable[AssetRecord]:
    for asset in metadata.recorded_assets():
        if asset.table == loss.table and loss.then is not None:
            yield replace(asset, updated_at=now, row_count=counted.record_count, size_bytes=counted.total_size)
