"""Delta tables that only Spark can make, with Delta's own extension, in a process of their own: the sessions of Forge
have no such extension. `python delta_tables.py FOLDER`

- marked: rows that are marked as deleted (deletion vectors)
- mapped: columns that have other names in the files (column mapping)
- widened: an int that became a bigint, and a decimal with more digits (type widening)"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MARKED_ROWS = 200
EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"


def lay_delta_tables(folder: Path) -> None:
    made = subprocess.run([sys.executable, __file__, folder], capture_output=True, text=True, timeout=600, check=False)
    assert made.returncode == 0, made.stderr[-3000:]


def main(folder: str) -> None:
    from pyspark.sql import SparkSession

    from forge.engines.spark.session.session import LOCAL, cached_jars

    conf: dict[str, bool | float | int | str | None] = {
        **LOCAL,
        "spark.jars": ",".join(map(str, cached_jars())),
        "spark.sql.extensions": EXTENSION,
        "spark.sql.catalog.spark_catalog": CATALOG,
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": f"{folder}/none",
        "spark.ui.enabled": "false",
    }
    spark = SparkSession.builder.master("local[2]").config(map=conf).getOrCreate()

    def make(name: str, columns: str, **properties: str) -> str:
        told = ", ".join(f"'delta.{key}' = '{value}'" for key, value in properties.items())
        spark.sql(f"CREATE TABLE delta.`{folder}/{name}` ({columns}) USING delta TBLPROPERTIES ({told})")
        return f"{folder}/{name}"

    marked = make("marked", "id BIGINT, mail STRING, f DOUBLE", enableDeletionVectors="true")
    rows = "id", "concat('user', id, '@example.com') mail", "IF(id % 5 = 0, double('NaN'), id / 8.0D) f"
    spark.range(0, MARKED_ROWS, 1, 2).selectExpr(*rows).write.format("delta").mode("append").save(marked)
    spark.sql(f"DELETE FROM delta.`{marked}` WHERE id % 7 = 0")
    mapped = make("mapped", "id BIGINT, `full name` STRING, part STRING", **{"columnMapping.mode": "name"})
    spark.sql(f"INSERT INTO delta.`{mapped}` VALUES (1, 'Ada', 'x'), (2, 'Bob', 'y'), (3, NULL, NULL)")
    widened = make("widened", "id INT, price DECIMAL(6,2)", enableTypeWidening="true")
    spark.sql(f"INSERT INTO delta.`{widened}` VALUES (1, 1.25), (2, 2.50)")
    wide = "SELECT 5000000000 AS id, CAST('9999999999.25' AS DECIMAL(12,2)) AS price"
    spark.sql(wide).write.format("delta").mode("append").option("mergeSchema", "true").save(widened)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
