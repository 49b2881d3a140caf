"""Bounds per partition, joined to the rows of the partition."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import DataType, DecimalType, IntegralType, StructType, TimestampNTZType

from forge.engines.spark.measure.columns import MeasureError, column_of, filtered, outside, type_of
from forge.model.schema import Schema
from forge.quality.measure import Measure


def with_ranges(
    frame: DataFrame, measure: Measure, schema: Schema, spark: SparkSession, mark: str = ""
) -> tuple[DataFrame, Column]:
    """The rows joined with the bounds of their partition, and the condition for rows outside. In a partition without
    bounds only NaN and the infinities are outside. `mark` separates the bounds of different measures."""
    rows, low, high = frame, f"forge low{mark}", f"forge high{mark}"
    bounds: list[Column | None] = [None, None]
    if measure.arguments:
        rows = _joined(frame, measure, schema, spark, (low, high))
        bounds = [f.col(f"`{low}`"), f.col(f"`{high}`")]
    column, type_ = column_of(measure.columns[0], schema), type_of(measure.columns[0], schema)
    return rows, filtered(measure, f.coalesce(outside(column, bounds[0], bounds[1], type_), f.lit(False)))


def _joined(
    frame: DataFrame, measure: Measure, schema: Schema, spark: SparkSession, names: tuple[str, str]
) -> DataFrame:
    keys = [column_of(name, schema) for name in measure.by]
    value = column_of(measure.columns[0], schema)
    types = [field.dataType for field in frame.select(*keys, value).schema.fields]
    shape = StructType()
    for number, type_ in enumerate(types[:-1]):
        shape.add(f"{names[0]} of {number}", type_)
    types[-1] = _wide(types[-1])
    shape.add(names[0], types[-1]).add(names[1], types[-1])
    small = spark.createDataFrame([_row(argument, types) for argument in measure.arguments], shape)
    same = (key.eqNullSafe(f.col(f"`{names[0]} of {n}`")) for n, key in enumerate(keys))
    return frame.join(f.broadcast(small), reduce(and_, same), "left")


def _row(argument: object, types: Sequence[DataType]) -> tuple[object, ...]:
    if not isinstance(argument, tuple) or len(argument) != 3:
        raise MeasureError(f"{argument!r} is no partition with its bounds")
    key, low, high = argument
    values = [*key, low, high]
    return tuple(_fit(value, type_) for value, type_ in zip(values, [*types, types[-1]], strict=True))


def _wide(type_: DataType) -> DataType:
    """A bound may exceed the column's range."""
    if isinstance(type_, IntegralType):
        return DecimalType(38, 0)
    return DecimalType(38, type_.scale) if isinstance(type_, DecimalType) else type_


def _fit(value: object, type_: DataType) -> object:
    """Local times are passed as UTC and converted to zoneless ones."""
    if isinstance(type_, DecimalType) and isinstance(value, int):
        return Decimal(value)
    if isinstance(value, datetime) and isinstance(type_, TimestampNTZType):
        return value.replace(tzinfo=None)
    return value
