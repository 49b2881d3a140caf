"""What all workers share: a Spark session, the data, warm-up, the clock, and the answer as one line of JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from bench.quality.task import VIEW, Places

Judge = Callable[[SparkSession, DataFrame], Mapping[str, bool]]
SMALL = 200_000  # rows to get warm with


def session(folder: Path) -> SparkSession:
    spark = (
        SparkSession.builder.master("local[2]")
        .appName("quality")
        .config("spark.driver.memory", "4g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.log.level", "ERROR")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


@contextmanager
def counted(spark: SparkSession, told: dict[str, object]) -> Iterator[None]:
    """Seconds, Spark jobs, and rows that were read from files."""
    before = _jobs(spark)
    began = time.perf_counter()
    yield
    told["seconds"] = time.perf_counter() - began
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(60_000)  # the status store hears of jobs on the bus
    new = _jobs(spark) - before
    told["jobs"] = len(new)
    told["rows_read"] = sum(_rows_read(spark, job) for job in new)


def _jobs(spark: SparkSession) -> set[int]:
    jobs = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    return {jobs.apply(number).jobId() for number in range(jobs.size())}


def _rows_read(spark: SparkSession, job: int) -> int:
    store = spark.sparkContext._jsc.sc().statusStore()
    stages = store.job(job).stageIds()
    total = 0
    for number in range(stages.size()):
        stage = store.lastStageAttempt(stages.apply(number))
        total += stage.inputRecords() if stage.status().toString() == "COMPLETE" else 0
    return int(total)


def work(judge: Judge) -> None:
    """argv: folder, rows, target (parquet | view), repeats."""
    folder, rows, target, repeats = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    spark = session(folder)
    spark.read.parquet(Places(folder, rows).customers).createOrReplaceTempView("bench_customers")
    for _ in range(2):
        judge(spark, frame(spark, Places(folder, SMALL), target))
    runs: list[dict[str, object]] = []
    for _ in range(repeats):
        told: dict[str, object] = {}
        data = frame(spark, Places(folder, rows), target)
        with counted(spark, told):
            said = dict(judge(spark, data))
        runs.append({**told, "said": said})
        spark.catalog.clearCache()
    print("\n" + json.dumps(runs))
    spark.stop()


def frame(spark: SparkSession, places: Places, target: str) -> DataFrame:
    orders = spark.read.parquet(places.orders)
    if target == "parquet":
        return orders
    orders.createOrReplaceTempView("bench_orders")
    return spark.sql(VIEW)
