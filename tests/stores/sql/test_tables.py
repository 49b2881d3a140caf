"""Tables as sets of files: what a snapshot holds, and snapshots made of files. PyIceberg writes, no engine."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from orders_house import DEV, FIELDS, ORDERS, ROW, SCHEMA, TWO, House, table_of
from pyiceberg.manifest import ManifestEntryStatus, read_manifest_list
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.transforms import BucketTransform, IdentityTransform
from pyiceberg.types import LongType

from forge.flows.versioning.tables import DataFile, FileSlice, NeedsEngine
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, RunId, SnapshotId, TableName
from forge.versioning.field import TableField

# files


def test_a_snapshot_has_its_files_with_their_columns_and_key(house: House) -> None:
    snapshot = house.create(*TWO)
    found = house.tables.files(ROW, snapshot)
    assert (found.catalog, found.snapshot_id, found.fields, found.identifier) == (ROW, snapshot, FIELDS, ("id",))
    assert len(found.files) == 2
    assert [file.rows for file in house.files(snapshot)] == [2, 2]
    assert all(file.size == Path(file.path).stat().st_size for file in found.files)
    assert not found.needs_engine


def test_files_that_two_snapshots_share_are_equal(house: House) -> None:
    first = house.create(TWO[0])
    house.catalog.load_table("core.orders").append(table_of(*TWO[1]))
    before, after = (house.tables.files(ROW, snapshot).files for snapshot in (first, house.head()))
    assert before < after
    assert [file.added_by for file in after - before] == [house.head()]
    assert house.tables.files(ROW, house.head()).ancestors == {first, house.head()}


def test_bounds_say_where_values_lie(house: House) -> None:
    first, second = house.files(house.create(*TWO))
    assert dict(first.bounds)[1] == (1, 2)
    assert second.bounds[1] == (11, 12)
    assert first.bounds[2] == ("a", "b")


def test_bounds_are_left_out_where_null_or_nan_may_be_among_the_values(house: House) -> None:
    [file] = house.files(house.create(((1, None, 1.0), (2, "b", 2.0))))
    assert 2 not in file.bounds
    assert 3 not in file.bounds  # PyIceberg does not count NaN
    assert set(file.bounds) == {1}
    assert 99 not in file.bounds


def test_bounds_of_long_text_hold_all_of_it(house: House) -> None:
    long = "x" * 40
    [file] = house.files(house.create(((1, long, 1.0),)))
    low, high = file.bounds[2]
    assert isinstance(low, str)
    assert isinstance(high, str)
    assert low < long < high
    assert long.startswith(low)


def test_bounds_have_the_values_that_rows_have(house: House) -> None:
    moment = datetime(2026, 11, 15, 12, 30, 0, 5, tzinfo=UTC)
    rows = pa.table(
        {
            "id": pa.array([1], pa.int32()),
            "day": pa.array([date(1969, 12, 31)]),
            "at": pa.array([moment], pa.timestamp("us", tz="UTC")),
            "local": pa.array([moment.replace(tzinfo=None)], pa.timestamp("us")),
            "sum": pa.array([Decimal("-12.34")], pa.decimal128(12, 2)),
            "raw": pa.array([b"\x00\xff"], pa.binary()),
        }
    )
    table = house.catalog.create_table("core.kinds", rows.schema, location=f"{house.folder}/warehouse/kinds")
    table.append(rows)
    name = CatalogName("core", "kinds")
    [file] = house.tables.files(name, house.head(name)).files
    assert {number: low for number, (low, high) in file.bounds.items() if low == high} == dict(
        enumerate(rows.to_pylist()[0].values(), start=1)
    )


def test_shared_manifests_are_read_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    from forge.stores.lake import file_set

    first = house.create(*TWO)
    read: list[str] = []
    original = file_set._read_entries

    def counting(io: Any, manifest: Any) -> Any:
        read.append(manifest.manifest_path)
        return original(io, manifest)

    monkeypatch.setattr(file_set, "_read_entries", counting)
    house.tables.files(ROW, first)
    second = house.branched(((21, "z", 1.0),))
    house.tables.files(ROW, second)
    house.tables.files(ROW, first)
    assert len(read) == len(set(read)) == 3


def test_an_unknown_snapshot_is_said(house: House) -> None:
    house.create(*TWO)
    with pytest.raises(ForgeError, match="no snapshot 7") as raised:
        house.tables.files(ROW, SnapshotId(7))
    assert raised.value.code == "E406"


# read


def test_read_gives_the_rows_of_exactly_these_files_with_field_ids(house: House) -> None:
    snapshot = house.create(*TWO)
    _, second = house.files(snapshot)
    found = house.tables.read(FileSlice(ROW, snapshot, (second,)))
    assert found.to_pylist() == table_of(*TWO[1]).to_pylist()
    assert [int(field.metadata[b"PARQUET:field_id"]) for field in found.schema] == [1, 2, 3]
    assert house.tables.read(FileSlice(ROW, snapshot, ())).schema == found.schema


def test_read_takes_only_the_columns_asked_for(house: House) -> None:
    snapshot = house.create(*TWO)
    part = FileSlice(ROW, snapshot, tuple(house.files(snapshot)))
    assert house.tables.read(part, ["id"]).to_pydict() == {"id": [1, 2, 11, 12]}


def test_read_uses_the_snapshots_own_columns(house: House) -> None:
    first = house.create(TWO[0])
    with house.catalog.load_table("core.orders").update_schema() as change:
        change.rename_column("name", "title")
        change.add_column("more", LongType())
    house.catalog.load_table("core.orders").append(
        pa.table({"id": pa.array([5], pa.int64()), "title": ["e"], "amount": [5.0], "more": [9]}).cast(
            pa.schema(
                [
                    pa.field("id", pa.int64(), nullable=False),
                    ("title", pa.string()),
                    ("amount", pa.float64()),
                    ("more", pa.int64()),
                ]
            )
        )
    )
    old = house.tables.read(FileSlice(ROW, first, tuple(house.files(first))))
    assert old.column_names == ["id", "name", "amount"]
    new = house.tables.read(FileSlice(ROW, house.head(), tuple(house.files(house.head()))))
    assert new.to_pylist()[0] == {"id": 1, "title": "a", "amount": 1.0, "more": None}
    assert house.tables.files(ROW, first).fields == FIELDS


def test_a_missing_data_file_is_named(house: House) -> None:
    snapshot = house.create(*TWO)
    first, _ = house.files(snapshot)
    Path(first.path).unlink()
    with pytest.raises(ForgeError) as raised:
        house.tables.read(FileSlice(ROW, snapshot, (first,)))
    assert raised.value.code == "E406"
    assert raised.value.where == first.path


def test_a_file_of_another_snapshot_is_refused(house: House) -> None:
    snapshot = house.create(*TWO)
    with pytest.raises(ForgeError, match="does not hold"):
        house.tables.read(FileSlice(ROW, snapshot, (DataFile("elsewhere.parquet"),)))


# swap


def test_swap_takes_files_over_without_writing_any(house: House) -> None:
    base = house.create(*TWO)
    theirs = house.branched(((21, "u", 1.0),))
    added = tuple(house.tables.files(ROW, theirs).files - house.tables.files(ROW, base).files)
    before = set(house.folder.rglob("*.parquet"))
    stage = house.stage(base)
    first, _ = house.files(base)
    made = house.tables.swap(stage, [first], FileSlice(ROW, theirs, added), FIELDS)
    assert set(house.folder.rglob("*.parquet")) == before
    assert house.rows(made, stage.catalog) == [(11, "k", None), (12, "l", 4.0), (21, "u", 1.0)]
    assert house.tables.files(stage.catalog, made).files == {*added, house.files(base)[1]}


def test_swap_chains_on_the_stage_and_counts_right(house: House) -> None:
    base = house.create(*TWO)
    theirs = house.branched(((21, "u", 1.0),))
    added = tuple(house.tables.files(ROW, theirs).files - house.tables.files(ROW, base).files)
    stage = house.stage(base)
    first, second = house.files(base)
    made = house.tables.swap(stage, [first], FileSlice(ROW, theirs, added), FIELDS)
    found = house.lake.snapshot(stage.catalog, made)
    assert found is not None
    assert found.parent_id == base
    assert house.summary(made, stage.catalog) == {
        "operation": "overwrite",
        "added-data-files": "1",
        "added-records": "1",
        "added-files-size": str(added[0].size),
        "deleted-data-files": "1",
        "deleted-records": "2",
        "removed-files-size": str(first.size),
        "total-data-files": "2",
        "total-delete-files": "0",
        "total-records": "3",
        "total-files-size": str(second.size + added[0].size),
        "total-position-deletes": "0",
        "total-equality-deletes": "0",
    }


def test_swap_rewrites_only_the_manifests_it_changes(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    first, _ = house.files(base)
    made = house.tables.swap(stage, [first], None, FIELDS)
    metadata = house.lake.metadata(stage.catalog)
    io = house.lake.files.io

    def manifests(snapshot: SnapshotId) -> dict[str, Any]:
        found = metadata.snapshot_by_id(snapshot)
        assert found is not None
        return {m.manifest_path: m for m in read_manifest_list(io.new_input(found.manifest_list))}

    before, after = manifests(base), manifests(made)
    assert len(before.keys() & after.keys()) == 1
    [changed] = [after[path] for path in after.keys() - before.keys()]
    [entry] = changed.fetch_manifest_entry(io, discard_deleted=False)
    assert (entry.status, entry.snapshot_id, entry.data_file.file_path) == (
        ManifestEntryStatus.DELETED,
        made,
        first.path,
    )
    assert house.summary(made, stage.catalog)["operation"] == "delete"


def test_files_that_stay_keep_their_sequence_numbers_and_files_that_come_get_the_new_one(house: House) -> None:
    base = house.create(TWO[0], ((3, "c", 3.0),))
    merged = house.stage(base)  # both files in one manifest, as an engine that merges manifests leaves it
    rows = house.tables.read(FileSlice(ROW, base, tuple(house.files(base))))
    house.tables.rewrite(merged, house.files(base), rows.slice(0, 1), FIELDS)
    house.tables.rewrite(merged, [], rows.slice(1), FIELDS)
    house.publish(merged, expected=base)
    base = house.head()
    theirs = house.branched(((21, "u", 1.0),))
    added = tuple(house.tables.files(ROW, theirs).files - house.tables.files(ROW, base).files)
    stage = house.stage(base)
    made = house.tables.swap(stage, house.files(base)[:1], FileSlice(ROW, theirs, added), FIELDS)
    metadata = house.lake.metadata(stage.catalog)
    snapshot, old = metadata.snapshot_by_id(made), metadata.snapshot_by_id(base)
    assert snapshot is not None
    assert old is not None
    numbers = {
        entry.data_file.file_path: entry.sequence_number
        for manifest in snapshot.manifests(house.lake.files.io)
        for entry in manifest.fetch_manifest_entry(house.lake.files.io)
    }
    assert numbers[added[0].path] == snapshot.sequence_number
    assert numbers[house.files(base)[1].path] == old.sequence_number


def test_swap_with_nothing_to_do_makes_no_snapshot(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    before = house.lake.state(stage.catalog)
    assert house.tables.swap(stage, [], None, FIELDS) == base
    assert house.lake.state(stage.catalog) == before


def test_swap_refuses_a_file_that_is_there_already(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    with pytest.raises(ForgeError, match="in the table already"):
        house.tables.swap(stage, [], FileSlice(ROW, base, tuple(house.files(base))), FIELDS)


def test_swap_refuses_to_remove_what_is_not_there(house: House) -> None:
    base = house.create(*TWO)
    with pytest.raises(ForgeError, match="not in the table"):
        house.tables.swap(house.stage(base), [DataFile("elsewhere.parquet")], None, FIELDS)


def test_what_was_swapped_is_published(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    made = house.tables.swap(stage, house.files(base)[:1], None, FIELDS)
    house.publish(stage, expected=base)
    assert house.head() == made
    assert house.rows(made) == [(11, "k", None), (12, "l", 4.0)]
    assert house.summary(made)["forge.run-id"] == stage.run_id


# rewrite


def test_rewrite_replaces_files_by_rows(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    first, _ = house.files(base)
    made = house.tables.rewrite(stage, [first], table_of((1, "new", 9.0)), FIELDS)
    house.publish(stage, expected=base)
    assert house.rows(made) == [(1, "new", 9.0), (11, "k", None), (12, "l", 4.0)]
    assert house.summary(made)["total-records"] == "3"
    [written] = house.tables.files(ROW, made).files - house.tables.files(ROW, base).files
    assert written.path.startswith(f"{house.folder}/warehouse/orders/data/")
    assert written.bounds[1] == (1, 1)


def test_rewrite_with_no_rows_only_removes(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    made = house.tables.rewrite(stage, house.files(base), table_of(), FIELDS)
    assert house.rows(made, stage.catalog) == []
    assert house.summary(made, stage.catalog)["total-records"] == "0"
    again = house.tables.rewrite(stage, [], table_of((1, "back", 1.0)), FIELDS)
    assert house.rows(again, stage.catalog) == [(1, "back", 1.0)]


def test_rewrite_writes_into_the_tables_partitions(house: House) -> None:
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "name"))
    base = house.create(TWO[0], partition_spec=spec)
    stage = house.stage(base)
    made = house.tables.rewrite(
        stage, house.files(base), table_of((1, "p", 1.0), (2, None, 2.0), (3, "p", 3.0)), FIELDS
    )
    assert house.rows(made, stage.catalog) == [(1, "p", 1.0), (2, None, 2.0), (3, "p", 3.0)]
    folders = {Path(file.path).parent.name for file in house.tables.files(stage.catalog, made).files}
    assert folders == {"name=p", "name=null"}
    house.publish(stage, expected=base)
    assert house.head() == made


def test_partitions_that_only_an_engine_can_make_are_said(house: House) -> None:
    spec = PartitionSpec(PartitionField(1, 1000, BucketTransform(4), "bucket"))
    house.catalog.create_table("core.orders", SCHEMA, location=f"{house.folder}/warehouse/orders", partition_spec=spec)
    stage = house.lake.open_stage(RunId("r-bucket"), ORDERS, ROW, None)
    with pytest.raises(NeedsEngine, match="bucket"):
        house.tables.rewrite(stage, [], table_of((1, "a", 1.0)), FIELDS)


def test_a_table_that_does_not_exist_is_created(house: House) -> None:
    stage = house.lake.open_stage(RunId("r-new"), TableName("core", "fresh"), None, None)
    fields = (TableField("name", "name", "string"), TableField("id", "id", "bigint"))
    rows = pa.table({"name": ["a", None], "id": pa.array([1, 2], pa.int64())})
    made = house.tables.rewrite(stage, [], rows, fields, key=["id"])
    house.publish(stage)
    found = house.tables.files(CatalogName("core", "fresh"), made)
    assert found.fields == (TableField(1, "name", "string"), TableField(2, "id", "bigint", required=True))
    assert found.identifier == ("id",)
    assert house.rows(made, CatalogName("core", "fresh")) == [("a", 1), (None, 2)]


def test_a_new_table_whose_key_has_nulls_has_no_identifier(house: House) -> None:
    stage = house.lake.open_stage(RunId("r-null"), TableName("core", "fresh"), None, None)
    rows = pa.table({"id": pa.array([1, None], pa.int64())})
    made = house.tables.rewrite(stage, [], rows, (TableField("id", "id", "bigint"),), key=["id"])
    assert house.tables.files(stage.catalog, made).identifier == ()


def test_a_new_table_without_rows_can_be_published(house: House) -> None:
    stage = house.lake.open_stage(RunId("r-empty"), TableName("core", "fresh"), None, None)
    made = house.tables.rewrite(stage, [], table_of(), FIELDS)
    house.publish(stage)
    assert house.rows(made, CatalogName("core", "fresh")) == []


# columns


def test_changed_columns_become_a_schema_of_the_stage_with_the_same_ids(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    wanted = (FIELDS[2], replace(FIELDS[1], name="title"), FIELDS[0], TableField(7, "more", "array<int>"))
    made = house.tables.swap(stage, [], None, wanted)
    assert house.tables.files(stage.catalog, made).fields == wanted
    assert house.tables.files(stage.catalog, made).identifier == ("id",)
    assert house.rows(made, stage.catalog)[0] == (1.0, "a", 1, None)
    state = house.lake.snapshot(ROW, base)
    assert state is not None
    assert [column.name for column in state.schema.columns] == ["id", "name", "amount"]
    house.publish(stage, expected=base)
    assert [column.name for column in house.catalog.load_table("core.orders").schema().columns] == [
        "amount",
        "title",
        "id",
        "more",
    ]


def test_a_column_known_by_name_only_gets_an_id(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    wanted = (*(replace(field, id=field.name) for field in FIELDS), TableField("extra", "extra", "string"))
    made = house.tables.rewrite(stage, [], table_of((5, "e", 5.0)).append_column("extra", [["x"]]), wanted)
    assert [field.id for field in house.tables.files(stage.catalog, made).fields] == [1, 2, 3, 4]
    assert (5, "e", 5.0, "x") in house.rows(made, stage.catalog)


def test_a_schema_the_table_knows_is_not_made_twice(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    fewer = FIELDS[:2]
    house.tables.swap(stage, [], None, fewer)
    back = house.tables.swap(stage, [], None, FIELDS)
    metadata = house.lake.metadata(stage.catalog)
    assert len(metadata.schemas) == 2
    found = metadata.snapshot_by_id(back)
    assert found is not None
    assert found.schema_id == 0


def test_a_schema_another_branch_made_meanwhile_does_not_stop_the_publish(house: House) -> None:
    base = house.create(*TWO)
    ours, theirs = house.stage(base), house.stage(base)
    house.tables.swap(theirs, [], None, (*FIELDS, TableField(4, "theirs", "int")))
    house.publish(theirs, DEV, expected=base)
    made = house.tables.swap(ours, [], None, (*FIELDS, TableField(4, "theirs", "int"), TableField(5, "ours", "int")))
    house.publish(ours, expected=base)
    assert [field.name for field in house.tables.files(ROW, made).fields][3:] == ["theirs", "ours"]


def test_a_dropped_partition_column_leaves_the_table_readable(house: House) -> None:
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "name"))
    base = house.create(TWO[0], partition_spec=spec)
    stage = house.stage(base)
    made = house.tables.swap(stage, house.files(base)[:1], None, (FIELDS[0], FIELDS[2]))
    house.publish(stage, expected=base)
    assert house.rows(made) == [(2, 2.0)]
    house.catalog.load_table("core.orders").append(table_of((7, "x", 7.0)).drop_columns("name"))
    assert (7, 7.0) in house.rows(house.head())
