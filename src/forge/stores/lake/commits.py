"""The commit of one table in an external catalog: requirements and updates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyiceberg.table.metadata import TableMetadataV2
from pyiceberg.table.refs import MAIN_BRANCH, SnapshotRefType
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.table.update import (
    AddPartitionSpecUpdate,
    AddSchemaUpdate,
    AddSnapshotUpdate,
    AddSortOrderUpdate,
    AssertCurrentSchemaId,
    AssertLastAssignedFieldId,
    AssertRefSnapshotId,
    AssertTableUUID,
    RemoveSnapshotRefUpdate,
    SetCurrentSchemaUpdate,
    SetDefaultSortOrderUpdate,
    SetDefaultSpecUpdate,
    SetSnapshotRefUpdate,
    TableRequirement,
    TableUpdate,
)

from forge.stores.lake.table_metadata import IdentifiedPart, MetadataDiverged, ancestry, stamped_snapshot

Change = tuple[tuple[TableRequirement, ...], tuple[TableUpdate, ...]]


def table_commit(current: TableMetadataV2, staged: TableMetadataV2, ref: str, run_id: str, now_ms: int) -> Change:
    """Sets `ref` to what was staged, if the table still equals `current`. Raises where the catalog would refuse it:
    since the stage was opened, another branch took the sequence number, or another schema its id."""
    schemas = _new(current.schemas, staged.schemas, "schema_id")
    specs = _new(current.partition_specs, staged.partition_specs, "spec_id")
    orders = _new(current.sort_orders, staged.sort_orders, "order_id")
    updates: list[TableUpdate] = [AddSchemaUpdate(schema=schema) for schema in schemas]
    updates += [AddPartitionSpecUpdate(spec=spec) for spec in specs]
    updates += [AddSortOrderUpdate.model_validate({"sort-order": order}) for order in orders]
    updates += [AddSnapshotUpdate(snapshot=snapshot) for snapshot in _snapshots(current, staged, run_id, now_ms)]
    head = staged.current_snapshot_id
    if head is not None:
        updates.append(_set_ref(current, ref, head))
    if ref == MAIN_BRANCH or MAIN_BRANCH not in current.refs:
        updates.append(SetCurrentSchemaUpdate.model_validate({"schema-id": staged.current_schema_id}))
        updates.append(SetDefaultSpecUpdate.model_validate({"spec-id": staged.default_spec_id}))
        updates.append(SetDefaultSortOrderUpdate.model_validate({"sort-order-id": staged.default_sort_order_id}))
    requirements = _unmoved(current, ref)
    if schemas:  # so that the catalog cannot have given their numbers to others
        requirements.append(AssertCurrentSchemaId.model_validate({"current-schema-id": current.current_schema_id}))
        requirements.append(
            AssertLastAssignedFieldId.model_validate({"last-assigned-field-id": current.last_column_id})
        )
    return tuple(requirements), tuple(updates)


def ref_change(current: TableMetadataV2, ref: str, snapshot_id: int | None) -> Change:
    update: TableUpdate = RemoveSnapshotRefUpdate.model_validate({"ref-name": ref})
    if snapshot_id is not None:
        update = _set_ref(current, ref, snapshot_id)
    return tuple(_unmoved(current, ref)), (update,)


def _unmoved(current: TableMetadataV2, ref: str) -> list[TableRequirement]:
    known = current.refs.get(ref)
    return [
        AssertTableUUID(uuid=current.table_uuid),
        AssertRefSnapshotId.model_validate({"ref": ref, "snapshot-id": known.snapshot_id if known else None}),
    ]


def _snapshots(current: TableMetadataV2, staged: TableMetadataV2, run_id: str, now_ms: int) -> list[Snapshot]:
    """Parents first. Their time is that of the publication: Iceberg's logs must not run backwards, and `TIMESTAMP AS
    OF` means what readers could see."""
    known = {snapshot.snapshot_id for snapshot in current.snapshots}
    new = [s for s in ancestry(staged, staged.current_snapshot_id) if s.snapshot_id not in known]
    if any((s.sequence_number or 0) <= current.last_sequence_number for s in new):
        raise MetadataDiverged("sequence number")
    time = max(now_ms, current.last_updated_ms)
    return [stamped_snapshot(s, run_id).model_copy(update={"timestamp_ms": time}) for s in new]


def _set_ref(current: TableMetadataV2, ref: str, snapshot_id: int) -> SetSnapshotRefUpdate:
    known = current.refs.get(ref)
    kept: dict[str, Any] = known.model_dump(by_alias=True) if known else {"type": SnapshotRefType.BRANCH}
    return SetSnapshotRefUpdate.model_validate({**kept, "ref-name": ref, "snapshot-id": snapshot_id})


def _new(mine: Sequence[IdentifiedPart], theirs: Sequence[IdentifiedPart], number: str) -> list[IdentifiedPart]:
    known = {getattr(item, number): item for item in mine}
    for item in theirs:
        if known.get(getattr(item, number), item) != item:
            raise MetadataDiverged(f"{number} {getattr(item, number)}")
    return [item for item in theirs if getattr(item, number) not in known]
