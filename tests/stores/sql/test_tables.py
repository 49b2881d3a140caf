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


def test_a_snapshot_has_its_files_with_their_columns_and_key(sql_lake: House) -> None:
    snapshot = sql_lake.create(*TWO)
    found = sql_lake.tables.files(ROW, snapshot)
    assert (found.catalog, found.snapshot_id, found.fields, found.identifier) == (ROW, snapshot, FIELDS, ("id",))
    assert len(found.files) == 2
    assert [file.rows for file in sql_lake.files(snapshot)] == [2, 2]
    assert all(file.size == Path(file.path).stat().st_size for file in found.files)
    assert not found.needs_engine


def test_files_that_two_snapshots_share_are_equal(sql_lake: House) -> None:
    first = sql_lake.create(TWO[0])
    sql_lake.catalog.load_table("core.orders").append(table_of(*TWO[1]))
    before, after = (sql_lake.tables.files(ROW, snapshot).files for snapshot in (first, sql_lake.head()))
    assert before < after
    assert [file.added_by for file in after - before] == [sql_lake.head()]
    assert sql_lake.tables.files(ROW, sql_lake.head()).ancestors == {first, sql_lake.head()}


def test_bounds_say_where_values_lie(sql_lake: House) -> None:
    first, second = sql_lake.files(sql_lake.create(*TWO))
    assert dict(first.bounds)[1] == (1, 2)
    assert second.bounds[1] == (11, 12)
    assert first.bounds[2] == ("a", "b")


def test_bounds_are_left_out_where_null_or_nan_may_be_among_the_values(sql_lake: House) -> None:
    [file] = sql_lake.files(sql_lake.create(((1, None, 1.0), (2, "b", 2.0))))
    assert 2 not in file.bounds
    assert 3 not in file.bounds  # PyIceberg does not count NaN
    assert set(file.bounds) == {1}
    assert 99 not in file.bounds


def test_bounds_of_long_text_hold_all_of_it(sql_lake: House) -> None:
    long = "x" * 40
    [file] = sql_lake.files(sql_lake.create(((1, long, 1.0),)))
    low, high = file.bounds[2]
    assert isinstance(low, str)
    assert isinstance(high, str)
    assert low < long < high
    assert long.startswith(low)


def test_bounds_have_the_values_that_rows_have(sql_lake: House) -> None:
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
    table = sql_lake.catalog.create_table("core.kinds", rows.schema, location=f"{sql_lake.folder}/warehouse/kinds")
    table.append(rows)
    name = CatalogName("core", "kinds")
    [file] = sql_lake.tables.files(name, sql_lake.head(name)).files
    assert {number: low for number, (low, high) in file.bounds.items() if low == high} == dict(
        enumerate(rows.to_pylist()[0].values(), start=1)
    )


def test_shared_manifests_are_read_once(sql_lake: House, monkeypatch: pytest.MonkeyPatch) -> None:
    from forge.stores.lake import file_set

    first = sql_lake.create(*TWO)
    read: list[str] = []
    original = file_set._read_entries

    def counting(io: Any, manifest: Any) -> Any:
        read.append(manifest.manifest_path)
        return original(io, manifest)

    monkeypatch.setattr(file_set, "_read_entries", counting)
    sql_lake.tables.files(ROW, first)
    second = sql_lake.branched(((21, "z", 1.0),))
    sql_lake.tables.files(ROW, second)
    sql_lake.tables.files(ROW, first)
    assert len(read) == len(set(read)) == 3


def test_an_unknown_snapshot_is_said(sql_lake: House) -> None:
    sql_lake.create(*TWO)
    with pytest.raises(ForgeError, match="no snapshot 7") as raised:
        sql_lake.tables.files(ROW, SnapshotId(7))
    assert raised.value.code == "E406"


# read


def test_read_gives_the_rows_of_exactly_these_files_with_field_ids(sql_lake: House) -> None:
    snapshot = sql_lake.create(*TWO)
    _, second = sql_lake.files(snapshot)
    found = sql_lake.tables.read(FileSlice(ROW, snapshot, (second,)))
    assert found.to_pylist() == table_of(*TWO[1]).to_pylist()
    assert [int(field.metadata[b"PARQUET:field_id"]) for field in found.schema] == [1, 2, 3]
    assert sql_lake.tables.read(FileSlice(ROW, snapshot, ())).schema == found.schema


def test_read_takes_only_the_columns_asked_for(sql_lake: House) -> None:
    snapshot = sql_lake.create(*TWO)
    part = FileSlice(ROW, snapshot, tuple(sql_lake.files(snapshot)))
    assert sql_lake.tables.read(part, ["id"]).to_pydict() == {"id": [1, 2, 11, 12]}


def test_read_uses_the_snapshots_own_columns(sql_lake: House) -> None:
    first = sql_lake.create(TWO[0])
    with sql_lake.catalog.load_table("core.orders").update_schema() as change:
        change.rename_column("name", "title")
        change.add_column("more", LongType())
    sql_lake.catalog.load_table("core.orders").append(
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
    old = sql_lake.tables.read(FileSlice(ROW, first, tuple(sql_lake.files(first))))
    assert old.column_names == ["id", "name", "amount"]
    new = sql_lake.tables.read(FileSlice(ROW, sql_lake.head(), tuple(sql_lake.files(sql_lake.head()))))
    assert new.to_pylist()[0] == {"id": 1, "title": "a", "amount": 1.0, "more": None}
    assert sql_lake.tables.files(ROW, first).fields == FIELDS


def test_a_missing_data_file_is_named(sql_lake: House) -> None:
    snapshot = sql_lake.create(*TWO)
    first, _ = sql_lake.files(snapshot)
    Path(first.path).unlink()
    with pytest.raises(ForgeError) as raised:
        sql_lake.tables.read(FileSlice(ROW, snapshot, (first,)))
    assert raised.value.code == "E406"
    assert raised.value.where == first.path


def test_a_file_of_another_snapshot_is_refused(sql_lake: House) -> None:
    snapshot = sql_lake.create(*TWO)
    with pytest.raises(ForgeError, match="does not hold"):
        sql_lake.tables.read(FileSlice(ROW, snapshot, (DataFile("elsewhere.parquet"),)))


# swap


def test_swap_takes_files_over_without_writing_any(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    theirs = sql_lake.branched(((21, "u", 1.0),))
    added = tuple(sql_lake.tables.files(ROW, theirs).files - sql_lake.tables.files(ROW, base).files)
    before = set(sql_lake.folder.rglob("*.parquet"))
    stage = sql_lake.stage(base)
    first, _ = sql_lake.files(base)
    made = sql_lake.tables.swap(stage, [first], FileSlice(ROW, theirs, added), FIELDS)
    assert set(sql_lake.folder.rglob("*.parquet")) == before
    assert sql_lake.rows(made, stage.catalog) == [(11, "k", None), (12, "l", 4.0), (21, "u", 1.0)]
    assert sql_lake.tables.files(stage.catalog, made).files == {*added, sql_lake.files(base)[1]}


def test_swap_chains_on_the_stage_and_counts_right(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    theirs = sql_lake.branched(((21, "u", 1.0),))
    added = tuple(sql_lake.tables.files(ROW, theirs).files - sql_lake.tables.files(ROW, base).files)
    stage = sql_lake.stage(base)
    first, second = sql_lake.files(base)
    made = sql_lake.tables.swap(stage, [first], FileSlice(ROW, theirs, added), FIELDS)
    found = sql_lake.lake.snapshot(stage.catalog, made)
    assert found is not None
    assert found.parent_id == base
    assert sql_lake.summary(made, stage.catalog) == {
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


def test_swap_rewrites_only_the_manifests_it_changes(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    first, _ = sql_lake.files(base)
    made = sql_lake.tables.swap(stage, [first], None, FIELDS)
    metadata = sql_lake.lake.metadata(stage.catalog)
    io = sql_lake.lake.files.io

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
    assert sql_lake.summary(made, stage.catalog)["operation"] == "delete"


def test_files_that_stay_keep_their_sequence_numbers_and_files_that_come_get_the_new_one(sql_lake: House) -> None:
    base = sql_lake.create(TWO[0], ((3, "c", 3.0),))
    merged = sql_lake.stage(base)  # both files in one manifest, as an engine that merges manifests leaves it
    rows = sql_lake.tables.read(FileSlice(ROW, base, tuple(sql_lake.files(base))))
    sql_lake.tables.rewrite(merged, sql_lake.files(base), rows.slice(0, 1), FIELDS)
    sql_lake.tables.rewrite(merged, [], rows.slice(1), FIELDS)
    sql_lake.publish(merged, expected=base)
    base = sql_lake.head()
    theirs = sql_lake.branched(((21, "u", 1.0),))
    added = tuple(sql_lake.tables.files(ROW, theirs).files - sql_lake.tables.files(ROW, base).files)
    stage = sql_lake.stage(base)
    made = sql_lake.tables.swap(stage, sql_lake.files(base)[:1], FileSlice(ROW, theirs, added), FIELDS)
    metadata = sql_lake.lake.metadata(stage.catalog)
    snapshot, old = metadata.snapshot_by_id(made), metadata.snapshot_by_id(base)
    assert snapshot is not None
    assert old is not None
    numbers = {
        entry.data_file.file_path: entry.sequence_number
        for manifest in snapshot.manifests(sql_lake.lake.files.io)
        for entry in manifest.fetch_manifest_entry(sql_lake.lake.files.io)
    }
    assert numbers[added[0].path] == snapshot.sequence_number
    assert numbers[sql_lake.files(base)[1].path] == old.sequence_number


def test_swap_with_nothing_to_do_makes_no_snapshot(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    before = sql_lake.lake.state(stage.catalog)
    assert sql_lake.tables.swap(stage, [], None, FIELDS) == base
    assert sql_lake.lake.state(stage.catalog) == before


def test_swap_refuses_a_file_that_is_there_already(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    with pytest.raises(ForgeError, match="in the table already"):
        sql_lake.tables.swap(stage, [], FileSlice(ROW, base, tuple(sql_lake.files(base))), FIELDS)


def test_swap_refuses_to_remove_what_is_not_there(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    with pytest.raises(ForgeError, match="not in the table"):
        sql_lake.tables.swap(sql_lake.stage(base), [DataFile("elsewhere.parquet")], None, FIELDS)


def test_what_was_swapped_is_published(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    made = sql_lake.tables.swap(stage, sql_lake.files(base)[:1], None, FIELDS)
    sql_lake.publish(stage, expected=base)
    assert sql_lake.head() == made
    assert sql_lake.rows(made) == [(11, "k", None), (12, "l", 4.0)]
    assert sql_lake.summary(made)["forge.run-id"] == stage.run_id


# rewrite


def test_rewrite_replaces_files_by_rows(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    first, _ = sql_lake.files(base)
    made = sql_lake.tables.rewrite(stage, [first], table_of((1, "new", 9.0)), FIELDS)
    sql_lake.publish(stage, expected=base)
    assert sql_lake.rows(made) == [(1, "new", 9.0), (11, "k", None), (12, "l", 4.0)]
    assert sql_lake.summary(made)["total-records"] == "3"
    [written] = sql_lake.tables.files(ROW, made).files - sql_lake.tables.files(ROW, base).files
    assert written.path.startswith(f"{sql_lake.folder}/warehouse/orders/data/")
    assert written.bounds[1] == (1, 1)


def test_rewrite_with_no_rows_only_removes(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    made = sql_lake.tables.rewrite(stage, sql_lake.files(base), table_of(), FIELDS)
    assert sql_lake.rows(made, stage.catalog) == []
    assert sql_lake.summary(made, stage.catalog)["total-records"] == "0"
    again = sql_lake.tables.rewrite(stage, [], table_of((1, "back", 1.0)), FIELDS)
    assert sql_lake.rows(again, stage.catalog) == [(1, "back", 1.0)]


def test_rewrite_writes_into_the_tables_partitions(sql_lake: House) -> None:
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "name"))
    base = sql_lake.create(TWO[0], partition_spec=spec)
    stage = sql_lake.stage(base)
    made = sql_lake.tables.rewrite(
        stage, sql_lake.files(base), table_of((1, "p", 1.0), (2, None, 2.0), (3, "p", 3.0)), FIELDS
    )
    assert sql_lake.rows(made, stage.catalog) == [(1, "p", 1.0), (2, None, 2.0), (3, "p", 3.0)]
    folders = {Path(file.path).parent.name for file in sql_lake.tables.files(stage.catalog, made).files}
    assert folders == {"name=p", "name=null"}
    sql_lake.publish(stage, expected=base)
    assert sql_lake.head() == made


def test_partitions_that_only_an_engine_can_make_are_said(sql_lake: House) -> None:
    spec = PartitionSpec(PartitionField(1, 1000, BucketTransform(4), "bucket"))
    sql_lake.catalog.create_table(
        "core.orders", SCHEMA, location=f"{sql_lake.folder}/warehouse/orders", partition_spec=spec
    )
    stage = sql_lake.lake.open_stage(RunId("r-bucket"), ORDERS, ROW, None)
    with pytest.raises(NeedsEngine, match="bucket"):
        sql_lake.tables.rewrite(stage, [], table_of((1, "a", 1.0)), FIELDS)


def test_a_table_that_does_not_exist_is_created(sql_lake: House) -> None:
    stage = sql_lake.lake.open_stage(RunId("r-new"), TableName("core", "fresh"), None, None)
    fields = (TableField("name", "name", "string"), TableField("id", "id", "bigint"))
    rows = pa.table({"name": ["a", None], "id": pa.array([1, 2], pa.int64())})
    made = sql_lake.tables.rewrite(stage, [], rows, fields, key=["id"])
    sql_lake.publish(stage)
    found = sql_lake.tables.files(CatalogName("core", "fresh"), made)
    assert found.fields == (TableField(1, "name", "string"), TableField(2, "id", "bigint", required=True))
    assert found.identifier == ("id",)
    assert sql_lake.rows(made, CatalogName("core", "fresh")) == [("a", 1), (None, 2)]


def test_a_new_table_whose_key_has_nulls_has_no_identifier(sql_lake: House) -> None:
    stage = sql_lake.lake.open_stage(RunId("r-null"), TableName("core", "fresh"), None, None)
    rows = pa.table({"id": pa.array([1, None], pa.int64())})
    made = sql_lake.tables.rewrite(stage, [], rows, (TableField("id", "id", "bigint"),), key=["id"])
    assert sql_lake.tables.files(stage.catalog, made).identifier == ()


def test_a_new_table_without_rows_can_be_published(sql_lake: House) -> None:
    stage = sql_lake.lake.open_stage(RunId("r-empty"), TableName("core", "fresh"), None, None)
    made = sql_lake.tables.rewrite(stage, [], table_of(), FIELDS)
    sql_lake.publish(stage)
    assert sql_lake.rows(made, CatalogName("core", "fresh")) == []


# columns


def test_changed_columns_become_a_schema_of_the_stage_with_the_same_ids(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    wanted = (FIELDS[2], replace(FIELDS[1], name="title"), FIELDS[0], TableField(7, "more", "array<int>"))
    made = sql_lake.tables.swap(stage, [], None, wanted)
    assert sql_lake.tables.files(stage.catalog, made).fields == wanted
    assert sql_lake.tables.files(stage.catalog, made).identifier == ("id",)
    assert sql_lake.rows(made, stage.catalog)[0] == (1.0, "a", 1, None)
    state = sql_lake.lake.snapshot(ROW, base)
    assert state is not None
    assert [column.name for column in state.schema.columns] == ["id", "name", "amount"]
    sql_lake.publish(stage, expected=base)
    assert [column.name for column in sql_lake.catalog.load_table("core.orders").schema().columns] == [
        "amount",
        "title",
        "id",
        "more",
    ]


def test_a_column_known_by_name_only_gets_an_id(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    wanted = (*(replace(field, id=field.name) for field in FIELDS), TableField("extra", "extra", "string"))
    made = sql_lake.tables.rewrite(stage, [], table_of((5, "e", 5.0)).append_column("extra", [["x"]]), wanted)
    assert [field.id for field in sql_lake.tables.files(stage.catalog, made).fields] == [1, 2, 3, 4]
    assert (5, "e", 5.0, "x") in sql_lake.rows(made, stage.catalog)


def test_a_schema_the_table_knows_is_not_made_twice(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    fewer = FIELDS[:2]
    sql_lake.tables.swap(stage, [], None, fewer)
    back = sql_lake.tables.swap(stage, [], None, FIELDS)
    metadata = sql_lake.lake.metadata(stage.catalog)
    assert len(metadata.schemas) == 2
    found = metadata.snapshot_by_id(back)
    assert found is not None
    assert found.schema_id == 0


def test_a_schema_another_branch_made_meanwhile_does_not_stop_the_publish(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    ours, theirs = sql_lake.stage(base), sql_lake.stage(base)
    sql_lake.tables.swap(theirs, [], None, (*FIELDS, TableField(4, "theirs", "int")))
    sql_lake.publish(theirs, DEV, expected=base)
    made = sql_lake.tables.swap(ours, [], None, (*FIELDS, TableField(4, "theirs", "int"), TableField(5, "ours", "int")))
    sql_lake.publish(ours, expected=base)
    assert [field.name for field in sql_lake.tables.files(ROW, made).fields][3:] == ["theirs", "ours"]


def test_a_dropped_partition_column_leaves_the_table_readable(sql_lake: House) -> None:
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "name"))
    base = sql_lake.create(TWO[0], partition_spec=spec)
    stage = sql_lake.stage(base)
    made = sql_lake.tables.swap(stage, sql_lake.files(base)[:1], None, (FIELDS[0], FIELDS[2]))
    sql_lake.publish(stage, expected=base)
    assert sql_lake.rows(made) == [(2, 2.0)]
    sql_lake.catalog.load_table("core.orders").append(table_of((7, "x", 7.0)).drop_columns("name"))
    assert (7, 7.0) in sql_lake.rows(sql_lake.head())
