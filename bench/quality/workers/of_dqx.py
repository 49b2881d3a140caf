"""DQX of Databricks Labs."""

from __future__ import annotations

from collections.abc import Mapping
from unittest.mock import MagicMock

from databricks.labs.dqx import check_funcs
from databricks.labs.dqx.engine import DQEngineCore
from databricks.labs.dqx.rule import DQDatasetRule, DQRowRule
from databricks.sdk import WorkspaceClient
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from bench.quality.task import TASKS, Task
from bench.quality.workers.worker import work


def rule(task: Task) -> DQRowRule | DQDatasetRule | None:
    match task.kind:
        case "rows":
            return DQDatasetRule(
                name=task.id,
                criticality="error",
                check_func=check_funcs.is_aggr_not_less_than,
                column="*",
                check_func_kwargs={"aggr_type": "count", "limit": task.low},
            )
        case "not_null":
            return DQRowRule(name=task.id, check_func=check_funcs.is_not_null, column=task.column)
        case "unique":
            return DQDatasetRule(name=task.id, check_func=check_funcs.is_unique, columns=[task.column])
        case "range":
            limits = {"min_limit": task.low, "max_limit": task.high}
            return DQRowRule(
                name=task.id, check_func=check_funcs.is_in_range, column=task.column, check_func_kwargs=limits
            )
        case "set":
            return DQRowRule(
                name=task.id,
                check_func=check_funcs.is_in_list,
                column=task.column,
                check_func_kwargs={"allowed": [f.lit(value) for value in task.values]},
            )
        case "regex":
            return DQRowRule(
                name=task.id,
                check_func=check_funcs.regex_match,
                column=task.column,
                check_func_kwargs={"regex": task.text},
            )
        case "mean":
            return DQDatasetRule(
                name=task.id,
                check_func=check_funcs.is_aggr_not_greater_than,
                column=task.column,
                check_func_kwargs={"aggr_type": "avg", "limit": task.high},
            )
        case "newest":
            return DQDatasetRule(
                name=task.id,
                check_func=check_funcs.is_aggr_not_less_than,
                column=f.unix_micros(task.column),
                check_func_kwargs={"aggr_type": "max", "limit": 0},
            )
    return DQRowRule(name=task.id, check_func=check_funcs.sql_expression, check_func_kwargs={"expression": task.text})


def judge(spark: SparkSession, frame: DataFrame) -> Mapping[str, bool]:
    """It marks each row with the names of the rules it breaks; the verdicts are counts of these."""
    engine = DQEngineCore(MagicMock(spec=WorkspaceClient), spark)
    marked = engine.apply_checks(frame, [found for task in TASKS if (found := rule(task)) is not None])
    broken = f.transform(f.col("_errors"), lambda error: error["name"])
    counts = [f.count_if(f.array_contains(broken, task.id)).alias(task.id) for task in TASKS]
    row = marked.agg(f.count(f.lit(1)).alias("n"), *counts).collect()[0]
    return {task.id: row[task.id] * 100 <= task.allowed * row["n"] for task in TASKS}


if __name__ == "__main__":
    work(judge)
