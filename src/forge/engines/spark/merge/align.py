"""Rows of the versions of a table aligned: the same columns, types and names on every side.

Internally, key columns are called `k0…`, other cells `v0…`, cells of dropped columns `d0…`, so that user names never
clash with ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, MapType, StructType

from forge.engines.spark.frames import quote
from forge.versioning.field import AlignedColumn, Layout, TableField


def data_type(text: str) -> DataType:
    return DataType.fromDDL(text)


def key_columns(layout: Layout) -> tuple[AlignedColumn, ...]:
    """In the order of the key."""
    known = {column.field.name: column for column in layout.columns}
    return tuple(known[name] for name in layout.key)


def key_names(layout: Layout) -> list[str]:
    return [f"k{place}" for place in range(len(layout.key))]


def cell(column: AlignedColumn, side: str) -> Column:
    """The column of the side, cast to the merged type; NULL where the side does not have it."""
    name: str | None = getattr(column, side)
    found = F.lit(None) if name is None else F.col(quote(name))
    return found.cast(data_type(column.field.type))


def keyed(frame: DataFrame, layout: Layout, side: str) -> DataFrame:
    """`k0…` and the struct `cells` of the rows of one side."""
    keys = [cell(column, side).alias(f"k{place}") for place, column in enumerate(key_columns(layout))]
    values = [cell(column, side).alias(f"v{place}") for place, column in enumerate(layout.values)]
    dropped = [cell(column, side).alias(f"d{place}") for place, column in enumerate(layout.dropped)]
    # a struct needs a field also where the key is all there is
    cells = F.struct(*values, *dropped, F.lit(True).alias("is_here"))
    return frame.select(*keys, cells.alias("cells"))


def named(frame: DataFrame, layout: Layout, side: str) -> DataFrame:
    """The rows of one side with the names, types and order of the merged table."""
    return frame.select(*(cell(column, side).alias(column.field.name) for column in layout.columns))


def empty(spark: SparkSession, layout: Layout, side: str) -> DataFrame:
    """No rows, with the columns the side has."""
    fields: list[TableField] = []
    for column in (*layout.columns, *layout.dropped):
        name: str | None = getattr(column, side)
        if name is not None:
            fields.append(TableField(0, name, column.field.type))
    schema = StructType()
    for field in fields:
        schema.add(field.name, data_type(field.type))
    return spark.createDataFrame([], schema)


def comparable(value: Column, of: DataType) -> Column:
    """Spark cannot compare maps: they become their sorted entries. Everything else compares as it is, NaN with NaN
    and -0.0 with 0.0, in nested values too."""
    if not _has_map(of):
        return value
    match of:
        case MapType():
            entries = F.map_entries(value)
            if _has_map(of.valueType):
                inner = of.valueType
                entries = F.transform(
                    entries,
                    lambda one: F.struct(one["key"].alias("key"), comparable(one["value"], inner).alias("value")),
                )
            return F.array_sort(entries)
        case ArrayType():
            element = of.elementType
            return F.transform(value, lambda one: comparable(one, element))
        case StructType():
            parts = [comparable(value[field.name], field.dataType).alias(field.name) for field in of.fields]
            return F.when(value.isNotNull(), F.struct(*parts))
        case _:
            return value


def _has_map(of: DataType) -> bool:
    match of:
        case MapType():
            return True
        case ArrayType():
            return _has_map(of.elementType)
        case StructType():
            return any(_has_map(field.dataType) for field in of.fields)
        case _:
            return False


def same(left: Column, right: Column, type_name: str) -> Column:
    """NULL equals NULL."""
    of = data_type(type_name)
    return comparable(left, of).eqNullSafe(comparable(right, of))


def any_of(conditions: Iterable[Column]) -> Column:
    return reduce(lambda left, right: left | right, conditions, F.lit(False))


def stacked(frames: Sequence[DataFrame]) -> DataFrame:
    """All rows, with the number of their frame as `side`."""
    marked = [frame.withColumn("side", F.lit(number)) for number, frame in enumerate(frames)]
    return reduce(lambda upper, lower: upper.unionAll(lower), marked)


def counted(side: int) -> Column:
    return F.count(F.when(F.col("side") == side, 1))
