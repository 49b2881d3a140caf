"""Execution of measures as Spark jobs: one job per aggregate, independent jobs in parallel, failures isolated."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from pyspark import inheritable_thread_target
from pyspark.sql import DataFrame, Row, SparkSession

from forge.engines.spark.collect import collected
from forge.engines.spark.measure.columns import ERRORS, reason_of
from forge.flows.runs.engine import MeasureBatch
from forge.quality.kinds import has_sql
from forge.quality.measure import Measure, MeasureTier, NotMeasured, Reading

T = TypeVar("T")
AT_ONCE = 3  # jobs: the next one fills the cores that the last tasks of the one before leave idle
WIDE = 300  # aggregates of one job: the code of more does not compile, and without code generation it crawls
_FIELDS = "1000"  # up to which Spark generates code; its own limit of 100 is less than one wide aggregation needs


@dataclass(frozen=True, slots=True)
class MeasureJob:
    tier: MeasureTier
    measures: tuple[Measure, ...]
    run: Callable[[], Mapping[Measure, Reading]]


def run_jobs(
    spark: SparkSession, jobs: Sequence[MeasureJob], report: Callable[[MeasureBatch], None]
) -> dict[Measure, Reading]:
    """Runs all, up to `AT_ONCE` in parallel, in the job group of this thread."""
    readings: dict[Measure, Reading] = {}
    if len(jobs) <= 1:
        for job in jobs:
            readings.update(_timed(job, report))
        return readings
    with ThreadPoolExecutor(min(AT_ONCE, len(jobs)), thread_name_prefix="forge-measure") as pool:
        for found in [pool.submit(inheritable_thread_target(spark)(_timed), job, report) for job in jobs]:
            readings.update(found.result())
    return readings


def _timed(job: MeasureJob, report: Callable[[MeasureBatch], None]) -> Mapping[Measure, Reading]:
    started = time.monotonic()
    readings = job.run()
    report(MeasureBatch(job.tier, job.measures, round((time.monotonic() - started) * 1000, 1)))
    return readings


def attempt(
    parts: Mapping[Measure, T], run: Callable[[Mapping[Measure, T]], dict[Measure, Reading]]
) -> dict[Measure, Reading]:
    """All parts in one job; if that fails, each part with user SQL alone and the others together; if that fails too,
    each alone. So a predicate that fails on a row affects no other reading."""
    if not parts:
        return {}
    try:
        return run(parts)
    except ERRORS as error:
        if was_cancelled(error):
            raise
        if len(parts) == 1:
            return dict.fromkeys(parts, NotMeasured(reason_of(error)))
    suspects = [measure for measure in parts if has_sql(measure)]
    others = [measure for measure in parts if not has_sql(measure)]
    groups = [[measure] for measure in suspects] + ([others] if suspects else [[measure] for measure in others])
    readings: dict[Measure, Reading] = {}
    for group in groups:
        readings |= attempt({measure: parts[measure] for measure in group}, run)
    return readings


def was_cancelled(error: BaseException) -> bool:
    return "[SPARK_JOB_CANCELLED]" in str(error)


def collect_in_one_job(spark: SparkSession, frame: DataFrame) -> list[Row]:
    """Adaptive execution makes a job of every stage, and an aggregate to one row has nothing to adapt. Disabling it in
    the session would affect concurrent jobs, so the plan runs in a cloned session."""
    jvm = spark._jvm
    if jvm is None:
        return collected(frame)
    copy = spark._jsparkSession.cloneSession()
    copy.conf().set("spark.sql.adaptive.enabled", "false")
    copy.conf().set("spark.sql.codegen.maxFields", _FIELDS)
    dataset = jvm.org.apache.spark.sql.classic.Dataset.ofRows(copy, frame._jdf.queryExecution().analyzed())
    return collected(DataFrame(dataset, spark))
