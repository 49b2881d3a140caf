"""Rows written as data files of a table, by PyIceberg's own writer. No snapshot is made here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile
from pyiceberg.table import TableProperties
from pyiceberg.table.metadata import TableMetadataV2
from pyiceberg.transforms import DayTransform, HourTransform, IdentityTransform, MonthTransform, YearTransform
from pyiceberg.types import DoubleType, FloatType

from forge.flows.versioning.tables import NeedsEngine
from forge.stores.lake.files import unwritable

if TYPE_CHECKING:
    import pyarrow

_DIVISIBLE = (IdentityTransform, YearTransform, MonthTransform, DayTransform, HourTransform)


def write_rows(metadata: TableMetadataV2, io: FileIO, rows: pyarrow.Table) -> list[DataFile]:
    """By the current schema and default partition spec, in files of the size of the table's property. Raises
    NeedsEngine where PyIceberg cannot partition the rows or write the format."""
    from pyiceberg.io.pyarrow import _dataframe_to_data_files

    _refuse_what_needs_an_engine(metadata)
    if rows.num_rows == 0:
        return []
    try:
        files = list(_dataframe_to_data_files(metadata, typed(metadata, rows), io))
    except OSError as error:
        raise unwritable(metadata.location, error) from error
    for file in files:
        file.spec_id = metadata.default_spec_id
    written = sum(file.record_count for file in files)
    if written != rows.num_rows:  # a partition value that is not equal to itself would lose its rows
        raise NeedsEngine(f"{rows.num_rows - written} rows fit no partition")
    return files


def typed(metadata: TableMetadataV2, rows: pyarrow.Table) -> pyarrow.Table:
    """The columns of the current schema in its order and types; missing ones are NULL."""
    import pyarrow as pa
    from pyiceberg.io.pyarrow import schema_to_pyarrow

    wanted = schema_to_pyarrow(metadata.schema(), include_field_ids=False)
    columns = [
        rows.column(field.name).cast(field.type) if field.name in rows.column_names else pa.nulls(len(rows), field.type)
        for field in wanted
    ]
    return pa.Table.from_arrays(columns, schema=wanted)


def _refuse_what_needs_an_engine(metadata: TableMetadataV2) -> None:
    name = metadata.properties.get(TableProperties.WRITE_FILE_FORMAT, TableProperties.WRITE_FILE_FORMAT_DEFAULT)
    if name.lower() != "parquet":
        raise NeedsEngine(f"the table is written as {name}")
    for field in metadata.spec().fields:
        kind = metadata.schema().find_type(field.source_id)
        floating = isinstance(kind, FloatType | DoubleType)  # NaN is not equal to itself
        if not isinstance(field.transform, _DIVISIBLE) or floating:
            raise NeedsEngine(f"the table is divided by {field.transform} of a {kind}")
