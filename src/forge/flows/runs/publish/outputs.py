"""The outputs of a run as changes of its branch, with all that is recorded of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

from forge.contracts.contract import pii_columns
from forge.flows.runs.build import BuildContext, BuiltOutput
from forge.flows.runs.input_pins import PinnedBranch
from forge.flows.runs.project import Project
from forge.flows.runs.publish.changes import BranchChanges, PublishPorts
from forge.flows.runs.publish.publish import THIS_COMMIT, CommitDraft, PublishRecord, publish
from forge.flows.runs.records import (
    MADE_BY,
    AssetRecord,
    AuditRecord,
    OutputStatus,
    ProfileRecord,
    Publication,
    PublishConflict,
    RunRecord,
    TableLineage,
)
from forge.model.names import CatalogName, SnapshotId, TableName
from forge.quality.verdict import Verdict
from forge.transforms.transform import SqlQuery
from forge.versioning.commit import Author, Commit, TableStatistics, TableVersion


@dataclass(frozen=True, slots=True)
class PublishedOutputs:
    commit: Commit
    run: RunRecord
    left: tuple[TableName, ...] = ()  # not published: an external catalog refused them after others had landed


def publish_outputs(
    job: BuildContext,
    line: PinnedBranch,
    run: RunRecord,
    built: Sequence[BuiltOutput],
    verdicts: Sequence[Verdict],
    *,
    author: Author,
    message: str,
) -> PublishedOutputs | PublishConflict:
    """All that passed becomes one commit. A table of ours that moved is a conflict."""
    ours = [b for b in built if b.status is OutputStatus.PASSED]
    record = record_of(job, line, run, built, ours, verdicts, author=author, message=message)
    landed = publish(publish_ports(job), changes_of(job, line, ours), record)
    if isinstance(landed, PublishConflict):
        return landed
    assert isinstance(landed, Publication), "a run makes a commit"
    return PublishedOutputs(landed.commit, landed.run)


def publish_ports(job: BuildContext) -> PublishPorts:
    return PublishPorts(job.metadata, job.lake, job.fault_point, hasher=job.hasher, signer=job.signer)


def changes_of(job: BuildContext, line: PinnedBranch, ours: Sequence[BuiltOutput]) -> BranchChanges:
    """Other tables of the branch may move meanwhile: an output depends on its own base and its pins."""
    return BranchChanges(
        line=line,
        versions={b.table: replace(_version(job, b), run_id=str(job.run_id)) for b in ours},
        stages={b.table: b.stage for b in ours if b.stage is not None},
        refs={b.table: b.base.ref for b in ours},
        holds_branch=False,
    )


def _version(job: BuildContext, built: BuiltOutput) -> TableVersion:
    if built.stage is None:
        return _view_version(job, built)
    snapshot, state = built.snapshot, job.lake.state(built.stage.catalog)
    assert snapshot is not None
    assert state is not None, "the stage stands until it is published"
    return TableVersion(
        catalog=built.stage.catalog,
        uuid=state.uuid,
        snapshot_id=snapshot.snapshot_id,
        schema_id=snapshot.schema_id,
        number=_next_number(built),
        fingerprint=built.record.fingerprint,
        key=built.key.columns,
        is_unique=built.key.is_unique,
    )


def _view_version(job: BuildContext, built: BuiltOutput) -> TableVersion:
    """A view whose text is the same stays as it is."""
    assert built.planned is not None
    assert isinstance(built.transform.body, SqlQuery)
    before, text = built.base.version, built.transform.body.text
    if before is not None and before.metadata_location and job.lake.read_view(before.metadata_location) == text:
        return replace(before, fingerprint=built.record.fingerprint)
    location = job.lake.write_view(
        built.table, text, built.planned.schema, before.metadata_location if before else None
    )
    return TableVersion(
        catalog=CatalogName(built.table.schema, built.table.name),
        uuid=before.uuid if before else location.rsplit("/", 1)[-1],
        snapshot_id=None,
        schema_id=0,
        number=_next_number(built),
        kind="view",
        metadata_location=location,
        fingerprint=built.record.fingerprint,
    )


def _next_number(built: BuiltOutput) -> int:
    return built.base.version.number + 1 if built.base.version else 1


def record_of(
    job: BuildContext,
    line: PinnedBranch,
    run: RunRecord,
    built: Sequence[BuiltOutput],
    ours: Sequence[BuiltOutput],
    verdicts: Sequence[Verdict],
    *,
    author: Author,
    message: str,
) -> PublishRecord:
    """Of all that was built, `ours` is published."""
    tables = [b.table for b in ours]
    draft = CommitDraft(
        message=message,
        author=author,
        statistics={b.table: b.snapshot.statistics if b.snapshot else TableStatistics() for b in ours},
        metadata={"run_id": str(job.run_id), MADE_BY: {str(b.table): b.transform.where for b in ours}},
    )
    outputs = tuple(replace(o, status=OutputStatus.PUBLISHED) if o.table in tables else o for o in run.outputs)
    detail = {"commit": THIS_COMMIT, "run": str(job.run_id), "tables": [str(table) for table in tables]}
    return PublishRecord(
        time=job.now,
        commits=(draft,),
        run=replace(run, commit_id=THIS_COMMIT, outputs=outputs),
        verdicts=tuple(verdicts),
        lineage=tuple(lineage_of(b) for b in ours),
        unpublished=tuple(lineage_of(b) for b in built if b.planned is not None and b.table not in tables),
        assets=tuple(asset_of(job.project, b, job.now) for b in ours) if line.is_default else (),
        profiles=tuple(profile_of(b) for b in ours if b.snapshot is not None),
        loaded={b.table: b.files for b in ours if b.files},
        audit=(AuditRecord(job.now, author.email, "run.publish", str(line.branch), detail),),
        contracts=job.register(tables) if line.is_default else (),
    )


def lineage_of(built: BuiltOutput) -> TableLineage:
    assert built.planned is not None
    found = built.planned.lineage
    return TableLineage(built.table, found.edges, found.indirect, found.table_edges)


def asset_of(project: Project, built: BuiltOutput, now: datetime) -> AssetRecord:
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


def profile_of(built: BuiltOutput) -> ProfileRecord:
    assert built.snapshot is not None
    readings = {
        ":".join([m.kind, *m.columns, *([m.where] if m.where else [])]): value for m, value in built.readings.items()
    }
    counted = asdict(built.snapshot.statistics)
    return ProfileRecord(built.table, SnapshotId(built.snapshot.snapshot_id), {**counted, **readings})
