"""Lazy results: a transform or a query as a DataFrame over pinned inputs. No job runs here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from forge.engines.spark.session.session import CATALOG
from forge.flows.runs.engine import Pin
from forge.lineage.extract.spark.plan import VIEW_ALIAS
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, TableName
from forge.model.schema import Column, Schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame as DataFrame  # for the types of the wiring, which does not know pyspark
    from pyspark.sql import SparkSession


def quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def table_path(catalog: CatalogName) -> str:
    return ".".join(quote(part) for part in (CATALOG, catalog.namespace, catalog.name))


def view_alias(table: TableName) -> str:
    """Marks the view in the plan, so that lineage ends at it."""
    return f"{VIEW_ALIAS}{table.schema}__{table.name}"


def local_path(path: Path) -> str:
    """A local file for Spark's readers, no character of it a glob pattern."""
    return "file:" + re.sub(r"([\\*?\[\]{}])", r"\\\1", str(path.absolute()))


def fragment(pin: Pin) -> str:
    """The FROM clause of a pinned input."""
    if pin.view_sql is not None:
        # On lines of its own: a comment at the end of the view must not swallow the parenthesis.
        text = pinned_sql(pin.view_sql, {p.table: p for p in pin.view_inputs})
        return f"(SELECT * FROM (\n{text}\n) AS {quote(view_alias(pin.table))})"  # noqa: S608  quoted names only
    if pin.snapshot_id is None:
        return table_path(pin.catalog)
    return f"{table_path(pin.catalog)} VERSION AS OF {int(pin.snapshot_id)}"


def pinned_sql(text: str, inputs: Mapping[TableName, Pin]) -> str:
    from forge.transforms.sql import pin

    return pin(text, {table: fragment(p) for table, p in inputs.items()})


def frame_of(spark: SparkSession, pin: Pin) -> DataFrame:
    if pin.since is not None:
        return _appended(spark, pin)
    return spark.sql(f"SELECT * FROM {fragment(pin)} AS {quote(pin.table.name)}")  # noqa: S608  quoted names only


def placed_frame(spark: SparkSession, pin: Pin, names: tuple[str, str]) -> DataFrame:
    """A table with file and position of each row."""
    from pyspark.sql import functions as f

    table = frame_of(spark, pin)
    return table.select("*", f.col("_file").alias(names[0]), f.col("_pos").alias(names[1]))


def _appended(spark: SparkSession, pin: Pin) -> DataFrame:
    """Rows of the files appended after a snapshot, up to the pinned one."""
    ends = {"start-snapshot-id": str(pin.since), "end-snapshot-id": str(pin.snapshot_id)}
    return spark.read.options(**ends).table(table_path(pin.catalog)).alias(pin.table.name)


def sql_frame(
    spark: SparkSession, text: str, inputs: Mapping[TableName, Pin], params: Mapping[str, object]
) -> DataFrame:
    """Parameters are bound by Spark, never interpolated."""
    return spark.sql(pinned_sql(text, inputs), args=dict(params) or None)


def schema_of(frame: DataFrame) -> Schema:
    return Schema(tuple(Column(f.name, f.dataType.simpleString(), f.nullable) for f in frame.schema.fields))


def refuse_duplicate_columns(schema: Schema, where: str) -> None:
    seen: set[str] = set()
    for name in schema.names:
        if name.lower() in seen:
            raise ForgeError(
                "E211", f"The result has two columns called {name}", where=where, fix="Give one of them another alias."
            )
        seen.add(name.lower())
