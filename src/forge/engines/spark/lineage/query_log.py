"""Edges of a table of query texts, by one Spark job: workers parse the texts and equal edges are aggregated, so the
result grows with the edges, not with the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from forge.engines.spark.lineage.extract_job import extract_texts
from forge.flows.lineage.query_log import EdgeCount
from forge.lineage.extract.catalog import TableCatalog
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FORMATS = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".orc": "orc"}
_KEY = ("kind", "source", "target", "transformation", "masking", "subtype", "source_field", "target_field")
TEXTS = ("text", "query", "query_text", "sql", "statement")


def open_log(spark: SparkSession, place: str, column: str | None = None) -> DataFrame:
    """A table, or a file or folder of Parquet, CSV, JSON or ORC. Query texts are in `column`, else in the first
    existing column of `TEXTS`. E816 if there is none."""
    from pyspark.errors import PySparkException

    suffix = next((end for end in _FORMATS if place.rstrip("/").lower().endswith(end)), None)
    try:
        if suffix is not None or "/" in place:
            reader = spark.read.format(_FORMATS.get(suffix or "", "parquet"))
            frame = (
                reader.option("header", True).option("multiLine", suffix == ".csv").option("escape", '"').load(place)
            )
        else:
            frame = spark.table(place)
        names = {name.lower(): name for name in frame.columns}
    except PySparkException as error:
        raise ForgeError("E816", f"{place} cannot be read as a query log", why=str(error.getMessage())) from error
    wanted = (column.lower(),) if column else TEXTS
    found = next((names[name] for name in wanted if name in names), None)
    if found is None:
        raise ForgeError(
            "E816",
            f"{place} has no column of query texts",
            why=f"It has {', '.join(frame.columns)}.",
            fix="Name it with --text COLUMN.",
        )
    return frame if found == "text" else frame.withColumnRenamed(found, "text")


def count_edges(frame: DataFrame, catalog: TableCatalog, dialect: str = "spark") -> Iterator[EdgeCount]:
    from pyspark.sql import functions as F

    read = extract_texts(frame, catalog, dialect=dialect)
    same = read.groupBy(*_KEY).agg(
        F.count("*").alias("times"),
        F.max("confidence").alias("confidence"),
        F.min_by("expression", F.length("expression")).alias("expression"),
        F.min("id").alias("first"),
    )
    for row in same.toLocalIterator():
        yield EdgeCount(
            kind=row["kind"],
            source=row["source"] or "",
            target=row["target"] or "",
            transformation=row["transformation"] or "",
            masking=bool(row["masking"]),
            subtype=row["subtype"] or "",
            expression=row["expression"] or "",
            confidence=row["confidence"] or 0.0,
            times=row["times"],
            first=row["first"] or "",
            source_field=row["source_field"] or "",
            target_field=row["target_field"] or "",
        )
