"""A Spark session with secrets of every kind, in a process of its own: `secret_session.py FOLDER MASTER`.

Prints one line of JSON, what Spark was told and what it showed, and stays until a line comes on stdin."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import urllib.request
from pathlib import Path

from forge.engines.spark.session.session import SparkSettings, start_session
from forge.engines.spark.sources import read_jdbc
from forge.model.secret import Secret, resolve_secret
from forge.transforms.transform import JdbcSource

TOLD = (
    "spark.hadoop.fs.s3a.secret.key",
    "spark.hadoop.fs.azure.account.key.house",
    "spark.sql.catalog.forge.jdbc.password",
    "spark.odd.name",
    "spark.plain",
)


def secret(reference: str) -> Secret:
    return resolve_secret(reference, os.environ)


def settings(root: Path, master: str) -> SparkSettings:
    (root / "events").mkdir()
    conf = {
        "spark.driver.memory": "1g",
        "spark.executor.memory": "512m",
        "spark.cores.max": "1",
        "spark.ui.enabled": "true",
        "spark.ui.port": "0",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": str(root / "events"),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.hadoop.fs.s3a.access.key": secret("env:S3_ID"),
        "spark.hadoop.fs.s3a.secret.key": secret("env:S3_KEY"),
        "spark.hadoop.fs.azure.account.key.house": str(secret("env:AZURE")),
        "spark.odd.name": secret("env:ODD"),
        "spark.plain": " two words = and\\more ",
    }
    catalog = {
        "type": "jdbc",
        "uri": "jdbc:postgresql://127.0.0.1:1/forge",
        "jdbc.user": "forge",
        "jdbc.password": str(secret("env:DATABASE")),
        "warehouse": str(root),
    }
    return SparkSettings(master, conf, catalog, root / "spark.log")


def main(root: Path, master: str) -> None:
    spark = start_session(settings(root, master))
    database = root / "source.db"
    with sqlite3.connect(database) as made:
        made.execute("CREATE TABLE t (a INTEGER)")
        made.execute("INSERT INTO t VALUES (7)")
    source = JdbcSource(f"jdbc:sqlite:{database}", table="t", user="env:SOURCE", password="env:SOURCE")
    rows = [row.a for row in read_jdbc(spark, source, secret, root).collect()]
    try:
        spark.sql("SHOW NAMESPACES IN forge").collect()
        refused = ""
    except Exception as error:
        refused = str(error)
    with urllib.request.urlopen(f"{spark.sparkContext.uiWebUrl}/environment/") as page:
        shown = page.read().decode()
    told = {key: spark.conf.get(key) for key in TOLD}
    print(json.dumps({"rows": rows, "shown": shown, "refused": refused, "told": told}), flush=True)
    sys.stdin.readline()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
