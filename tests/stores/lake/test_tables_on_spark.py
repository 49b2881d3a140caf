"""Spark reads and goes on writing what was made of files, and its delete files are found where they apply."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from orders_house import DEV, FIELDS, MAIN, ORDERS, ROW, TWO, table_of
from spark_house import SparkHouse

from forge.flows.runs.records import Pointer
from forge.flows.versioning.tables import FileSlice, NeedsEngine
from forge.model.names import CatalogName, RunId, SnapshotId, TableName
from forge.stores.lake.arrow.rows import ArrowRows
from forge.versioning.field import TableField
from forge.versioning.schema.merge import align_for_diff

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

MERGE_ON_READ = "'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read', 'format-version'='{}'"
Rows = list[tuple[object, ...]]


class SqlHouse(SparkHouse):
    def sql(self, text: str) -> Rows:
        return [tuple(row) for row in self.spark.sql(text).collect()]

    def made(self, *inserts: str, version: int = 2) -> SnapshotId:
        """A table of Spark's, one file for each insert."""
        self.sql(
            "CREATE TABLE forge.core.orders (id BIGINT, name STRING, amount DOUBLE) USING iceberg "
            f"LOCATION '{self.folder}/warehouse/orders' TBLPROPERTIES ({MERGE_ON_READ.format(version)})"
        )
        for rows in inserts:
            self.sql(f"INSERT INTO forge.core.orders SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}")
        return self.head()

    def head(self, name: CatalogName = ROW) -> SnapshotId:
        snapshot = self.lake.metadata(name).current_snapshot_id
        assert snapshot is not None
        return SnapshotId(snapshot)

    def named(self, name: CatalogName) -> str:
        return f"forge.`{name.namespace}`.`{name.name}`"

    def read(self, name: CatalogName = ROW, columns: str = "*") -> Rows:
        return self.sql(f"SELECT {columns} FROM {self.named(name)} ORDER BY id")


@pytest.fixture
def house(tmp_path: Path, spark: SparkSession) -> Iterator[SqlHouse]:
    made = SqlHouse(tmp_path, spark)
    yield made
    made.close()


FIRST = "(1L, 'a', 1.0D), (2L, 'b', 2.0D), (3L, 'c', 3.0D)"
SECOND = "(11L, 'k', 11.0D), (12L, 'l', 12.0D)"


def test_a_position_delete_belongs_to_the_file_it_names(house: SqlHouse) -> None:
    before = house.made(FIRST, SECOND)
    house.sql("DELETE FROM forge.core.orders WHERE id = 2")
    after = house.head()
    first, second = house.files(after)
    assert (len(first.deletes), second.deletes) == (1, ())
    assert second in house.tables.files(ROW, before).files
    assert first not in house.tables.files(ROW, before).files
    assert not house.tables.files(ROW, after).needs_engine
    assert first.size > house.files(before)[0].size
    part = FileSlice(ROW, after, (first,))
    assert house.tables.read(part).column("id").to_pylist() == [1, 3]
    shown = house.tables.expose(RunId("r-1"), part, "a")
    assert house.read(shown) == [(1, "a", 1.0), (3, "c", 3.0)]
    layout = align_for_diff(FIELDS, FIELDS, ("id",))
    old = FileSlice(ROW, before, (house.files(before)[0],))
    found = ArrowRows(house.tables).diff(old, part, layout)
    assert (found.deleted, [change.key for change in found.rows]) == (1, [{"id": 2}])


def test_a_delete_file_for_several_files_reaches_only_those_it_names(house: SqlHouse) -> None:
    house.made(FIRST, SECOND, "(21L, 'u', 1.0D)")
    house.sql("ALTER TABLE forge.core.orders SET TBLPROPERTIES ('write.delete.granularity'='partition')")
    house.sql("DELETE FROM forge.core.orders WHERE id IN (2, 12)")
    names = [file.deletes for file in house.files(house.head())]
    assert len(house.sql("SELECT * FROM forge.core.orders.delete_files")) == 1
    assert names[0] == names[1] != ()
    assert names[2] == ()
    part = FileSlice(ROW, house.head(), tuple(house.files(house.head())))
    assert house.tables.read(part).column("id").to_pylist() == [1, 3, 11, 21]


def test_a_deletion_vector_needs_an_engine(house: SqlHouse) -> None:
    before = house.made(FIRST, SECOND, version=3)
    assert not house.tables.files(ROW, before).needs_engine
    house.sql("DELETE FROM forge.core.orders WHERE id = 2")
    found = house.tables.files(ROW, house.head())
    [changed] = found.files - house.tables.files(ROW, before).files
    assert found.needs_engine
    path, _, offset = changed.deletes[0].partition("#")
    assert path.endswith(".puffin")
    assert int(offset) > 0
    with pytest.raises(NeedsEngine):
        house.tables.read(FileSlice(ROW, house.head(), (changed,)))


def test_spark_reads_and_goes_on_after_swap_and_rewrite(house: SqlHouse) -> None:
    base = house.made(FIRST, SECOND)
    stage = house.stage(base)
    house.sql(f"INSERT INTO {house.named(stage.catalog)} VALUES (31L, 'theirs', 1.0D)")
    theirs = house.head(stage.catalog)
    house.publish(stage, DEV, expected=base)
    added = tuple(house.tables.files(ROW, theirs).files - house.tables.files(ROW, base).files)
    ours = house.stage(base)
    first, second = house.files(base)
    swapped = house.tables.swap(ours, [second], FileSlice(ROW, theirs, added), FIELDS)
    fields = (*(TableField(f.id, f.name, f.type) for f in FIELDS), TableField(4, "more", "int"))
    rows = table_of((1, "new", 1.5)).append_column("more", pa.array([7], pa.int32()))
    rewritten = house.tables.rewrite(ours, [first], rows, fields)
    house.publish(ours, expected=base)
    assert house.read() == [(1, "new", 1.5, 7), (31, "theirs", 1.0, None)]
    assert house.sql(f"SELECT id FROM forge.core.orders VERSION AS OF {swapped} ORDER BY id") == [
        (1,),
        (2,),
        (3,),
        (31,),
    ]
    chain = house.sql("SELECT snapshot_id, parent_id, operation FROM forge.core.orders.snapshots")
    assert {row[0]: row[1] for row in chain}[rewritten] == swapped
    assert {row[0]: row[1:] for row in chain}[swapped] == (base, "overwrite")
    files = house.sql("SELECT file_path, record_count FROM forge.core.orders.files")
    assert {row[0] for row in files} == {file.path for file in house.tables.files(ROW, rewritten).files}
    house.sql("UPDATE forge.core.orders SET name = 'spark' WHERE id = 31")
    house.sql("INSERT INTO forge.core.orders VALUES (41L, 'x', 1.0D, 1)")
    house.sql("CALL forge.system.rewrite_manifests('core.orders')")
    assert house.read(columns="id, name") == [(1, "new"), (31, "spark"), (41, "x")]
    assert house.read(columns="count(*) OVER ()")[0] == (3,)


def test_old_deletes_do_not_reach_files_that_come_later(house: SqlHouse) -> None:
    base = house.made(FIRST, SECOND)
    house.sql("DELETE FROM forge.core.orders WHERE id = 2")
    head = house.head()
    stage = house.stage(head)
    changed, _ = house.files(head)
    rows = house.tables.read(FileSlice(ROW, base, (house.files(base)[0],)))  # with the row that was deleted
    house.tables.rewrite(stage, [changed], rows, house.tables.files(ROW, head).fields)
    house.publish(stage, expected=head)
    assert house.read(columns="id") == [(1,), (2,), (3,), (11,), (12,)]


def test_spark_reads_a_slice_with_the_columns_of_its_snapshot(house: SqlHouse) -> None:
    house.made(FIRST, SECOND)
    house.sql("ALTER TABLE forge.core.orders SET TBLPROPERTIES ('write.update.mode'='copy-on-write')")
    house.sql("UPDATE forge.core.orders SET name = 'w' WHERE id = 1")
    then = house.head()
    house.sql("ALTER TABLE forge.core.orders RENAME COLUMN name TO title")
    house.sql("ALTER TABLE forge.core.orders ADD COLUMN later INT")
    house.sql("INSERT INTO forge.core.orders VALUES (99L, 'z', 1.0D, 1)")
    first = house.files(then)[0]
    shown = house.tables.expose(RunId("r-2"), FileSlice(ROW, then, (first,)), "a")
    frame = house.spark.table(house.named(shown))
    assert frame.columns == ["id", "name", "amount"]
    assert house.read(shown) == [(1, "w", 1.0), (2, "b", 2.0), (3, "c", 3.0)]


def test_what_spark_writes_to_a_scratch_row_is_taken_over(house: SqlHouse) -> None:
    house.made(FIRST)
    house.sql("ALTER TABLE forge.core.orders ADD PARTITION FIELD bucket(2, id)")
    house.sql(f"INSERT INTO forge.core.orders SELECT * FROM VALUES {SECOND}")
    head = house.head()
    stage = house.stage(head)
    fields = house.tables.files(ROW, head).fields
    files = tuple(house.tables.files(ROW, head).files)
    with pytest.raises(NeedsEngine):
        house.tables.rewrite(stage, files, pa.table({"id": [1]}), fields)
    scratch = house.tables.scratch(stage, fields, "rows")
    house.sql(
        f"INSERT INTO {house.named(scratch)} SELECT id, upper(name), amount FROM forge.core.orders WHERE id IN (1, 11)"
    )
    written = house.tables.files(scratch, house.head(scratch))
    part = FileSlice(scratch, house.head(scratch), tuple(written.files))
    house.tables.swap(stage, files, part, fields)
    house.publish(stage, expected=head)
    house.lake.drop_stages(stage.run_id)
    assert house.read(columns="id, name") == [(1, "A"), (11, "K")]
    assert house.sql("SELECT name FROM forge.core.orders WHERE id = 11") == [("K",)]
    house.sql("DELETE FROM forge.core.orders WHERE id = 1")
    assert house.read(columns="id, name") == [(11, "K")]


def test_spark_follows_where_a_branch_points(house: SqlHouse) -> None:
    base = house.made(FIRST)
    stage = house.stage(base)
    house.sql(f"ALTER TABLE {house.named(stage.catalog)} ADD COLUMN more INT")
    house.sql(f"INSERT INTO {house.named(stage.catalog)} VALUES (4L, 'd', 4.0D, 4)")
    theirs = house.head(stage.catalog)
    house.publish(stage, DEV, expected=base)
    assert len(house.read()) == 3
    pointer = house.tables.point(ORDERS, house.version(theirs), MAIN, is_default=True, expected=base)
    house.apply(pointer)
    assert house.read()[-1] == (4, "d", 4.0, 4)
    back = house.tables.point(ORDERS, house.version(base), MAIN, is_default=True, expected=theirs)
    house.apply(back)
    assert house.read() == [(1, "a", 1.0), (2, "b", 2.0), (3, "c", 3.0)]
    assert [row[1:3] for row in house.sql("SELECT * FROM forge.core.orders.history ORDER BY made_current_at")][-1] == (
        base,
        None,
    )
    house.sql("INSERT INTO forge.core.orders VALUES (5L, 'e', 5.0D)")
    assert len(house.read()) == 4


def test_spark_reads_a_table_that_was_created_and_one_that_got_its_name(house: SqlHouse) -> None:
    fresh = TableName("core", "fresh")
    stage = house.lake.open_stage(RunId("r-3"), fresh, None, None)
    empty = house.tables.rewrite(stage, [], table_of(), FIELDS, key=["id"])
    house.publish(stage)
    assert house.sql("SELECT * FROM forge.core.fresh") == []
    assert house.sql("SELECT snapshot_id FROM forge.core.fresh.snapshots") == [(empty,)]
    house.sql("INSERT INTO forge.core.fresh VALUES (1L, 'a', 1.0D)")
    assert house.sql("SELECT * FROM forge.core.fresh") == [(1, "a", 1.0)]
    hidden = house.lake.open_stage(RunId("r-4"), ORDERS, None, None)
    made = house.tables.rewrite(hidden, [], table_of(*TWO[0]), FIELDS, key=["id"])
    pointer = house.lake.prepare(hidden, DEV, is_default=False, expected=None)
    house.apply(pointer)
    assert isinstance(pointer, Pointer)
    assert house.sql("SHOW TABLES IN forge.core") == [("core", "fresh", False)]
    version = house.version(made, pointer.catalog)
    house.apply(house.tables.point(ORDERS, version, MAIN, is_default=True, expected=None))
    assert house.read() == [(1, "a", 1.0), (2, "b", 2.0)]
