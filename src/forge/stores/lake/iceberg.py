"""The lake on Iceberg: table metadata by PyIceberg's functions on catalog rows in Forge's database.

Staging and publishing are described in docs/decisions/0002-staging.md."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import Engine, bindparam, select, update

from forge.flows.ports import (
    CatalogKind,
    EarlierMetadata,
    Expiry,
    OrphanFile,
    SnapshotGrowth,
    SnapshotState,
    Stage,
    TablePublisher,
    TableState,
)
from forge.flows.runs.records import Pointer, PointerConflict, PreviousRow
from forge.flows.upkeep.unreadable_metadata import UnreadableMetadata
from forge.model.errors import DatabaseBusyError, ForgeError, UnknownNameError
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
from forge.model.retry import attempts
from forge.model.schema import Schema
from forge.model.time import Clock, utc_now
from forge.quality.measure import Measure, Reading
from forge.stores.lake.metadata_reader import MetadataReader, read_view_info
from forge.stores.sql.database import reading, writing
from forge.stores.sql.publish import drop_rows
from forge.stores.sql.tables import BRANCHES, CATALOG, HIDDEN, STAGING, iceberg_tables, trees
from forge.versioning.commit import TableStatistics

if TYPE_CHECKING:  # PyIceberg is slow to import, and commands that only read records never need it
    from pyiceberg.io import FileIO
    from pyiceberg.table.metadata import TableMetadata, TableMetadataV2
    from pyiceberg.table.snapshots import Snapshot

    from forge.stores.lake.files import Files
    from forge.stores.lake.sync import DiskSync

ONE_TRANSACTION = "A publish of any number of tables is one transaction: all of them and their record, or nothing."
_MAIN = "main"
_KEPT = 256  # metadata files kept parsed; they never change
_TRIES = 200
# The question asked most of all: written once, it costs less than half.
_ROW = select(iceberg_tables.c.metadata_location, iceberg_tables.c.iceberg_type).where(
    iceberg_tables.c.catalog_name == CATALOG,
    iceberg_tables.c.table_namespace == bindparam("namespace"),
    iceberg_tables.c.table_name == bindparam("name"),
)


class IcebergLake:
    def __init__(self, engine: Engine, warehouse: str, clock: Clock = utc_now) -> None:
        self._engine = engine
        self._warehouse = warehouse.rstrip("/")
        self._clock = clock
        self._opened: Files | None = None
        self._kept: dict[str, TableMetadataV2] = {}
        self._glances = MetadataReader(_KEPT)
        self._guard = threading.Lock()

    @cached_property
    def _disk(self) -> DiskSync:
        from forge.stores.lake.sync import DiskSync

        return DiskSync(self._warehouse)

    @property
    def promise(self) -> str:
        return ONE_TRANSACTION

    @property
    def by_table(self) -> TablePublisher | None:
        return None

    @property
    def expiry(self) -> Expiry | None:
        from forge.stores.lake.expiry import IcebergExpiry

        return IcebergExpiry(self._engine, self)

    def close(self) -> None:
        """It has no connection of its own."""

    # what there is

    def state(self, catalog: CatalogName) -> TableState | None:
        row = self.row(catalog)
        if row is None:
            return None
        location, kind = row
        if kind == "VIEW":
            return self._view_state(catalog, location)
        seen = None if location in self._kept else self._glances.at(location)
        if seen is not None:
            refs = {name: SnapshotId(number) for name, number in seen.refs.items()}
            return TableState(catalog, location, seen.uuid, refs, seen.schema_id, kind)
        metadata = self._read(location, catalog)
        refs = {name: SnapshotId(ref.snapshot_id) for name, ref in metadata.refs.items()}
        return TableState(catalog, location, str(metadata.table_uuid), refs, metadata.current_schema_id, kind)

    def _view_state(self, catalog: CatalogName, location: str) -> TableState:
        seen = read_view_info(location)
        if seen is not None:
            return TableState(catalog, location, seen.uuid, {}, seen.schema_id, "VIEW")
        with naming(catalog):
            view = self.files.read_view(location)
        schema_id = next(v.schema_id for v in view.versions if v.version_id == view.current_version_id)
        return TableState(catalog, location, view.view_uuid, {}, schema_id, "VIEW")

    def tables(self) -> tuple[CatalogName, ...]:
        return tuple(name for name in self._names() if name.namespace not in HIDDEN)

    def snapshot(self, catalog: CatalogName, snapshot_id: SnapshotId | None = None) -> SnapshotState | None:
        found = self.find_table(catalog)
        if found is None:
            return None
        _, metadata = found
        snapshot = metadata.current_snapshot() if snapshot_id is None else metadata.snapshot_by_id(snapshot_id)
        return None if snapshot is None else snapshot_state(metadata, snapshot)

    def measure(
        self, catalog: CatalogName, snapshot_id: SnapshotId, measures: Sequence[Measure]
    ) -> dict[Measure, Reading]:
        from forge.stores.lake.measure import ManifestMeasurer

        found = self.find_table(catalog)
        return dict(ManifestMeasurer(found[1], snapshot_id, self.files.io).measure(measures)) if found else {}

    def growth(self, catalog: CatalogName, since: SnapshotId, until: SnapshotId) -> SnapshotGrowth | None:
        from forge.stores.lake.growth import growth_of

        found = self.find_table(catalog)
        return growth_of(found[1], self.files.io, since, until) if found else None

    def rows(
        self, catalog: CatalogName, snapshot_id: SnapshotId, columns: Sequence[str], limit: int
    ) -> tuple[tuple[object, ...], ...] | None:
        from forge.stores.lake.rows import first_rows

        _, metadata = self.table(catalog)
        if metadata.snapshot_by_id(snapshot_id) is None:
            raise no_snapshot(catalog, snapshot_id)
        return first_rows(metadata, self.files.io, snapshot_id, columns, limit)

    # staging

    def open_stage(self, run_id: RunId, table: TableName, origin: CatalogName | None, base: SnapshotId | None) -> Stage:
        hidden = CatalogName(STAGING, f"{run_id}__{table.schema}__{table.name}")
        if origin is None:
            with writing(self._engine) as connection:
                drop_rows(connection, [hidden])
            folder = f"{self._warehouse}/{table.schema}/{table.name}-{uuid.uuid4().hex[:8]}"
            return Stage(run_id=run_id, table=table, catalog=hidden, location=folder, base=None, origin=None)
        from forge.stores.lake.table_metadata import staged_from

        location, metadata = self.table(origin)
        if base is not None and metadata.snapshot_by_id(base) is None:
            raise no_snapshot(origin, base)
        staged = self.write(staged_from(metadata, base, self.now_ms()), after=location)
        self.put_row(hidden, staged)
        return Stage(run_id=run_id, table=table, catalog=hidden, location=metadata.location, base=base, origin=origin)

    def prepare(
        self, stage: Stage, branch: BranchName, *, is_default: bool, expected: SnapshotId | None
    ) -> Pointer | PointerConflict:
        from forge.stores.lake.table_metadata import MetadataDiverged, published, stamped

        ref = ref_of(branch, is_default=is_default)
        staged_location, staged = self.table(stage.catalog)
        staged = stamped(staged, stage.base, stage.run_id)
        if stage.origin is None:
            return self._prepare_new(stage, staged_location, staged, ref)
        found = self.find_table(stage.origin)
        if found is None:
            return PointerConflict((stage.origin,), branch_moved=False)
        location, current = found
        actual = current.refs[ref].snapshot_id if ref in current.refs else None
        if actual != expected and not (actual is None and ref != _MAIN and expected == stage.base):
            return PointerConflict((stage.origin,), branch_moved=False)
        try:
            metadata = published(current, location, staged, ref, self.now_ms())
        except MetadataDiverged:
            return PointerConflict((stage.origin,), branch_moved=False)
        if not is_default or stage.origin.namespace != BRANCHES:
            return Pointer(
                catalog=stage.origin,
                expected=location,
                location=self.write(metadata, after=location),
                kind="TABLE",
                staged=stage.catalog,
            )
        # a new table of a branch, changed by the merge into the default one: it gets its own name there
        name = CatalogName(stage.table.schema, stage.table.name)
        if self.row(name) is not None:
            return PointerConflict((name,), branch_moved=False)
        home = PreviousRow(str(current.table_uuid), stage.origin, location)
        return Pointer(
            catalog=name,
            expected=None,
            location=self.write(metadata, after=location),
            kind="TABLE",
            staged=stage.catalog,
            home=home,
        )

    def _prepare_new(
        self, stage: Stage, staged_location: str, staged: TableMetadataV2, ref: str
    ) -> Pointer | PointerConflict:
        from forge.stores.lake.table_metadata import published_new

        name = CatalogName(stage.table.schema, stage.table.name)
        if ref != _MAIN:
            name = hidden_name(stage.table, str(staged.table_uuid))
        if self.row(name) is not None:
            return PointerConflict((name,), branch_moved=False)
        metadata = published_new(staged, ref, self.now_ms())
        return Pointer(
            catalog=name,
            expected=None,
            location=self.write(metadata, after=staged_location),
            kind="TABLE",
            staged=stage.catalog,
        )

    def stages(self) -> tuple[tuple[RunId, CatalogName], ...]:
        return tuple((run_of(name), name) for name in self._names() if name.namespace == STAGING)

    def drop_stages(self, run_id: RunId) -> int:
        names = [name for run, name in self.stages() if run == run_id]
        if not names:
            return 0
        with writing(self._engine) as connection:
            return drop_rows(connection, names)

    def set_ref(self, catalog: CatalogName, ref: str, snapshot_id: SnapshotId | None) -> None:
        from forge.stores.lake.table_metadata import with_ref

        for _ in attempts(_TRIES, 0.02, 0.02):
            location, metadata = self.table(catalog)
            if snapshot_id is not None and metadata.snapshot_by_id(snapshot_id) is None:
                raise no_snapshot(catalog, snapshot_id)
            old = metadata.refs.get(ref)
            if (old.snapshot_id if old else None) == snapshot_id:
                return
            new = self.write(with_ref(metadata, location, ref, snapshot_id, self.now_ms()), after=location)
            if self.move(catalog, location, new):
                return
            self.files.delete(new)
        raise DatabaseBusyError(
            f"{catalog} moves too often to set {ref} on it",
            why=f"{_TRIES} tries found it moved by someone else each time.",
            fix="Try again when fewer runs publish it.",
        )

    # views

    def write_view(self, table: TableName, sql: str, schema: Schema, previous: str | None) -> str:
        """Spark reads it once a catalog row of kind VIEW points at it."""
        from forge.stores.lake.view import write_next

        return write_next(self.files, self._warehouse, table, sql, schema, previous, self.now_ms())

    def read_view(self, location: str) -> str:
        seen = read_view_info(location)
        if seen is not None:
            return seen.sql
        from forge.stores.lake.view import sql_of

        return sql_of(self.files.read_view(location))

    def schema(self, catalog: CatalogName) -> Schema | None:
        from forge.stores.lake.spark_types import spark_schema

        row = self.row(catalog)
        if row is None:
            return None
        return self.view_schema(row[0]) if row[1] == "VIEW" else spark_schema(self._read(row[0], catalog).schema())

    def view_schema(self, location: str) -> Schema:
        from forge.stores.lake.view import schema_of

        return schema_of(self.files.read_view(location))

    def before(self, catalog: CatalogName) -> EarlierMetadata | None:
        t = iceberg_tables.c
        query = select(t.previous_metadata_location).where(
            t.catalog_name == CATALOG, t.table_namespace == catalog.namespace, t.table_name == catalog.name
        )
        with reading(self._engine) as connection:
            location = connection.execute(query).scalar()
        try:
            metadata = self.files.read(location) if location else None
        except ForgeError:
            return None
        return earlier_metadata(str(location), metadata) if metadata else None

    # files

    def sync(self, locations: Iterable[str]) -> None:
        self._disk.sync(locations)

    def orphans(self, older_than: datetime) -> tuple[OrphanFile, ...]:
        from forge.stores.lake.files import list_files, local_folder
        from forge.stores.lake.reachable_files import is_checksum_of, reachable_files

        listed = [(entry.path, entry.stat()) for entry in list_files(local_folder(self._warehouse))]
        used = reachable_files(self.files, self._pointed_at())  # read after the listing: what is new is not listed
        return tuple(
            OrphanFile(path, stat.st_size, datetime.fromtimestamp(stat.st_mtime, UTC))
            for path, stat in sorted(listed)
            if stat.st_mtime < older_than.timestamp() and path not in used and not is_checksum_of(path, used)
        )

    def delete(self, orphans: Sequence[OrphanFile]) -> int:
        from forge.stores.lake.files import local_folder

        root = local_folder(self._warehouse)
        count = 0
        for orphan in orphans:
            try:
                self.files.delete(orphan.path)
            except FileNotFoundError:
                continue
            count += 1
        folders = {
            folder for orphan in orphans for folder in local_folder(orphan.path).parents if root in folder.parents
        }
        for folder in sorted(folders, key=lambda path: len(path.parts), reverse=True):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        return count

    # rows and files

    @property
    def files(self) -> Files:
        if self._opened is None:
            from forge.stores.lake.files import Files

            self._opened = Files.at(self._warehouse)
        return self._opened

    def _read(self, location: str, catalog: CatalogName) -> TableMetadataV2:
        with self._guard:
            found = self._kept.get(location)
        if found is not None:
            return found
        with naming(catalog):
            return self._keep(location, self.files.read(location))

    def write(self, metadata: TableMetadataV2, after: str | None) -> str:
        location = self.files.write(metadata, after)
        self._keep(location, metadata)
        return location

    def _keep(self, location: str, metadata: TableMetadataV2) -> TableMetadataV2:
        with self._guard:
            self._kept[location] = metadata
            while len(self._kept) > _KEPT:
                del self._kept[next(iter(self._kept))]
        return metadata

    def now_ms(self) -> int:
        return int(self._clock().timestamp() * 1000)

    def _names(self) -> list[CatalogName]:
        t = iceberg_tables.c
        query = select(t.table_namespace, t.table_name).where(t.catalog_name == CATALOG)
        with reading(self._engine) as connection:
            return sorted(CatalogName(*row) for row in connection.execute(query))

    def row(self, catalog: CatalogName) -> tuple[str, CatalogKind] | None:
        with reading(self._engine) as connection:
            row = connection.execute(_ROW, {"namespace": catalog.namespace, "name": catalog.name}).first()
        return None if row is None else (row[0], row[1] or "TABLE")

    def find_table(self, catalog: CatalogName) -> tuple[str, TableMetadataV2] | None:
        """None where there is no row, or a view."""
        row = self.row(catalog)
        return None if row is None or row[1] == "VIEW" else (row[0], self._read(row[0], catalog))

    def table(self, catalog: CatalogName) -> tuple[str, TableMetadataV2]:
        row = self.row(catalog)
        if row is None:
            raise _no_table(catalog)
        return row[0], self._read(row[0], catalog)

    def metadata(self, catalog: CatalogName) -> TableMetadata:
        """Of any format version, read-only."""
        row = self.row(catalog)
        if row is None:
            raise _no_table(catalog)
        with self._guard:
            found = self._kept.get(row[0])
        if found is not None:
            return found
        with naming(catalog):
            parsed = self.files.read_any(row[0])
        return self._keep(row[0], parsed) if parsed.format_version == 2 else parsed

    def open_table(self, catalog: CatalogName) -> tuple[TableMetadata, FileIO]:
        """What a scan needs."""
        return self.metadata(catalog), self.files.io

    def put_row(self, hidden: CatalogName, location: str) -> None:
        """A hidden row of a run; replaces one of that name."""
        values = {
            "catalog_name": CATALOG,
            "table_namespace": hidden.namespace,
            "table_name": hidden.name,
            "metadata_location": location,
            "iceberg_type": "TABLE",
        }
        with writing(self._engine) as connection:
            drop_rows(connection, [hidden])
            connection.execute(iceberg_tables.insert(), [values])

    def move(self, catalog: CatalogName, expected: str, location: str) -> bool:
        t = iceberg_tables
        durable = catalog.namespace != STAGING  # what is staged is synced when it is published, or gone
        if durable:
            self.sync([location])
        with writing(self._engine, durable=durable) as connection:
            moved = connection.execute(
                update(t)
                .where(t.c.catalog_name == CATALOG, t.c.metadata_location == expected)
                .where(t.c.table_namespace == catalog.namespace, t.c.table_name == catalog.name)
                .values(metadata_location=location, previous_metadata_location=expected)
            )
            return moved.rowcount == 1

    def _pointed_at(self) -> set[tuple[str, str]]:
        """Every catalog row, hidden and foreign ones too, and the views that commits refer to."""
        t = iceberg_tables.c
        with reading(self._engine) as connection:
            rows = {
                (row[0], row[1] or "TABLE") for row in connection.execute(select(t.metadata_location, t.iceberg_type))
            }
            views = connection.execute(select(trees.c.view_files).where(trees.c.view_files.is_not(None))).scalars()
            return rows | {(location, "VIEW") for files in views for location in files}


@contextmanager
def naming(catalog: CatalogName) -> Iterator[None]:
    """Adds the name of the table to the error of an unreadable metadata file."""
    try:
        yield
    except UnreadableMetadata as error:
        raise error.of(catalog) from error


def ref_of(branch: BranchName, *, is_default: bool) -> str:
    """The Iceberg ref that carries a branch: Iceberg's `main` is always the default branch."""
    if is_default:
        return _MAIN
    if branch == _MAIN:
        raise ForgeError(
            "E604",
            "A branch that is not the default one cannot be called main",
            why="Iceberg's ref main carries the default branch.",
            fix="Take another name.",
        )
    return branch


def hidden_name(table: TableName, uuid_text: str) -> CatalogName:
    """The catalog name of a table that exists on a branch only."""
    return CatalogName(BRANCHES, f"{table.schema}__{table.name}__{uuid_text.replace('-', '')[:8]}")


def run_of(name: CatalogName) -> RunId:
    return RunId(name.name.partition("__")[0])


def _no_table(catalog: CatalogName) -> ForgeError:
    return UnknownNameError(f"There is no table {catalog} in the catalog", fix="forge doctor")


def no_snapshot(catalog: CatalogName, snapshot_id: int) -> ForgeError:
    return ForgeError(
        "E406",
        f"{catalog} has no snapshot {snapshot_id}",
        why="It was expired, or the table was replaced, by something other than Forge.",
        fix="forge doctor",
    )


def earlier_metadata(location: str, metadata: TableMetadataV2) -> EarlierMetadata:
    return EarlierMetadata(
        location,
        datetime.fromtimestamp(metadata.last_updated_ms / 1000, UTC),
        {name: SnapshotId(ref.snapshot_id) for name, ref in metadata.refs.items()},
        {SnapshotId(s.snapshot_id): snapshot_state(metadata, s).statistics for s in metadata.snapshots},
    )


def snapshot_state(metadata: TableMetadataV2, snapshot: Snapshot) -> SnapshotState:
    from forge.stores.lake.spark_types import spark_schema
    from forge.stores.lake.table_metadata import RUN_ID

    schema_id = metadata.current_schema_id if snapshot.schema_id is None else snapshot.schema_id
    schema = metadata.schema_by_id(schema_id) or metadata.schema()
    summary = snapshot.summary.additional_properties if snapshot.summary else {}
    parent = snapshot.parent_snapshot_id
    return SnapshotState(
        snapshot_id=SnapshotId(snapshot.snapshot_id),
        parent_id=None if parent is None else SnapshotId(parent),
        schema_id=schema_id,
        schema=spark_schema(schema),
        statistics=TableStatistics(
            rows_added=int(summary.get("added-records", 0)),
            rows_deleted=int(summary.get("deleted-records", 0)),
            bytes_added=int(summary.get("added-files-size", 0)),
            bytes_deleted=int(summary.get("removed-files-size", 0)),
            record_count=int(summary.get("total-records", 0)),
            total_size=int(summary.get("total-files-size", 0)),
        ),
        identifier=tuple(name for i in schema.identifier_field_ids if (name := schema.find_column_name(i))),
        time=datetime.fromtimestamp(snapshot.timestamp_ms / 1000, UTC),
        run_id=RunId(summary[RUN_ID]) if RUN_ID in summary else None,
        engine=summary.get("engine-name"),
    )
