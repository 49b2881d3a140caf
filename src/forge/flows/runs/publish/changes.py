"""What a branch gets: versions of tables, and the pointers that bring each of them there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from forge.contracts.contract import pii_columns
from forge.flows.runs.input_pins import PinnedBranch, find_base
from forge.flows.runs.records import AssetRecord, HashRecords, Pointer, PointerConflict, PublishConflict, TableLineage
from forge.model.names import CatalogName, RunId, SnapshotId, TableName
from forge.versioning.commit import Signer, TableVersion, Tree

if TYPE_CHECKING:
    from forge.flows.ports import FaultPoint, Lake, Metadata, SnapshotState, Stage
    from forge.flows.runs.project import Project
    from forge.flows.versioning.content_hash import FileHasher
    from forge.flows.versioning.ports import VersionPorts
    from forge.flows.versioning.tables import Tables


@dataclass(frozen=True, slots=True)
class PublishPorts:
    """What publishing needs of the world."""

    metadata: Metadata
    lake: Lake
    fault_point: FaultPoint = lambda step: None
    tables: Callable[[], Tables | None] = lambda: None  # None: tables of the catalog are known by their names alone
    hasher: FileHasher | None = None  # None: what is published is not hashed
    signer: Signer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchChanges:
    """What becomes of tables of a branch; None: the branch has the table no more."""

    line: PinnedBranch  # as the work found the branch
    versions: Mapping[TableName, TableVersion | None]  # a staged one stands in its hidden row
    stages: Mapping[TableName, Stage] = field(default_factory=dict)
    refs: Mapping[TableName, SnapshotId | None] = field(default_factory=dict)
    """Where the refs of tables stood when the work began; of others it is looked up."""
    holds_branch: bool = True  # False: the branch may move meanwhile, as long as these tables do not
    pointers: tuple[Pointer, ...] | None = None  # given: all stands where it will be, and is not hashed
    hashes: HashRecords = HashRecords()  # noqa: RUF009  frozen


@dataclass(frozen=True, slots=True)
class PreparedChanges:
    """Metadata files that are written but not referenced yet. `versions` have their final names."""

    pointers: tuple[Pointer, ...]
    versions: Mapping[TableName, TableVersion | None]


def prepare(ports: PublishPorts, changes: BranchChanges) -> PreparedChanges | PublishConflict:
    """A conflict names all tables that are not where the work found them."""
    if changes.pointers is not None:
        return PreparedChanges(changes.pointers, changes.versions)
    pointers: list[Pointer] = []
    versions: dict[TableName, TableVersion | None] = {}
    moved: list[TableName] = []
    for table, version in changes.versions.items():
        found = _targets(ports, changes, table, version)
        if isinstance(found, PointerConflict):
            moved.append(table)
        else:
            pointers += found[0]
            versions[table] = found[1]
    return PublishConflict(tuple(moved)) if moved else PreparedChanges(tuple(pointers), versions)


def _targets(
    ports: PublishPorts, changes: BranchChanges, table: TableName, version: TableVersion | None
) -> tuple[list[Pointer], TableVersion | None] | PointerConflict:
    line = changes.line
    before = line.tree.get(table)
    ref = changes.refs[table] if table in changes.refs else find_base(table, line, ports.lake).ref
    stays = before is not None and version is not None and (before.uuid, before.kind) == (version.uuid, version.kind)
    left = None if before is None or stays else _left(ports, line, table, before)
    if isinstance(left, PointerConflict):
        return left
    pointers = [left] if left is not None else []
    if version is None:
        return pointers, None
    if version.kind == "view":
        shown = _view(line, table, version, before if stays else None)
        return [*pointers, shown] if shown else pointers, version
    stage = changes.stages.get(table)
    if stage is not None and version.catalog == stage.catalog:
        pointer = ports.lake.prepare(stage, line.branch, is_default=line.is_default, expected=ref)
    else:
        # a table that the branch does not have yet: whatever ref of its name is there says nothing
        state = None if stays else ports.lake.state(version.catalog)
        expected = state.refs.get(line.ref) if state is not None else ref
        tables = ports.tables()
        assert tables is not None, "a version that was not staged is of a catalog that Forge writes itself"
        pointer = tables.point(
            table, version, line.branch, is_default=line.is_default, expected=expected, is_free=left is not None
        )
    if isinstance(pointer, PointerConflict):
        return pointer
    return [*pointers, pointer], replace(version, catalog=pointer.catalog)


def _left(
    ports: PublishPorts, line: PinnedBranch, table: TableName, before: TableVersion
) -> Pointer | PointerConflict | None:
    """The previous version of the branch under this name, which is removed."""
    if before.kind == "view":
        at = before.metadata_location
        name = CatalogName(table.schema, table.name)
        return (
            Pointer(catalog=name, expected=at, location=at, kind="VIEW", gone=True)
            if line.is_default and at is not None
            else None
        )
    tables = ports.tables()
    if tables is None:
        return None
    if not line.is_default:
        return tables.leave(before, line.branch)
    base = find_base(table, line, ports.lake)
    return tables.hide(table, before, base.ref) if base.catalog is not None else None


def _view(line: PinnedBranch, table: TableName, version: TableVersion, before: TableVersion | None) -> Pointer | None:
    """On the default branch a view is a catalog row; on another its definition is in the tree alone."""
    expected = before.metadata_location if before else None
    if not line.is_default or version.metadata_location is None or expected == version.metadata_location:
        return None
    return Pointer(
        catalog=CatalogName(table.schema, table.name),
        expected=expected,
        location=version.metadata_location,
        kind="VIEW",
    )


def tree_with(tree: Tree, versions: Mapping[TableName, TableVersion | None]) -> dict[TableName, TableVersion]:
    """The tree with these versions replaced; None removes a table."""
    after = {**tree, **versions}
    return {table: version for table, version in after.items() if version is not None}


def lineage_of_both(ports: VersionPorts, table: TableName, *sides: TableVersion | None) -> TableLineage:
    """The union of the table's lineage on these sides: a merge adds no edges of its own."""
    runs = {RunId(side.run_id) for side in sides if side is not None and side.run_id}
    found = [lineage for _, lineage in ports.metadata.lineage(runs) if lineage.table == table]
    return TableLineage(
        table,
        tuple(dict.fromkeys(edge for one in found for edge in one.edges)),
        tuple(dict.fromkeys(edge for one in found for edge in one.indirect)),
        tuple(dict.fromkeys(edge for one in found for edge in one.table_edges)),
    )


def assets_of(
    ports: VersionPorts, project: Project | None, versions: Mapping[TableName, TableVersion | None]
) -> tuple[AssetRecord, ...]:
    """What the catalog shows of these tables from now on. Versions that are staged are in their hidden rows."""
    known = {asset.table: asset for asset in ports.metadata.recorded_assets()}
    found = []
    for table, version in versions.items():
        if version is None or version.snapshot_id is None:
            continue
        snapshot = ports.lake.snapshot(version.catalog, version.snapshot_id)
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
