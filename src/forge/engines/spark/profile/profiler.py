"""SparkProfiler: the profile of a table or view of any size."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from pyspark import inheritable_thread_target
from pyspark.sql import DataFrame, SparkSession
from pyspark.storagelevel import StorageLevel

from forge.catalog.profile import (
    BinPlan,
    ColumnHistogram,
    ProfiledColumn,
    ProfileMeasurement,
    TopValue,
    ValueClass,
    mask_columns,
    plan_bins,
)
from forge.catalog.profile.record import EXACT_ROWS
from forge.catalog.profile.value_class import LONGEST, cell_of
from forge.engines.spark.frames import frame_of
from forge.engines.spark.profile.columns import FrameColumn, columns_of
from forge.engines.spark.profile.passes import FramePasses, ValueCounts
from forge.flows.catalog.profiling.ports import ProfileRequest
from forge.flows.runs.pin import Pin
from forge.model.names import RunId, TableName
from forge.quality.readings import SKETCH_SIZE, Quantiles

T = TypeVar("T")
FEW = 10_000  # distinct values, by a sketch, up to which they are counted one by one in a table of any size
QUANTILE_ERROR = 0.001  # of a sketch of SKETCH_SIZE
_SEED = 18


class _Spark(Protocol):
    def at_work(self, where: str) -> AbstractContextManager[SparkSession]: ...
    def begin(self, run_id: RunId, table: TableName) -> None: ...
    def end(self) -> None: ...


@dataclass(frozen=True, slots=True)
class SparkProfiler:
    engine: _Spark
    run_id: RunId | None = None  # which its jobs belong to, so that they can be cancelled

    def profile(self, target: Pin, request: ProfileRequest) -> ProfileMeasurement:
        if self.run_id is None:
            return self._profile(target, request)
        self.engine.begin(self.run_id, target.table)
        try:
            return self._profile(target, request)
        finally:
            self.engine.end()

    def _profile(self, target: Pin, request: ProfileRequest) -> ProfileMeasurement:
        with self.engine.at_work(str(target.table)) as spark:
            frame = frame_of(spark, target)
            return measure_frame(spark, frame, request, lazy=target.view_sql is not None)


def measure_frame(
    spark: SparkSession, frame: DataFrame, request: ProfileRequest, *, lazy: bool = False
) -> ProfileMeasurement:
    """`lazy`: it is recomputed on each read, and so kept while it is measured."""
    rows = None if request.sample is None else frame.count()
    part = frame if request.sample is None else frame.sample(request.sample, _SEED)
    kept = part.persist(StorageLevel.MEMORY_AND_DISK) if lazy else part
    try:
        measured = _measure(spark, kept, request)
    finally:
        if lazy:
            kept.unpersist()
    if rows is None:
        return measured
    return replace(measured, row_count=rows, sample_rows=measured.row_count, duplicate_rows=None)


def _measure(spark: SparkSession, frame: DataFrame, request: ProfileRequest) -> ProfileMeasurement:
    columns, renamed = columns_of(frame, request.hidden)
    if not columns:
        rows = frame.count()
        return ProfileMeasurement(rows, (), max(rows - 1, 0))
    passes = FramePasses(spark, renamed, columns)
    rows, scanned = passes.scan()
    plans = {column.place: plan for column in columns if (plan := _plan(column, scanned[column.place]))}
    exact = request.exact or rows <= EXACT_ROWS
    counted = [column for column in columns if column.kind is not ValueClass.OTHER]
    found = (_all_values if exact else _some_values)(spark, passes, rows, counted, plans, request)
    made = tuple(_column(column, rows, scanned[column.place], plans.get(column.place), found) for column in columns)
    error = QUANTILE_ERROR if rows > SKETCH_SIZE else 0.0
    return ProfileMeasurement(
        row_count=rows,
        columns=mask_columns(made, request.hidden),
        duplicate_rows=found.duplicates,
        quantile_error=error,
    )


@dataclass(frozen=True, slots=True)
class _LatePasses:
    """What the passes after the scan gave, by place of the column."""

    sketches: Mapping[int, Mapping[str, Any]]
    bins: Mapping[int, Mapping[int, int]]
    values: ValueCounts
    duplicates: int | None
    sure: frozenset[int]  # columns whose values were counted one by one


def _all_values(
    spark: SparkSession,
    passes: FramePasses,
    rows: int,
    counted: Sequence[FrameColumn],
    plans: Mapping[int, BinPlan],
    request: ProfileRequest,
) -> _LatePasses:
    sketches, values, bins, duplicates = _at_once(
        spark,
        lambda: passes.sketch(distinct=False),
        lambda: passes.values(counted),
        lambda: passes.bins(plans),
        lambda: None if request.sample is not None else passes.duplicates(rows),
    )
    return _LatePasses(sketches, bins, values, duplicates, frozenset(column.place for column in counted))


def _some_values(
    spark: SparkSession,
    passes: FramePasses,
    rows: int,
    counted: Sequence[FrameColumn],
    plans: Mapping[int, BinPlan],
    request: ProfileRequest,
) -> _LatePasses:
    """Columns of few values are counted; of others the frequent values of a sample are counted over all rows."""
    (sketches, likely), duplicates = _at_once(
        spark,
        lambda: passes.sketch_and_sample(rows),
        lambda: None if request.sample is not None else passes.duplicates(rows),
    )
    few = [column for column in counted if sketches[column.place]["distinct"] <= FEW]
    sure = frozenset(column.place for column in few)
    asked = {place: texts for place, texts in likely.items() if place not in sure}
    values, bins = _at_once(spark, lambda: passes.values(few, asked), lambda: passes.bins(plans))
    for column in counted:
        if column.place not in sure:
            values.distinct[column.place] = sketches[column.place]["distinct"]
    return _LatePasses(sketches, bins, values, duplicates, sure)


def _at_once(spark: SparkSession, *work: Callable[[], Any]) -> list[Any]:
    """In the job group of this thread; one fills the cores that the last tasks of another leave idle."""
    with ThreadPoolExecutor(len(work), thread_name_prefix="forge-profile") as pool:
        begun = [pool.submit(inheritable_thread_target(spark)(one)) for one in work]
        return [one.result() for one in begun]


def _plan(column: FrameColumn, scanned: Mapping[str, Any]) -> BinPlan | None:
    if column.hidden or column.kind in (ValueClass.OTHER, ValueClass.BOOLEAN):
        return None
    whole = column.kind not in (ValueClass.FLOAT, ValueClass.DECIMAL)
    return plan_bins(scanned["min"], scanned["max"], whole=whole)


def _column(
    column: FrameColumn, rows: int, scanned: Mapping[str, Any], plan: BinPlan | None, found: _LatePasses
) -> ProfiledColumn:
    kind, place = column.kind, column.place
    given: dict[str, Any] = {"nulls": rows - scanned["count"]}
    if kind.is_number:
        given |= _numbers(kind, scanned, found.sketches.get(place, {}))
    if kind.is_number or kind.is_time:
        given |= {"minimum": cell_of(scanned.get("min"), kind), "maximum": cell_of(scanned.get("max"), kind)}
    if kind.has_length:
        given |= {"empties": scanned["zeros"], "avg_length": scanned["mean"]}
        given |= {"min_length": scanned["min"], "max_length": scanned["max"]}
    if kind is ValueClass.TEXT:
        sketch = found.sketches.get(place, {})
        given |= {"minimum": cell_of(sketch.get("least"), kind), "maximum": cell_of(sketch.get("greatest"), kind)}
    if plan is not None:
        counts = found.bins.get(place, {})
        edges = plan.edges(None if kind.has_length else kind)
        given["histogram"] = ColumnHistogram(edges, tuple(counts.get(number, 0) for number in range(plan.bins)))
    if kind is not ValueClass.OTHER:
        sure = place in found.sure
        given |= {"distinct": found.values.distinct[place], "distinct_exact": sure, "top_exact": sure}
        given["top"] = tuple(TopValue(_cell(text, kind), n) for text, n in found.values.top.get(place, ()))
    return ProfiledColumn(name=column.name, type=column.type, **given)


def _cell(text: str, kind: ValueClass) -> Any:
    """A key of a long text ends in a hash."""
    return text[:LONGEST] + "…" if kind is ValueClass.TEXT and len(text) > LONGEST else cell_of(text, kind)


def _numbers(kind: ValueClass, scanned: Mapping[str, Any], sketch: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "zeros": scanned["zeros"],
        "negatives": scanned["negatives"],
        "mean": _finite(scanned.get("mean")),
        "stddev": _finite(scanned.get("deviation")),
    }
    least = scanned.get("min")
    if least is not None and least == scanned["max"]:  # a sum of many doubles is a little off
        found["mean"] = float(least) + 0.0
        found["stddev"] = 0.0 if scanned["finite"] > 1 else None
    if kind is ValueClass.FLOAT:
        found["not_finite"] = scanned["count"] - scanned["finite"]
    data = sketch.get("quantiles")
    if data is not None:
        shares = Quantiles(bytes(data)).spread((0.25, 0.5, 0.75))
        found |= dict(zip(("q1", "median", "q3"), (share + 0.0 for share in shares), strict=False))
    return found


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None
