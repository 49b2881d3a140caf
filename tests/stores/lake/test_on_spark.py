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
def lakehouse(spark: SparkSession, lake_folder: Path) -> Iterator[Lakehouse]:
    engine = open_database(f"sqlite:///{lake_folder}/forge.db")
    migrate(engine)
    yield Lakehouse(spark, engine, lake_folder)
    engine.dispose()


def head_of(lakehouse: Lakehouse, catalog: CatalogName, ref: str = "main") -> SnapshotId:
    state = lakehouse.lake.state(catalog)
    assert state is not None
    return state.refs[ref]


def test_a_new_table_is_published_with_its_partitions_and_properties(lakehouse: Lakehouse) -> None:
    stage = lakehouse.stage("lake1.orders")
    lakehouse.create(stage, "SELECT id, id % 2 AS part FROM range(4)", "PARTITIONED BY (part)")
    lakehouse.publish(stage)

    assert lakehouse.rows("SELECT * FROM forge.lake1.orders") == [(0, 0), (1, 1), (2, 0), (3, 1)]
    assert lakehouse.scan("lake1.orders") == [(0, 0), (1, 1), (2, 0), (3, 1)]
    table = lakehouse.pyiceberg().load_table("lake1.orders")
    assert [field.name for field in table.spec().fields] == ["part"]
    assert table.properties["write.merge.mode"] == "merge-on-read"
    assert table.location().removeprefix("file:") == stage.location
    assert stage.catalog not in [name for _, name in lakehouse.lake.stages()]
    assert ("lake1",) in {tuple(r) for r in lakehouse.rows("SHOW NAMESPACES IN forge")}


def test_append_overwrite_merge_and_delete_are_staged_out_of_sight_and_then_seen_by_all(lakehouse: Lakehouse) -> None:
    from pyspark.sql.functions import lit

    table = CatalogName("lake2", "orders")
    stage = lakehouse.stage("lake2.orders")
    lakehouse.create(stage, "SELECT id, CAST(id AS string) AS name FROM range(3)")
    lakehouse.publish(stage)
    first = head_of(lakehouse, table)
    before = lakehouse.rows("SELECT * FROM forge.lake2.orders")

    stage = lakehouse.stage("lake2.orders", table, first)
    lakehouse.spark.sql("SELECT 10L AS id, 'ten' AS name").writeTo(lakehouse.name(stage)).append()
    assert lakehouse.rows("SELECT * FROM forge.lake2.orders") == before
    lakehouse.publish(stage, expected=first)
    second = head_of(lakehouse, table)
    assert lakehouse.rows("SELECT * FROM forge.lake2.orders") == [*before, (10, "ten")]

    stage = lakehouse.stage("lake2.orders", table, second)
    lakehouse.spark.sql(
        f"MERGE INTO {lakehouse.name(stage)} t USING (SELECT 1L AS id, 'one' AS name UNION ALL SELECT 11L, 'eleven') s"
        " ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    lakehouse.spark.sql(f"DELETE FROM {lakehouse.name(stage)} WHERE id = 0")
    lakehouse.publish(stage, expected=second)
    merged = [(1, "one"), (2, "2"), (10, "ten"), (11, "eleven")]
    assert lakehouse.rows("SELECT * FROM forge.lake2.orders") == merged
    assert lakehouse.scan("lake2.orders") == merged
    deletes = lakehouse.rows("SELECT count(*) FROM forge.lake2.orders.all_delete_files")
    assert deletes[0][0] != 0, "the case is about delete files"

    third = head_of(lakehouse, table)
    stage = lakehouse.stage("lake2.orders", table, third)
    lakehouse.spark.sql("SELECT 7L AS id, 'seven' AS name").writeTo(lakehouse.name(stage)).overwrite(lit(True))
    lakehouse.publish(stage, expected=third)
    assert lakehouse.rows("SELECT * FROM forge.lake2.orders") == [(7, "seven")]

    for snapshot, expected in ((first, before), (second, [*before, (10, "ten")]), (third, merged)):
        assert lakehouse.rows(f"SELECT * FROM forge.lake2.orders VERSION AS OF {snapshot}") == expected
        assert lakehouse.scan("lake2.orders", snapshot) == expected
    history = lakehouse.rows("SELECT snapshot_id FROM forge.lake2.orders.history")
    assert {row[0] for row in history} == {first, second, third, head_of(lakehouse, table)}


def test_two_branches_staged_at_once_both_arrive_though_they_share_a_sequence_number(lakehouse: Lakehouse) -> None:
    table = CatalogName("lake3", "orders")
    stage = lakehouse.stage("lake3.orders")
    lakehouse.create(stage, "SELECT id FROM range(2)")
    lakehouse.publish(stage)
    base = head_of(lakehouse, table)

    on_main, on_dev = lakehouse.stage("lake3.orders", table, base), lakehouse.stage("lake3.orders", table, base)
    lakehouse.spark.sql("SELECT 100L AS id").writeTo(lakehouse.name(on_main)).append()
    lakehouse.spark.sql("SELECT 200L AS id").writeTo(lakehouse.name(on_dev)).append()
    lakehouse.publish(on_main, MAIN, base)
    lakehouse.publish(on_dev, DEV, None)

    metadata = lakehouse.pyiceberg().load_table("lake3.orders").metadata
    numbers = [metadata.snapshot_by_name(name).sequence_number for name in ("main", "dev")]  # type: ignore[union-attr]
    assert numbers[0] == numbers[1]
    assert lakehouse.rows("SELECT * FROM forge.lake3.orders") == [(0,), (1,), (100,)]
    assert lakehouse.rows("SELECT * FROM forge.lake3.orders VERSION AS OF 'dev'") == [(0,), (1,), (200,)]
    assert lakehouse.scan("lake3.orders", head_of(lakehouse, table, "dev")) == [(0,), (1,), (200,)]

    for branch, ref in ((MAIN, "main"), (DEV, "dev")):
        at = head_of(lakehouse, table, ref)
        stage = lakehouse.stage("lake3.orders", table, at)
        lakehouse.spark.sql(f"DELETE FROM {lakehouse.name(stage)} WHERE id = 0")
        lakehouse.publish(stage, branch, at)
    assert lakehouse.rows("SELECT * FROM forge.lake3.orders") == [(1,), (100,)]
    assert lakehouse.rows("SELECT * FROM forge.lake3.orders VERSION AS OF 'dev'") == [(1,), (200,)]


def test_columns_added_and_dropped_on_a_branch_leave_main_as_it_was(lakehouse: Lakehouse) -> None:
    table = CatalogName("lake4", "orders")
    stage = lakehouse.stage("lake4.orders")
    lakehouse.create(stage, "SELECT id, 'a' AS old FROM range(2)")
    lakehouse.publish(stage)
    base = head_of(lakehouse, table)

    stage = lakehouse.stage("lake4.orders", table, base)
    lakehouse.spark.sql(f"ALTER TABLE {lakehouse.name(stage)} ADD COLUMN new int")
    lakehouse.spark.sql(f"ALTER TABLE {lakehouse.name(stage)} DROP COLUMN old")
    lakehouse.spark.sql(f"INSERT INTO {lakehouse.name(stage)} SELECT 5L, 50")
    lakehouse.publish(stage, DEV, None)

    assert lakehouse.rows("SELECT * FROM forge.lake4.orders") == [(0, "a"), (1, "a")]
    dev = head_of(lakehouse, table, "dev")
    seen = lakehouse.spark.sql(f"SELECT * FROM forge.lake4.orders VERSION AS OF {dev}")
    assert seen.columns == ["id", "new"]
    assert sorted((row[0], row[1]) for row in seen.collect() if row[1] is not None) == [(5, 50)]
    state = lakehouse.lake.snapshot(table, dev)
    assert state is not None
    assert state.schema.names == ("id", "new")
    assert state.statistics.rows_added == 1
    assert state.statistics.record_count == 3

    stage = lakehouse.stage("lake4.orders", table, base)
    lakehouse.spark.sql(f"ALTER TABLE {lakehouse.name(stage)} ADD COLUMN other string")
    lakehouse.spark.sql(f"INSERT INTO {lakehouse.name(stage)} SELECT 6L, 'b', 'c'")
    lakehouse.publish(stage, MAIN, base)
    assert lakehouse.spark.table("forge.lake4.orders").columns == ["id", "old", "other"]
    assert lakehouse.rows(f"SELECT * FROM forge.lake4.orders VERSION AS OF {base}") == [(0, "a"), (1, "a")]
    assert lakehouse.spark.sql(f"SELECT * FROM forge.lake4.orders VERSION AS OF {dev}").columns == ["id", "new"]


def test_a_table_that_lives_on_a_branch_only_is_read_by_snapshot_and_grows_there(lakehouse: Lakehouse) -> None:
    stage = lakehouse.stage("lake5.fresh")
    lakehouse.create(stage, "SELECT id FROM range(2)")
    pointer = lakehouse.publish(stage, DEV)
    assert pointer.catalog.namespace == "forge_branches"
    assert CatalogName("lake5", "fresh") not in lakehouse.lake.tables()
    hidden = f"forge.forge_branches.`{pointer.catalog.name}`"
    assert lakehouse.rows(f"SELECT * FROM {hidden}") == []
    first = head_of(lakehouse, pointer.catalog, "dev")
    assert lakehouse.rows(f"SELECT * FROM {hidden} VERSION AS OF {first}") == [(0,), (1,)]
    assert lakehouse.rows(f"SELECT * FROM {hidden} VERSION AS OF 'dev'") == [(0,), (1,)]

    stage = lakehouse.stage("lake5.fresh", pointer.catalog, first)
    lakehouse.spark.sql("SELECT 9L AS id").writeTo(lakehouse.name(stage)).append()
    lakehouse.publish(stage, DEV, first)
    assert lakehouse.rows(f"SELECT * FROM {hidden} VERSION AS OF 'dev'") == [(0,), (1,), (9,)]


def test_spark_reads_a_view_and_its_next_version(lakehouse: Lakehouse) -> None:
    stage = lakehouse.stage("lake6.orders")
    lakehouse.create(stage, "SELECT id, CAST(id AS decimal(12,2)) AS amount, array(id) AS many FROM range(3)")
    lakehouse.publish(stage)
    view = TableName.parse("lake6.big")
    schema = Schema((Column("id", "bigint"), Column("amount", "decimal(12,2)"), Column("many", "array<bigint>")))
    sql = "SELECT id, amount, many FROM lake6.orders WHERE id > 0"
    location = lakehouse.lake.write_view(view, sql, schema, None)
    name = CatalogName("lake6", "big")
    lakehouse.publish_pointers((Pointer(catalog=name, expected=None, location=location, kind="VIEW"),))
    assert lakehouse.rows("SELECT id, many FROM forge.lake6.big") == [(1, [1]), (2, [2])]
    assert lakehouse.lake.read_view(location) == sql

    shorter = lakehouse.lake.write_view(
        view, "SELECT max(id) AS top FROM lake6.orders", Schema((Column("top", "bigint"),)), location
    )
    lakehouse.publish_pointers((Pointer(catalog=name, expected=location, location=shorter, kind="VIEW"),))
    assert lakehouse.rows("SELECT * FROM forge.lake6.big") == [(2,)]
    state = lakehouse.lake.state(name)
    assert state is not None
    assert state.kind == "VIEW"


def test_unused_files_are_those_of_dropped_stages_and_nothing_that_a_reader_needs(lakehouse: Lakehouse) -> None:
    table = CatalogName("lake7", "orders")
    stage = lakehouse.stage("lake7.orders")
    lakehouse.create(stage, "SELECT id FROM range(3)")
    lakehouse.publish(stage)
    base = head_of(lakehouse, table)
    stage = lakehouse.stage("lake7.orders", table, base)
    lakehouse.spark.sql(f"DELETE FROM {lakehouse.name(stage)} WHERE id = 1")
    lakehouse.publish(stage, expected=base)
    abandoned = lakehouse.stage("lake7.orders", table, head_of(lakehouse, table))
    lakehouse.spark.sql("SELECT 5L AS id").writeTo(lakehouse.name(abandoned)).append()
    later = datetime.now(UTC) + timedelta(hours=1)
    # Spark names a data file by the write that made it, so the abandoned file is the one no snapshot of the table has.
    kept = {
        str(row[0]).removeprefix("file:")
        for row in lakehouse.rows("SELECT file_path FROM forge.lake7.orders.all_files")
    }
    data = {str(path) for path in Path(stage.location.removeprefix("file:"), "data").rglob("*.parquet")}
    assert len(data - kept) == 1
    before = {orphan.path for orphan in lakehouse.lake.orphans(later)}
    assert not data & before, "a stage that is open keeps its files"

    assert lakehouse.lake.drop_stages(abandoned.run_id) == 1
    orphans = [orphan for orphan in lakehouse.lake.orphans(later) if "/lake7/" in orphan.path]
    assert data & {orphan.path for orphan in orphans} == data - kept
    assert lakehouse.lake.orphans(datetime.now(UTC) - timedelta(hours=1)) == ()
    assert lakehouse.lake.delete(orphans) == len(orphans)
    assert [orphan for orphan in lakehouse.lake.orphans(later) if "/lake7/" in orphan.path] == []
    assert lakehouse.rows("SELECT * FROM forge.lake7.orders") == [(0,), (2,)]
    assert lakehouse.rows(f"SELECT * FROM forge.lake7.orders VERSION AS OF {base}") == [(0,), (1,), (2,)]
