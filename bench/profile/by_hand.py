"""The same statistics written by hand: all columns in one aggregation, and column by column in a loop.

Both use what Spark has for it: `histogram_numeric`, `approx_top_k`, `percentile_approx` with the accuracy of Forge's
sketch, `approx_count_distinct` with the same deviation. Duplicate rows need a grouping of their own in both."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql.types import NumericType, StringType, TimestampType

DEVIATION, ACCURACY, BINS, TOP = 0.02, 1000, 20, 10


def in_one_aggregation(frame: DataFrame) -> int:
    """The number of values that came back."""
    aggregates = [part for name in frame.columns for part in _column(frame, name)]
    row = frame.agg(f.count(f.lit(1)), *aggregates).collect()[0]
    _duplicates(frame)
    return len(row)


def column_by_column(frame: DataFrame) -> int:
    found = 0
    for name in frame.columns:
        row = frame.agg(f.count(f.lit(1)), *_plain(frame, name)).collect()[0]
        found += len(row)
        value = _number(frame, name)
        low, high = frame.agg(f.min(value).alias("low"), f.max(value).alias("high")).collect()[0]
        width = (float(high) - float(low)) / BINS or 1.0
        bins = f.least(f.floor((value.cast("double") - float(low)) / width), f.lit(BINS - 1))
        found += len(frame.groupBy(bins.alias("bin")).count().collect())
        top = frame.groupBy(name).count().orderBy(f.col("count").desc()).limit(TOP)
        found += len(top.collect())
    _duplicates(frame)
    return found


def _duplicates(frame: DataFrame) -> int:
    return frame.count() - frame.select(f.xxhash64(*frame.columns)).distinct().count()


def _number(frame: DataFrame, name: str) -> Column:
    match frame.schema[name].dataType:
        case StringType():
            return f.length(name)
        case TimestampType():
            return f.unix_micros(name)
    return f.col(name)


def _column(frame: DataFrame, name: str) -> list[Column]:
    histogram = f.histogram_numeric(_number(frame, name).cast("double"), f.lit(BINS))
    return [*_plain(frame, name), histogram, f.expr(f"approx_top_k({name}, {TOP})")]


def _plain(frame: DataFrame, name: str) -> list[Column]:
    column = f.col(name)
    found = [f.count(column), f.approx_count_distinct(column, DEVIATION), f.min(column), f.max(column)]
    match frame.schema[name].dataType:
        case NumericType():
            quarters = f.percentile_approx(column, [0.25, 0.5, 0.75], ACCURACY)
            found += [f.avg(column), f.stddev(column), quarters, f.count_if(column == 0), f.count_if(column < 0)]
        case StringType():
            size = f.length(column)
            found += [f.min(size), f.max(size), f.avg(size), f.count_if(column == "")]
    return found
