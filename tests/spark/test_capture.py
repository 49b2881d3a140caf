"""A user's script, run unchanged: what it was seen to read and write. Each script is a process with its own Spark."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from forge.engines.spark.lineage.capture import capture
from forge.engines.spark.session.session import cached_jars
from forge.flows.lineage.capture import ScriptCapture
from forge.lineage.extract.program import OutputKind

pytestmark = pytest.mark.spark

START = """
    import sys
    from pyspark.sql import SparkSession, functions as F

    spark = SparkSession.builder.appName("a job").getOrCreate()
    folder = sys.argv[1]
"""
WRITES = """
    spark.range(3).selectExpr("id", "concat('n', id) AS name").write.parquet(folder + "/people")
    people = spark.read.parquet(folder + "/people")
    people.select(F.upper("name").alias("loud"), "id").write.saveAsTable("staff")
    people.filter("id > 1").select("name", "id").write.insertInto("staff")
    spark.sql("CREATE DATABASE IF NOT EXISTS sales")
    spark.sql("CREATE TABLE sales.copy AS SELECT loud, id + 1 AS next FROM staff")
    spark.sql("CREATE VIEW sales.seen AS SELECT next FROM sales.copy")
    spark.sql("INSERT INTO sales.copy SELECT 'x', next FROM sales.seen")

    spark.sql("CREATE TABLE lake.core.target (id BIGINT, name STRING) USING iceberg")
    people.createOrReplaceTempView("p")
    spark.sql("MERGE INTO lake.core.target t USING p ON t.id = p.id "
              "WHEN MATCHED THEN UPDATE SET name = p.name WHEN NOT MATCHED THEN INSERT *")
    spark.sql("UPDATE lake.core.target SET name = upper(name) WHERE id = 1")
    people.groupBy("name").count().writeTo("lake.core.counted").using("iceberg").create()
    people.select("id").write.format("csv").option("header", True).save(folder + "/out")
    print(people.count(), "rows")
"""
STREAM = """
    spark.range(3).selectExpr("id", "id * 2 AS twice").write.json(folder + "/in")
    stream = spark.readStream.schema("id LONG, twice LONG").json(folder + "/in")
    shown = stream.filter("id > 0").withColumn("more", F.col("twice") + 1)

    def each(batch, number):
        batch.select("id", F.col("more").alias("most")).write.mode("append").saveAsTable("streamed")

    shown.writeStream.foreachBatch(each).trigger(availableNow=True).option(
        "checkpointLocation", folder + "/c1").start().awaitTermination()
    stream.writeStream.format("parquet").option("path", folder + "/sink").option(
        "checkpointLocation", folder + "/c2").trigger(availableNow=True).start().awaitTermination()
    sys.exit(7)
"""


def run(tmp_path: Path, *parts: str) -> ScriptCapture:
    script = tmp_path / "job.py"
    script.write_text("".join(dedent(part) for part in parts))
    conf = {
        "spark.jars": ",".join(map(str, cached_jars())),
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": str(tmp_path / "lake"),
        "spark.sql.shuffle.partitions": "1",
        "spark.ui.enabled": "false",
        "spark.master": "local[1]",
    }
    return capture(script, [str(tmp_path)], conf)


def edges(captured: ScriptCapture, folder: Path) -> dict[str, set[str]]:
    """What arrives in each target, with short names for what lies in the folder."""
    found: dict[str, set[str]] = {}
    for one in captured.seen:
        into = found.setdefault(one.target.replace(f"{folder}/", ""), set())
        for edge in one.extraction.edges:
            source, target = (str(end).replace(f"{folder}/", "") for end in (edge.source, edge.target))
            into.add(f"{target.rpartition('.')[2]} <- {source} {edge.transformation}")
    return found


def test_every_way_of_writing_is_seen(tmp_path: Path) -> None:
    captured = run(tmp_path, START, WRITES)
    assert captured.exit_code == 0
    assert captured.gaps == ()
    assert edges(captured, tmp_path) == {
        "people": set(),
        "default.staff": {
            "loud <- people.name transformation",
            "id <- people.id identity",
            "loud <- people.name identity",
        },
        "sales.copy": {
            "loud <- default.staff.loud identity",
            "next <- default.staff.id transformation",
            "next <- sales.seen.next identity",
        },
        "sales.seen": {"next <- sales.copy.next identity"},
        "lake.core.target": {
            "name <- people.name identity",
            "id <- people.id identity",
            "name <- lake.core.target.name transformation",
        },
        "lake.core.counted": {"name <- people.name identity"},
        "out": {"id <- people.id identity"},
    }
    made = {one.target.replace(f"{tmp_path}/", ""): one.made for one in captured.seen}
    assert made["out"] is OutputKind.FILE
    assert made["sales.seen"] is OutputKind.VIEW
    assert made["default.staff"] is OutputKind.TABLE


def test_streams_are_followed_through_their_batches_and_a_failure_loses_nothing(tmp_path: Path) -> None:
    captured = run(tmp_path, START, STREAM)
    assert captured.exit_code == 7
    assert edges(captured, tmp_path) == {
        "in": set(),
        "default.streamed": {"id <- in.id identity", "most <- in.twice transformation"},
        "sink": {"id <- in.id identity", "twice <- in.twice identity"},
    }
    streamed = next(one for one in captured.seen if one.target == "default.streamed")
    assert [(str(e.subtype), e.source.column) for e in streamed.extraction.indirect] == [("filter", "id")]
