"""Column lineage of a DataFrame before it is written, and of plans that write."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from forge.engines.spark.lineage.plan import lineage_of_frame, lineage_of_plan, path_name, plain_name, writes_of
from forge.lineage.edge import Extraction
from forge.lineage.extract.program import OutputKind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def frame_tables(spark: SparkSession) -> SparkSession:
    rows = "TBLPROPERTIES ('format-version'='2', 'write.merge.mode'='{0}', 'write.update.mode'='{0}', " + (
        "'write.delete.mode'='{0}')"
    )
    spark.sql("CREATE NAMESPACE IF NOT EXISTS forge.house")
    spark.sql("CREATE OR REPLACE TABLE house.source (id BIGINT, name STRING, n INT) USING iceberg")
    for mode in ("copy-on-write", "merge-on-read"):
        table = "house." + mode.replace("-", "_")
        spark.sql(f"CREATE OR REPLACE TABLE {table} (id BIGINT, name STRING, n INT) USING iceberg {rows.format(mode)}")
    return spark


def said(found: Extraction) -> set[str]:
    direct = {f"{e.target.column} <- {e.source} {e.transformation}" for e in found.edges}
    return direct | {f"~ {e.subtype} {e.source}" for e in found.indirect}


def analysed(spark: SparkSession, text: str) -> Any:
    state, jvm = spark._jsparkSession.sessionState(), spark.sparkContext._jvm
    assert jvm is not None
    skip = jvm.org.apache.spark.sql.execution.CommandExecutionMode.SKIP()
    return state.executePlan(state.sqlParser().parsePlan(text), skip).analyzed()


def written(spark: SparkSession, text: str) -> tuple[str, OutputKind, set[str]]:
    (write,) = writes_of(analysed(spark, text))
    target = plain_name(write.target) if write.made is not OutputKind.FILE else write.target
    return target, write.made, said(lineage_of_plan(write.plan, target))


def test_files_are_named_by_their_path(frame_tables: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,x\n")
    files = frame_tables.read.schema("id INT, name STRING").csv(str(tmp_path))
    frame = files.join(frame_tables.table("house.source"), "id").select(files.name, "n")
    assert said(lineage_of_frame(frame, "out.t")) == {
        f"name <- {tmp_path}.name identity",
        "n <- house.source.n identity",
        f"~ join {tmp_path}.id",
        "~ join house.source.id",
    }


def test_files_in_a_subquery_are_named_too(frame_tables: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1\n")
    frame_tables.read.schema("id INT").csv(str(tmp_path)).createOrReplaceTempView("wanted")
    frame = frame_tables.sql("SELECT name FROM house.source WHERE id IN (SELECT id FROM wanted)")
    assert said(lineage_of_frame(frame, "out.t")) == {
        "name <- house.source.name identity",
        "~ filter house.source.id",
        f"~ filter {tmp_path}.id",
    }


def test_nothing_runs(frame_tables: SparkSession) -> None:
    frame = frame_tables.table("house.source").selectExpr("raise_error('it ran') AS never", "id")
    assert said(lineage_of_frame(frame, "out.t")) == {"id <- house.source.id identity"}


@pytest.mark.parametrize("table", ["house.copy_on_write", "house.merge_on_read"])
def test_a_merge_is_the_same_however_its_rows_are_written(frame_tables: SparkSession, table: str) -> None:
    text = f"""MERGE INTO {table} t USING house.source s ON t.id = s.id
        WHEN MATCHED AND s.n > 3 THEN UPDATE SET name = upper(s.name), n = s.n + t.n
        WHEN MATCHED AND t.n < 0 THEN DELETE
        WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)
        WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = 'gone'"""
    assert written(frame_tables, text) == (
        table,
        OutputKind.TABLE,
        {
            "id <- house.source.id identity",
            "name <- house.source.name transformation",
            "n <- house.source.n transformation",
            f"n <- {table}.n transformation",
            f"~ join {table}.id",
            "~ join house.source.id",
            "~ filter house.source.n",
            f"~ filter {table}.n",
        },
    )


@pytest.mark.parametrize("table", ["house.copy_on_write", "house.merge_on_read"])
@pytest.mark.parametrize(
    ("condition", "shaped"),
    [
        ("id > 3", {"~ filter {0}.id"}),
        ("id IN (SELECT id FROM house.source WHERE n > 1)",
         {"~ filter {0}.id", "~ filter house.source.id", "~ filter house.source.n"}),
    ],
)  # fmt: skip
def test_updates_and_deletes_tell_what_they_change(
    frame_tables: SparkSession, table: str, condition: str, shaped: set[str]
) -> None:
    rows = {one.format(table) for one in shaped}
    update = written(frame_tables, f"UPDATE {table} SET name = concat(name, n), n = 7 WHERE {condition}")
    changed = {f"name <- {table}.name transformation", f"name <- {table}.n transformation"}
    assert update == (table, OutputKind.TABLE, changed | rows)
    assert written(frame_tables, f"DELETE FROM {table} WHERE {condition}") == (table, OutputKind.TABLE, rows)


def test_an_insert_goes_by_position(frame_tables: SparkSession) -> None:
    found = written(frame_tables, "INSERT INTO house.copy_on_write SELECT n, upper(name), id FROM house.source")
    edges = {"id <- house.source.n transformation", "name <- house.source.name transformation"}
    assert found == ("house.copy_on_write", OutputKind.TABLE, edges | {"n <- house.source.id transformation"})


def test_each_table_of_a_multi_insert_is_told(frame_tables: SparkSession) -> None:
    text = """FROM house.source INSERT INTO house.copy_on_write SELECT * WHERE n > 1
        INSERT INTO house.merge_on_read SELECT id, name, 1"""
    writes = list(writes_of(analysed(frame_tables, text)))
    assert [plain_name(one.target) for one in writes] == ["house.copy_on_write", "house.merge_on_read"]


def test_a_query_writes_nothing(frame_tables: SparkSession) -> None:
    assert list(writes_of(analysed(frame_tables, "SELECT id FROM house.source"))) == []
    assert list(writes_of(analysed(frame_tables, "CREATE TEMP VIEW gone AS SELECT id FROM house.source"))) == []


def test_a_folder_is_a_target(frame_tables: SparkSession) -> None:
    found = written(frame_tables, "INSERT OVERWRITE DIRECTORY '/nowhere/x' USING parquet SELECT id FROM house.source")
    assert found == ("/nowhere/x", OutputKind.FILE, {"id <- house.source.id identity"})


def test_a_path_is_written_as_people_write_it() -> None:
    assert path_name("file:/a/b") == path_name("file:///a/b") == "/a/b"
    assert path_name("s3a://bucket/b") == "s3a://bucket/b"
