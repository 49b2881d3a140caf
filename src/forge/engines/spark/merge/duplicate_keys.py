"""Duplicate keys, on Spark."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from forge.engines.spark.frames import quote
from forge.engines.spark.merge.align import counted, stacked
from forge.engines.spark.merge.answers import as_utc
from forge.flows.versioning.tables import DuplicateKeys


def find_twins(new: DataFrame, old: DataFrame | None, key: Sequence[str], limit: int) -> DuplicateKeys:
    """Keys of two rows of `new`, or of a row of `new` and one of `old`; keys with a NULL are ignored."""
    names = [f"k{place}" for place in range(len(key))]
    parts = [
        part.select(*(F.col(quote(column)).alias(name) for column, name in zip(key, names, strict=True))).dropna()
        for part in (new, old)
        if part is not None
    ]
    grouped = stacked(parts).groupBy(*names).agg(counted(0).alias("new"), counted(1).alias("old"))
    twins = grouped.where((F.col("new") > 1) | ((F.col("new") > 0) & (F.col("old") > 0))).select(*names)
    first = twins.orderBy(*names).limit(limit).toArrow().to_pylist()
    if not first:
        return DuplicateKeys()
    count = len(first) if len(first) < limit else twins.count()
    shown = (dict(zip(key, as_utc(row).values(), strict=True)) for row in first)
    return DuplicateKeys(count, tuple(shown))
