"""Measures of a DataFrame: few jobs for any number of checks, independent ones in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.storagelevel import StorageLevel

from forge.engines.spark.frames import quote, schema_of
from forge.engines.spark.measure.columns import ERRORS, reason_of
from forge.engines.spark.measure.custom import CustomRules, no_function, no_query
from forge.engines.spark.measure.jobs import WIDE, MeasureJob, attempt, collect_in_one_job, run_jobs, was_cancelled
from forge.engines.spark.measure.keys import Others, chosen, partition
from forge.engines.spark.measure.kinds import Aggregate, spark_kind
from forge.engines.spark.measure.needs import is_dear, is_scan, needed_columns
from forge.engines.spark.measure.table import TOO_MANY, MeasuredTable
from forge.flows.runs.engine import MeasureBatch
from forge.quality.kinds import has_sql
from forge.quality.measure import Cost, Measure, MeasureTier, NotMeasured, Reading, Readings
from forge.quality.plan import cost_of

SCAN: Final = "scan"
SKETCHES: Final = "sketches"
NARROW: Final = "narrow"


class SparkMeasurer:
    """`frame`: the table at the version to measure; `others` gives referenced tables. `lazy`: it is recomputed on each
    read, and so cached while more than one job reads it, if that is expensive; None: decided by its plan."""

    def __init__(
        self,
        spark: SparkSession,
        frame: DataFrame,
        others: Others,
        custom: CustomRules | None = None,
        *,
        lazy: bool | None = None,
    ) -> None:
        custom = custom or CustomRules(spark, no_query, no_function, others)
        self._table = MeasuredTable(spark, frame, schema_of(frame), others, custom)
        self._lazy = lazy

    def measure(
        self, measures: Sequence[Measure], report: Callable[[MeasureBatch], None] = lambda batch: None
    ) -> Readings:
        """`since` and `at` of a measure are ignored: the frame is the version meant."""
        broken: dict[Measure, Reading] = {}
        jobs = self._jobs(tuple(dict.fromkeys(measures)), broken)
        with self._kept(jobs):
            return {**broken, **run_jobs(self._table.spark, jobs, report)}

    def _jobs(self, measures: Sequence[Measure], broken: dict[Measure, Reading]) -> list[MeasureJob]:
        """Scans come first: narrow jobs then use idle cores."""
        jobs: list[MeasureJob] = []
        together: dict[tuple[MeasureTier, tuple[str, ...], str], dict[Measure, Aggregate]] = {}
        alone: list[Measure] = []
        for measure in measures:
            try:
                aggregate = self._aggregate(measure)
                if aggregate is None:
                    alone.append(measure)
                else:
                    together.setdefault(self._class_of(measure), {})[measure] = aggregate
            except ERRORS as error:
                broken[measure] = NotMeasured(reason_of(error))
        for (tier, _, _), aggregates in sorted(together.items()):
            for some in _chunks(aggregates):
                jobs.append(MeasureJob(tier, tuple(some), partial(attempt, some, self._run_aggregates)))
        return jobs + [MeasureJob(NARROW, (measure,), partial(self._alone, measure)) for measure in alone]

    def _class_of(self, measure: Measure) -> tuple[MeasureTier, tuple[str, ...], str]:
        """One aggregate without code generation would disable it for all others. Partitions depend on the filter, so
        each filter has its own."""
        tier: MeasureTier = SKETCHES if cost_of(measure, self._table.schema) is Cost.STRING else SCAN
        return tier, measure.by, (measure.where or "") if measure.by else ""

    def _aggregate(self, measure: Measure) -> Aggregate | None:
        """None: it needs a job of its own."""
        aggregate = spark_kind(measure).aggregate
        if aggregate is None:
            return None
        made = aggregate(self._table, measure)
        if has_sql(measure):
            self._table.frame.agg(*made.parts)  # analysed, not run: a bad predicate is found before it meets the others
        return made

    def _run_aggregates(self, aggregates: Mapping[Measure, Aggregate]) -> dict[Measure, Reading]:
        table, first = self._table, next(iter(aggregates))
        named = {m: [f"m{n}_{i}" for i in range(len(a.parts))] for n, (m, a) in enumerate(aggregates.items())}
        columns = [
            part.alias(name) for m, a in aggregates.items() for part, name in zip(a.parts, named[m], strict=True)
        ]
        if not first.by:
            row = collect_in_one_job(table.spark, table.frame.agg(*columns))[0]
            return {m: a.read([row[name] for name in named[m]]) for m, a in aggregates.items()}
        grouped = chosen(table.frame, first).groupBy(*partition(first, table.schema)).agg(*columns)
        rows = table.partitions(grouped, first)
        if rows is None:
            return dict.fromkeys(aggregates, TOO_MANY)
        return {m: {key: a.read([row[name] for name in named[m]]) for key, row in rows} for m, a in aggregates.items()}

    def _alone(self, measure: Measure) -> Mapping[Measure, Reading]:
        try:
            job = spark_kind(measure).job
            return {measure: NotMeasured("nothing here can measure it") if job is None else job(self._table, measure)}
        except ERRORS as error:
            if was_cancelled(error):
                raise
            return {measure: NotMeasured(reason_of(error))}

    @contextmanager
    def _kept(self, jobs: Sequence[MeasureJob]) -> Iterator[None]:
        """Caches an expensive frame, with the needed columns only."""
        wanted = [measure for job in jobs for measure in job.measures]
        whole = self._table
        needed = needed_columns(whole.frame, whole.schema, wanted)
        lazy = (not is_scan(whole.frame) if self._lazy is None else self._lazy) and is_dear(whole.frame)
        reading = [job for job in jobs if any(spark_kind(m).columns != "none" for m in job.measures)]
        if not lazy or len(reading) < 2 or needed is None:
            yield
            return
        kept = whole.frame.select(*(f.col(quote(name)) for name in needed)).persist(StorageLevel.MEMORY_AND_DISK)
        self._table = replace(whole, frame=kept)
        try:
            yield
        finally:
            kept.unpersist()
            self._table = whole


def _chunks(aggregates: Mapping[Measure, Aggregate]) -> Iterable[dict[Measure, Aggregate]]:
    """Small enough for code generation; measures of one column stay together."""
    some: dict[Measure, Aggregate] = {}
    size = 0
    for measure in sorted(aggregates, key=lambda m: m.columns):
        parts = len(aggregates[measure].parts)
        if some and size + parts > WIDE:
            yield some
            some, size = {}, 0
        some[measure] = aggregates[measure]
        size += parts
    if some:
        yield some
