"""How Spark reads each kind of measure, and which rows it counts. A kind that is not in the table is not measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Literal

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as f

from forge.engines.spark.frames import quote
from forge.engines.spark.measure.columns import (
    MeasureError,
    column_of,
    compile_pattern,
    condition_of,
    filtered,
    finite,
    literal,
    outside_bounds,
    portable,
    side_of,
    to_python,
    type_of,
)
from forge.engines.spark.measure.keys import (
    chosen,
    count_duplicates,
    count_orphans,
    count_same_hashes,
    frequencies,
    groups,
    keyed,
    orphans,
    parent_keys,
    partition,
)
from forge.engines.spark.measure.ranges import with_ranges
from forge.engines.spark.measure.table import TOO_MANY, MeasuredTable
from forge.quality.measure import MAX_PARTITIONS, Measure, NotMeasured, Reading
from forge.quality.readings import DISTINCT_BITS, SKETCH_SIZE, DistinctSketch, Moments, Quantiles

_HASHED = ("tinyint", "smallint", "int", "bigint", "string")  # what Spark's HyperLogLog takes; others as text
_MOST_VALUES = 200_000  # of frequencies in all partitions together


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The aggregates of one measure, and how their values become its reading."""

    parts: tuple[Column, ...]
    read: Callable[[Sequence[object]], Reading]


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkKind:
    """Either `aggregate`, computed in one scan with others of its cost class, or `job`, read in a job of its own, which
    reads the `columns` of the table that the measure names, all, or none.

    What finds the rows that a measure counts, given the rows to look at: `bad` where the row alone decides
    whether it counts; the text separates the columns that measures add to the rows. `mark` where other rows or tables
    decide; the last argument orders rows of one key. `sample`: rows to show where `bad` cannot."""

    aggregate: Callable[[MeasuredTable, Measure], Aggregate] | None = None
    job: Callable[[MeasuredTable, Measure], Reading] | None = None
    columns: Literal["named", "all", "none"] = "named"
    bad: Callable[[MeasuredTable, DataFrame, Measure, str], tuple[DataFrame, Column]] | None = None
    mark: Callable[[MeasuredTable, DataFrame, Measure, str, Sequence[str]], tuple[DataFrame, Column]] | None = None
    sample: Callable[[MeasuredTable, Measure], DataFrame | None] | None = None


def spark_kind(measure: Measure) -> SparkKind:
    if measure.kind not in SPARK_KINDS:
        raise MeasureError(f"there is no measure '{measure.kind}'")
    return SPARK_KINDS[measure.kind]


# --- aggregates: many in one scan ---------------------------------------------------------------------------------


def _first(values: Sequence[object]) -> Reading:
    return values[0]


def _rows(table: MeasuredTable, measure: Measure) -> Aggregate:
    return Aggregate((f.count(filtered(measure, f.lit(1))),), _first)


def _extreme(function: Callable[[Column], Column]) -> SparkKind:
    def aggregate(table: MeasuredTable, measure: Measure) -> Aggregate:
        type_ = type_of(measure.columns[0], table.schema)
        value = filtered(measure, portable(column_of(measure.columns[0], table.schema), type_))
        return Aggregate((function(value),), lambda values: to_python(values[0], type_))

    return SparkKind(aggregate=aggregate)


def _number(table: MeasuredTable, measure: Measure) -> Column:
    return filtered(measure, finite(column_of(measure.columns[0], table.schema), measure, table.schema))


def _moments(table: MeasuredTable, measure: Measure) -> Aggregate:
    number = _number(table, measure)
    return Aggregate((f.count(number), f.avg(number), f.var_pop(number)), _read_moments)


def _read_moments(values: Sequence[object]) -> Reading:
    count, mean, variance = values
    if not isinstance(count, int) or not isinstance(mean, float) or not isinstance(variance, float):
        return Moments()
    return Moments(count, mean, variance * count)


def _quantiles(table: MeasuredTable, measure: Measure) -> Aggregate:
    sketch = f.kll_sketch_agg_double(_number(table, measure), SKETCH_SIZE)
    return Aggregate((sketch,), lambda values: _read_sketch(values, Quantiles))


def _distinct(table: MeasuredTable, measure: Measure) -> Aggregate:
    whole = column_of(measure.columns[0], table.schema)
    known = type_of(measure.columns[0], table.schema) in _HASHED
    sketch = f.hll_sketch_agg(filtered(measure, whole if known else whole.cast("string")), DISTINCT_BITS)
    return Aggregate((sketch,), lambda values: _read_sketch(values, DistinctSketch))


def _read_sketch(values: Sequence[object], reading: type[Quantiles | DistinctSketch]) -> Reading:
    sketch = values[0]
    return reading(bytes(sketch)) if isinstance(sketch, bytes | bytearray) else reading.of(())


# --- conditions: rows that are counted in the scan, and are shown and marked by the same expression -----------------


def _counting(bad: Callable[[MeasuredTable, Measure], Column]) -> SparkKind:
    """`bad`: true for a row that counts; NULL or false for others."""

    def aggregate(table: MeasuredTable, measure: Measure) -> Aggregate:
        return Aggregate((f.count_if(filtered(measure, bad(table, measure))),), _first)

    return SparkKind(
        aggregate=aggregate,
        bad=lambda table, rows, measure, mark: (rows, filtered(measure, bad(table, measure))),
    )


def _null(table: MeasuredTable, measure: Measure) -> Column:
    return column_of(measure.columns[0], table.schema).isNull()


def _outside_range(table: MeasuredTable, measure: Measure) -> Column:
    name = measure.columns[0]
    return outside_bounds(column_of(name, table.schema), measure, type_of(name, table.schema))


def _outside_set(table: MeasuredTable, measure: Measure) -> Column:
    column, type_ = column_of(measure.columns[0], table.schema), type_of(measure.columns[0], table.schema)
    listed = [literal(value, type_) for value in measure.arguments if not side_of(value, type_)]
    return ~column.isin(listed) if listed else column.isNotNull()


def _not_matching(table: MeasuredTable, measure: Measure) -> Column:
    column, pattern = column_of(measure.columns[0], table.schema), str(measure.arguments[0])
    compile_pattern(pattern, table.spark)
    return ~column.cast("string").rlike(pattern)


def _false(table: MeasuredTable, measure: Measure) -> Column:
    return ~condition_of(str(measure.arguments[0]))


# --- jobs of their own --------------------------------------------------------------------------------------------


def _duplicates(table: MeasuredTable, measure: Measure) -> Reading:
    hashed = count_same_hashes(table.frame, measure, table.schema)
    if hashed is not None and table.counts(hashed, measure) == 0:
        return 0
    return table.counts(count_duplicates(table.frame, measure, table.schema), measure)


def _beyond_first(
    table: MeasuredTable, rows: DataFrame, measure: Measure, mark: str, place: Sequence[str]
) -> tuple[DataFrame, Column]:
    counts = _countable(table, measure)
    keys = [column_of(name, table.schema) for name in (*measure.by, *measure.columns)]
    order = [f.col(quote(name)) for name in place] or keys
    window = Window.partitionBy(counts, *keys).orderBy(*order)
    return rows, counts & (f.row_number().over(window) > 1)


def _countable(table: MeasuredTable, measure: Measure) -> Column:
    """Whether the row counts and its key has no NULL in it."""
    whole = reduce(and_, (column_of(name, table.schema).isNotNull() for name in measure.columns))
    return whole if measure.where is None else f.coalesce(condition_of(measure.where), f.lit(False)) & whole


def _repeated(table: MeasuredTable, measure: Measure) -> DataFrame:
    """Each key that repeats, once, with the number of its rows."""
    counted = groups(keyed(table.frame, measure, table.schema), measure, table.schema).where(f.col("n") > 1)
    return counted.toDF(*measure.by, *measure.columns, "(rows)")


def _orphans(table: MeasuredTable, measure: Measure) -> Reading:
    return table.counts(count_orphans(table.frame, measure, table.schema, table.others), measure)


def _with_parents(
    table: MeasuredTable, rows: DataFrame, measure: Measure, mark: str, place: Sequence[str]
) -> tuple[DataFrame, Column]:
    found = f"forge found{mark}"
    names = [f"forge parent{mark} {n}" for n in range(len(measure.columns))]
    parents = parent_keys(measure, table.others).distinct().toDF(*names).withColumn(found, f.lit(True))
    pairs = zip(measure.columns, names, strict=True)
    same = reduce(and_, (column_of(column, table.schema) == f.col(quote(name)) for column, name in pairs))
    return rows.join(parents, same, "left"), _countable(table, measure) & f.col(quote(found)).isNull()


def _orphaned(table: MeasuredTable, measure: Measure) -> DataFrame:
    rows = keyed(table.frame, measure, table.schema)
    return orphans(rows, measure, table.schema, table.others, whole_rows=True).select("row.*")


def _in_ranges(table: MeasuredTable, rows: DataFrame, measure: Measure, mark: str = "") -> tuple[DataFrame, Column]:
    return with_ranges(rows, measure, table.schema, table.spark, mark)


def _outside_ranges(table: MeasuredTable, measure: Measure) -> Reading:
    rows, bad = _in_ranges(table, table.frame, measure)
    counted = f.count_if(bad).alias("value")
    return table.counts(chosen(rows, measure).groupBy(*partition(measure, table.schema)).agg(counted), measure)


def _frequencies(table: MeasuredTable, measure: Measure) -> Reading:
    most = measure.arguments[0]
    if not isinstance(most, int):
        raise MeasureError(f"{most!r} is no number of values")
    type_ = type_of(measure.columns[0], table.schema)
    counted = frequencies(table.frame, measure, table.schema).withColumn("k0", portable(f.col("k0"), type_))
    limit = _MOST_VALUES if measure.by else most
    rows = table.partitions(counted, measure, limit)
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
        return TOO_MANY
    return many if any(len(values) > most for values in found.values()) else found


def _given_back(table: MeasuredTable, measure: Measure) -> DataFrame | None:
    given = table.custom.call(measure, table.frame)
    return given if isinstance(given, DataFrame) else None


SPARK_KINDS: dict[str, SparkKind] = {
    "rows": SparkKind(aggregate=_rows),
    "nulls": _counting(_null),
    "min": _extreme(f.min),
    "max": _extreme(f.max),
    "outside_range": _counting(_outside_range),
    "outside_ranges": SparkKind(job=_outside_ranges, bad=_in_ranges),
    "outside_set": _counting(_outside_set),
    "not_matching": _counting(_not_matching),
    "false": _counting(_false),
    "duplicates": SparkKind(job=_duplicates, mark=_beyond_first, sample=_repeated),
    "orphans": SparkKind(job=_orphans, mark=_with_parents, sample=_orphaned),
    "moments": SparkKind(aggregate=_moments),
    "quantiles": SparkKind(aggregate=_quantiles),
    "distinct": SparkKind(aggregate=_distinct),
    "frequencies": SparkKind(job=_frequencies),
    "query_rows": SparkKind(
        job=lambda table, measure: table.custom.count_rows(measure),
        columns="none",
        sample=lambda table, measure: table.custom.rows_of_query(measure),
    ),
    "query_value": SparkKind(job=lambda table, measure: table.custom.read_value(measure), columns="none"),
    "function": SparkKind(
        job=lambda table, measure: table.custom.read_function(measure, table.frame), columns="all", sample=_given_back
    ),
}
