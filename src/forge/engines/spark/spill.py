"""Rows of a source on their way to Spark: a private Parquet file each, written in bounded memory.

Spark knows nothing of the source: no address and no password, and none of the types its own readers would guess. Every
row is read by the connector, once, in one transaction of the source."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forge.engines.spark.frames import local_path
from forge.federation.relation import SourceColumn
from forge.flows.upkeep.private_files import FILE, private_folder
from forge.model.errors import DiskFullError
from forge.model.types import DataType, TypeField

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

GROUP_BYTES = 32 * 2**20  # held in memory for each file that is written
_WRITTEN: dict[str, Any] = {"compression": "snappy", "store_schema": False}
_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def spill_folder(parent: Path) -> Iterator[Path]:
    """An empty folder, removed at the end. What others have left that ended without it is removed first."""
    private_folder(parent)
    with ExitStack() as holding:
        with ExitStack() as beginning:
            _lock(parent, fcntl.LOCK_EX, beginning)  # nobody takes the new folder for one that was left
            _remove_left(parent)
            folder = Path(tempfile.mkdtemp(dir=parent))  # only its owner may look into it
            _lock(folder, fcntl.LOCK_SH, holding)
        holding.callback(shutil.rmtree, folder, ignore_errors=True)
        yield folder


def _lock(folder: Path, kind: int, until: ExitStack) -> None:
    held = os.open(folder, os.O_RDONLY)
    until.callback(os.close, held)
    fcntl.flock(held, kind)


def _remove_left(parent: Path) -> None:
    for folder in parent.iterdir():
        try:
            held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # its query has just ended
            continue
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:  # its query is at work
            pass
        finally:
            os.close(held)


def write_rows(reader: pa.RecordBatchReader, file: Path, proceed: Callable[[], None]) -> int:
    """How many rows there were. Columns are called by their places: names of a source can be anything. `proceed`
    raises where the query was cancelled."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    schema = pa.schema([(f"c{place}", _file_type(each.type)) for place, each in enumerate(reader.schema)])
    schema = schema if len(schema) else pa.schema([("c0", pa.bool_())])  # Parquet counts the rows of its columns
    rows = 0
    try:
        with reader, parquet.ParquetWriter(_private(file), schema, **_WRITTEN, **_column_options(schema)) as writer:
            for group in _groups(reader, proceed):
                rows += group.num_rows
                writer.write_table(_placed(group, schema), row_group_size=max(1, group.num_rows))
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise DiskFullError(
            "No space is left for the rows of the sources",
            where="query",
            why=error.strerror,
            fix="Free some space, or ask for fewer rows.",
        ) from error
    return rows


def _column_options(schema: pa.Schema) -> dict[str, list[str]]:
    """By statistics and dictionaries Spark leaves out whole groups of rows, of floats too many: `= NaN`, `> 1e308` and
    `= 0.0` lose rows with NaN and -0.0."""
    import pyarrow as pa

    plain = [each.name for each in schema if not pa.types.is_floating(each.type) and not pa.types.is_nested(each.type)]
    return {"write_statistics": plain, "use_dictionary": plain}


def _private(file: Path) -> Path:
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE))
    return file


def _groups(reader: pa.RecordBatchReader, proceed: Callable[[], None]) -> Iterator[pa.Table]:
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    proceed()
    for batch in reader:
        proceed()
        held.append(batch)
        if sum(each.nbytes for each in held) >= GROUP_BYTES:
            yield pa.Table.from_batches(held, reader.schema)
            held = []
    if held:
        yield pa.Table.from_batches(held, reader.schema)


def _placed(group: pa.Table, schema: pa.Schema) -> pa.Table:
    import pyarrow as pa

    if not group.num_columns:
        return pa.table([pa.nulls(group.num_rows, pa.bool_())], schema=schema)
    return group.rename_columns(schema.names).cast(schema)


def _file_type(kind: pa.DataType) -> pa.DataType:
    """Parquet has no type of nothing but NULL."""
    import pyarrow as pa

    return pa.bool_() if pa.types.is_null(kind) else kind


def frame_of_rows(spark: SparkSession, file: Path, columns: Sequence[SourceColumn]) -> DataFrame:
    """The rows of such a file, with the names and types of the columns."""
    from pyspark.sql import functions as f

    schema = ", ".join(f"c{place} {read_type(each.type)}" for place, each in enumerate(columns)) or "c0 boolean"
    read = spark.read.schema(schema).parquet(local_path(file))
    named = [f.col(f"c{place}") for place in range(len(columns))]
    return read.select(
        *(
            (f.lit(None) if each.type.name == "void" else column).alias(each.name)
            for column, each in zip(named, columns, strict=True)
        )
    )


def write_frame(frame: DataFrame, folder: Path) -> None:
    """By Spark, under the places of the columns."""
    named = [frame[place].alias(f"c{place}") for place in range(len(frame.columns))]
    frame.select(*named).write.parquet(local_path(folder))


def read_written(folder: Path, columns: Sequence[SourceColumn]) -> pa.RecordBatchReader:
    """What Spark wrote there, with the names and types of the columns."""
    import pyarrow as pa
    import pyarrow.dataset as ds

    from forge.versioning.arrow_types import arrow_type

    schema = pa.schema([(one.name, arrow_type(one.type)) for one in columns])
    written = ds.dataset(str(folder), format="parquet", schema=_placed_schema(schema))
    batches = (
        pa.RecordBatch.from_arrays(
            [one.cast(kind) for one, kind in zip(batch.columns, schema.types, strict=True)], schema=schema
        )
        for batch in written.to_batches()
    )
    return pa.RecordBatchReader.from_batches(schema, batches)


def _placed_schema(schema: pa.Schema) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([(f"c{place}", each.type) for place, each in enumerate(schema)])


def read_type(of: DataType) -> DataType:
    """The type of Spark that holds the values: texts of a fixed length are texts."""
    if of.name in ("char", "varchar"):
        return DataType("string")
    if of.name == "void":
        return DataType("boolean")
    fields = tuple(TypeField(each.name, read_type(each.type)) for each in of.fields)
    return DataType(of.name, of.size, fields)
