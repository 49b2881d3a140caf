"""Measures answered from Iceberg's manifests: file statistics, no rows read and no job run."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from functools import cached_property
from typing import TYPE_CHECKING

from forge.quality.measure import Measure, Reading, Readings

if TYPE_CHECKING:
    from pyiceberg.io import FileIO
    from pyiceberg.manifest import DataFile
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.types import IcebergType, NestedField

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WIDE = Context(prec=50)  # the default 28 digits cannot hold a decimal(38,…)


class _Unknown(Exception):
    """The manifests do not give an exact value."""


class ManifestMeasurer:
    """Answers what the manifests of one snapshot prove, and leaves out everything else.

    Nothing is answered for a snapshot with delete files (their rows are still in the counts), for a filter, for text
    (its bounds are truncated), for a column with NaN (excluded from bounds), or where one file lacks the statistic."""

    def __init__(self, metadata: TableMetadata, snapshot_id: int, io: FileIO) -> None:
        self._metadata = metadata
        self._snapshot_id = snapshot_id
        self._io = io

    def measure(self, measures: Sequence[Measure]) -> Readings:
        readings: dict[Measure, Reading] = {}
        for measure in measures:
            try:
                readings[measure] = self._reading(measure)
            except _Unknown:
                continue
        return readings

    def _reading(self, measure: Measure) -> Reading:
        elsewhere = measure.where or measure.by or measure.since or measure.at
        read = MANIFEST_KINDS.get(measure.kind)
        if elsewhere or read is None:
            raise _Unknown
        return read(self, measure)

    @property
    def files(self) -> tuple[DataFile, ...]:
        if self._files is None:
            raise _Unknown
        return self._files

    @cached_property
    def _files(self) -> tuple[DataFile, ...] | None:
        """The live data files; None where a delete file is among the live files or the snapshot is unknown."""
        from pyiceberg.manifest import ManifestContent

        snapshot = self._metadata.snapshot_by_id(self._snapshot_id)
        if snapshot is None:
            return None
        files: list[DataFile] = []
        for manifest in snapshot.manifests(self._io):
            entries = manifest.fetch_manifest_entry(self._io, discard_deleted=True)
            if manifest.content != ManifestContent.DATA and entries:
                return None
            files.extend(entry.data_file for entry in entries)
        return tuple(files)

    def field(self, name: str) -> NestedField:
        """The column by its name in the snapshot's own schema: a later rename does not count."""
        fields = self._fields.get(name.lower(), [])
        if len(fields) != 1:
            raise _Unknown
        return fields[0]

    @cached_property
    def _fields(self) -> dict[str, list[NestedField]]:
        from pyiceberg.types import PrimitiveType

        snapshot = self._metadata.snapshot_by_id(self._snapshot_id)
        schema_id = snapshot.schema_id if snapshot else None
        schema = next((s for s in self._metadata.schemas if s.schema_id == schema_id), None)
        fields: dict[str, list[NestedField]] = {}
        for field in schema.fields if schema else ():
            if isinstance(field.field_type, PrimitiveType):
                fields.setdefault(field.name.lower(), []).append(field)
        return fields


def _count(counts: dict[int, int] | None, field_id: int) -> int:
    if counts is None or field_id not in counts:
        raise _Unknown
    return counts[field_id]


def _bounds(files: Iterable[DataFile], field: NestedField) -> tuple[Reading, Reading]:
    """The smallest and greatest value over all files; None and None where every value is NULL."""
    lows: list[object] = []
    highs: list[object] = []
    for file in files:
        if _count(file.null_value_counts, field.field_id) == file.record_count:
            continue
        _refuse_nan(file, field)
        lows.append(_value((file.lower_bounds or {}).get(field.field_id), field.field_type))
        highs.append(_value((file.upper_bounds or {}).get(field.field_id), field.field_type))
    _value_type(field.field_type)
    # values of one column are of one type, which has an order
    return min(lows, default=None), max(highs, default=None)  # type: ignore[type-var]


def _refuse_nan(file: DataFile, field: NestedField) -> None:
    from pyiceberg.types import DoubleType, FloatType

    if isinstance(field.field_type, FloatType | DoubleType) and _count(file.nan_value_counts, field.field_id) > 0:
        raise _Unknown


def _value_type(type_: IcebergType) -> None:
    """Refuses types whose bounds are truncated, have another order, or mean something else than the value."""
    from pyiceberg.types import (
        DateType,
        DecimalType,
        DoubleType,
        FloatType,
        IntegerType,
        LongType,
        TimestampType,
        TimestamptzType,
    )

    exact = IntegerType | LongType | FloatType | DoubleType | DecimalType | DateType | TimestampType | TimestamptzType
    if not isinstance(type_, exact):
        raise _Unknown


def _value(bound: bytes | None, type_: IcebergType) -> object:
    """The bound as a Python value. Bytes are decoded by their own length, since a file written before the column was
    widened has the narrower form."""
    from pyiceberg.types import DateType, DecimalType, DoubleType, FloatType, TimestampType, TimestamptzType

    _value_type(type_)
    if not bound:
        raise _Unknown
    if isinstance(type_, DecimalType):
        return Decimal(int.from_bytes(bound, "big", signed=True)).scaleb(-type_.scale, _WIDE)
    if isinstance(type_, FloatType | DoubleType):
        return _floating(bound)
    number = int.from_bytes(bound, "little", signed=True)
    wide = isinstance(type_, TimestampType | TimestamptzType)
    if len(bound) not in ((8,) if wide else (4, 8)):
        raise _Unknown
    try:
        if isinstance(type_, DateType):
            return date(1970, 1, 1) + timedelta(days=number)
        return _EPOCH + timedelta(microseconds=number) if wide else number
    except OverflowError:
        raise _Unknown from None


def _floating(bound: bytes) -> float:
    form = {4: "<f", 8: "<d"}.get(len(bound))
    if form is None:
        raise _Unknown
    return float(struct.unpack(form, bound)[0])


def _none_outside(low: Reading, high: Reading, bounds: tuple[object, ...]) -> int:
    """0 where the bounds prove it; they do not show how many rows are outside."""
    least, most = bounds
    if any(isinstance(end, float) and math.isinf(end) for end in (low, high)):
        raise _Unknown  # the infinities are outside every range
    try:
        below = low is not None and least is not None and low < least  # type: ignore[operator]
        above = high is not None and most is not None and high > most  # type: ignore[operator]
    except TypeError:
        raise _Unknown from None
    if below or above:
        raise _Unknown
    return 0


def _nulls(measurer: ManifestMeasurer, measure: Measure) -> Reading:
    field = measurer.field(measure.columns[0])
    return sum(_count(file.null_value_counts, field.field_id) for file in measurer.files)


def _ends(measurer: ManifestMeasurer, measure: Measure) -> tuple[Reading, Reading]:
    return _bounds(measurer.files, measurer.field(measure.columns[0]))


# Kinds of cost METADATA: how manifests answer them.
MANIFEST_KINDS: dict[str, Callable[[ManifestMeasurer, Measure], Reading]] = {
    "rows": lambda measurer, measure: sum(file.record_count for file in measurer.files),
    "nulls": _nulls,
    "min": lambda measurer, measure: _ends(measurer, measure)[0],
    "max": lambda measurer, measure: _ends(measurer, measure)[1],
    "outside_range": lambda measurer, measure: _none_outside(*_ends(measurer, measure), measure.arguments),
}
