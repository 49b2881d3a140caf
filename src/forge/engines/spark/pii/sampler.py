"""Values of every column of a table or view in one job: the first rows of some partitions, spread over all of them.

Only those partitions are read, and of each no more than its share, so that the size of the table does not matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import BinaryType, DataType, StringType

from forge.engines.spark.errors import SPARK_ERRORS
from forge.engines.spark.frames import frame_of, quote, table_path
from forge.flows.catalog.pii.ports import TableSample
from forge.flows.catalog.pii.values import LONGEST_TEXT, sample_of
from forge.flows.runs.pin import Pin
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.engines.spark.engine import SparkEngine

PARTITIONS = 32  # that are read at most
_SPLIT = str(128 * 1024 * 1024)  # bytes of a file that one task reads
_NESTED_BYTES = 100_000  # of one list, map or struct; a larger one is left out
_SIMPLE = ["boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "date", "timestamp", "timestamp_ntz"]


class SparkSampler:
    def __init__(self, engine: SparkEngine) -> None:
        self._engine = engine

    def sample(self, pin: Pin, rows: int) -> TableSample | None:
        with self._engine.at_work(str(pin.table)) as spark:
            try:
                frame = _bounded(_frame(spark, pin))
                parts = frame.rdd.getNumPartitions()
                step = max(1, -(-parts // PARTITIONS))
                chosen = list(range(0, parts, step))
                share = -(-rows // max(1, len(chosen)))
                found = spark.sparkContext.runJob(frame.rdd, _first(share + 1), chosen) if chosen else []
            except SPARK_ERRORS:
                # what Spark says may hold values, and so may what it was caused by
                raise _unreadable(pin) from None
        cut = len(chosen) < parts or len(found) > rows or any(count > share for count in _counts(found))
        return sample_of(frame.columns, ([_plain(cell) for cell in row[1]] for row in found), complete=not cut)


def _frame(spark: SparkSession, pin: Pin) -> DataFrame:
    """Of a table each file is a partition of its own: Spark would read many small ones as one, from the first on."""
    if pin.view_sql is not None or pin.snapshot_id is None:
        return frame_of(spark, pin)
    options = {"versionAsOf": str(pin.snapshot_id), "split-size": _SPLIT, "file-open-cost": _SPLIT}
    return spark.read.options(**options).table(table_path(pin.catalog))


def _first(share: int) -> Callable[[Iterable[Row]], list[tuple[int, tuple[Any, ...]]]]:
    """The first rows of a partition. A function inside of another one travels to the workers by its code: they do not
    need Forge."""

    def first(rows: Iterable[Row]) -> list[tuple[int, tuple[Any, ...]]]:
        from itertools import islice

        return [(place, tuple(row)) for place, row in enumerate(islice(rows, share))]

    return first


def _counts(found: list[tuple[int, tuple[Any, ...]]]) -> Iterable[int]:
    """How many rows came of each partition, as far as they are numbered."""
    return (place + 1 for place, _ in found)


def _bounded(frame: DataFrame) -> DataFrame:
    """Without what would be too large to look at; names may hold dots."""
    cells = [_cell(f.col(quote(field.name)), field.dataType).alias(field.name) for field in frame.schema.fields]
    return frame.select(*cells)


def _cell(column: Column, of: DataType) -> Column:
    if isinstance(of, StringType | BinaryType):  # some programs write text as bytes
        return f.substring(column, 1, LONGEST_TEXT)
    if of.simpleString() in _SIMPLE or of.simpleString().startswith("decimal"):
        return column
    text = f.to_json(column) if of.simpleString() == "variant" else column.cast("string")
    kept = f.to_json(column) if of.simpleString() == "variant" else column
    return f.when(f.octet_length(text) <= _NESTED_BYTES, kept)


def _plain(value: Any) -> Any:
    """Structs as dicts, maps as pairs."""
    if isinstance(value, Row):
        return {name: _plain(each) for name, each in value.asDict().items()}
    if isinstance(value, dict):
        return [(_plain(key), _plain(each)) for key, each in value.items()]
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value


def _unreadable(pin: Pin) -> ForgeError:
    return ForgeError(
        "E872",
        f"The values of {pin.table} cannot be read",
        where=str(pin.table),
        why="Spark failed on them. Its message may hold values, so it is not shown.",
        fix=f"Read the table: forge query 'SELECT * FROM {pin.table} LIMIT 10' says what is wrong.",  # noqa: S608
    )
