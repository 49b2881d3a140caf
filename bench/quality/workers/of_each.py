"""One job for each check, as checks are written without a planner."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from bench.quality.task import TASKS
from bench.quality.workers.of_floor import aggregate, verdict
from bench.quality.workers.worker import work


def judge(spark: SparkSession, frame: DataFrame) -> Mapping[str, bool]:
    rows = frame.count()
    said: dict[str, bool] = {}
    for task in TASKS:
        value = frame.agg(aggregate(task).alias("value")).collect()[0]["value"]
        said[task.id] = verdict(task, value, rows)
    return said


if __name__ == "__main__":
    work(judge)
