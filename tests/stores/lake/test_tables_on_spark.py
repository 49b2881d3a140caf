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
def spark_house(tmp_path: Path, spark: SparkSession) -> Iterator[SqlHouse]:
    made = SqlHouse(tmp_path, spark)
    yield made
    made.close()


FIRST = "(1L, 'a', 1.0D), (2L, 'b', 2.0D), (3L, 'c', 3.0D)"
SECOND = "(11L, 'k', 11.0D), (12L, 'l', 12.0D)"


def test_a_position_delete_belongs_to_the_file_it_names(spark_house: SqlHouse) -> None:
    before = spark_house.made(FIRST, SECOND)
    spark_house.sql("DELETE FROM forge.core.orders WHERE id = 2")
    after = spark_house.head()
    first, second = spark_house.files(after)
    assert (len(first.deletes), second.deletes) == (1, ())
    assert second in spark_house.tables.files(ROW, before).files
    assert first not in spark_house.tables.files(ROW, before).files
    assert not spark_house.tables.files(ROW, after).needs_engine
    assert first.size > spark_house.files(before)[0].size
    part = FileSlice(ROW, after, (first,))
    assert spark_house.tables.read(part).column("id").to_pylist() == [1, 3]
    shown = spark_house.tables.expose(RunId("r-1"), part, "a")
    assert spark_house.read(shown) == [(1, "a", 1.0), (3, "c", 3.0)]
    layout = align_for_diff(FIELDS, FIELDS, ("id",))
    old = FileSlice(ROW, before, (spark_house.files(before)[0],))
    found = ArrowRows(spark_house.tables).diff(old, part, layout)
    assert (found.deleted, [change.key for change in found.rows]) == (1, [{"id": 2}])


def test_a_delete_file_for_several_files_reaches_only_those_it_names(spark_house: SqlHouse) -> None:
    spark_house.made(FIRST, SECOND, "(21L, 'u', 1.0D)")
    spark_house.sql("ALTER TABLE forge.core.orders SET TBLPROPERTIES ('write.delete.granularity'='partition')")
    spark_house.sql("DELETE FROM forge.core.orders WHERE id IN (2, 12)")
    names = [file.deletes for file in spark_house.files(spark_house.head())]
    assert len(spark_house.sql("SELECT * FROM forge.core.orders.delete_files")) == 1
    assert names[0] == names[1] != ()
    assert names[2] == ()
    part = FileSlice(ROW, spark_house.head(), tuple(spark_house.files(spark_house.head())))
    assert spark_house.tables.read(part).column("id").to_pylist() == [1, 3, 11, 21]


def test_a_deletion_vector_needs_an_engine(spark_house: SqlHouse) -> None:
    before = spark_house.made(FIRST, SECOND, version=3)
    assert not spark_house.tables.files(ROW, before).needs_engine
    spark_house.sql("DELETE FROM forge.core.orders WHERE id = 2")
    found = spark_house.tables.files(ROW, spark_house.head())
    [changed] = found.files - spark_house.tables.files(ROW, before).files
    assert found.needs_engine
    path, _, offset = changed.deletes[0].partition("#")
    assert path.endswith(".puffin")
    assert int(offset) > 0
    with pytest.raises(NeedsEngine):
        spark_house.tables.read(FileSlice(ROW, spark_house.head(), (changed,)))


def test_spark_reads_and_goes_on_after_swap_and_rewrite(spark_house: SqlHouse) -> None:
    base = spark_house.made(FIRST, SECOND)
    stage = spark_house.stage(base)
    spark_house.sql(f"INSERT INTO {spark_house.named(stage.catalog)} VALUES (31L, 'theirs', 1.0D)")
    theirs = spark_house.head(stage.catalog)
    spark_house.publish(stage, DEV, expected=base)
    added = tuple(spark_house.tables.files(ROW, theirs).files - spark_house.tables.files(ROW, base).files)
    ours = spark_house.stage(base)
    first, second = spark_house.files(base)
    swapped = spark_house.tables.swap(ours, [second], FileSlice(ROW, theirs, added), FIELDS)
    fields = (*(TableField(f.id, f.name, f.type) for f in FIELDS), TableField(4, "more", "int"))
    rows = table_of((1, "new", 1.5)).append_column("more", pa.array([7], pa.int32()))
    rewritten = spark_house.tables.rewrite(ours, [first], rows, fields)
    spark_house.publish(ours, expected=base)
    assert spark_house.read() == [(1, "new", 1.5, 7), (31, "theirs", 1.0, None)]
    assert spark_house.sql(f"SELECT id FROM forge.core.orders VERSION AS OF {swapped} ORDER BY id") == [
        (1,),
        (2,),
        (3,),
        (31,),
    ]
    chain = spark_house.sql("SELECT snapshot_id, parent_id, operation FROM forge.core.orders.snapshots")
    assert {row[0]: row[1] for row in chain}[rewritten] == swapped
    assert {row[0]: row[1:] for row in chain}[swapped] == (base, "overwrite")
    files = spark_house.sql("SELECT file_path, record_count FROM forge.core.orders.files")
    assert {row[0] for row in files} == {file.path for file in spark_house.tables.files(ROW, rewritten).files}
    spark_house.sql("UPDATE forge.core.orders SET name = 'spark' WHERE id = 31")
    spark_house.sql("INSERT INTO forge.core.orders VALUES (41L, 'x', 1.0D, 1)")
    spark_house.sql("CALL forge.system.rewrite_manifests('core.orders')")
    assert spark_house.read(columns="id, name") == [(1, "new"), (31, "spark"), (41, "x")]
    assert spark_house.read(columns="count(*) OVER ()")[0] == (3,)


def test_old_deletes_do_not_reach_files_that_come_later(spark_house: SqlHouse) -> None:
    base = spark_house.made(FIRST, SECOND)
    spark_house.sql("DELETE FROM forge.core.orders WHERE id = 2")
    head = spark_house.head()
    stage = spark_house.stage(head)
    changed, _ = spark_house.files(head)
    rows = spark_house.tables.read(FileSlice(ROW, base, (spark_house.files(base)[0],)))  # with the row that was deleted
    spark_house.tables.rewrite(stage, [changed], rows, spark_house.tables.files(ROW, head).fields)
    spark_house.publish(stage, expected=head)
    assert spark_house.read(columns="id") == [(1,), (2,), (3,), (11,), (12,)]


def test_spark_reads_a_slice_with_the_columns_of_its_snapshot(spark_house: SqlHouse) -> None:
    spark_house.made(FIRST, SECOND)
    spark_house.sql("ALTER TABLE forge.core.orders SET TBLPROPERTIES ('write.update.mode'='copy-on-write')")
    spark_house.sql("UPDATE forge.core.orders SET name = 'w' WHERE id = 1")
    then = spark_house.head()
    spark_house.sql("ALTER TABLE forge.core.orders RENAME COLUMN name TO title")
    spark_house.sql("ALTER TABLE forge.core.orders ADD COLUMN later INT")
    spark_house.sql("INSERT INTO forge.core.orders VALUES (99L, 'z', 1.0D, 1)")
    first = spark_house.files(then)[0]
    shown = spark_house.tables.expose(RunId("r-2"), FileSlice(ROW, then, (first,)), "a")
    frame = spark_house.spark.table(spark_house.named(shown))
    assert frame.columns == ["id", "name", "amount"]
    assert spark_house.read(shown) == [(1, "w", 1.0), (2, "b", 2.0), (3, "c", 3.0)]


def test_what_spark_writes_to_a_scratch_row_is_taken_over(spark_house: SqlHouse) -> None:
    spark_house.made(FIRST)
    spark_house.sql("ALTER TABLE forge.core.orders ADD PARTITION FIELD bucket(2, id)")
    spark_house.sql(f"INSERT INTO forge.core.orders SELECT * FROM VALUES {SECOND}")
    head = spark_house.head()
    stage = spark_house.stage(head)
    fields = spark_house.tables.files(ROW, head).fields
    files = tuple(spark_house.tables.files(ROW, head).files)
    with pytest.raises(NeedsEngine):
        spark_house.tables.rewrite(stage, files, pa.table({"id": [1]}), fields)
    scratch = spark_house.tables.scratch(stage, fields, "rows")
    target = spark_house.named(scratch)
    spark_house.sql(f"INSERT INTO {target} SELECT id, upper(name), amount FROM forge.core.orders WHERE id IN (1, 11)")
    written = spark_house.tables.files(scratch, spark_house.head(scratch))
    part = FileSlice(scratch, spark_house.head(scratch), tuple(written.files))
    spark_house.tables.swap(stage, files, part, fields)
    spark_house.publish(stage, expected=head)
    spark_house.lake.drop_stages(stage.run_id)
    assert spark_house.read(columns="id, name") == [(1, "A"), (11, "K")]
    assert spark_house.sql("SELECT name FROM forge.core.orders WHERE id = 11") == [("K",)]
    spark_house.sql("DELETE FROM forge.core.orders WHERE id = 1")
    assert spark_house.read(columns="id, name") == [(11, "K")]


def test_spark_follows_where_a_branch_points(spark_house: SqlHouse) -> None:
    base = spark_house.made(FIRST)
    stage = spark_house.stage(base)
    spark_house.sql(f"ALTER TABLE {spark_house.named(stage.catalog)} ADD COLUMN more INT")
    spark_house.sql(f"INSERT INTO {spark_house.named(stage.catalog)} VALUES (4L, 'd', 4.0D, 4)")
    theirs = spark_house.head(stage.catalog)
    spark_house.publish(stage, DEV, expected=base)
    assert len(spark_house.read()) == 3
    pointer = spark_house.tables.point(ORDERS, spark_house.version(theirs), MAIN, is_default=True, expected=base)
    spark_house.apply(pointer)
    assert spark_house.read()[-1] == (4, "d", 4.0, 4)
    back = spark_house.tables.point(ORDERS, spark_house.version(base), MAIN, is_default=True, expected=theirs)
    spark_house.apply(back)
    assert spark_house.read() == [(1, "a", 1.0), (2, "b", 2.0), (3, "c", 3.0)]
    assert [row[1:3] for row in spark_house.sql("SELECT * FROM forge.core.orders.history ORDER BY made_current_at")][
        -1
    ] == (
        base,
        None,
    )
    spark_house.sql("INSERT INTO forge.core.orders VALUES (5L, 'e', 5.0D)")
    assert len(spark_house.read()) == 4


def test_spark_reads_a_table_that_was_created_and_one_that_got_its_name(spark_house: SqlHouse) -> None:
    fresh = TableName("core", "fresh")
    stage = spark_house.lake.open_stage(RunId("r-3"), fresh, None, None)
    empty = spark_house.tables.rewrite(stage, [], table_of(), FIELDS, key=["id"])
    spark_house.publish(stage)
    assert spark_house.sql("SELECT * FROM forge.core.fresh") == []
    assert spark_house.sql("SELECT snapshot_id FROM forge.core.fresh.snapshots") == [(empty,)]
    spark_house.sql("INSERT INTO forge.core.fresh VALUES (1L, 'a', 1.0D)")
    assert spark_house.sql("SELECT * FROM forge.core.fresh") == [(1, "a", 1.0)]
    hidden = spark_house.lake.open_stage(RunId("r-4"), ORDERS, None, None)
    made = spark_house.tables.rewrite(hidden, [], table_of(*TWO[0]), FIELDS, key=["id"])
    pointer = spark_house.lake.prepare(hidden, DEV, is_default=False, expected=None)
    spark_house.apply(pointer)
    assert isinstance(pointer, Pointer)
    assert spark_house.sql("SHOW TABLES IN forge.core") == [("core", "fresh", False)]
    version = spark_house.version(made, pointer.catalog)
    spark_house.apply(spark_house.tables.point(ORDERS, version, MAIN, is_default=True, expected=None))
    assert spark_house.read() == [(1, "a", 1.0), (2, "b", 2.0)]
