"""A few rows of one snapshot, without an engine: data files are opened one by one until there are enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyiceberg.io import FileIO
    from pyiceberg.schema import Schema
    from pyiceberg.table import FileScanTask
    from pyiceberg.table.metadata import TableMetadata

_FIELD_ID = b"PARQUET:field_id"


def first_rows(
    metadata: TableMetadata, io: FileIO, snapshot_id: int, columns: Sequence[str], limit: int
) -> tuple[tuple[object, ...], ...] | None:
    """None where PyIceberg cannot read the snapshot: it does not support equality deletes."""
    from pyiceberg.table import DataScan

    scan = DataScan(metadata, io, selected_fields=tuple(columns), snapshot_id=snapshot_id)
    schema = scan.projection()
    rows: list[tuple[object, ...]] = []
    try:
        tasks = iter(scan.plan_files())
    except ValueError:
        return None
    while len(rows) < limit and (task := next(tasks, None)) is not None:
        rows += _of_file(metadata, io, task, schema, columns, limit - len(rows))
    return tuple(rows)


def _of_file(
    metadata: TableMetadata, io: FileIO, task: FileScanTask, schema: Schema, columns: Sequence[str], limit: int
) -> list[tuple[object, ...]]:
    if not columns:
        return [()] * min(limit, task.file.record_count)
    try:
        batches: Iterable[RecordBatch] | None = _pages(io, task, schema, limit)
        if batches is None:
            batches = _scanned(metadata, io, task, schema, limit)
        return [tuple(row[name] for name in columns) for batch in batches for row in batch.to_pylist()][:limit]
    except FileNotFoundError as error:
        raise ForgeError(
            "E406",
            "A data file of the table is missing",
            where=task.file.file_path,
            why="It was deleted by something other than Forge.",
            fix="forge doctor",
        ) from error


def _pages(io: FileIO, task: FileScanTask, schema: Schema, limit: int) -> list[RecordBatch] | None:
    """The first rows by the Parquet pages that hold them; a scan would decode millions ahead. Only for plain columns
    that the file has under the same ids and without deletes: else None."""
    from pyarrow.parquet import ParquetFile
    from pyiceberg.manifest import FileFormat

    nested = any(not field.field_type.is_primitive for field in schema.fields)
    if nested or task.delete_files or task.file.file_format != FileFormat.PARQUET:
        return None
    with io.new_input(task.file.file_path).open() as stream:
        file = ParquetFile(stream)
        names = {
            int(field.metadata[_FIELD_ID]): field.name
            for field in file.schema_arrow
            if field.metadata and _FIELD_ID in field.metadata
        }
        if any(field.field_id not in names for field in schema.fields):
            return None
        wanted = {names[field.field_id]: field.name for field in schema.fields}
        batches: list[RecordBatch] = []
        for batch in file.iter_batches(batch_size=limit, columns=list(wanted)):  # one ends where a row group ends
            batches.append(batch.rename_columns([wanted[name] for name in batch.schema.names]))
            if sum(map(len, batches)) >= limit:
                break
        return batches


def _scanned(
    metadata: TableMetadata, io: FileIO, task: FileScanTask, schema: Schema, limit: int
) -> Iterator[RecordBatch]:
    from pyiceberg.expressions import AlwaysTrue
    from pyiceberg.io.pyarrow import ArrowScan

    return ArrowScan(metadata, io, schema, AlwaysTrue(), limit=limit).to_record_batches([task])
