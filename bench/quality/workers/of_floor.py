"""The floor: all twenty checks in one aggregation, written by hand."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from bench.quality.task import AGE_DAYS, NOW, TASKS, Task
from bench.quality.workers.worker import work


def aggregate(task: Task) -> Column:
    column = f.col(task.column) if task.column else None
    match task.kind, column:
        case "not_null", Column():
            return f.count_if(column.isNull())
        case "unique", Column():
            return f.count(column) - f.count_distinct(column)
        case "range", Column():
            return f.count_if((column < f.lit(task.low)) | (column > f.lit(task.high)))
        case "set", Column():
            return f.count_if(~column.isin(*task.values))
        case "regex", Column():
            return f.count_if(~column.rlike(task.text))
        case "newest", Column():
            return f.max(f.unix_micros(column))
        case "mean", Column():
            return f.avg(column)
        case "sql", None:
            return f.count_if(~f.expr(task.text))
    return f.count(f.lit(1))


def verdict(task: Task, value: object, rows: int) -> bool:
    match task.kind:
        case "rows" | "mean":
            assert isinstance(value, int | float)
            assert isinstance(task.low, int | float)
            assert isinstance(task.high, int | float)
            return task.low <= value <= task.high
        case "newest":
            assert isinstance(value, int)
            return value >= (NOW.timestamp() - AGE_DAYS * 86_400) * 1_000_000
    assert isinstance(value, int)
    return value * 100 <= task.allowed * rows


def judge(spark: SparkSession, frame: DataFrame) -> Mapping[str, bool]:
    row = frame.agg(*(aggregate(task).alias(task.id) for task in TASKS)).collect()[0]
    return {task.id: verdict(task, row[task.id], row["rows"]) for task in TASKS}


if __name__ == "__main__":
    work(judge)
