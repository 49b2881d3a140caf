"""Column bounds of a data file, from its manifest. Decoded on access."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal

from pyiceberg.manifest import DataFile
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    StringType,
    TimestampType,
    TimestamptzType,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WIDE = Context(prec=50)  # the default 28 digits cannot hold a decimal(38,…)
Range = tuple[object, object]


class Bounds(Mapping[int, Range]):
    """By field id: no value of the file is outside. Bounds of text and bytes may be truncated, the lower one down
    and the upper one up, so the range still holds. A column is left out where NULL or NaN is or may be among its
    values."""

    __slots__ = ("_file", "_types")

    def __init__(self, file: DataFile, types: Mapping[int, IcebergType]) -> None:
        self._file = file
        self._types = types

    def __getitem__(self, field_id: int) -> Range:
        kind = self._types.get(field_id)
        found = None if kind is None else _range(self._file, field_id, kind)
        if found is None:
            raise KeyError(field_id)
        return found

    def __iter__(self) -> Iterator[int]:
        return (field_id for field_id, kind in self._types.items() if _range(self._file, field_id, kind) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def types_of(schema: Schema) -> dict[int, IcebergType]:
    """Of the top-level columns, by field id."""
    return {field.field_id: field.field_type for field in schema.fields}


def _range(file: DataFile, field_id: int, kind: IcebergType) -> Range | None:
    if (file.null_value_counts or {}).get(field_id) != 0:
        return None
    if isinstance(kind, FloatType | DoubleType) and (file.nan_value_counts or {}).get(field_id) != 0:
        return None
    low = _value((file.lower_bounds or {}).get(field_id), kind)
    high = _value((file.upper_bounds or {}).get(field_id), kind)
    return None if low is None or high is None else (low, high)


def _value(bound: bytes | None, kind: IcebergType) -> object | None:
    """Numbers are decoded by the length of the bytes: a file written before the column was widened has the narrow
    form."""
    if bound is None:
        return None
    match kind:
        case StringType():
            return _text(bound)
        case BinaryType():
            return bytes(bound)
        case DecimalType():
            return Decimal(int.from_bytes(bound, "big", signed=True)).scaleb(-kind.scale, _WIDE) if bound else None
        case FloatType() | DoubleType():
            form = {4: "<f", 8: "<d"}.get(len(bound))
            return None if form is None else struct.unpack(form, bound)[0]
        case IntegerType() | LongType() | DateType() | TimestampType() | TimestamptzType():
            return _integral(int.from_bytes(bound, "little", signed=True), kind) if len(bound) in (4, 8) else None
        case _:
            return None


def _integral(number: int, kind: IcebergType) -> object | None:
    try:
        match kind:
            case DateType():
                return date(1970, 1, 1) + timedelta(days=number)
            case TimestamptzType():
                return _EPOCH + timedelta(microseconds=number)
            case TimestampType():
                return _EPOCH.replace(tzinfo=None) + timedelta(microseconds=number)
            case _:
                return number
    except OverflowError:
        return None


def _text(bound: bytes) -> str | None:
    try:
        return bytes(bound).decode()
    except UnicodeDecodeError:
        return None
