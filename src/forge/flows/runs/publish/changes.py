"""The end of a merge, commit, revert or reset: what was staged becomes the branch's, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from forge.contracts.contract import pii_columns
from forge.flows.ports import SnapshotState
from forge.flows.runs.pins import Base, Line, find_base
from forge.flows.runs.project import Project
from forge.flows.runs.publish.durable import publish_durably
from forge.flows.runs.records import Advance, AssetRecord, Moved, Pointer, Publication, Published, Sealed, TableLineage
from forge.flows.versioning.content_hash import seal_versions
from forge.flows.versioning.ports import VersionPorts, Work
from forge.model.names import CatalogName, RunId, TableName
from forge.model.retry import attempts
from forge.versioning.commit import TableVersion, Tree


@dataclass(frozen=True, slots=True)
class Prepared:
    """Metadata files are written, nothing points at them yet. `versions` stand where they will be."""

    pointers: tuple[Pointer, ...]
    versions: Mapping[TableName, TableVersion | None]
    sealed: Sealed = field(default_factory=Sealed)


def prepare(
    ports: VersionPorts,
    line: Line,
    changed: Mapping[TableName, TableVersion | None],
    work: Work | None,
    before: Sealed | None = None,
) -> Prepared | Moved:
    """Only what becomes a commit is sealed, which is what is done as a piece of work. `before`: of an earlier try."""
    pointers: list[Pointer] = []
    versions: dict[TableName, TableVersion | None] = {}
    for table, version in changed.items():
        found = _targets(ports, line, table, version, work)
        if isinstance(found, Moved):
            return found
        pointers += found[0]
        versions[table] = found[1]
    if work is None:
        return Prepared(tuple(pointers), versions)
    kept = {table: version for table, version in versions.items() if version is not None}
    digested, sealed = seal_versions(ports.metadata, ports.seals, kept, pointers, before)
    return Prepared(tuple(pointers), {**versions, **digested}, sealed)


def _targets(
    ports: VersionPorts, line: Line, table: TableName, version: TableVersion | None, work: Work | None
) -> tuple[list[Pointer], TableVersion | None] | Moved:
    base, before = find_base(table, line, ports.lake), line.tree.get(table)
    stays = before is not None and version is not None and (before.uuid, before.kind) == (version.uuid, version.kind)
    left = None if before is None or stays else _left(ports, line, table, before, base)
    if isinstance(left, Moved):
        return left
    pointers = [left] if left is not None else []
    if version is None:
        return pointers, None
    if version.kind == "view":
        shown = _view(line, table, version, before if stays else None)
        return [*pointers, shown] if shown else pointers, version
    stage = work.stages.get(table) if work else None
    if stage is not None and version.catalog == stage.catalog:
        pointer = ports.lake.prepare(stage, line.branch, is_default=line.is_default, expected=base.ref)
    else:
        # a table that the branch does not have yet: whatever ref of its name is there says nothing
        state = None if stays else ports.lake.state(version.catalog)
        expected = state.refs.get(line.ref) if state is not None else base.ref
        pointer = ports.tables.point(
            table, version, line.branch, is_default=line.is_default, expected=expected, is_free=left is not None
        )
    if isinstance(pointer, Moved):
        return pointer
    return [*pointers, pointer], replace(version, catalog=pointer.catalog)


def _left(
    ports: VersionPorts, line: Line, table: TableName, before: TableVersion, base: Base
) -> Pointer | Moved | None:
    """What the branch had under this name, and has no more."""
    if before.kind == "view":
        at = before.metadata_location
        name = CatalogName(table.schema, table.name)
        return (
            Pointer(catalog=name, expected=at, location=at, kind="VIEW", gone=True)
            if line.is_default and at is not None
            else None
        )
    if not line.is_default:
        return ports.tables.leave(before, line.branch)
    return ports.tables.hide(table, before, base.ref) if base.catalog is not None else None


def _view(line: Line, table: TableName, version: TableVersion, before: TableVersion | None) -> Pointer | None:
    """On the default branch a view is a row of the catalog; on another its definition lives in the tree alone."""
    expected = before.metadata_location if before else None
    if not line.is_default or version.metadata_location is None or expected == version.metadata_location:
        return None
    return Pointer(
        catalog=CatalogName(table.schema, table.name),
        expected=expected,
        location=version.metadata_location,
        kind="VIEW",
    )


def land(
    work: Work | None,
    ports: VersionPorts,
    line: Line,
    changed: Mapping[TableName, TableVersion | None],
    record: Callable[[Prepared], Publication | Advance],
) -> Publication | Advance | Moved:
    """Tried again while others move other branches of the same tables. Moved: the branch itself moved, or a table on
    it; what was worked out stands on an older state, and nothing was written."""
    seam, sealed = ports.seam, Sealed()
    for attempt in attempts():
        prepared = prepare(ports, line, changed, work, sealed)
        if isinstance(prepared, Moved):
            return prepared
        sealed = prepared.sealed
        if attempt == 0:
            (work.step if work is not None else seam)("prepared")
        wanted = record(prepared)
        if isinstance(wanted, Publication):
            sealed = wanted.sealed
        outcome = publish_durably(ports.lake, ports.metadata, wanted, seam)
        if isinstance(outcome, Published):
            seam("published")
            return wanted
        if outcome.branch_moved:
            return outcome
    return Moved((), branch_moved=True)


def placed(tree: Tree, versions: Mapping[TableName, TableVersion | None]) -> dict[TableName, TableVersion]:
    """The tree with these versions in place of its own; None takes a table out."""
    after = {**tree, **versions}
    return {table: version for table, version in after.items() if version is not None}


def lineage_of_both(ports: VersionPorts, table: TableName, *sides: TableVersion | None) -> TableLineage:
    """What is known of the table on these sides together: a merge brings no edges of its own."""
    runs = {RunId(side.run_id) for side in sides if side is not None and side.run_id}
    found = [lineage for _, lineage in ports.metadata.lineage(runs) if lineage.table == table]
    return TableLineage(
        table,
        tuple(dict.fromkeys(edge for one in found for edge in one.edges)),
        tuple(dict.fromkeys(edge for one in found for edge in one.indirect)),
        tuple(dict.fromkeys(edge for one in found for edge in one.table_edges)),
    )


def assets_of(
    ports: VersionPorts, project: Project | None, versions: Mapping[TableName, TableVersion | None], *, staged: Tree
) -> tuple[AssetRecord, ...]:
    """What the catalog shows of these tables from now on. `staged` says where they can be read while they are not yet
    published."""
    known = {asset.table: asset for asset in ports.metadata.assets()}
    found = []
    for table, version in versions.items():
        at = staged.get(table, version)
        if version is None or at is None or at.snapshot_id is None:
            continue
        snapshot = ports.lake.snapshot(at.catalog, at.snapshot_id)
        if snapshot is not None:
            found.append(_asset(ports, project, table, snapshot, known.get(table)))
    return tuple(found)


def _asset(
    ports: VersionPorts, project: Project | None, table: TableName, snapshot: SnapshotState, old: AssetRecord | None
) -> AssetRecord:
    transform = project.transforms.get(table) if project else None
    contract = project.contracts.get(table) if project else None
    personal = {column.lower() for column in pii_columns(contract)} if contract else set()
    before = {str(column["name"]).lower(): column for column in (old.columns if old else ())}
    columns = tuple(
        {
            "name": column.name,
            "type": column.type,
            "description": before.get(column.name.lower(), {}).get("description", ""),
            "pii": column.name.lower() in personal or before.get(column.name.lower(), {}).get("pii", False),
        }
        for column in snapshot.schema.columns
    )
    owner = project.owner(table) if project else (old.owner if old else None)
    return AssetRecord(
        table=table,
        kind="table",
        description=(transform.description if transform else "") or (old.description if old else ""),
        owner=owner,
        tags=transform.tags if transform else (old.tags if old else ()),
        columns=columns,
        updated_at=ports.clock(),
        row_count=snapshot.statistics.record_count,
        size_bytes=snapshot.statistics.total_size,
    )
