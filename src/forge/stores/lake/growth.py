"""The growth of a table between two of its snapshots, from metadata and manifests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forge.flows.ports import SnapshotGrowth

if TYPE_CHECKING:
    from pyiceberg.io import FileIO
    from pyiceberg.schema import Schema
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.snapshots import Snapshot


def growth_of(metadata: TableMetadata, io: FileIO, since: int, until: int) -> SnapshotGrowth | None:
    first, last = metadata.snapshot_by_id(since), metadata.snapshot_by_id(until)
    between = _between(metadata, first, last)
    if first is None or last is None or between is None:
        return None
    old, new = _schema(metadata, first), _schema(metadata, last)
    if old is None or new is None:
        return None
    same = _same_columns(old, new)
    whole = old.fields == new.fields
    operations = {snapshot.summary.operation.value if snapshot.summary else "" for snapshot in between}
    if operations <= {"replace"}:  # files were rewritten with the same rows; or there is no snapshot in between
        return SnapshotGrowth("none", same, whole)
    # an engine reads appended files by the columns that the table has now
    if operations == {"append"} and last.schema_id == metadata.current_schema_id:
        return SnapshotGrowth("appended", same, whole)
    left = _files(first, io) & _files(last, io)
    return SnapshotGrowth("rewritten" if left else "replaced", same, whole)


def _between(metadata: TableMetadata, first: Snapshot | None, last: Snapshot | None) -> list[Snapshot] | None:
    """The snapshots after the first, up to the last."""
    found: list[Snapshot] = []
    while last is not None and first is not None and last.snapshot_id != first.snapshot_id:
        found.append(last)
        parent = last.parent_snapshot_id
        last = metadata.snapshot_by_id(parent) if parent is not None else None
    return found if last is not None and first is not None else None


def _schema(metadata: TableMetadata, snapshot: Snapshot) -> Schema | None:
    return next((schema for schema in metadata.schemas if schema.schema_id == snapshot.schema_id), None)


def _same_columns(old: Schema, new: Schema) -> frozenset[str]:
    """A column that was dropped and added again under its name has another id."""
    known = {field.field_id: field for field in old.fields}
    return frozenset(
        field.name.lower()
        for field in new.fields
        if (before := known.get(field.field_id)) is not None
        and (before.name, before.field_type) == (field.name, field.field_type)
    )


def _files(snapshot: Snapshot, io: FileIO) -> set[str]:
    return {
        entry.data_file.file_path
        for manifest in snapshot.manifests(io)
        for entry in manifest.fetch_manifest_entry(io, discard_deleted=True)
    }
