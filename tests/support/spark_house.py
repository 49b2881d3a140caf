"""The table of orders with Spark on it, in a session of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from orders_house import House

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from forge.engines.spark.engine import SparkEngine
    from forge.engines.spark.merge.row_engine import SparkRows


class SparkHouse(House):
    work: SparkRows

    def __init__(self, folder: Path, spark: SparkSession) -> None:
        from forge.engines.spark.engine import SparkEngine
        from forge.engines.spark.merge.row_engine import SparkRows
        from forge.engines.spark.session.session import LazySession, SparkSettings

        super().__init__(folder)
        self.spark = spark.newSession()
        catalog = {
            "type": "jdbc",
            "uri": f"jdbc:sqlite:file:{folder}/forge.db?busy_timeout=30000&journal_mode=WAL",
            "warehouse": f"{folder}/warehouse",
        }
        for key, value in catalog.items():
            self.spark.conf.set(f"spark.sql.catalog.forge.{key}", value)
        settings = SparkSettings("local[2]", {}, catalog, folder / "spark.log")
        self.spark_engine: SparkEngine = SparkEngine(LazySession(settings=settings, _session=self.spark), folder)
        self.work = SparkRows(self.spark_engine, self.tables)
