"""Writes into a stage: one job for the data, by the kind of the transform."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from forge.engines.spark.frames import quote, table_path
from forge.engines.spark.source_rows import GONE
from forge.flows.ports import Stage
from forge.flows.runs.engine import PlannedResult, TimeRange
from forge.model.errors import ForgeError
from forge.model.types import iceberg_text
from forge.model.widening import widens
from forge.transforms.transform import Transform, TransformKind

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructField

_PARTITION = re.compile(r"\s*(\w+)\s*\(\s*(?:(\d+)\s*,\s*)?([^(),]+?)\s*\)\s*|\s*([^(),]+?)\s*")


def write(spark: SparkSession, planned: PlannedResult, stage: Stage, time_range: TimeRange | None) -> None:
    transform, frame = planned.transform, planned.frame
    if not stage.exists:
        _create(frame, stage, transform)
        return
    path = table_path(stage.catalog)
    evolve(spark, path, frame, transform, keeps_rows=planned.keeps_rows)
    if planned.changes is not None:
        _merge_changes(spark, planned.changes, path, transform, stage)
    elif not planned.keeps_rows:
        _replace(frame, path, transform)
    else:
        _write_into(spark, frame, path, stage, transform, time_range)


def _replace(frame: DataFrame, path: str, transform: Transform) -> None:
    from pyspark.sql.functions import lit

    if transform.kind is TransformKind.BY_UNIQUE_KEY:
        frame = refuse_duplicates(frame, transform)
    frame.writeTo(path).overwrite(lit(True))


def _write_into(
    spark: SparkSession,
    frame: DataFrame,
    path: str,
    stage: Stage,
    transform: Transform,
    time_range: TimeRange | None,
) -> None:
    match transform.kind:
        case TransformKind.APPEND:
            frame.writeTo(path).append()
        case TransformKind.BY_TIME_RANGE:
            _replace_range(spark, frame, path, transform, time_range)
        case TransformKind.BY_UNIQUE_KEY:
            _merge(spark, frame, path, transform, stage)
        case _:
            raise AssertionError(f"{transform.kind} is not staged")


def _create(frame: DataFrame, stage: Stage, transform: Transform) -> None:
    if transform.kind is TransformKind.BY_UNIQUE_KEY:
        frame = refuse_duplicates(frame, transform)
    writer = frame.writeTo(table_path(stage.catalog)).using("iceberg").tableProperty("format-version", "2")
    if stage.location:  # else the catalog decides where its tables are
        writer = writer.tableProperty("location", stage.location)
    if transform.partitioned_by:
        first, *rest = (partition_column(text, transform) for text in transform.partitioned_by)
        writer = writer.partitionedBy(first, *rest)
    writer.create()


def partition_column(text: str, transform: Transform) -> Column:
    """`days(ordered_at)`, `bucket(16, id)` or a plain column."""
    from pyspark.sql import functions as F
    from pyspark.sql.functions import partitioning

    match = _PARTITION.fullmatch(text)
    if match:
        name, width, inner, plain = match.groups()
        if plain:
            return F.col(quote(plain))
        unary = {"years": "years", "months": "months", "days": "days", "hours": "hours"}.get(name.lower())
        if unary and not width:
            made: Column = getattr(partitioning, unary)(F.col(quote(inner)))
            return made
        if name.lower() == "bucket" and width:
            return partitioning.bucket(int(width), F.col(quote(inner)))
    raise ForgeError(
        "E206",
        f"'{text}' is no partition that Forge knows",
        where=transform.where,
        why="Known are a column, years(c), months(c), days(c), hours(c) and bucket(n, c).",
        fix="Correct partitioned_by.",
    )


def evolve(spark: SparkSession, path: str, frame: DataFrame, transform: Transform, *, keeps_rows: bool) -> None:
    """Evolve the staged table to the columns of the result. Only the stage changes; main sees it when it is
    published."""
    have = {field.name.lower(): field for field in spark.table(path).schema.fields}
    want = {field.name.lower(): field for field in frame.schema.fields}
    if keeps_rows:
        refuse_loss(have, want, transform)
    for name, field in want.items():
        known = have.get(name)
        if known is None:
            _add(spark, path, field)
        elif _differ(known, field) and not (keeps_rows and _widens(field, known)):
            _retype(spark, path, known, field)
    for name, field in have.items():
        if name not in want:
            spark.sql(f"ALTER TABLE {path} DROP COLUMN {quote(field.name)}")


def refuse_loss(have: Mapping[str, StructField], want: Mapping[str, StructField], transform: Transform) -> None:
    """Rows that a run keeps must keep their values: none of their columns is dropped or retyped."""
    lost = [f"{field.name} would be dropped" for name, field in have.items() if name not in want]
    for name, field in want.items():
        known = have.get(name)
        if known is not None and _differ(known, field) and not _widens(known, field) and not _widens(field, known):
            lost.append(f"{field.name} would change from {_type(known)} to {_type(field)}")
    if lost:
        raise ForgeError(
            "E214",
            f"{transform.output} would lose values of rows it keeps",
            where=transform.where,
            why=f"It is {transform.kind}, and {'; '.join(lost)}.",
            fix="Keep the column and its type, or make the transform `kind: full` for one run.",
        )


def _type(field: StructField) -> str:
    return field.dataType.simpleString()


def _differ(old: StructField, new: StructField) -> bool:
    """Whether they are two types in Iceberg, where a tinyint is an int."""
    return iceberg_text(_type(old)) != iceberg_text(_type(new))


def _widens(old: StructField, new: StructField) -> bool:
    """Whether Iceberg can promote it in place; any other change of type is a drop and an add."""
    return widens(_type(old), _type(new), "iceberg")


def _add(spark: SparkSession, path: str, field: StructField) -> None:
    spark.sql(f"ALTER TABLE {path} ADD COLUMN {quote(field.name)} {field.dataType.simpleString()}")


def _retype(spark: SparkSession, path: str, old: StructField, new: StructField) -> None:
    if _widens(old, new):
        spark.sql(f"ALTER TABLE {path} ALTER COLUMN {quote(old.name)} TYPE {_type(new)}")
        return
    spark.sql(f"ALTER TABLE {path} DROP COLUMN {quote(old.name)}")
    _add(spark, path, new)


def _replace_range(
    spark: SparkSession, frame: DataFrame, path: str, transform: Transform, time_range: TimeRange | None
) -> None:
    from pyspark.sql import functions as F

    assert time_range is not None, "the flow refuses a later run without a range"
    assert transform.time_column is not None, "the loader refuses the kind without it"
    name = quote(transform.time_column)
    column = F.col(name)
    rows = frame.where((column >= F.lit(time_range.start)) & (column < F.lit(time_range.end)))
    # Two snapshots of the stage, one publish: whole files go by metadata, mixed ones are rewritten.
    spark.sql(
        f"DELETE FROM {path} WHERE {name} >= :start AND {name} < :end",  # noqa: S608  quoted names only
        args={"start": time_range.start, "end": time_range.end},
    )
    rows.writeTo(path).append()


def refuse_duplicates(frame: DataFrame, transform: Transform) -> DataFrame:
    """The rows, failing the job on a duplicate key. Costs a shuffle of the change, which MERGE needs anyway."""
    from pyspark.sql import functions as F
    from pyspark.sql.window import Window

    keys = [F.col(quote(key)) for key in transform.unique_key]
    shown = F.concat_ws(", ", *(key.cast("string") for key in keys))
    message = F.concat(F.lit(f"FORGE-E212 {transform.output}: {', '.join(transform.unique_key)} = "), shown)
    count = F.count(F.lit(1)).over(Window.partitionBy(*keys))
    marked = frame.withColumn("__forge_copies", count)
    allowed = F.when(F.col("__forge_copies") > 1, F.raise_error(message).cast("boolean")).otherwise(F.lit(True))
    return marked.where(allowed).drop("__forge_copies")


def _merge(spark: SparkSession, frame: DataFrame, path: str, transform: Transform, stage: Stage) -> None:
    _merge_into(spark, frame, path, transform, stage, "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")


def _merge_changes(spark: SparkSession, changes: DataFrame, path: str, transform: Transform, stage: Stage) -> None:
    """Rows whose key is gone are deleted; a key that came and went meanwhile is not inserted."""
    columns = [quote(name) for name in changes.columns if name != GONE]
    to_set = ", ".join(f"t.{name} = s.{name}" for name in columns)
    values = ", ".join(f"s.{name}" for name in columns)
    then = (
        f"WHEN MATCHED AND s.{GONE} THEN DELETE",
        f"WHEN MATCHED THEN UPDATE SET {to_set}",
        f"WHEN NOT MATCHED AND NOT s.{GONE} THEN INSERT ({', '.join(columns)}) VALUES ({values})",  # noqa: S608  quoted names only
    )
    _merge_into(spark, changes, path, transform, stage, " ".join(then))


def _merge_into(
    spark: SparkSession, frame: DataFrame, path: str, transform: Transform, stage: Stage, then: str
) -> None:
    view = f"forge_change_{stage.run_id}_{stage.table.schema}_{stage.table.name}"
    refuse_duplicates(frame, transform).createOrReplaceTempView(view)
    on = " AND ".join(f"t.{quote(key)} <=> s.{quote(key)}" for key in transform.unique_key)
    try:
        spark.sql(f"MERGE INTO {path} AS t USING {quote(view)} AS s ON {on} {then}")
    finally:
        spark.catalog.dropTempView(view)
