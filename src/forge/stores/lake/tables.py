"""Tables as sets of files, on PyIceberg: reads the files of a snapshot and makes snapshots of files.

What it makes is in the hidden rows of a run (docs/decisions/0002-staging.md) until a publication points at it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from forge.flows.ports import Stage
from forge.flows.runs.records import Pointer, PointerConflict, PreviousRow
from forge.flows.versioning.tables import DataFile, FileSlice, NeedsEngine, TableFiles
from forge.model.errors import DatabaseBusyError, ForgeError
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
from forge.stores.lake.iceberg import IcebergLake, hidden_name, no_snapshot, ref_of
from forge.stores.sql.tables import BRANCHES, STAGING
from forge.versioning.commit import TableVersion
from forge.versioning.field import Fields

if TYPE_CHECKING:  # slow to import
    import pyarrow
    from pyiceberg import manifest
    from pyiceberg.table.metadata import TableMetadata, TableMetadataV2
    from pyiceberg.table.snapshots import Snapshot

    from forge.stores.lake.bounds import Bounds
    from forge.stores.lake.file_set import LiveFile, ManifestReader

_MAIN = "main"


class IcebergTables:
    def __init__(self, lake: IcebergLake) -> None:
        self._lake = lake
        self._opened: ManifestReader | None = None

    # what there is

    def files(self, catalog: CatalogName, snapshot_id: SnapshotId) -> TableFiles:
        from forge.stores.lake.bounds import Bounds, types_of
        from forge.stores.lake.table_metadata import ancestry
        from forge.stores.lake.table_schema import fields_of, snapshot_schema

        metadata, snapshot = self._snapshot(catalog, snapshot_id)
        schema = snapshot_schema(metadata, snapshot.schema_id)
        live = self._reader.live(snapshot, metadata.specs())
        types = types_of(schema)
        line = ancestry(metadata, snapshot_id)
        schemas = {snapshot.schema_id for snapshot in line}
        return TableFiles(
            catalog=catalog,
            snapshot_id=snapshot_id,
            fields=fields_of(schema),
            identifier=tuple(name for field in schema.identifier_field_ids if (name := schema.find_column_name(field))),
            files=frozenset(_data_file(file, Bounds(file.entry.data_file, types)) for file in live.values()),
            spec_id=metadata.default_spec_id,
            ancestors=frozenset(SnapshotId(s.snapshot_id) for s in line),
            needs_engine=any(file.needs_engine for file in live.values()),
            past_columns=frozenset(f.field_id for s in metadata.schemas if s.schema_id in schemas for f in s.fields),
        )

    def read(self, part: FileSlice, columns: Sequence[str] | None = None) -> pyarrow.Table:
        import pyarrow as pa

        from forge.stores.lake.read_files import arrow_schema

        metadata, snapshot = self._snapshot(part.catalog, part.snapshot_id)
        tables = self.read_each(part, columns)
        empty = arrow_schema(metadata, snapshot, columns).empty_table()
        return pa.concat_tables([empty, *(tables[file] for file in part.files)])

    def read_each(self, part: FileSlice, columns: Sequence[str] | None = None) -> dict[DataFile, pyarrow.Table]:
        """The same, file by file."""
        from forge.stores.lake.read_files import read_files

        metadata, snapshot = self._snapshot(part.catalog, part.snapshot_id)
        live = self._live(part)
        if any(file.needs_engine for file in live):
            raise NeedsEngine("the files have equality deletes, deletion vectors or a format other than Parquet")
        read = read_files(metadata, snapshot, self._lake.files.io, live, columns)
        return dict(zip(part.files, read, strict=True))

    def fields(self, catalog: CatalogName, snapshot_id: SnapshotId) -> Fields:
        """Of the snapshot's own schema; no manifest is read."""
        from forge.stores.lake.table_schema import fields_of, snapshot_schema

        metadata, snapshot = self._snapshot(catalog, snapshot_id)
        return fields_of(snapshot_schema(metadata, snapshot.schema_id))

    # snapshots made of files

    def swap(self, stage: Stage, removed: Sequence[DataFile], added: FileSlice | None, fields: Fields) -> SnapshotId:
        from forge.stores.lake.table_schema import with_fields

        location, metadata = self._lake.table(stage.catalog)
        changed = with_fields(metadata, fields, self._origin(stage))
        live = self._live(added) if added else []
        if any(file.deletes for file in live):
            raise NeedsEngine("files with delete files cannot be taken over, their rows have to be rewritten")
        taken = [file.entry.data_file for file in live]
        if added:
            _check_specs(changed, self._lake.metadata(added.catalog), taken)
        return self._replace(stage, location, changed, removed, taken, foreign=True, retyped=changed is not metadata)

    def rewrite(
        self, stage: Stage, removed: Sequence[DataFile], rows: pyarrow.Table, fields: Fields, key: Sequence[str] = ()
    ) -> SnapshotId:
        from forge.stores.lake.new_files import write_rows
        from forge.stores.lake.table_schema import new_table, with_fields

        if self._lake.row(stage.catalog) is None:
            created = new_table(fields, key, rows, stage.location)
            added = write_rows(created, self._lake.files.io, rows)
            return self._replace(stage, None, created, removed, added, foreign=False, retyped=True)
        location, metadata = self._lake.table(stage.catalog)
        changed = with_fields(metadata, fields, self._origin(stage))
        added = write_rows(changed, self._lake.files.io, rows)
        return self._replace(stage, location, changed, removed, added, foreign=False, retyped=changed is not metadata)

    def _replace(
        self,
        stage: Stage,
        location: str | None,
        metadata: TableMetadataV2,
        removed: Sequence[DataFile],
        added: Sequence[manifest.DataFile],
        *,
        foreign: bool,
        retyped: bool,
    ) -> SnapshotId:
        """`location` is the stage's metadata file; None: its row is created now. Without changes there is no new
        snapshot."""
        from forge.stores.lake.manifests import SnapshotWriter, with_snapshot
        from forge.stores.lake.table_metadata import with_ref

        if metadata.current_snapshot_id is not None and not (removed or added or retyped):
            return SnapshotId(metadata.current_snapshot_id)
        now = self._lake.now_ms()
        writer = SnapshotWriter(metadata, self._lake.files.io, self._reader, now)
        snapshot = writer.replaced(frozenset(file.path for file in removed), added, foreign=foreign)
        grown = with_snapshot(metadata, snapshot)
        made = with_ref(grown, location or "", _MAIN, snapshot.snapshot_id, now)
        if location is None:
            made = made.model_copy(update={"metadata_log": []})
            self._lake.put_row(stage.catalog, self._lake.write(made, after=None))
        else:
            self._move(stage.catalog, location, made)
        return SnapshotId(snapshot.snapshot_id)

    def expose(self, run_id: RunId, part: FileSlice, name: str) -> CatalogName:
        from pyiceberg.manifest import ManifestContent

        from forge.stores.lake.manifests import SnapshotWriter, slice_summary, with_snapshot
        from forge.stores.lake.table_metadata import staged_from, with_ref

        location, metadata = self._lake.table(part.catalog)
        _, snapshot = self._snapshot(part.catalog, part.snapshot_id)
        now = self._lake.now_ms()
        staged = staged_from(metadata, part.snapshot_id, now)
        entries = [file.entry for file in self._live(part)]
        deletes = [m for m in self._reader.manifests(snapshot) if m.content == ManifestContent.DELETES]
        writer = SnapshotWriter(staged, self._lake.files.io, self._reader, now)
        made = writer.only(entries, deletes, slice_summary(entries, snapshot))
        result = with_ref(with_snapshot(staged, made), location, _MAIN, made.snapshot_id, now)
        return self._hidden(CatalogName(STAGING, f"{run_id}__slice__{name}"), result, location)

    def scratch(self, stage: Stage, fields: Fields, name: str) -> CatalogName:
        from forge.stores.lake.table_metadata import staged_from
        from forge.stores.lake.table_schema import new_table, with_fields

        hidden = CatalogName(STAGING, f"{stage.run_id}__scratch__{name}")
        if self._lake.row(stage.catalog) is None:
            return self._hidden(hidden, new_table(fields, (), None, stage.location), None)
        location, metadata = self._lake.table(stage.catalog)
        changed = with_fields(metadata, fields, self._origin(stage))
        empty = staged_from(changed, None, self._lake.now_ms())
        return self._hidden(hidden, empty.model_copy(update={"current_schema_id": changed.current_schema_id}), location)

    def advance(self, stage: Stage, snapshot_id: SnapshotId) -> None:
        from forge.stores.lake.table_metadata import staged_from

        location, own = self._lake.table(stage.catalog)
        origin = self._origin(stage)
        known = origin if origin is not None and origin.snapshot_by_id(snapshot_id) is not None else own
        if known.snapshot_by_id(snapshot_id) is None:
            raise no_snapshot(stage.origin or stage.catalog, snapshot_id)
        self._move(stage.catalog, location, staged_from(known, snapshot_id, self._lake.now_ms()))

    # the snapshot of a branch

    def point(
        self,
        table: TableName,
        version: TableVersion,
        branch: BranchName,
        *,
        is_default: bool,
        expected: SnapshotId | None,
        is_free: bool = False,
    ) -> Pointer | PointerConflict:
        ref = ref_of(branch, is_default=is_default)
        found = self._lake.find_table(version.catalog)
        if found is None or version.snapshot_id is None:
            return PointerConflict((version.catalog,), branch_moved=False)
        location, metadata = found
        if metadata.snapshot_by_id(version.snapshot_id) is None:
            raise no_snapshot(version.catalog, version.snapshot_id)
        actual = metadata.refs[ref].snapshot_id if ref in metadata.refs else None
        # a branch that has not touched the table has no ref in it yet
        if actual != expected and not (actual is None and ref != _MAIN):
            return PointerConflict((version.catalog,), branch_moved=False)
        new = self._pointed(metadata, location, ref, version.snapshot_id)
        if not is_default or version.catalog.namespace != BRANCHES:
            return Pointer(catalog=version.catalog, expected=location, location=new)
        name = CatalogName(table.schema, table.name)
        return self._renamed(name, metadata, version.catalog, location, new, is_free=is_free)

    def _pointed(self, metadata: TableMetadataV2, location: str, ref: str, snapshot_id: SnapshotId) -> str:
        """The metadata file with the ref at that snapshot: the existing one where it already is."""
        from forge.stores.lake.table_metadata import with_current_schema, with_ref
        from forge.stores.lake.table_schema import fitted

        led = metadata
        if ref == _MAIN:
            led = fitted(with_current_schema(metadata, snapshot_id), self._newest_spec(metadata, snapshot_id))
        known = metadata.refs.get(ref)
        if known is not None and known.snapshot_id == snapshot_id and led == metadata:
            return location
        return self._lake.write(with_ref(led, location, ref, snapshot_id, self._lake.now_ms()), after=location)

    def _newest_spec(self, metadata: TableMetadataV2, snapshot_id: SnapshotId) -> int | None:
        """The partition spec of the snapshot's newest files, where it is newer than the table's own. A branch may
        have changed it, and its snapshots do not record that otherwise."""
        if len(metadata.partition_specs) == 1:
            return None
        snapshot = metadata.snapshot_by_id(snapshot_id)
        manifests = self._reader.manifests(snapshot) if snapshot else []
        written = [(m.sequence_number, m.partition_spec_id) for m in manifests if m.has_added_files()]
        spec_id = max(written, default=(0, 0))[1]
        return spec_id if spec_id > metadata.default_spec_id else None

    def hide(self, table: TableName, version: TableVersion, expected: SnapshotId | None) -> Pointer | PointerConflict:
        from forge.stores.lake.table_metadata import with_ref

        found = self._lake.find_table(version.catalog)
        if found is None:
            return PointerConflict((version.catalog,), branch_moved=False)
        location, metadata = found
        actual = metadata.refs[_MAIN].snapshot_id if _MAIN in metadata.refs else None
        if actual != expected:
            return PointerConflict((version.catalog,), branch_moved=False)
        new = location
        if actual is not None:
            new = self._lake.write(with_ref(metadata, location, _MAIN, None, self._lake.now_ms()), after=location)
        if version.catalog.namespace == BRANCHES:
            return Pointer(catalog=version.catalog, expected=location, location=new)
        name = hidden_name(table, str(metadata.table_uuid))
        return self._renamed(name, metadata, version.catalog, location, new)

    def leave(self, version: TableVersion, branch: BranchName) -> Pointer | None:
        from forge.stores.lake.table_metadata import with_ref

        found = self._lake.find_table(version.catalog)
        if found is None or branch not in found[1].refs:
            return None
        location, metadata = found
        without = with_ref(metadata, location, branch, None, self._lake.now_ms())
        return Pointer(catalog=version.catalog, expected=location, location=self._lake.write(without, after=location))

    def _renamed(
        self,
        name: CatalogName,
        metadata: TableMetadataV2,
        old: CatalogName,
        location: str,
        new: str,
        *,
        is_free: bool = False,
    ) -> Pointer | PointerConflict:
        if self._lake.row(name) is not None and not is_free:
            return PointerConflict((name,), branch_moved=False)
        return Pointer(
            catalog=name, expected=None, location=new, home=PreviousRow(str(metadata.table_uuid), old, location)
        )

    # rows and manifests

    @property
    def _reader(self) -> ManifestReader:
        if self._opened is None:
            from forge.stores.lake.file_set import ManifestReader

            self._opened = ManifestReader(self._lake.files.io)
        return self._opened

    def _snapshot(self, catalog: CatalogName, snapshot_id: SnapshotId) -> tuple[TableMetadata, Snapshot]:
        metadata = self._lake.metadata(catalog)
        snapshot = metadata.snapshot_by_id(snapshot_id)
        if snapshot is None:
            raise no_snapshot(catalog, snapshot_id)
        return metadata, snapshot

    def _live(self, part: FileSlice) -> list[LiveFile]:
        """The files of the part, in its order."""
        metadata, snapshot = self._snapshot(part.catalog, part.snapshot_id)
        live = self._reader.live(snapshot, metadata.specs())
        missing = [file.path for file in part.files if file.path not in live]
        if missing:
            raise ForgeError(
                "E406",
                f"Snapshot {part.snapshot_id} of {part.catalog} does not hold a file",
                where=missing[0],
                why="The file belongs to another snapshot.",
                fix="Try again.",
            )
        return [live[file.path] for file in part.files]

    def _origin(self, stage: Stage) -> TableMetadataV2 | None:
        found = self._lake.find_table(stage.origin) if stage.origin else None
        return found[1] if found else None

    def _hidden(self, name: CatalogName, metadata: TableMetadataV2, after: str | None) -> CatalogName:
        self._lake.put_row(name, self._lake.write(metadata, after=after))
        return name

    def _move(self, catalog: CatalogName, location: str, metadata: TableMetadataV2) -> None:
        if not self._lake.move(catalog, location, self._lake.write(metadata, after=location)):
            raise DatabaseBusyError(
                f"{catalog} was written by someone else at the same time",
                why="A hidden row belongs to one run.",
                fix="Try again.",
            )


def _data_file(file: LiveFile, bounds: Bounds) -> DataFile:
    record, by = file.entry.data_file, file.entry.snapshot_id
    return DataFile(
        record.file_path,
        file.delete_names,
        size=file.size,
        rows=record.record_count,
        added_by=None if by is None else SnapshotId(by),
        bounds=bounds,
    )


def _check_specs(mine: TableMetadataV2, theirs: TableMetadata, files: Sequence[manifest.DataFile]) -> None:
    """A file's partition is meaningful only under the spec it was written with."""
    for number in {file.spec_id for file in files}:
        if mine.specs().get(number) != theirs.specs().get(number):
            raise NeedsEngine("the files are divided in another way than the table")
