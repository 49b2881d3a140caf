"""The derivation of metadata, held against PyIceberg's own where it allows the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.partitioning import UNPARTITIONED_PARTITION_SPEC
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadataV2, new_table_metadata
from pyiceberg.table.refs import SnapshotRefType
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.table.update import AddSnapshotUpdate, SetSnapshotRefUpdate, update_table_metadata
from pyiceberg.types import LongType, NestedField

from forge.model.schema import Column
from forge.model.schema import Schema as ForgeSchema
from forge.stores.lake.spark_types import iceberg_schema, spark_schema
from forge.stores.lake.table_metadata import ancestry, published, staged_from

NOW = 2_000_000_000_000


def empty() -> TableMetadataV2:
    schema = Schema(NestedField(1, "id", LongType(), required=False))
    metadata = new_table_metadata(schema, UNPARTITIONED_PARTITION_SPEC, UNSORTED_SORT_ORDER, "/w/t", {})
    assert isinstance(metadata, TableMetadataV2)
    return metadata.model_copy(update={"last_updated_ms": NOW - 10_000})


def updates_of(snapshot: Snapshot, ref: str) -> tuple[AddSnapshotUpdate, SetSnapshotRefUpdate]:
    move = {"ref-name": ref, "type": SnapshotRefType.BRANCH, "snapshot-id": snapshot.snapshot_id}
    return AddSnapshotUpdate(snapshot=snapshot), SetSnapshotRefUpdate.model_validate(move)


def snapshot_on(metadata: TableMetadataV2, number: int, parent: int | None, time: int) -> Snapshot:
    return Snapshot.model_validate(
        {
            "snapshot-id": number,
            "parent-snapshot-id": parent,
            "sequence-number": metadata.last_sequence_number + 1,
            "timestamp-ms": time,
            "manifest-list": f"/w/t/metadata/{number}.avro",
            "schema-id": 0,
        }
    )


@pytest.mark.slow
@settings(deadline=None)  # how long one case takes says something of the machine only
@given(st.lists(st.sampled_from(["main", "dev", "fix"]), min_size=1, max_size=12))
def test_a_line_of_publishes_gives_what_pyiceberg_gives(branches: list[str]) -> None:
    ours = theirs = empty()
    for number, ref in enumerate(branches, start=1):
        now, location = NOW + number, f"/w/t/metadata/{number}.json"
        at = ours.refs.get(ref) or ours.refs.get("main")
        base = at.snapshot_id if at else None
        stage = staged_from(ours, base, now)
        new = snapshot_on(stage, number, base, now)
        staged = update_table_metadata(stage, updates_of(new, "main"))
        assert isinstance(staged, TableMetadataV2)
        ours = published(ours, location, staged, ref, now)
        moved = update_table_metadata(theirs, updates_of(new, ref), metadata_location=location)
        assert isinstance(moved, TableMetadataV2)
        theirs = moved
    assert ours.model_dump() == theirs.model_dump()
    # and it survives being written and read
    assert TableMetadataV2.model_validate_json(ours.model_dump_json()).refs == ours.refs


@settings(deadline=None)  # how long one case takes says something of the machine only
@given(st.lists(st.integers(0, 30), max_size=15))
def test_a_stage_holds_the_ancestors_of_its_base_and_nothing_else(picks: list[int]) -> None:
    metadata, parents = empty(), dict[int, int | None]()
    for number, pick in enumerate(picks, start=1):
        parent = pick % number or None
        parents[number] = parent
        snapshot = snapshot_on(metadata, number, parent, NOW)
        metadata = metadata.model_copy(
            update={"snapshots": [*metadata.snapshots, snapshot], "last_sequence_number": number}
        )
    for base in parents:
        expected, at = [], base
        while at:
            expected.append(at)
            at = parents[at] or 0
        stage = staged_from(metadata, base, NOW)
        assert [s.snapshot_id for s in stage.snapshots] == expected[::-1]
        assert [s.snapshot_id for s in ancestry(metadata, base)] == expected[::-1]
        assert {name: ref.snapshot_id for name, ref in stage.refs.items()} == {"main": base}
        assert stage.last_sequence_number == metadata.last_sequence_number


def test_types_go_to_iceberg_and_come_back_as_spark_names_them() -> None:
    texts = (
        *("boolean", "int", "bigint", "float", "double", "date", "timestamp", "timestamp_ntz", "string", "binary"),
        *("decimal(12,2)", "array<int>", "map<string,bigint>", "struct<a:int,b:array<struct<c:decimal(38,10)>>>"),
        "map<string,struct<x:date,y:map<int,string>>>",
    )
    schema = ForgeSchema(tuple(Column(f"c{i}", text, i % 2 == 0, f"doc {i}") for i, text in enumerate(texts)))
    iceberg = iceberg_schema(schema)
    assert spark_schema(iceberg) == schema
    assert len(iceberg.field_ids) == len(set(iceberg.field_ids))
