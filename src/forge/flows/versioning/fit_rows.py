"""Arrow rows cast to the columns of a table, without loss, or refused."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.versioning.arrow_types import arrow_type, plain_type, type_name
from forge.versioning.field import Fields, TableField

_FAILURES = (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError)


def check_columns(names: Sequence[str], fields: Fields, where: str, *, partial: bool) -> None:
    """E621 for an unknown column, a duplicate one, or (unless `partial`) a missing required one."""
    known = [field.name for field in fields]
    for place, name in enumerate(names):
        if name not in known:
            near = did_you_mean(name, known)
            raise ForgeError(
                "E621",
                f"The table has no column {name}" if name else f"Column {place + 1} has no name",
                where=where,
                why=near,
                fix=f"Its columns are {', '.join(known)}.",
            )
        if name in names[:place]:
            raise ForgeError("E621", f"The column {name} is there twice", where=where, fix="Take one of them out.")
    missing = [field.name for field in fields if field.required and field.name not in names]
    if missing and not partial:
        raise ForgeError(
            "E621",
            f"The column {missing[0]} is missing",
            where=where,
            why="It is required: no row of the table may be without a value there.",
            fix=f"Add the column {missing[0]}.",
        )


def fit_rows(rows: pa.Table, fields: Fields, where: str, *, partial: bool = False) -> pa.Table:
    """The rows in the order and types of the table's columns. A missing column is NULL or, if `partial`, left out.
    E621 where a value does not fit."""
    check_columns(rows.column_names, fields, where, partial=partial)
    columns: dict[str, pa.ChunkedArray] = {}
    for field in fields:
        if field.name in rows.column_names:
            columns[field.name] = _fit(rows.column(field.name), field, where)
        elif not partial:
            columns[field.name] = pa.chunked_array([pa.nulls(rows.num_rows, arrow_type(field.type))])
    return pa.table(columns) if columns else rows.select([])


def _fit(column: pa.ChunkedArray, field: TableField, where: str) -> pa.ChunkedArray:
    kind = arrow_type(field.type)
    if field.required and column.null_count:
        row = pc.index(pc.is_null(column.combine_chunks()), True).as_py()
        raise _bad(where, row, field, "it is empty, and the column is required")
    if column.type == kind:
        return column
    if not _is_family(plain_type(column.type), kind):
        raise ForgeError(
            "E621",
            f"The column {field.name} is {type_name(column.type)}, and the table's is {field.type}",
            where=where,
            why="A value is not turned into one of another kind unasked.",
            fix=f"Give it as {field.type}.",
        )
    try:
        return _plain(column).cast(kind)
    except _FAILURES as error:
        row = _first_bad(_plain(column), kind)
        value = column[row].as_py()
        raise _bad(where, row, field, f"{value!r} is not a {field.type}") from error


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = plain_type(column.type)
    if isinstance(column.type, pa.BaseExtensionType):
        return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    return column.cast(kind) if kind != column.type else column


def _first_bad(column: pa.ChunkedArray, kind: pa.DataType) -> int:
    """The first row whose value does not fit, by bisection."""
    start, length = 0, len(column)
    while length > 1:
        half = length // 2
        try:
            column.slice(start, half).cast(kind)
            start, length = start + half, length - half
        except _FAILURES:
            length = half
    return start


def _bad(where: str, row: int, field: TableField, reason: str) -> ForgeError:
    return ForgeError(
        "E621",
        f"Row {row + 1}, column {field.name}: {reason}",
        where=where,
        why="Nothing of it was taken.",
        fix=f"The column is {field.type}.",
    )


def _is_family(given: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether values of one type can be of the other; whether each fits is for the cast to say."""
    is_ = pa.types
    if is_.is_null(given) or given == wanted:
        return True
    if is_.is_nested(wanted):
        return bool(is_.is_nested(given))
    if is_.is_integer(wanted):
        return bool(is_.is_integer(given))
    if is_.is_decimal(wanted):
        return bool(is_.is_integer(given) or is_.is_decimal(given))
    if is_.is_floating(wanted):
        return bool(is_.is_integer(given) or is_.is_floating(given) or is_.is_decimal(given))
    if is_.is_timestamp(wanted):
        return bool(is_.is_timestamp(given) and (wanted.tz is not None or given.tz is None))
    texts = (is_.is_string, is_.is_large_string)
    bytes_ = (is_.is_binary, is_.is_large_binary, is_.is_fixed_size_binary)
    families = (texts, bytes_, (is_.is_date,), (is_.is_boolean,))
    return any(any(f(given) for f in family) and any(f(wanted) for f in family) for family in families)
