"""Commits of data on Spark: rows that no transform makes, written into a stage. Columns are matched by name."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from functools import reduce

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import DataFrame as AnyFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType
from pyspark.sql.window import Window

from forge.engines.spark.errors import analysis_error, first_line
from forge.engines.spark.frames import local_path, quote, refuse_duplicate_columns, schema_of, table_path
from forge.engines.spark.gate import gate_of
from forge.flows.ports import Stage
from forge.flows.runs.engine import ChangeFile, ChangeMode, ChangeQuery
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.versioning.errors import IncomparableError, NothingToDoError


def apply_change(
    spark: SparkSession,
    source: ChangeQuery | ChangeFile | object,
    stage: Stage,
    mode: ChangeMode,
    key: tuple[str, ...],
    *,
    evolve: bool = False,
) -> None:
    frame = _rows(spark, source, stage)
    refuse_duplicate_columns(schema_of(frame), str(stage.table))
    if mode in ("merge", "delete") and not key:
        raise _no_key(stage, mode)
    if key:
        frame = _keyed(frame, key, stage, mode)
    if not stage.exists:
        _create(spark, frame, stage, mode, key)
        return
    path = table_path(stage.catalog)
    try:
        if mode != "delete":
            frame = _fitted(spark, frame, path, stage, evolve=evolve)
        _write(spark, frame, path, mode, key)
    except AnalysisException as error:
        raise _refused(stage, first_line(error)) from error


def _rows(spark: SparkSession, source: ChangeQuery | ChangeFile | object, stage: Stage) -> DataFrame:
    match source:
        case ChangeQuery():
            try:
                gate = gate_of(spark)
                return gate.to_main(gate.frame(source.sql, source.inputs, source.params))
            except AnalysisException as error:
                raise analysis_error(error, "query") from error
        case ChangeFile():
            try:
                return spark.read.parquet(local_path(source.path))
            except AnalysisException as error:
                why = first_line(error)
                raise ForgeError(
                    "E629", f"{source.path.name} cannot be read", why=why, fix="Give a Parquet file that exists."
                ) from error
        case AnyFrame():
            return source
        case _:
            raise ForgeError(
                "E207",
                f"{type(source).__name__} cannot be committed",
                where=str(stage.table),
                why="Rows come from a Spark DataFrame, a SELECT or a Parquet file.",
                fix="Make a Spark DataFrame of it.",
            )


def _keyed(frame: DataFrame, key: tuple[str, ...], stage: Stage, mode: ChangeMode) -> DataFrame:
    """The rows, failing the job where a key is NULL (E612) or, unless they are only to be deleted, duplicated
    (E611)."""
    known = {name.lower() for name in frame.columns}
    missing = [name for name in key if name.lower() not in known]
    if missing:
        raise IncomparableError(
            "E613",
            f"The rows have no {', '.join(missing)}, which is the key",
            where=str(stage.table),
            fix=f"The rows have {', '.join(frame.columns)}. Name the key that is there, or add the column.",
        )
    keys = [F.col(quote(name)) for name in key]
    shown = F.concat_ws(", ", *(F.coalesce(one.cast("string"), F.lit("NULL")) for one in keys))
    words = f"{stage.table}: {', '.join(key)} = "
    is_null = reduce(lambda left, right: left | right, (one.isNull() for one in keys))
    empty = F.raise_error(F.concat(F.lit(f"FORGE-E612 {words}"), shown)).cast("boolean")
    if mode == "delete":
        return frame.where(F.when(is_null, empty).otherwise(F.lit(True))).select(*keys).distinct()
    if mode != "merge":
        return frame.where(F.when(is_null, empty).otherwise(F.lit(True)))
    copies = F.count(F.lit(1)).over(Window.partitionBy(*keys))
    twice = F.raise_error(F.concat(F.lit(f"FORGE-E611 {words}"), shown)).cast("boolean")
    allowed = F.when(is_null, empty).when(F.col("__forge_copies") > 1, twice).otherwise(F.lit(True))
    return frame.withColumn("__forge_copies", copies).where(allowed).drop("__forge_copies")


def _create(spark: SparkSession, frame: DataFrame, stage: Stage, mode: ChangeMode, key: tuple[str, ...]) -> None:
    if mode == "delete":
        raise NothingToDoError(
            f"There is no {stage.table} to delete from",
            where=str(stage.table),
            fix="Check the name and the branch.",
        )
    path, keys = table_path(stage.catalog), {name.lower() for name in key}
    schema = StructType()
    for field in frame.schema.fields:
        # Iceberg's identifier fields must be required
        schema.add(field.name, field.dataType, nullable=field.name.lower() not in keys)
    # without a folder the catalog decides where its tables are
    spark.catalog.createTable(path, path=stage.location or None, source="iceberg", schema=schema)
    if keys:
        spark.sql(f"ALTER TABLE {path} SET IDENTIFIER FIELDS {', '.join(quote(name) for name in key)}")
    frame.writeTo(path).append()


def _fitted(spark: SparkSession, frame: DataFrame, path: str, stage: Stage, *, evolve: bool) -> DataFrame:
    """The rows under the table's names; new columns are added where the caller evolves the schema."""
    have = {field.name.lower(): field for field in spark.table(path).schema.fields}
    unknown = [field for field in frame.schema.fields if field.name.lower() not in have]
    if unknown and not evolve:
        raise _refused(
            stage, f"It has no column {', '.join(f.name for f in unknown)}.", [f.name for f in have.values()]
        )
    for field in unknown:
        spark.sql(f"ALTER TABLE {path} ADD COLUMN {quote(field.name)} {field.dataType.simpleString()}")
    names = {name: field.name for name, field in have.items()}
    return frame.select(*(F.col(quote(name)).alias(names.get(name.lower(), name)) for name in frame.columns))


def _write(spark: SparkSession, frame: DataFrame, path: str, mode: ChangeMode, key: tuple[str, ...]) -> None:
    match mode:
        case "append":
            _filled(spark, frame, path).writeTo(path).append()
        case "overwrite":
            _filled(spark, frame, path).writeTo(path).overwrite(F.lit(True))
        case "merge":
            update = ", ".join(f"t.{quote(name)} = s.{quote(name)}" for name in frame.columns)
            columns, values = (", ".join(f"{of}{quote(name)}" for name in frame.columns) for of in ("", "s."))
            insert = f"WHEN NOT MATCHED THEN INSERT ({columns}) VALUES ({values})"  # noqa: S608  quoted names only
            _merge(spark, frame, path, key, f"WHEN MATCHED THEN UPDATE SET {update} {insert}")
        case "delete":
            _merge(spark, frame, path, key, "WHEN MATCHED THEN DELETE")


def _filled(spark: SparkSession, frame: DataFrame, path: str) -> DataFrame:
    """With NULL for missing columns."""
    given = set(frame.columns)
    fields = spark.table(path).schema.fields
    cells = (F.col(quote(f.name)) if f.name in given else F.lit(None).cast(f.dataType).alias(f.name) for f in fields)
    return frame.select(*cells)


def _merge(spark: SparkSession, frame: DataFrame, path: str, key: Sequence[str], clauses: str) -> None:
    view = f"forge_change_{uuid.uuid4().hex}"
    frame.createOrReplaceTempView(view)
    # null-safe: else Spark would leave rows with a NULL key out before they are refused
    on = " AND ".join(f"t.{quote(name)} <=> s.{quote(name)}" for name in key)
    try:
        spark.sql(f"MERGE INTO {path} AS t USING {quote(view)} AS s ON {on} {clauses}")
    finally:
        spark.catalog.dropTempView(view)


def _refused(stage: Stage, why: str, known: Sequence[str] = ()) -> ForgeError:
    named = why.rstrip(".").rpartition(" ")[2]
    near = did_you_mean(named, known) if known else None
    return ForgeError(
        "E621",
        f"The rows do not fit {stage.table}",
        where=str(stage.table),
        why=why,
        fix=near or "Correct the rows; new columns are added where that is asked for. Nothing was written.",
    )


def _no_key(stage: Stage, mode: str) -> ForgeError:
    return IncomparableError(
        "E613",
        f"{stage.table} has no key",
        where=str(stage.table),
        why=f"`{mode}` finds rows by their key.",
        fix="Name the key columns (--key).",
    )
