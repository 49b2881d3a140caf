"""Every way of comparing and merging rows, over the files of real tables: on the driver and on Spark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest
from orders_house import DEV, FIELDS, MAIN, ORDERS, ROW, House, table_of
from orders_merge import BASE, Merge, add, drop, edited, put
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyiceberg.types import BooleanType, ListType, LongType, MapType, NestedField, StringType, StructType, UUIDType
from spark_house import SparkHouse

from forge.flows.versioning.tables import DuplicateKeys, FileSlice, TableMerge
from forge.model.errors import ForgeError
from forge.model.names import RunId
from forge.versioning.conflict import ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.schema.merge import align_for_diff, merge_schemas


@pytest.fixture(params=["arrow", pytest.param("spark", marks=pytest.mark.spark)])
def row_house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path) if request.param == "arrow" else SparkHouse(tmp_path, request.getfixturevalue("spark"))
    yield made
    made.close()


@pytest.mark.slow
def test_changes_of_different_cells_of_one_row_are_merged(row_house: House) -> None:
    merge = Merge(row_house, put((1, "ours", 1.0), where="id == 1"), put((1, "a", 9.0), where="id == 1"))
    merged = merge.run()
    assert (merged.conflicts, merged.updated, merged.inserted, merged.deleted) == ((), 1, 0, 0)
    assert not merged.is_separate
    assert merge.write(merged)[:2] == [(1, "ours", 9.0), (2, "b", 2.0)]


@pytest.mark.slow
def test_changes_of_different_rows_are_separate(row_house: House) -> None:
    merge = Merge(row_house, put((1, "ours", 1.0), where="id == 1"), put((12, "theirs", 12.0), where="id == 12"))
    merged = merge.run()
    assert merged.is_separate
    assert [row[:2] for row in merge.write(merged)] == [
        (1, "ours"),
        (2, "b"),
        (11, "k"),
        (12, "theirs"),
        (21, "u"),
    ]


@pytest.mark.slow
def test_files_without_a_changed_row_stay_as_they_are(row_house: House) -> None:
    merge = Merge(row_house, put((1, "ours", 1.0), where="id == 1"), put((12, "theirs", 12.0), where="id == 12"))
    before = row_house.tables.files(ROW, merge.ours).files
    merge.write(merge.run())
    gone = before - row_house.tables.files(ROW, row_house.head()).files
    assert [file.bounds[1] for file in gone] == [(11, 12)]


@pytest.mark.slow
def test_inserts_and_deletes_of_theirs_come_over(row_house: House) -> None:
    def theirs(table: Any) -> None:
        table.delete("id == 11")
        table.append(table_of((31, "new", 31.0)))

    merge = Merge(row_house, put((2, "ours", 2.0), where="id == 2"), theirs)
    merged = merge.run()
    assert (merged.inserted, merged.updated, merged.deleted) == (1, 0, 1)
    assert [row[:2] for row in merge.write(merged)] == [(1, "a"), (2, "ours"), (12, "l"), (21, "u"), (31, "new")]


@pytest.mark.slow
def test_different_changes_of_one_cell_are_a_conflict_until_answered(row_house: House) -> None:
    merge = Merge(row_house, put((1, "ours", 1.0), where="id == 1"), put((1, "theirs", 1.0), where="id == 1"))
    merged = merge.run()
    [conflict] = merged.conflicts
    assert merged.conflict_count == 1
    assert conflict.kind is ConflictKind.MODIFY_MODIFY
    assert (conflict.table, conflict.key, conflict.column) == ("core.orders", {"id": 1}, "name")
    assert (conflict.base, conflict.ours, conflict.theirs) == ("a", "ours", "theirs")
    with pytest.raises(ForgeError) as raised:
        merged.write(row_house.stage(merge.ours))
    assert raised.value.code == "E617"
    answered = merge.run(ResolutionRule(ResolutionChoice.THEIRS))
    assert (answered.conflict_count, answered.resolved_count) == (0, 1)
    assert merge.write(answered)[0] == (1, "theirs", 1.0)


def test_keys_that_are_there_twice_are_found_among_new_rows_and_beside_old_ones(row_house: House) -> None:
    snapshot = row_house.create(*BASE)
    files = sorted(row_house.tables.files(ROW, snapshot).files, key=lambda file: file.path)
    rows = row_house.work
    whole = FileSlice(ROW, snapshot, tuple(files))
    assert rows.find_twins(whole, None, ["id"], 3) == DuplicateKeys()
    for file in files:
        part = replace(whole, files=(file,))
        others = replace(whole, files=tuple(one for one in files if one != file))
        assert rows.find_twins(part, others, ["id"], 3) == DuplicateKeys()
        ids = sorted(row_house.tables.read(part, ["id"]).column("id").to_pylist())
        assert rows.find_twins(part, whole, ["id"], 3) == DuplicateKeys(len(ids), tuple({"id": one} for one in ids[:3]))


@pytest.mark.slow
def test_a_column_of_theirs_comes_with_its_values(row_house: House) -> None:
    def theirs(table: Any) -> None:
        with table.update_schema() as change:
            change.add_column("more", LongType())
        rows = table_of((1, "a", 1.0)).append_column("more", pa.array([7], pa.int64()))
        table.overwrite(rows, overwrite_filter="id == 1")

    merge = Merge(row_house, put((2, "ours", 2.0), where="id == 2"), theirs)
    assert merge.write(merge.run())[:3] == [(1, "a", 1.0, 7), (2, "ours", 2.0, None), (11, "k", 11.0, None)]


@pytest.mark.slow
def test_a_table_without_a_key_is_merged_as_a_bag(row_house: House) -> None:
    merge = Merge(row_house, add((2, "b", 2.0)), drop("id == 12"), key=())
    merged = merge.run()
    assert merged.conflicts == ()
    assert [row[0] for row in merge.write(merged)] == [1, 2, 2, 11, 21]


def test_values_of_every_kind_come_through_a_merge(row_house: House) -> None:
    schema = Schema(
        NestedField(1, "id", LongType(), required=True),
        NestedField(2, "token", UUIDType(), required=False),
        NestedField(3, "tags", ListType(10, StringType(), element_required=False), required=False),
        NestedField(4, "marks", MapType(11, StringType(), 12, LongType(), value_required=False), required=False),
        NestedField(5, "place", StructType(NestedField(13, "x", LongType(), required=False)), required=False),
        NestedField(6, "done", BooleanType(), required=False),
        identifier_field_ids=[1],
    )
    table = row_house.catalog.create_table("core.orders", schema, location=f"{row_house.folder}/warehouse/orders")
    row = {"token": UUID(int=7).bytes, "tags": ["a", None], "marks": [("k", 1)], "place": {"x": 1}, "done": False}
    kinds = schema_to_pyarrow(schema, include_field_ids=False)
    table.append(pa.Table.from_pylist([{"id": 1, **row}, {"id": 2, **row}], schema=kinds))
    base = row_house.head()
    theirs = edited(row_house, base, lambda table: table.delete("id == 2"), DEV)
    before, after = row_house.tables.files(ROW, base), row_house.tables.files(ROW, theirs)
    layout, _ = merge_schemas(before.fields, before.fields, after.fields, ("id",))
    old, new = FileSlice(ROW, base, tuple(before.files)), FileSlice(ROW, theirs, tuple(after.files))
    work = TableMerge(
        table=ORDERS, layout=layout, base_ours=None, ours=None, base_theirs=old, theirs=new, rewritten=old
    )
    stage = row_house.stage(base)
    made = row_house.work.merge(work, RunId("r-kinds")).write(stage)
    assert row_house.rows(made, stage.catalog) == row_house.rows(theirs)
    assert row_house.tables.files(stage.catalog, made).fields == before.fields


@pytest.mark.slow
def test_merging_nothing_of_theirs_changes_nothing(row_house: House) -> None:
    merge = Merge(row_house, put((1, "ours", 1.0), where="id == 1"), put((12, "l", 12.0), where="id == 12"))
    merged = merge.run()  # theirs wrote the same values again
    assert (merged.inserted, merged.updated, merged.deleted) == (0, 0, 0)
    assert merged.write(row_house.stage(merge.ours)) == merge.ours


# diff


@pytest.mark.slow
def test_a_diff_shows_changed_rows_and_not_those_carried_over(row_house: House) -> None:
    def edit(table: Any) -> None:
        table.overwrite(table_of((1, "new", 1.0)), overwrite_filter="id == 1")
        table.delete("id == 11")
        table.append(table_of((30, "x", None)))

    base = row_house.create(*BASE)
    after = edited(row_house, base, edit, MAIN)
    left, right = row_house.tables.files(ROW, base).files, row_house.tables.files(ROW, after).files
    found = row_house.work.diff(
        FileSlice(ROW, base, tuple(left - right)),
        FileSlice(ROW, after, tuple(right - left)),
        align_for_diff(FIELDS, FIELDS, ("id",)),
    )
    assert (found.inserted, found.updated, found.deleted) == (1, 1, 1)
    assert [(change.kind.value, change.key, change.columns) for change in found.rows] == [
        ("updated", {"id": 1}, ("name",)),
        ("deleted", {"id": 11}, ()),
        ("inserted", {"id": 30}, ()),
    ]


def test_a_side_without_files_has_no_rows(row_house: House) -> None:
    base = row_house.create(*BASE)
    part = FileSlice(ROW, base, tuple(row_house.files(base)))
    found = row_house.work.diff(None, part, align_for_diff(FIELDS, FIELDS, ("id",)), limit=2, offset=1)
    assert (found.inserted, [change.key for change in found.rows]) == (5, [{"id": 2}, {"id": 11}])
