"""Rows that the connector of a source reads, as DataFrames: written to a private file in bounded memory, once, which
is there until they are loaded. Of changes, what becomes of each key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from forge.engines.spark.frames import quote
from forge.engines.spark.spill import frame_of_rows, spill_folder, write_rows
from forge.flows.runs.source_rows import AT_VERSION, CHANGE, INSERTED, UPDATED, SourceRows
from forge.lineage.edge import Edge, Extraction
from forge.model.errors import DiskFullError, ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.model.names import ColumnName
from forge.transforms.transform import ConnectorSource, Transform

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GONE = "__forge_gone"  # of a row of changes: its key is in the source no more
_PLACE, _RANK = "__forge_place", "__forge_rank"


def refuse_unknown_key(transform: Transform, rows: SourceRows) -> None:
    names = {each.name.lower(): each.name for each in rows.columns}
    for key in transform.unique_key:
        if key.lower() not in names:
            raise ForgeError(
                "E203",
                f"{transform.output} has no column {key}, which is its unique_key",
                where=transform.where,
                fix=did_you_mean(key, names.values()) or f"It has {', '.join(sorted(names.values())[:20])}.",
            )


def spill(transform: Transform, rows: SourceRows, parent: Path, proceed: Callable[[], None]) -> Path:
    """The file of its rows."""
    file = rows.until.enter_context(spill_folder(parent)) / "rows.parquet"
    try:
        write_rows(rows.read(), file, proceed)
    except DiskFullError as error:
        raise error.but(where=transform.where, fix="Free some space.") from error
    except ForgeError as error:
        if error.where:
            raise
        raise error.but(where=transform.where) from error
    return file


def frames_of(
    spark: SparkSession, rows: SourceRows, file: Path, key: Sequence[str]
) -> tuple[DataFrame, DataFrame | None]:
    """The rows, and where they are changes, what becomes of each key."""
    from pyspark.sql import functions as f

    frame = frame_of_rows(spark, file, rows.read_columns)
    if not rows.are_changes:
        return frame, None
    changes = _last_of(frame, key)
    return changes.where(~f.col(GONE)).drop(GONE), changes


def _last_of(frame: DataFrame, key: Sequence[str]) -> DataFrame:
    """Of each key its last change. What a version both takes away and gives, it gives. A key that a version gives
    twice stays twice, and is refused as in a whole load."""
    from pyspark.sql import functions as f
    from pyspark.sql.window import Window

    gone = ~f.col(CHANGE).isin(INSERTED, UPDATED)
    newest = Window.partitionBy(*(f.col(quote(one)) for one in key)).orderBy(f.col(AT_VERSION).desc(), f.col(GONE))
    marked = frame.withColumn(GONE, gone)
    placed = marked.withColumn(_RANK, f.rank().over(newest)).withColumn(_PLACE, f.row_number().over(newest))
    last = (f.col(_RANK) == 1) & (~f.col(GONE) | (f.col(_PLACE) == 1))
    return placed.where(last).drop(CHANGE, AT_VERSION, _RANK, _PLACE)


def lineage_of(transform: Transform, body: ConnectorSource, rows: SourceRows) -> Extraction:
    """Each column is that of the source."""
    pairs = ((ColumnName(body.name, each.name), ColumnName(str(transform.output), each.name)) for each in rows.columns)
    return Extraction(tuple(Edge(source=source, target=target) for source, target in pairs))
