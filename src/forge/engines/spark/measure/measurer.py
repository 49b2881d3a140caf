"""Measures of a DataFrame: few jobs for any number of checks, run at once where they do not need each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as f
from pyspark.storagelevel import StorageLevel

from forge.engines.spark.frames import quote, schema_of
from forge.engines.spark.measure.columns import (
    AGGREGATES,
    ERRORS,
    Aggregate,
    CannotMeasure,
    aggregate_of,
    has_sql,
    portable,
    reason_of,
    to_python,
    type_of,
)
from forge.engines.spark.measure.custom import Custom, no_function, no_query
from forge.engines.spark.measure.jobs import WIDE, Job, attempt, collect_in_one_job, run_jobs, was_cancelled
from forge.engines.spark.measure.keys import (
    Others,
    chosen,
    count_duplicates,
    count_orphans,
    count_same_hashes,
    frequencies,
    partition,
    partition_names,
)
from forge.engines.spark.measure.needs import is_dear, is_scan, needed_columns
from forge.engines.spark.measure.ranges import with_ranges
from forge.flows.runs.engine import Batch
from forge.quality.measure import MAX_PARTITIONS, Cost, Measure, NotMeasured, Reading, Readings
from forge.quality.plan import cost_of

SCAN, SKETCHES, NARROW = "scan", "sketches", "narrow"
_MOST_VALUES = 200_000  # of frequencies in all partitions together
_TOO_MANY = NotMeasured(f"there are more than {MAX_PARTITIONS:,} partitions")


class SparkMeasurer:
    """`frame` is the table at the version to measure; `others` gives the tables its keys refer to. `lazy`: it is
    computed each time it is read, and so is kept while more than one job reads it, if that is dear; None: seen from its
    plan."""

    def __init__(
        self,
        spark: SparkSession,
        frame: DataFrame,
        others: Others,
        custom: Custom | None = None,
        *,
        lazy: bool | None = None,
    ) -> None:
        self._spark = spark
        self._frame = frame
        self._others = others
        self._custom = custom or Custom(spark, no_query, no_function, others)
        self._schema = schema_of(frame)
        self._lazy = lazy

    def measure(self, measures: Sequence[Measure], told: Callable[[Batch], None] = lambda batch: None) -> Readings:
        """Whatever each measure says of `since` and `at`: the frame is what it means."""
        broken: dict[Measure, Reading] = {}
        jobs = self._jobs(tuple(dict.fromkeys(measures)), broken)
        with self._kept(jobs):
            return {**broken, **run_jobs(self._spark, jobs, told)}

    def _jobs(self, measures: Sequence[Measure], broken: dict[Measure, Reading]) -> list[Job]:
        """Those that scan come first: narrow jobs then fill what they leave idle."""
        jobs: list[Job] = []
        together: dict[tuple[str, tuple[str, ...], str], dict[Measure, Aggregate]] = {}
        alone: list[Measure] = []
        for measure in measures:
            if measure.kind not in AGGREGATES:
                alone.append(measure)
                continue
            try:
                together.setdefault(self._class_of(measure), {})[measure] = self._aggregate(measure)
            except ERRORS as error:
                broken[measure] = NotMeasured(reason_of(error))
        for (tier, _, _), aggregates in sorted(together.items()):
            for some in _chunks(aggregates):
                jobs.append(Job(tier, tuple(some), partial(attempt, some, self._run_aggregates)))
        return jobs + [Job(NARROW, (measure,), partial(self._alone, measure)) for measure in alone]

    def _class_of(self, measure: Measure) -> tuple[str, tuple[str, ...], str]:
        """One aggregate that Spark generates no code for would take it away from all its neighbours. Partitions are
        those of the rows that a filter lets through, so that each filter has its own."""
        tier = SKETCHES if cost_of(measure, self._schema) is Cost.STRING else SCAN
        return tier, measure.by, (measure.where or "") if measure.by else ""

    def _aggregate(self, measure: Measure) -> Aggregate:
        made = aggregate_of(measure, self._schema, self._spark)
        if has_sql(measure):
            self._frame.agg(*made.parts)  # analysed, not run: a bad predicate is found before it meets the others
        return made

    def _run_aggregates(self, aggregates: Mapping[Measure, Aggregate]) -> dict[Measure, Reading]:
        by = next(iter(aggregates)).by
        named = {m: [f"m{n}_{i}" for i in range(len(a.parts))] for n, (m, a) in enumerate(aggregates.items())}
        columns = [
            part.alias(name) for m, a in aggregates.items() for part, name in zip(a.parts, named[m], strict=True)
        ]
        if not by:
            row = collect_in_one_job(self._spark, self._frame.agg(*columns))[0]
            return {m: a.read([row[name] for name in named[m]]) for m, a in aggregates.items()}
        first = next(iter(aggregates))
        grouped = chosen(self._frame, first).groupBy(*partition(first, self._schema)).agg(*columns)
        rows = self._partitions(grouped, first)
        if rows is None:
            return dict.fromkeys(aggregates, _TOO_MANY)
        return {m: {key: a.read([row[name] for name in named[m]]) for key, row in rows} for m, a in aggregates.items()}

    def _partitions(
        self, grouped: DataFrame, measure: Measure, most: int = MAX_PARTITIONS
    ) -> list[tuple[tuple[object, ...], Row]] | None:
        """Partitions, each with the row of it; None where there are too many."""
        types = [type_of(name, self._schema) for name in measure.by]
        names = partition_names(measure)
        keys = [portable(f.col(name), type_).alias(name) for name, type_ in zip(names, types, strict=True)]
        rest = [f.col(name) for name in grouped.columns if name not in names]
        rows = collect_in_one_job(self._spark, grouped.limit(most + 1).select(*keys, *rest))
        if len(rows) > most:
            return None
        return [(tuple(to_python(row[n], t) for n, t in zip(names, types, strict=True)), row) for row in rows]

    def _alone(self, measure: Measure) -> Mapping[Measure, Reading]:
        try:
            return {measure: self._narrow(measure)}
        except ERRORS as error:
            if was_cancelled(error):
                raise
            return {measure: NotMeasured(reason_of(error))}

    def _narrow(self, measure: Measure) -> Reading:
        frame, schema = self._frame, self._schema
        match measure.kind:
            case "duplicates":
                hashed = count_same_hashes(frame, measure, schema)
                if hashed is not None and self._counts(hashed, measure) == 0:
                    return 0
                return self._counts(count_duplicates(frame, measure, schema), measure)
            case "orphans":
                return self._counts(count_orphans(frame, measure, schema, self._others), measure)
            case "outside_ranges":
                rows, bad = with_ranges(frame, measure, schema, self._spark)
                counted = f.count_if(bad).alias("value")
                grouped = chosen(rows, measure).groupBy(*partition(measure, schema)).agg(counted)
                return self._counts(grouped, measure)
            case "frequencies":
                return self._frequencies(measure)
            case "query_rows" | "query_value":
                return self._custom.read_query(measure)
            case "function":
                return self._custom.read_function(measure, frame)
        raise CannotMeasure(f"there is no measure '{measure.kind}'")

    def _counts(self, counted: DataFrame, measure: Measure) -> Reading:
        """`value` of the one row, or of each partition."""
        if not measure.by:
            return int(collect_in_one_job(self._spark, counted)[0]["value"])
        rows = self._partitions(counted, measure)
        return _TOO_MANY if rows is None else {key: int(row["value"]) for key, row in rows}

    def _frequencies(self, measure: Measure) -> Reading:
        most = measure.arguments[0]
        if not isinstance(most, int):
            raise CannotMeasure(f"{most!r} is no number of values")
        type_ = type_of(measure.columns[0], self._schema)
        counted = frequencies(self._frame, measure, self._schema).withColumn("k0", portable(f.col("k0"), type_))
        limit = _MOST_VALUES if measure.by else most
        rows = self._partitions(counted, measure, limit)
        many = NotMeasured(f"there are more than {most:,} values")
        if rows is None:
            return many
        found: dict[tuple[object, ...], dict[object, int]] = {}
        for key, row in rows:
            values = found.setdefault(key, {})
            if row["k0"] is not None:
                values[to_python(row["k0"], type_)] = int(row["n"])
        if not measure.by:
            return found.get((), {})
        if len(found) > MAX_PARTITIONS:
            return _TOO_MANY
        return many if any(len(values) > most for values in found.values()) else found

    @contextmanager
    def _kept(self, jobs: Sequence[Job]) -> Iterator[None]:
        """What is dear to compute is computed once, only the columns that are needed."""
        wanted = [measure for job in jobs for measure in job.measures]
        needed = needed_columns(self._frame, self._schema, wanted)
        lazy = (not is_scan(self._frame) if self._lazy is None else self._lazy) and is_dear(self._frame)
        reading = [job for job in jobs if not all(m.kind.startswith("query") for m in job.measures)]
        if not lazy or len(reading) < 2 or needed is None:
            yield
            return
        whole = self._frame
        self._frame = whole.select(*(f.col(quote(name)) for name in needed)).persist(StorageLevel.MEMORY_AND_DISK)
        try:
            yield
        finally:
            self._frame.unpersist()
            self._frame = whole


def _chunks(aggregates: Mapping[Measure, Aggregate]) -> Iterable[dict[Measure, Aggregate]]:
    """So many that Spark can generate code for each; measures of one column stay together."""
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
