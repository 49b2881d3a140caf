"""Great Expectations."""

from __future__ import annotations

import os
from collections.abc import Mapping

os.environ["GX_ANALYTICS_ENABLED"] = "false"

import great_expectations as gx
import great_expectations.expectations as gxe
from pyspark.sql import DataFrame, SparkSession

from bench.quality.task import NOW, TASKS, Task
from bench.quality.workers.worker import work


def expectation(task: Task) -> gxe.Expectation:
    mostly = 1 - task.allowed / 100
    match task.kind:
        case "rows":
            return gxe.ExpectTableRowCountToBeBetween(min_value=task.low, max_value=task.high)
        case "not_null":
            return gxe.ExpectColumnValuesToNotBeNull(column=task.column, mostly=mostly)
        case "unique":
            return gxe.ExpectColumnValuesToBeUnique(column=task.column)
        case "range":
            return gxe.ExpectColumnValuesToBeBetween(column=task.column, min_value=task.low, max_value=task.high)
        case "set":
            return gxe.ExpectColumnValuesToBeInSet(column=task.column, value_set=list(task.values))
        case "regex":
            return gxe.ExpectColumnValuesToMatchRegex(column=task.column, regex=task.text)
        case "newest":
            return gxe.ExpectColumnMaxToBeBetween(
                column=task.column, min_value=NOW.replace(year=NOW.year - 1, tzinfo=None)
            )
        case "mean":
            return gxe.ExpectColumnMeanToBeBetween(column=task.column, min_value=task.low, max_value=task.high)
    return gxe.UnexpectedRowsExpectation(unexpected_rows_query=f"SELECT * FROM {{batch}} WHERE NOT ({task.text})")


def judge(spark: SparkSession, frame: DataFrame) -> Mapping[str, bool]:
    context = gx.get_context(mode="ephemeral")
    asset = context.data_sources.add_spark("spark").add_dataframe_asset("orders")
    batch = asset.add_batch_definition_whole_dataframe("whole").get_batch(batch_parameters={"dataframe": frame})
    asked = [expectation(task) for task in TASKS]
    result = batch.validate(gx.ExpectationSuite("twenty", expectations=asked), result_format="BOOLEAN_ONLY")
    said: dict[str, bool] = {}
    for one in result.results:
        config = one.expectation_config
        for task, wanted in zip(TASKS, asked, strict=True):
            if config.type == wanted.expectation_type and config.kwargs.get("column") == (task.column or None):
                said[task.id] = bool(one.success)
    return said


if __name__ == "__main__":
    work(judge)
