"""Spark writes into the hidden rows, and Spark and PyIceberg read what was published from them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import Engine

from forge.flows.ports import Stage
from forge.flows.runs.records import AuditRecord, Pointer, Publication, PublishedCommit, RunRecord, RunStatus
from forge.model.names import BranchName, CatalogName, CommitId, RunId, SnapshotId, TableName
from forge.model.schema import Column, Schema
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.sql.database import migrate, open_database
from forge.stores.sql.metadata import SqlMetadata
from forge.versioning.branch import Branch
from forge.versioning.commit import Author, Tree, make_commit

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ADA = Author("Ada", "ada@example.com")
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
MAIN, DEV = BranchName("main"), BranchName("dev")
NUMBERS = count(1)


class Lakehouse:
    """A lake and its records, with the few steps of a run that matter to them."""

    def __init__(self, spark: SparkSession, engine: Engine, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.lake = IcebergLake(engine, str(folder / "warehouse"))
        self.metadata = SqlMetadata(engine)
        self.number = 0
        self.heads: dict[str, CommitId | None] = {}

    def branch(self, name: BranchName) -> None:
        if self.metadata.branch(name) is None:
            branch = Branch(
                name=name, head=None, created_at=NOW, created_by="Ada", updated_at=NOW, is_default=name == MAIN
            )
            self.metadata.create_branch(branch, AuditRecord(NOW, "Ada", "branch.create", name))

    def stage(self, table: str, origin: CatalogName | None = None, base: SnapshotId | None = None) -> Stage:
        run = RunId(f"r-spark-{next(NUMBERS)}")
        return self.lake.open_stage(run, TableName.parse(table), origin, base)

    def name(self, stage: Stage) -> str:
        return f"forge.`{stage.catalog.namespace}`.`{stage.catalog.name}`"

    def create(self, stage: Stage, select: str, *clauses: str) -> None:
        options = "TBLPROPERTIES ('write.delete.mode'='merge-on-read', 'write.merge.mode'='merge-on-read')"
        parts = " ".join(clauses)
        place = f"LOCATION '{stage.location}'"
        self.spark.sql(f"CREATE TABLE {self.name(stage)} USING iceberg {parts} {place} {options} AS {select}")

    def publish(self, stage: Stage, branch: BranchName = MAIN, expected: SnapshotId | None = None) -> Pointer:
        self.branch(branch)
        pointer = self.lake.prepare(stage, branch, is_default=branch == MAIN, expected=expected)
        assert isinstance(pointer, Pointer)
        self.publish_pointers((pointer,), branch)
        return pointer

    def publish_pointers(self, pointers: tuple[Pointer, ...], branch: BranchName = MAIN) -> None:
        self.branch(branch)
        head = self.metadata.branch(branch)
        assert head is not None
        number = next(NUMBERS)
        tree: Tree = {}
        commit = make_commit(
            tree=tree,
            parents=(head.head,) if head.head else (),
            author=ADA,
            message=f"publish {number}",
            time=NOW + timedelta(seconds=number),
            branch=branch,
            statistics={},
            metadata={},
        )
        run = RunRecord(
            id=RunId(f"r-{number}"),
            branch=branch,
            status=RunStatus.SUCCEEDED,
            started_at=NOW,
            user="Ada",
            host="here",
            pid=1,
            process_started="",
        )
        done = self.metadata.publish(
            Publication(pointers=pointers, branch=branch, expected_head=head.head, commit=commit, tree=tree, run=run),
            lambda step: None,
        )
        assert done == PublishedCommit(commit.id)

    def rows(self, query: str) -> list[tuple[object, ...]]:
        return sorted(tuple(row) for row in self.spark.sql(query).collect())

    def pyiceberg(self) -> SqlCatalog:
        return SqlCatalog("forge", uri=f"sqlite:///{self.folder}/forge.db", warehouse=str(self.folder / "warehouse"))

    def scan(self, table: str, snapshot_id: int | None = None) -> list[tuple[object, ...]]:
        found = self.pyiceberg().load_table(table).scan(snapshot_id=snapshot_id).to_arrow().to_pylist()
        return sorted(tuple(row.values()) for row in found)


@pytest.fixture(scope="module")
def house(spark: SparkSession, lake_folder: Path) -> Iterator[Lakehouse]:
    engine = open_database(f"sqlite:///{lake_folder}/forge.db")
    migrate(engine)
    yield Lakehouse(spark, engine, lake_folder)
    engine.dispose()


def head_of(house: Lakehouse, catalog: CatalogName, ref: str = "main") -> SnapshotId:
    state = house.lake.state(catalog)
    assert state is not None
    return state.refs[ref]


def test_a_new_table_is_published_with_its_partitions_and_properties(house: Lakehouse) -> None:
    stage = house.stage("lake1.orders")
    house.create(stage, "SELECT id, id % 2 AS part FROM range(4)", "PARTITIONED BY (part)")
    house.publish(stage)

    assert house.rows("SELECT * FROM forge.lake1.orders") == [(0, 0), (1, 1), (2, 0), (3, 1)]
    assert house.scan("lake1.orders") == [(0, 0), (1, 1), (2, 0), (3, 1)]
    table = house.pyiceberg().load_table("lake1.orders")
    assert [field.name for field in table.spec().fields] == ["part"]
    assert table.properties["write.merge.mode"] == "merge-on-read"
    assert table.location().removeprefix("file:") == stage.location
    assert stage.catalog not in [name for _, name in house.lake.stages()]
    assert ("lake1",) in {tuple(r) for r in house.rows("SHOW NAMESPACES IN forge")}


def test_append_overwrite_merge_and_delete_are_staged_out_of_sight_and_then_seen_by_all(house: Lakehouse) -> None:
    from pyspark.sql.functions import lit

    table = CatalogName("lake2", "orders")
    stage = house.stage("lake2.orders")
    house.create(stage, "SELECT id, CAST(id AS string) AS name FROM range(3)")
    house.publish(stage)
    first = head_of(house, table)
    before = house.rows("SELECT * FROM forge.lake2.orders")

    stage = house.stage("lake2.orders", table, first)
    house.spark.sql("SELECT 10L AS id, 'ten' AS name").writeTo(house.name(stage)).append()
    assert house.rows("SELECT * FROM forge.lake2.orders") == before
    house.publish(stage, expected=first)
    second = head_of(house, table)
    assert house.rows("SELECT * FROM forge.lake2.orders") == [*before, (10, "ten")]

    stage = house.stage("lake2.orders", table, second)
    house.spark.sql(
        f"MERGE INTO {house.name(stage)} t USING (SELECT 1L AS id, 'one' AS name UNION ALL SELECT 11L, 'eleven') s"
        " ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    house.spark.sql(f"DELETE FROM {house.name(stage)} WHERE id = 0")
    house.publish(stage, expected=second)
    merged = [(1, "one"), (2, "2"), (10, "ten"), (11, "eleven")]
    assert house.rows("SELECT * FROM forge.lake2.orders") == merged
    assert house.scan("lake2.orders") == merged
    deletes = house.rows("SELECT count(*) FROM forge.lake2.orders.all_delete_files")
    assert deletes[0][0] != 0, "the case is about delete files"

    third = head_of(house, table)
    stage = house.stage("lake2.orders", table, third)
    house.spark.sql("SELECT 7L AS id, 'seven' AS name").writeTo(house.name(stage)).overwrite(lit(True))
    house.publish(stage, expected=third)
    assert house.rows("SELECT * FROM forge.lake2.orders") == [(7, "seven")]

    for snapshot, expected in ((first, before), (second, [*before, (10, "ten")]), (third, merged)):
        assert house.rows(f"SELECT * FROM forge.lake2.orders VERSION AS OF {snapshot}") == expected
        assert house.scan("lake2.orders", snapshot) == expected
    history = house.rows("SELECT snapshot_id FROM forge.lake2.orders.history")
    assert {row[0] for row in history} == {first, second, third, head_of(house, table)}


def test_two_branches_staged_at_once_both_arrive_though_they_share_a_sequence_number(house: Lakehouse) -> None:
    table = CatalogName("lake3", "orders")
    stage = house.stage("lake3.orders")
    house.create(stage, "SELECT id FROM range(2)")
    house.publish(stage)
    base = head_of(house, table)

    on_main, on_dev = house.stage("lake3.orders", table, base), house.stage("lake3.orders", table, base)
    house.spark.sql("SELECT 100L AS id").writeTo(house.name(on_main)).append()
    house.spark.sql("SELECT 200L AS id").writeTo(house.name(on_dev)).append()
    house.publish(on_main, MAIN, base)
    house.publish(on_dev, DEV, None)

    metadata = house.pyiceberg().load_table("lake3.orders").metadata
    numbers = [metadata.snapshot_by_name(name).sequence_number for name in ("main", "dev")]  # type: ignore[union-attr]
    assert numbers[0] == numbers[1]
    assert house.rows("SELECT * FROM forge.lake3.orders") == [(0,), (1,), (100,)]
    assert house.rows("SELECT * FROM forge.lake3.orders VERSION AS OF 'dev'") == [(0,), (1,), (200,)]
    assert house.scan("lake3.orders", head_of(house, table, "dev")) == [(0,), (1,), (200,)]

    for branch, ref in ((MAIN, "main"), (DEV, "dev")):
        at = head_of(house, table, ref)
        stage = house.stage("lake3.orders", table, at)
        house.spark.sql(f"DELETE FROM {house.name(stage)} WHERE id = 0")
        house.publish(stage, branch, at)
    assert house.rows("SELECT * FROM forge.lake3.orders") == [(1,), (100,)]
    assert house.rows("SELECT * FROM forge.lake3.orders VERSION AS OF 'dev'") == [(1,), (200,)]


def test_columns_added_and_dropped_on_a_branch_leave_main_as_it_was(house: Lakehouse) -> None:
    table = CatalogName("lake4", "orders")
    stage = house.stage("lake4.orders")
    house.create(stage, "SELECT id, 'a' AS old FROM range(2)")
    house.publish(stage)
    base = head_of(house, table)

    stage = house.stage("lake4.orders", table, base)
    house.spark.sql(f"ALTER TABLE {house.name(stage)} ADD COLUMN new int")
    house.spark.sql(f"ALTER TABLE {house.name(stage)} DROP COLUMN old")
    house.spark.sql(f"INSERT INTO {house.name(stage)} SELECT 5L, 50")
    house.publish(stage, DEV, None)

    assert house.rows("SELECT * FROM forge.lake4.orders") == [(0, "a"), (1, "a")]
    dev = head_of(house, table, "dev")
    seen = house.spark.sql(f"SELECT * FROM forge.lake4.orders VERSION AS OF {dev}")
    assert seen.columns == ["id", "new"]
    assert sorted((row[0], row[1]) for row in seen.collect() if row[1] is not None) == [(5, 50)]
    state = house.lake.snapshot(table, dev)
    assert state is not None
    assert state.schema.names == ("id", "new")
    assert state.statistics.rows_added == 1
    assert state.statistics.record_count == 3

    stage = house.stage("lake4.orders", table, base)
    house.spark.sql(f"ALTER TABLE {house.name(stage)} ADD COLUMN other string")
    house.spark.sql(f"INSERT INTO {house.name(stage)} SELECT 6L, 'b', 'c'")
    house.publish(stage, MAIN, base)
    assert house.spark.table("forge.lake4.orders").columns == ["id", "old", "other"]
    assert house.rows(f"SELECT * FROM forge.lake4.orders VERSION AS OF {base}") == [(0, "a"), (1, "a")]
    assert house.spark.sql(f"SELECT * FROM forge.lake4.orders VERSION AS OF {dev}").columns == ["id", "new"]


def test_a_table_that_lives_on_a_branch_only_is_read_by_snapshot_and_grows_there(house: Lakehouse) -> None:
    stage = house.stage("lake5.fresh")
    house.create(stage, "SELECT id FROM range(2)")
    pointer = house.publish(stage, DEV)
    assert pointer.catalog.namespace == "forge_branches"
    assert CatalogName("lake5", "fresh") not in house.lake.tables()
    hidden = f"forge.forge_branches.`{pointer.catalog.name}`"
    assert house.rows(f"SELECT * FROM {hidden}") == []
    first = head_of(house, pointer.catalog, "dev")
    assert house.rows(f"SELECT * FROM {hidden} VERSION AS OF {first}") == [(0,), (1,)]
    assert house.rows(f"SELECT * FROM {hidden} VERSION AS OF 'dev'") == [(0,), (1,)]

    stage = house.stage("lake5.fresh", pointer.catalog, first)
    house.spark.sql("SELECT 9L AS id").writeTo(house.name(stage)).append()
    house.publish(stage, DEV, first)
    assert house.rows(f"SELECT * FROM {hidden} VERSION AS OF 'dev'") == [(0,), (1,), (9,)]


def test_spark_reads_a_view_and_its_next_version(house: Lakehouse) -> None:
    stage = house.stage("lake6.orders")
    house.create(stage, "SELECT id, CAST(id AS decimal(12,2)) AS amount, array(id) AS many FROM range(3)")
    house.publish(stage)
    view = TableName.parse("lake6.big")
    schema = Schema((Column("id", "bigint"), Column("amount", "decimal(12,2)"), Column("many", "array<bigint>")))
    sql = "SELECT id, amount, many FROM lake6.orders WHERE id > 0"
    location = house.lake.write_view(view, sql, schema, None)
    name = CatalogName("lake6", "big")
    house.publish_pointers((Pointer(catalog=name, expected=None, location=location, kind="VIEW"),))
    assert house.rows("SELECT id, many FROM forge.lake6.big") == [(1, [1]), (2, [2])]
    assert house.lake.read_view(location) == sql

    shorter = house.lake.write_view(
        view, "SELECT max(id) AS top FROM lake6.orders", Schema((Column("top", "bigint"),)), location
    )
    house.publish_pointers((Pointer(catalog=name, expected=location, location=shorter, kind="VIEW"),))
    assert house.rows("SELECT * FROM forge.lake6.big") == [(2,)]
    state = house.lake.state(name)
    assert state is not None
    assert state.kind == "VIEW"


def test_unused_files_are_those_of_dropped_stages_and_nothing_that_a_reader_needs(house: Lakehouse) -> None:
    table = CatalogName("lake7", "orders")
    stage = house.stage("lake7.orders")
    house.create(stage, "SELECT id FROM range(3)")
    house.publish(stage)
    base = head_of(house, table)
    stage = house.stage("lake7.orders", table, base)
    house.spark.sql(f"DELETE FROM {house.name(stage)} WHERE id = 1")
    house.publish(stage, expected=base)
    abandoned = house.stage("lake7.orders", table, head_of(house, table))
    house.spark.sql("SELECT 5L AS id").writeTo(house.name(abandoned)).append()
    later = datetime.now(UTC) + timedelta(hours=1)
    # Spark names a data file by the write that made it, so the abandoned file is the one no snapshot of the table has.
    kept = {
        str(row[0]).removeprefix("file:") for row in house.rows("SELECT file_path FROM forge.lake7.orders.all_files")
    }
    data = {str(path) for path in Path(stage.location.removeprefix("file:"), "data").rglob("*.parquet")}
    assert len(data - kept) == 1
    before = {orphan.path for orphan in house.lake.orphans(later)}
    assert not data & before, "a stage that is open keeps its files"

    assert house.lake.drop_stages(abandoned.run_id) == 1
    orphans = [orphan for orphan in house.lake.orphans(later) if "/lake7/" in orphan.path]
    assert data & {orphan.path for orphan in orphans} == data - kept
    assert house.lake.orphans(datetime.now(UTC) - timedelta(hours=1)) == ()
    assert house.lake.delete(orphans) == len(orphans)
    assert [orphan for orphan in house.lake.orphans(later) if "/lake7/" in orphan.path] == []
    assert house.rows("SELECT * FROM forge.lake7.orders") == [(0,), (2,)]
    assert house.rows(f"SELECT * FROM forge.lake7.orders VERSION AS OF {base}") == [(0,), (1,), (2,)]
