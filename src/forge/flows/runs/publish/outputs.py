"""The publish: all that passed becomes one commit, in one transaction, or nothing does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from forge.contracts.contract import pii_columns
from forge.flows.ports import Lake
from forge.flows.runs.build import Built, Job
from forge.flows.runs.pins import Line
from forge.flows.runs.project import Project
from forge.flows.runs.publish.durable import publish_durably
from forge.flows.runs.records import (
    MADE_BY,
    AssetRecord,
    AuditRecord,
    Moved,
    OutputRecord,
    OutputStatus,
    Pointer,
    ProfileRecord,
    Publication,
    Published,
    RunRecord,
    Sealed,
    TableLineage,
)
from forge.flows.versioning.content_hash import seal_versions
from forge.model.names import CatalogName, SnapshotId, TableName
from forge.model.retry import attempts
from forge.quality.verdict import Verdict
from forge.transforms.transform import SqlQuery
from forge.versioning.commit import Author, Commit, TableStatistics, TableVersion, Tree, make_commit


@dataclass(frozen=True, slots=True)
class Conflict:
    """Someone else published these tables since the run pinned them. Nothing was written."""

    tables: tuple[TableName, ...]


@dataclass(frozen=True, slots=True)
class Landed:
    commit: Commit
    run: RunRecord
    left: tuple[TableName, ...] = ()  # not published: an external catalog refused them after others had landed


def publish(
    job: Job,
    line: Line,
    run: RunRecord,
    built: Sequence[Built],
    verdicts: Sequence[Verdict],
    *,
    author: Author,
    message: str,
) -> Landed | Conflict:
    """Retried while others publish other tables; a table of ours that moved is a conflict."""
    ours = [b for b in built if b.status is OutputStatus.PASSED]
    sealed = Sealed()
    for _ in attempts():
        branch = job.metadata.branch(line.branch)
        head = branch.head if branch else None
        tree = dict(job.metadata.tree(head))
        taken = taken_of(ours, line, tree)
        if taken:
            return Conflict(tuple(taken))
        prepared = prepare_targets(job.lake, line, ours)
        if isinstance(prepared, Conflict):
            return prepared
        prepared, sealed = seal_targets(job, prepared, sealed)
        job.seam("prepared")
        publication = publication_of(
            job,
            replace(line, head=head, tree=tree),
            run,
            ours,
            prepared,
            verdicts,
            author=author,
            message=message,
            unpublished=held_lineage(built, ours),
            sealed=sealed,
        )
        outcome = publish_durably(job.lake, job.metadata, publication, job.seam)
        if isinstance(outcome, Published):
            return Landed(publication.commit, publication.run)
    return Conflict(tuple(b.table for b in ours))


def taken_of(ours: Sequence[Built], line: Line, tree: Tree) -> list[TableName]:
    """Tables of ours that someone else published since the run began."""
    return [b.table for b in ours if tree.get(b.table) != line.tree.get(b.table)]


@dataclass(frozen=True, slots=True)
class Target:
    """Where one output goes: the pointer to move, if any, and the version the tree will hold."""

    pointer: Pointer | None
    version: TableVersion


def prepare_targets(lake: Lake, line: Line, ours: Sequence[Built]) -> dict[TableName, Target] | Conflict:
    targets: dict[TableName, Target] = {}
    moved = []
    for built in ours:
        target = _view_target(lake, line, built) if built.stage is None else _table_target(lake, line, built)
        if target is None:
            moved.append(built.table)
        else:
            targets[built.table] = target
    return Conflict(tuple(moved)) if moved else targets


def seal_targets(
    job: Job, targets: Mapping[TableName, Target], before: Sealed
) -> tuple[dict[TableName, Target], Sealed]:
    """The targets with the digests of what they point at; what `before` has is not hashed again."""
    versions = {table: target.version for table, target in targets.items()}
    pointers = [target.pointer for target in targets.values() if target.pointer is not None]
    digested, sealed = seal_versions(job.metadata, job.seals, versions, pointers, before)
    return {table: replace(target, version=digested[table]) for table, target in targets.items()}, sealed


def _table_target(lake: Lake, line: Line, built: Built) -> Target | None:
    stage, snapshot = built.stage, built.snapshot
    assert stage is not None
    assert snapshot is not None
    pointer = lake.prepare(stage, line.branch, is_default=line.is_default, expected=built.base.ref)
    if isinstance(pointer, Moved):
        return None
    state = lake.state(stage.catalog)
    assert state is not None, "the stage stands until it is published"
    version = TableVersion(
        catalog=pointer.catalog,
        uuid=state.uuid,
        snapshot_id=snapshot.snapshot_id,
        schema_id=snapshot.schema_id,
        number=_next_number(built),
        fingerprint=built.record.fingerprint,
        key=built.key.columns,
        is_unique=built.key.is_unique,
    )
    return Target(pointer, version)


def _view_target(lake: Lake, line: Line, built: Built) -> Target | None:
    """On the default branch a view is a row of the catalog; on another its definition lives in the tree alone."""
    assert built.planned is not None
    assert isinstance(built.transform.body, SqlQuery)
    before = built.base.version
    name = CatalogName(built.table.schema, built.table.name)
    text = built.transform.body.text
    if before is not None and before.metadata_location and lake.read_view(before.metadata_location) == text:
        return Target(None, replace(before, fingerprint=built.record.fingerprint))
    location = lake.write_view(built.table, text, built.planned.schema, before.metadata_location if before else None)
    expected = before.metadata_location if before else None
    pointer = Pointer(catalog=name, expected=expected, location=location, kind="VIEW") if line.is_default else None
    version = TableVersion(
        catalog=name,
        uuid=before.uuid if before else location.rsplit("/", 1)[-1],
        snapshot_id=None,
        schema_id=0,
        number=_next_number(built),
        kind="view",
        metadata_location=location,
        fingerprint=built.record.fingerprint,
    )
    return Target(pointer, version)


def _next_number(built: Built) -> int:
    return built.base.version.number + 1 if built.base.version else 1


def publication_of(
    job: Job,
    line: Line,
    run: RunRecord,
    ours: Sequence[Built],
    targets: Mapping[TableName, Target],
    verdicts: Sequence[Verdict],
    *,
    author: Author,
    message: str,
    unpublished: Sequence[TableLineage] = (),
    sealed: Sealed | None = None,
) -> Publication:
    versions = {table: replace(target.version, run_id=str(job.run_id)) for table, target in targets.items()}
    tree: Tree = {**line.tree, **versions}
    commit = make_commit(
        tree=tree,
        parents=(line.head,) if line.head else (),
        author=author,
        message=message,
        time=job.now,
        branch=line.branch,
        statistics={b.table: b.snapshot.statistics if b.snapshot else TableStatistics() for b in ours},
        metadata={"run_id": str(job.run_id), MADE_BY: {str(b.table): b.transform.where for b in ours}},
        signer=job.signer,
    )
    landed = {b.table for b in ours}
    outputs = tuple(_published(o) if o.table in landed else o for o in run.outputs)
    return Publication(
        pointers=tuple(t.pointer for t in targets.values() if t.pointer is not None),
        branch=line.branch,
        expected_head=line.head,
        commit=commit,
        tree=tree,
        run=replace(run, commit_id=commit.id, outputs=outputs),
        verdicts=tuple(verdicts),
        lineage=tuple(lineage_of(b) for b in ours),
        unpublished=tuple(unpublished),
        assets=tuple(asset_of(job.project, b, job.now) for b in ours) if line.is_default else (),
        profiles=tuple(profile_of(b) for b in ours if b.snapshot is not None),
        loaded={b.table: b.files for b in ours if b.files},
        audit=(AuditRecord(job.now, author.email, "run.publish", str(line.branch), _audited(commit, ours)),),
        sealed=sealed or Sealed(),
        contracts=job.register([b.table for b in ours]) if line.is_default else (),
    )


def _audited(commit: Commit, ours: Sequence[Built]) -> dict[str, object]:
    return {"commit": commit.id, "run": commit.metadata.get("run_id"), "tables": [str(b.table) for b in ours]}


def _published(record: OutputRecord) -> OutputRecord:
    return replace(record, status=OutputStatus.PUBLISHED)


def lineage_of(built: Built) -> TableLineage:
    assert built.planned is not None
    found = built.planned.lineage
    return TableLineage(built.table, found.edges, found.indirect, found.table_edges)


def held_lineage(built: Sequence[Built], published: Sequence[Built]) -> tuple[TableLineage, ...]:
    """Of what was made and is not among the published: it tells whom a blocked table would have reached."""
    landed = {b.table for b in published}
    return tuple(lineage_of(b) for b in built if b.planned is not None and b.table not in landed)


def asset_of(project: Project, built: Built, now: datetime) -> AssetRecord:
    assert built.planned is not None
    transform, contract = built.transform, project.contracts.get(built.table)
    pii = {column.lower() for column in pii_columns(contract)} if contract else set()
    described = {p.name.lower(): p.description for p in contract.properties} if contract else {}
    columns = tuple(
        {
            "name": column.name,
            "type": column.type,
            "description": transform.columns.get(column.name) or described.get(column.name.lower()) or "",
            "pii": column.name.lower() in pii,
        }
        for column in built.planned.schema.columns
    )
    counted = built.snapshot.statistics if built.snapshot else None
    return AssetRecord(
        table=built.table,
        kind="view" if built.stage is None else "table",
        description=transform.description or (contract.description if contract else "") or "",
        owner=project.owner(built.table),
        tags=transform.tags,
        columns=columns,
        updated_at=now,
        row_count=counted.record_count if counted else None,
        size_bytes=counted.total_size if counted else None,
    )


def profile_of(built: Built) -> ProfileRecord:
    assert built.snapshot is not None
    readings = {
        ":".join([m.kind, *m.columns, *([m.where] if m.where else [])]): value for m, value in built.readings.items()
    }
    counted = asdict(built.snapshot.statistics)
    return ProfileRecord(built.table, SnapshotId(built.snapshot.snapshot_id), {**counted, **readings})
