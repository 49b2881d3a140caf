"""Maintenance: `doctor` finds problems, `repair` completes interrupted work, `gc` removes unreferenced files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from forge.flows.ports import Lake, Metadata, OrphanFile
from forge.flows.runs.input_pins import PinnedBranch, find_base, pin_branch
from forge.flows.runs.ports import Runs
from forge.flows.runs.processes import is_alive
from forge.flows.runs.records import AuditRecord, RunRecord, RunStatus
from forge.flows.upkeep.metadata_rollback import MetadataRollback, find_metadata_rollbacks
from forge.flows.upkeep.missing_files import DoctorFinding as DoctorFinding
from forge.flows.upkeep.missing_files import FindingKind, find_missing_files
from forge.flows.upkeep.recovery import UnrecordedTable, complete_record, find_unrecorded
from forge.flows.upkeep.retention import ExpiredSnapshots, expire, find_expired
from forge.flows.upkeep.unreadable_metadata import UnreadableMetadata
from forge.flows.versioning.content_hash import FileHasher
from forge.model.errors import CancellationError, ForgeError
from forge.model.names import BranchName, CatalogName, RunId
from forge.versioning.commit import Author

KEEP = timedelta(days=7)  # how long a commit that nothing reaches can be gone back to


@dataclass(frozen=True, slots=True)
class RepairResult:
    interrupted: tuple[RunRecord, ...]
    stages_dropped: int
    completed: tuple[RunId, ...] = ()


def dead_runs(metadata: Runs) -> tuple[RunRecord, ...]:
    """Runs recorded as running whose process is dead."""
    running = metadata.runs(limit=10_000, status=RunStatus.RUNNING)
    return tuple(run for run in running if not is_alive(run))


def find_problems(
    metadata: Metadata, lake: Lake, default: BranchName, hasher: FileHasher | None = None
) -> tuple[DoctorFinding, ...]:
    """`hasher`: also check that the files of the newest versions exist."""
    unrecorded = find_unrecorded(metadata, lake)
    findings = [
        DoctorFinding(
            "interrupted run",
            run.id,
            f"It died at step '{run.step}' on branch '{run.branch}'. {_reach(run, unrecorded)}",
            "forge repair",
        )
        for run in dead_runs(metadata)
    ]
    findings += [
        DoctorFinding(
            "unrecorded publish",
            str(missing.table),
            f"Run {missing.run.id} published it in the external catalog, but did not come to record it.",
            "forge repair",
        )
        for missing in unrecorded
    ]
    findings += [
        DoctorFinding(
            "leftover stage", str(catalog), f"A staged table of run {run_id}, which has ended.", "forge repair"
        )
        for run_id, catalog in _leftover(metadata, lake)
    ]
    findings += [_out_of_order(step) for step in find_metadata_rollbacks(metadata, lake, default)]
    for branch in metadata.branches():
        known = {str(missing.table) for missing in unrecorded if missing.run.branch == branch.name}
        strays = _strays(pin_branch(metadata, branch.name, default), lake)
        findings += [stray for stray in strays if stray.subject not in known]
    if hasher is not None:
        findings += find_missing_files(metadata, hasher, default)
    return tuple(findings)


def _out_of_order(step: MetadataRollback) -> DoctorFinding:
    kind: FindingKind = "missing metadata file" if step.error.is_missing else "unreadable metadata file"
    fix = "forge repair" if step.earlier is not None else "Bring the file back from a copy."
    return DoctorFinding(kind, str(step.catalog), f"{step.error.location}: {step.error.why} {step.words}", fix)


def _reach(run: RunRecord, unrecorded: Sequence[UnrecordedTable]) -> str:
    landed = [str(missing.table) for missing in unrecorded if missing.run.id == run.id]
    return f"It had published {', '.join(landed)}." if landed else "Nothing of it was published."


def _strays(line: PinnedBranch, lake: Lake) -> list[DoctorFinding]:
    found = []
    for table, version in sorted(line.tree.items()):
        if version.kind != "table":
            continue
        try:
            base = find_base(table, line, lake)
        except UnreadableMetadata:
            continue  # reported as such, once for all branches
        if base.catalog is None:
            found.append(
                DoctorFinding(
                    "missing table", str(table), f"'{line.branch}' has it, the catalog does not.", "forge run"
                )
            )
        elif base.is_foreign:
            detail = f"Another engine moved '{line.branch}' to snapshot {base.ref}, from {version.snapshot_id}."
            found.append(DoctorFinding("foreign write", str(table), detail, f"forge run {table}"))
        elif version.snapshot_id is not None and lake.snapshot(version.catalog, version.snapshot_id) is None:
            found.append(
                DoctorFinding(
                    "missing snapshot", str(table), f"Snapshot {version.snapshot_id} has expired.", "forge run"
                )
            )
    return found


def _leftover(metadata: Runs, lake: Lake) -> list[tuple[RunId, CatalogName]]:
    found = []
    for run_id, catalog in lake.stages():
        run = metadata.run(run_id)
        if run is None or run.status is not RunStatus.RUNNING or not is_alive(run):
            found.append((run_id, catalog))
    return found


def repair(metadata: Metadata, lake: Lake, *, author: Author, now: datetime) -> RepairResult:
    """Mark dead runs as interrupted, record what they published in an external catalog, and drop their stages. Safe
    to run at any time, repeatedly."""
    dead = tuple(
        replace(run, status=RunStatus.INTERRUPTED, finished_at=now, error=_crashed(run).to_dict())
        for run in dead_runs(metadata)
    )
    completed = _complete(metadata, lake, dead, author, now)
    dead = tuple(completed.get(run.id, run) for run in dead)
    for run in dead:
        metadata.finish_run(run, (), (AuditRecord(now, author.email, "run.interrupted", run.id, {"step": run.step}),))
    dropped = sum(lake.drop_stages(run_id) for run_id in {run_id for run_id, _ in _leftover(metadata, lake)})
    return RepairResult(dead, dropped, tuple(completed))


def _complete(
    metadata: Metadata, lake: Lake, dead: Sequence[RunRecord], author: Author, now: datetime
) -> dict[RunId, RunRecord]:
    """The runs whose record was completed, in their new state."""
    ended = {run.id: run for run in dead}
    missing: dict[RunId, list[UnrecordedTable]] = {}
    for found in find_unrecorded(metadata, lake):
        missing.setdefault(found.run.id, []).append(found)
    return {
        run_id: complete_record(metadata, lake, ended.get(run_id, items[0].run), items, author=author, now=now)
        for run_id, items in missing.items()
    }


def _crashed(run: RunRecord) -> ForgeError:
    return CancellationError(f"The process of run {run.id} died at step '{run.step}'", fix="Run it again.")


@dataclass(frozen=True, slots=True)
class GarbageCollection:
    repaired: RepairResult
    orphans: tuple[OrphanFile, ...]
    deleted: int
    expired: tuple[
        ExpiredSnapshots, ...
    ] = ()  # snapshots that nothing needs; their files are among the orphans once they went

    @property
    def size(self) -> int:
        return sum(orphan.size for orphan in self.orphans)


def collect_garbage(
    metadata: Metadata,
    lake: Lake,
    *,
    author: Author,
    now: datetime,
    older_than: timedelta,
    dry_run: bool,
    keep: timedelta = KEEP,
) -> GarbageCollection:
    """Expires snapshots that no ref needs and no commit of the last `keep` holds, then deletes orphan files older
    than `older_than`, and never younger than the oldest running run."""
    repaired = RepairResult((), 0) if dry_run else repair(metadata, lake, author=author, now=now)
    expiry = lake.expiry
    expired: tuple[ExpiredSnapshots, ...] = ()
    if expiry is not None:
        expired = (find_expired if dry_run else expire)(metadata, lake, expiry, now - keep)
    alive = [run.started_at for run in metadata.runs(limit=10_000, status=RunStatus.RUNNING) if is_alive(run)]
    limit = min([now - older_than, *alive])
    orphans = lake.orphans(limit)
    deleted = 0 if dry_run else lake.delete(orphans)
    return GarbageCollection(repaired, orphans, deleted, expired)
