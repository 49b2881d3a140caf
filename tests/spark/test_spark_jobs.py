"""What tests count of Spark's work."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from spark_jobs import job_ids, rows_read

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_rows_are_counted_although_the_store_has_evicted_a_skipped_stage(spark: SparkSession, tmp_path: Path) -> None:
    context: Any = spark.sparkContext
    spark.range(100).write.parquet(str(tmp_path / "rows"))
    rows: Any = spark.read.parquet(str(tmp_path / "rows")).repartition(2)
    context.setJobGroup("twice", "its second count skips the shuffle of the first")
    try:
        shuffled = rows._jdf.toJavaRDD()
        shuffled.count()
        shuffled.count()
    finally:
        context.setLocalProperty("spark.jobGroup.id", "")
    jobs = sorted(job_ids(spark, "twice"))
    store = context._jsc.sc().statusStore()
    last = store.job(jobs[-1])
    assert last.numSkippedStages() == 1
    skipped = min(last.stageIds().apply(n) for n in range(last.stageIds().size()))
    evict(spark, skipped)
    with pytest.raises(Exception, match=f"No stage with id {skipped}"):
        store.lastStageAttempt(skipped)
    assert rows_read(spark, jobs[-1]) == 0
    assert sum(rows_read(spark, job) for job in jobs) == 100


def evict(spark: SparkSession, stage: int) -> None:
    """As the store itself does when it holds more than `spark.ui.retainedStages`."""
    context: Any = spark.sparkContext
    key = context._gateway.new_array(context._jvm.int, 2)
    key[0], key[1] = stage, 0
    wrapper = context._jvm.java.lang.Class.forName("org.apache.spark.status.StageDataWrapper")
    context._jsc.sc().statusStore().store().delete(wrapper, key)
