"""Filling of empty cells on Spark: by a constant, the median, the mode, or the previous value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from forge.engines.spark.frames import quote
from forge.flows.quality.row_repair import FILE, POSITION, CellFill, unfit_type, unfit_value
from forge.quality.remedy import ImputeMethod
from forge.quality.values import Family, family_of
from forge.versioning.field import Fields, by_name

_ACCURACY = 1_000_000  # of the median: exact up to so many values, else its rank is off by a millionth


def fill_columns(rows: DataFrame, fields: Fields, fill: CellFill) -> tuple[DataFrame, Mapping[str, object]]:
    """The rows with `new <column>` for each: the fill value, NULL where nothing is filled. And the value, where it
    is a single one."""
    types = {name: by_name(fields)[name].type for name in fill.columns}
    found, shown = _values(rows, types, fill)
    return rows.select("*", *(new.alias(f"new {name}") for name, new in found.items())), shown


def _values(rows: DataFrame, types: Mapping[str, str], fill: CellFill) -> tuple[dict[str, Column], dict[str, object]]:
    texts: dict[str, str | None]
    match fill.method:
        case ImputeMethod.FORWARD_FILL:
            return {name: F.when(_wanted(name, fill), _before(name, fill)) for name in types}, {}
        case ImputeMethod.CONSTANT:
            texts = {name: _constant(rows, fill.value, name, kind) for name, kind in types.items()}
        case ImputeMethod.MEDIAN:
            texts = _medians(rows, types, fill)
        case ImputeMethod.MODE:
            texts = {name: _mode(rows, name, kind, fill) for name, kind in types.items()}
    columns = {name: F.when(_wanted(name, fill), _from_text(texts[name], kind)) for name, kind in types.items()}
    return columns, {name: _shown(text, types[name]) for name, text in texts.items() if text is not None}


def _wanted(name: str, fill: CellFill) -> Column:
    """The cells to fill."""
    empty = F.col(quote(name)).isNull()
    if fill.failing is None:
        return empty
    return F.col("forge_bad") if name in fill.bad else F.col("forge_bad") & empty


def _kept(name: str, kind: str, fill: CellFill) -> Column:
    """The value where it counts; else NULL."""
    column = F.col(quote(name))
    good = ~_wanted(name, fill) & column.isNotNull()
    if family_of(kind) in (Family.FLOAT, Family.DOUBLE):
        good = good & ~F.isnan(column) & (F.abs(column) != F.lit(float("inf")))
    return F.when(good, column)


def _to_text(column: Column, kind: str) -> Column:
    """Exact in every time zone."""
    return (F.unix_micros(column) if kind == "timestamp" else column).cast("string")


def _from_text(text: str | None, kind: str) -> Column:
    if text is None:
        return F.lit(None).cast(kind)
    return F.timestamp_micros(F.lit(int(text))) if kind == "timestamp" else F.lit(text).cast(kind)


def _shown(text: str | None, kind: str) -> object:
    """As the driver says it: numbers and booleans as such, all else as text."""
    if text is None or kind == "string":
        return text
    if kind in ("tinyint", "smallint", "int", "bigint"):
        return int(text)
    if kind in ("float", "double"):
        return float(text)
    if kind == "boolean":
        return text == "true"
    if kind != "timestamp":
        return text
    from datetime import UTC, datetime, timedelta

    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(text))).isoformat()


def _constant(rows: DataFrame, value: object, name: str, kind: str) -> str:
    """As the text of a value of the column's type, or refused before a job starts."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    one = rows.sparkSession.range(1).select(F.lit(text).try_cast(kind).alias("value"))
    row = one.select(_to_text(F.col("value"), kind).alias("text")).first()
    if row is None or row["text"] is None:
        raise unfit_value(value, name, kind)
    return str(row["text"])


def _medians(rows: DataFrame, types: Mapping[str, str], fill: CellFill) -> dict[str, str | None]:
    for name, kind in types.items():
        if family_of(kind) in (Family.STRING, Family.BOOLEAN, Family.OTHER):
            raise unfit_type("median", name, kind, "numbers, dates and times")
    found = [
        _to_text(F.percentile_approx(_kept(name, kind, fill), 0.5, _ACCURACY), kind).alias(f"m{number}")
        for number, (name, kind) in enumerate(types.items())
    ]
    row = rows.agg(*found).first()
    return {name: None if row is None else row[f"m{number}"] for number, name in enumerate(types)}


def _mode(rows: DataFrame, name: str, kind: str, fill: CellFill) -> str | None:
    if kind.startswith(("array", "map", "struct")):
        raise unfit_type("mode", name, kind, "values that are not nested")
    kept = rows.select(_kept(name, kind, fill).alias("value")).where(F.col("value").isNotNull())
    most = kept.groupBy("value").count().orderBy(F.col("count").desc(), F.col("value").asc())
    row = most.select(_to_text(F.col("value"), kind).alias("text")).first()
    return None if row is None else str(row["text"])


def _before(name: str, fill: CellFill) -> Column:
    """The last kept value of the same key. Rows without a key or an order value neither give nor receive one."""
    keys, order = ([F.col(quote(one)) for one in names] for names in (fill.key, fill.order_by))
    known = reduce(and_, (one.isNotNull() for one in (*keys, *order)))
    window = Window.partitionBy(*keys, known).orderBy(*order, F.col(FILE), F.col(POSITION))
    gives = F.when(~_wanted(name, fill), F.col(quote(name)))
    last = F.last(gives, ignorenulls=True).over(window.rowsBetween(Window.unboundedPreceding, -1))
    return F.when(known, last)
