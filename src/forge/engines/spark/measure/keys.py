"""Measures that need a job of their own: duplicates, value frequencies, orphaned foreign keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add, and_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from forge.engines.spark.errors import first_line
from forge.engines.spark.frames import schema_of
from forge.engines.spark.measure.columns import MeasureError, column_of, condition_of, type_of
from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.measure import Measure
from forge.quality.values import Family, family_of

Others = Callable[[TableName], DataFrame]
_WORDS = 4  # 64-bit words of a group's bitmap
_BY_HASH = (Family.STRING, Family.INTEGER, Family.DECIMAL, Family.DATE, Family.TIMESTAMP, Family.BOOLEAN)


def chosen(frame: DataFrame, measure: Measure) -> DataFrame:
    """The rows that count."""
    return frame if measure.where is None else frame.where(condition_of(measure.where))


def keyed(frame: DataFrame, measure: Measure, schema: Schema) -> DataFrame:
    """The rows that count, without NULL in the key."""
    return chosen(frame, measure).where(reduce(and_, (column_of(name, schema).isNotNull() for name in measure.columns)))


def groups(rows: DataFrame, measure: Measure, schema: Schema) -> DataFrame:
    """Each key as `k0`, `k1`, …, its partition as `p0`, …, and `n`, its number of rows."""
    keys = [column_of(name, schema).alias(f"k{n}") for n, name in enumerate(measure.columns)]
    return rows.groupBy(*partition(measure, schema), *keys).agg(f.count(f.lit(1)).alias("n"))


def partition(measure: Measure, schema: Schema) -> list[Column]:
    return [column_of(name, schema).alias(f"p{n}") for n, name in enumerate(measure.by)]


def partition_names(measure: Measure) -> list[str]:
    return [f"p{n}" for n in range(len(measure.by))]


def count_duplicates(frame: DataFrame, measure: Measure, schema: Schema) -> DataFrame:
    """`value`: rows beyond the first of each key; with `by`, one row per partition."""
    rows = keyed(frame, measure, schema)
    if not measure.by and len(measure.columns) == 1:
        whole = _as_integer(measure.columns[0], schema)
        if whole is not None:
            return _count_in_bitmaps(rows, whole)
    counted = groups(rows, measure, schema).groupBy(*partition_names(measure))
    return counted.agg(f.coalesce(f.sum(f.col("n") - 1), f.lit(0)).cast("long").alias("value"))


def count_same_hashes(frame: DataFrame, measure: Measure, schema: Schema) -> DataFrame | None:
    """As `count_duplicates`, by a 64-bit hash of the key: exact where it finds none, at half the cost. None where
    hashes are unreliable (0.0 and -0.0 are equal but hash differently) or a bitmap is faster."""
    families = {family_of(type_of(name, schema)) for name in measure.columns}
    text = Family.STRING in families or len(measure.columns) > 1
    if measure.by or not text or not families <= set(_BY_HASH):
        return None
    hashed = f.xxhash64(*(column_of(name, schema) for name in measure.columns))
    once = keyed(frame, measure, schema).groupBy(hashed.alias("h")).agg(f.count(f.lit(1)).alias("n"))
    return once.agg(f.coalesce(f.sum(f.col("n") - 1), f.lit(0)).cast("long").alias("value"))


def _as_integer(name: str, schema: Schema) -> Column | None:
    column = column_of(name, schema)
    match family_of(type_of(name, schema)):
        case Family.INTEGER:
            return column.cast("long")
        case Family.DATE:
            return f.unix_date(column).cast("long")
    return None


def _count_in_bitmaps(rows: DataFrame, whole: Column) -> DataFrame:
    """256 consecutive integers form a group with a bitmap of those that occur: a table of ids has so few groups that
    they need no spilling, and never more groups than keys."""
    value = f.col("v")
    bit = f.call_function("shiftleft", f.lit(1).cast("long"), value.bitwiseAND(63).cast("int"))
    words = [
        f.bit_or(f.when(value.bitwiseAND(192) == 64 * n, bit).otherwise(f.lit(0).cast("long"))).alias(f"w{n}")
        for n in range(_WORDS)
    ]
    grouped = rows.select(whole.alias("v")).groupBy(f.shiftright(value, 8).alias("g"))
    counted = grouped.agg(f.count(f.lit(1)).alias("n"), *words)
    distinct = reduce(add, (f.bit_count(f"w{n}") for n in range(_WORDS)))
    return counted.agg(f.coalesce(f.sum(f.col("n") - distinct), f.lit(0)).cast("long").alias("value"))


def count_orphans(frame: DataFrame, measure: Measure, schema: Schema, others: Others) -> DataFrame:
    lost = orphans(keyed(frame, measure, schema), measure, schema, others, whole_rows=False)
    return lost.groupBy(*partition_names(measure)).agg(f.count(f.lit(1)).alias("value"))


def orphans(rows: DataFrame, measure: Measure, schema: Schema, others: Others, *, whole_rows: bool) -> DataFrame:
    """Rows whose key is missing in the other table: as `row`, or only their partition. Keys are renamed, as the other
    may be the same table."""
    parents = parent_keys(measure, others)
    shown = [f.struct("*").alias("row")] if whole_rows else partition(measure, schema)
    keys = [column_of(name, schema).alias(f"child {n}") for n, name in enumerate(measure.columns)]
    same = reduce(and_, (f.col(f"`child {n}`") == f.col(f"`parent {n}`") for n in range(len(keys))))
    return rows.select(*shown, *keys).join(parents, same, "left_anti")


def parent_keys(measure: Measure, others: Others) -> DataFrame:
    table, *columns = measure.arguments
    if not isinstance(table, TableName):
        raise MeasureError(f"{table!r} is not a table")
    try:
        parent = others(table)
    except Exception as error:  # it is the caller's; what it raises belongs to this measure alone
        raise MeasureError(f"{table} cannot be read: {first_line(error)}") from error
    if len(columns) != len(measure.columns):
        raise MeasureError(f"{len(measure.columns)} columns cannot refer to {len(columns)}")
    known = schema_of(parent)
    return parent.select(*(column_of(str(name), known, table).alias(f"parent {n}") for n, name in enumerate(columns)))


def frequencies(frame: DataFrame, measure: Measure, schema: Schema) -> DataFrame:
    """`k0` and `n`, most frequent first per partition. With partitions NULL counts as a value, so that a partition of
    NULLs is kept."""
    rows = chosen(frame, measure) if measure.by else keyed(frame, measure, schema)
    counted = groups(rows, measure, schema)
    return counted.orderBy(f.col("n").desc(), f.col("k0"))
