"""New table metadata from old, as pure functions: the start of a stage, and the target of a publication.

PyIceberg's `update_table_metadata` does most of this for a linear history; a test compares the two there. It refuses
a sequence number that another branch has used meanwhile, which Iceberg allows between siblings, so the copies are
made here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata, TableMetadataV2
from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRef, SnapshotRefType
from pyiceberg.table.snapshots import MetadataLogEntry, Operation, Snapshot, SnapshotLogEntry, Summary
from pyiceberg.table.sorting import SortOrder

_LOG_LENGTH = "write.metadata.previous-versions-max"
_DEFAULT_LOG_LENGTH = 100

RUN_ID = "forge.run-id"  # in the summary of every snapshot that a run published

IdentifiedPart = TypeVar("IdentifiedPart", Schema, PartitionSpec, SortOrder)


class MetadataDiverged(Exception):
    """Two writers gave the same id to different schemas, partition specs or sort orders."""


def ancestry(metadata: TableMetadata, snapshot_id: int | None) -> list[Snapshot]:
    """The snapshot and its retained ancestors, oldest first."""
    by_id = {snapshot.snapshot_id: snapshot for snapshot in metadata.snapshots}
    line: list[Snapshot] = []
    while snapshot_id is not None and (snapshot := by_id.get(snapshot_id)) is not None:
        line.append(snapshot)
        snapshot_id = snapshot.parent_snapshot_id
    return line[::-1]


def staged_from(metadata: TableMetadataV2, base: int | None, now_ms: int) -> TableMetadataV2:
    """The table at `base`, over the same files. All schemas stay, so that new ones get new ids; the metadata log is
    emptied, so that cleanup of the stage cannot reach the table's own files."""
    line = ancestry(metadata, base)
    kept = {snapshot.snapshot_id for snapshot in line}
    schema_id = line[-1].schema_id if line and line[-1].schema_id is not None else metadata.current_schema_id
    return metadata.model_copy(
        update={
            "snapshots": line,
            "refs": {} if base is None else {MAIN_BRANCH: _ref(base)},
            "current_snapshot_id": base,
            "current_schema_id": schema_id,
            "snapshot_log": [] if base is None else [_log_entry(base, now_ms)],
            "metadata_log": [],
            "statistics": [s for s in metadata.statistics if s.snapshot_id in kept],
            "partition_statistics": [s for s in metadata.partition_statistics if s.snapshot_id in kept],
            "last_updated_ms": now_ms,
        }
    )


def stamped(staged: TableMetadataV2, base: int | None, run_id: str) -> TableMetadataV2:
    """What was staged on `base`, its new snapshots with the run id in their summary. It is written here, not by the
    engine, so that it holds for every way of writing."""
    old = {snapshot.snapshot_id for snapshot in ancestry(staged, base)}
    snapshots = [s if s.snapshot_id in old else stamped_snapshot(s, run_id) for s in staged.snapshots]
    return staged.model_copy(update={"snapshots": snapshots})


def stamped_snapshot(snapshot: Snapshot, run_id: str) -> Snapshot:
    old = snapshot.summary
    operation = old.operation if old else Operation.OVERWRITE
    summary = Summary(operation, **{**(old.additional_properties if old else {}), RUN_ID: run_id})
    return snapshot.model_copy(update={"summary": summary})


def published_new(staged: TableMetadataV2, ref: str, now_ms: int) -> TableMetadataV2:
    """A new table: the stage becomes the table. On a branch it has no `main`, so readers of the default branch see
    no rows."""
    head = staged.current_snapshot_id
    on_main = ref == MAIN_BRANCH
    log = [_log_entry(head, now_ms)] if on_main and head is not None else []
    return staged.model_copy(
        update={
            "refs": {} if head is None else {ref: _ref(head)},
            "current_snapshot_id": head if on_main else None,
            "snapshot_log": log,
            "metadata_log": [],
            "last_updated_ms": now_ms,
        }
    )


def published(
    current: TableMetadataV2, location: str, staged: TableMetadataV2, ref: str, now_ms: int
) -> TableMetadataV2:
    """The table with `ref` at what was staged. `location` is the metadata file of `current`."""
    head = staged.current_snapshot_id
    known = {snapshot.snapshot_id for snapshot in current.snapshots}
    new = [snapshot for snapshot in ancestry(staged, head) if snapshot.snapshot_id not in known]
    new_ids = {snapshot.snapshot_id for snapshot in new}
    merged: dict[str, Any] = {
        "snapshots": [*current.snapshots, *new],
        "schemas": _joined(current.schemas, staged.schemas, "schema_id"),
        "partition_specs": _joined(current.partition_specs, staged.partition_specs, "spec_id"),
        "sort_orders": _joined(current.sort_orders, staged.sort_orders, "order_id"),
        "statistics": [*current.statistics, *(s for s in staged.statistics if s.snapshot_id in new_ids)],
        "partition_statistics": [
            *current.partition_statistics,
            *(s for s in staged.partition_statistics if s.snapshot_id in new_ids),
        ],
        "last_column_id": max(current.last_column_id, staged.last_column_id),
        "last_partition_id": max(current.last_partition_id or 0, staged.last_partition_id or 0) or None,
        "last_sequence_number": max(current.last_sequence_number, staged.last_sequence_number),
    }
    if ref == MAIN_BRANCH or MAIN_BRANCH not in current.refs:
        merged["current_schema_id"] = staged.current_schema_id
        merged["default_spec_id"] = staged.default_spec_id
        merged["default_sort_order_id"] = staged.default_sort_order_id
    return with_ref(current.model_copy(update=merged), location, ref, head, now_ms)


def with_ref(
    metadata: TableMetadataV2, location: str, ref: str, snapshot_id: int | None, now_ms: int
) -> TableMetadataV2:
    """The next version of the metadata in file `location`, with `ref` at the snapshot, or without it."""
    now_ms = max(now_ms, metadata.last_updated_ms)  # clocks differ; Iceberg's logs must not run backwards
    refs = {name: value for name, value in metadata.refs.items() if name != ref}
    changes: dict[str, Any] = {"last_updated_ms": now_ms}
    if snapshot_id is not None:
        old = metadata.refs.get(ref)
        refs[ref] = old.model_copy(update={"snapshot_id": snapshot_id}) if old else _ref(snapshot_id)
    changes["refs"] = refs
    if ref == MAIN_BRANCH:
        changes["current_snapshot_id"] = snapshot_id
        if snapshot_id is not None and snapshot_id != metadata.current_snapshot_id:
            changes["snapshot_log"] = [*metadata.snapshot_log, _log_entry(snapshot_id, now_ms)]
    entry_of_file = MetadataLogEntry.model_validate(
        {"metadata-file": location, "timestamp-ms": metadata.last_updated_ms}
    )
    length = max(1, int(metadata.properties.get(_LOG_LENGTH, _DEFAULT_LOG_LENGTH)))
    changes["metadata_log"] = [*metadata.metadata_log, entry_of_file][-length:]
    return metadata.model_copy(update=changes)


def with_current_schema(metadata: TableMetadataV2, snapshot_id: int) -> TableMetadataV2:
    """The table with the snapshot's own schema as the current one, as on a default branch. The partition spec is
    that of the snapshot's newest files, if the caller knows it (see `fitted`)."""
    snapshot = metadata.snapshot_by_id(snapshot_id)
    if snapshot is None or snapshot.schema_id is None or metadata.schema_by_id(snapshot.schema_id) is None:
        return metadata  # older writers did not say it
    return metadata.model_copy(update={"current_schema_id": snapshot.schema_id})


def _ref(snapshot_id: int) -> SnapshotRef:
    return SnapshotRef.model_validate({"snapshot-id": snapshot_id, "type": SnapshotRefType.BRANCH})


def _log_entry(snapshot_id: int, now_ms: int) -> SnapshotLogEntry:
    return SnapshotLogEntry.model_validate({"snapshot-id": snapshot_id, "timestamp-ms": now_ms})


def _joined(mine: Sequence[IdentifiedPart], theirs: Iterable[IdentifiedPart], number: str) -> list[IdentifiedPart]:
    joined = {getattr(item, number): item for item in mine}
    for item in theirs:
        if joined.setdefault(getattr(item, number), item) != item:
            raise MetadataDiverged(f"{number} {getattr(item, number)}")
    return list(joined.values())
