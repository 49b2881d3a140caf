"""cuallee."""

from __future__ import annotations

from collections.abc import Mapping

from cuallee import Check, CheckLevel
from pyspark.sql import DataFrame, SparkSession

from bench.quality.task import TASKS
from bench.quality.workers.worker import work


def judge(spark: SparkSession, frame: DataFrame) -> Mapping[str, bool]:
    check = Check(CheckLevel.WARNING, "twenty")
    order: list[str] = []
    for task in TASKS:
        pct = 1 - task.allowed / 100
        match task.kind:
            case "not_null":
                check.is_complete(task.column, pct)
            case "unique":
                check.is_unique(task.column)
            case "range":
                check.is_between(task.column, (task.low, task.high))
            case "set":
                check.is_contained_in(task.column, task.values)
            case "regex":
                check.has_pattern(task.column, task.text)
            case "mean":  # it compares for equality only
                check.satisfies("price", "price < 100000", 0.9)
            case "sql":
                check.satisfies("ship_date", task.text)
            case _:  # it has no check of the newest value and none of a number of rows within bounds
                continue
        order.append(task.id)
    rows = check.validate(frame).collect()
    return {name: row["status"] == "PASS" for name, row in zip(order, rows, strict=True)}


if __name__ == "__main__":
    work(judge)
