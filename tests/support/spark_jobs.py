"""The jobs of a group and the rows they read, from Spark's status store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def job_ids(spark: SparkSession, group: str | None) -> tuple[int, ...]:
    """Jobs of a group, or those without one. The store hears of a job on the listener bus, after the action may have
    returned: without the wait a test would count too few."""
    context: Any = spark.sparkContext
    context._jsc.sc().listenerBus().waitUntilEmpty(60_000)
    return tuple(context.statusTracker().getJobIdsForGroup(group))


def rows_read(spark: SparkSession, job: int) -> int:
    """Input records of the completed stages of a job.

    Skipped stages are not looked up: they read nothing, and the store, once it holds `spark.ui.retainedStages`,
    evicts by completion time, which they do not have, so that the newest of them go first."""
    context: Any = spark.sparkContext
    store, classes = context._jsc.sc().statusStore(), context._jvm.java.lang.Class
    skipped = store.store().read(classes.forName("org.apache.spark.status.JobDataWrapper"), job).skippedStages()
    ids = store.job(job).stageIds()
    ran = [ids.apply(n) for n in range(ids.size()) if not skipped.contains(ids.apply(n))]
    stages = [store.lastStageAttempt(stage) for stage in ran]
    return sum(stage.inputRecords() for stage in stages if stage.status().toString() == "COMPLETE")
