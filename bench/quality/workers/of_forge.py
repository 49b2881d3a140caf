"""Forge: the checks as a project has them, planned and measured by its engine."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from bench.quality.forge_checks import TABLE, forge_checks
from bench.quality.task import NOW, TASKS
from bench.quality.workers.worker import work
from forge.engines.spark.frames import schema_of
from forge.engines.spark.measure.measurer import SparkMeasurer
from forge.quality.check import Context
from forge.quality.plan import judge_all, plan_measures
from forge.quality.verdict import Outcome


def judge(spark: SparkSession, frame: DataFrame) -> Mapping[str, bool]:
    checks = forge_checks()
    schema = schema_of(frame)
    measurer = SparkMeasurer(spark, frame, lambda table: frame)
    readings = measurer.measure(plan_measures(checks, schema))
    verdicts = judge_all(checks, readings, Context(TABLE, schema, NOW))
    return {task.id: verdict.outcome is Outcome.PASSED for task, verdict in zip(TASKS, verdicts, strict=True)}


if __name__ == "__main__":
    work(judge)
