"""The rows of selected files of a snapshot, deletes applied, by PyIceberg's scan."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io import FileIO
from pyiceberg.io.pyarrow import ArrowScan, _read_all_delete_files, schema_to_pyarrow
from pyiceberg.schema import Schema
from pyiceberg.table import FileScanTask
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.utils.concurrent import ExecutorFactory

from forge.stores.lake.file_set import LiveFile, unreadable
from forge.stores.lake.table_schema import snapshot_schema


def arrow_schema(metadata: TableMetadata, snapshot: Snapshot, columns: Sequence[str] | None) -> pa.Schema:
    """With field ids, as Parquet has them."""
    return schema_to_pyarrow(_projected(snapshot_schema(metadata, snapshot.schema_id), columns))


def read_files(
    metadata: TableMetadata, snapshot: Snapshot, io: FileIO, files: Sequence[LiveFile], columns: Sequence[str] | None
) -> list[pa.Table]:
    """One table per file, in their order; files are read in parallel, and each delete file once."""
    schema = snapshot_schema(metadata, snapshot.schema_id)
    # the scan completes columns that a file lacks by the metadata's current schema, which may be a later one
    then = metadata.model_copy(update={"current_schema_id": schema.schema_id})
    scan = ArrowScan(then, io, _projected(schema, columns), AlwaysTrue())
    wanted = arrow_schema(metadata, snapshot, columns)
    tasks = [FileScanTask(f.entry.data_file, delete_files={d.data_file for d in f.deletes}) for f in files]
    try:
        deletes = _read_all_delete_files(io, tasks)
    except (OSError, ValueError) as error:
        raise unreadable(metadata.location, error) from error

    def read(task: FileScanTask) -> pa.Table:
        try:
            batches = list(scan._record_batches_from_scan_tasks_and_deletes([task], deletes))
        except (OSError, pa.ArrowInvalid) as error:
            raise unreadable(task.file.file_path, error) from error
        tables = [pa.Table.from_batches([batch]).cast(wanted) for batch in batches]
        return pa.concat_tables(tables) if tables else wanted.empty_table()

    return list(ExecutorFactory.get_or_create().map(read, tasks))


def _projected(schema: Schema, columns: Sequence[str] | None) -> Schema:
    return schema if columns is None else schema.select(*columns)
