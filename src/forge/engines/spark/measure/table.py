"""A DataFrame that is measured, with all that its measures may look up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as f

from forge.engines.spark.measure.columns import portable, to_python, type_of
from forge.engines.spark.measure.custom import CustomRules
from forge.engines.spark.measure.jobs import collect_in_one_job
from forge.engines.spark.measure.keys import partition_names
from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.measure import MAX_PARTITIONS, Measure, NotMeasured, Reading

TOO_MANY = NotMeasured(f"there are more than {MAX_PARTITIONS:,} partitions")


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """`frame` is the table at the version to measure; `others` gives the tables that its keys refer to."""

    spark: SparkSession
    frame: DataFrame
    schema: Schema
    others: Callable[[TableName], DataFrame]
    custom: CustomRules

    def counts(self, counted: DataFrame, measure: Measure) -> Reading:
        """`value` of the one row, or of each partition."""
        if not measure.by:
            return int(collect_in_one_job(self.spark, counted)[0]["value"])
        rows = self.partitions(counted, measure)
        return TOO_MANY if rows is None else {key: int(row["value"]) for key, row in rows}

    def partitions(
        self, grouped: DataFrame, measure: Measure, most: int = MAX_PARTITIONS
    ) -> list[tuple[tuple[object, ...], Row]] | None:
        """Partitions, each with the row of it; None where there are too many."""
        types = [type_of(name, self.schema) for name in measure.by]
        names = partition_names(measure)
        keys = [portable(f.col(name), type_).alias(name) for name, type_ in zip(names, types, strict=True)]
        rest = [f.col(name) for name in grouped.columns if name not in names]
        rows = collect_in_one_job(self.spark, grouped.limit(most + 1).select(*keys, *rest))
        if len(rows) > most:
            return None
        return [(tuple(to_python(row[n], t) for n, t in zip(names, types, strict=True)), row) for row in rows]
