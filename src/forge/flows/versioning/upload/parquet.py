"""Uploads in Parquet: the types are given, and have to fit."""

from __future__ import annotations

import pyarrow as pa

from forge.flows.versioning.fit_rows import fit_rows
from forge.flows.versioning.upload.limits import UploadLimits, too_large
from forge.model.errors import ForgeError
from forge.versioning.arrow_types import arrow_type, type_name
from forge.versioning.field import Fields

_UNPACKED = 20  # times the limit of bytes that a file may hold once it is unpacked


def read_parquet(
    name: str, content: bytes, schema: Fields | None, limits: UploadLimits, *, partial: bool, extra: bool
) -> pa.Table:
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(pa.BufferReader(content))
        known = file.metadata
        if known.num_rows > limits.rows:
            raise too_large(name, f"{known.num_rows:,} rows", f"{limits.rows:,} rows")
        unpacked = sum(known.row_group(number).total_byte_size for number in range(known.num_row_groups))
        if unpacked > _UNPACKED * limits.bytes:
            raise too_large(name, f"{unpacked:,} bytes once unpacked", f"{_UNPACKED * limits.bytes:,} such bytes")
        wanted = [f.name for f in schema] if schema is not None and extra else None
        rows = file.read(columns=wanted)
    except (pa.ArrowException, OSError) as error:
        raise ForgeError(
            "E621",
            f"{name} is no Parquet file that can be read",
            where=name,
            why=str(error).splitlines()[0],
            fix="Write it again.",
        ) from error
    if schema is not None:
        return fit_rows(rows, schema, name, partial=partial)
    return _as_new(rows, name)


def _as_new(rows: pa.Table, name: str) -> pa.Table:
    """Types as Spark has them."""
    columns = {}
    for field in rows.schema:
        try:
            columns[field.name] = rows.column(field.name).cast(arrow_type(type_name(field.type)))
        except (pa.ArrowException, ValueError) as error:
            raise ForgeError(
                "E621",
                f"The column {field.name} is {field.type}, which a table cannot have",
                where=name,
                why=str(error).splitlines()[0],
                fix="Write it with another type.",
            ) from error
    return pa.table(columns)
