"""Rows of pinned tables of the lake as an Arrow stream, with the columns and filters of a scan, without an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from functools import reduce
from itertools import islice
from typing import TYPE_CHECKING, Any

from forge.federation.plan import Scan, ScanFilter, SourceQuery
from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.source import LAKE
from forge.flows.runs.pin import Pin
from forge.flows.versioning.tables import NeedsEngine
from forge.model.errors import CancellationError, ForgeError
from forge.model.types import parse_type
from forge.stores.lake.file_set import unreadable

if TYPE_CHECKING:
    import pyarrow as pa
    from pyiceberg.expressions import BooleanExpression
    from pyiceberg.io import FileIO
    from pyiceberg.schema import Schema
    from pyiceberg.table import FileScanTask
    from pyiceberg.table.metadata import TableMetadata

TableOpener = Callable[[Any], "tuple[TableMetadata, FileIO]"]
FILES_AT_ONCE = 2  # decoded in parallel, and held in memory


class LakeConnector:
    """The lake as a source. `pins`: the tables that may be read, each at its snapshot; views are no tables."""

    def __init__(self, open_table: TableOpener, pins: Mapping[tuple[str, str], Pin]) -> None:
        self._open, self._pins = open_table, dict(pins)
        self._stopped = False

    def test(self) -> str:
        return "Iceberg"

    def relations(self) -> tuple[RelationName, ...]:
        return tuple(RelationName(LAKE, path) for path in sorted(self._pins))

    def describe(self, path: tuple[str, ...]) -> SourceRelation | None:
        pin = next((one for name, one in self._pins.items() if name == path), None)
        if pin is None:
            return None
        metadata, _ = self._open(pin.catalog)
        _refuse_what_needs_an_engine(metadata, pin)
        snapshot = metadata.snapshot_by_id(pin.snapshot_id) if pin.snapshot_id is not None else None
        summary = dict(snapshot.summary.additional_properties) if snapshot and snapshot.summary else {}
        columns = _columns(_schema(metadata, pin))
        return SourceRelation(
            RelationName(LAKE, path),
            columns,
            rows=_number(summary, "total-records") if snapshot else 0,
            bytes=_number(summary, "total-files-size") if snapshot else 0,
            version=str(pin.snapshot_id or ""),
        )

    def read(self, asked: SourceQuery | Scan, schema: pa.Schema, batch_rows: int = 65_536) -> pa.RecordBatchReader:
        import pyarrow as pa

        assert isinstance(asked, Scan), "the lake understands no SQL"
        pin = self._pins[asked.relation.path[0], asked.relation.path[1]]
        self._stopped = False
        return pa.RecordBatchReader.from_batches(schema, self._batches(pin, asked, schema, batch_rows))

    def cancel(self) -> None:
        self._stopped = True

    def close(self) -> None:
        self.cancel()

    def _batches(self, pin: Pin, asked: Scan, schema: pa.Schema, batch_rows: int) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        left = asked.limit
        for batch in self._scanned(pin, asked):
            if self._stopped:
                raise CancellationError("Reading the lake was cancelled", fix="Ask again.")
            rows = batch if left is None else batch.slice(0, left)
            columns = [rows.column(name).cast(field.type) for name, field in zip(asked.columns, schema, strict=True)]
            made = pa.RecordBatch.from_arrays(columns, schema=schema)
            for start in range(0, made.num_rows, batch_rows):
                yield made.slice(start, batch_rows)
            if left is not None:
                left -= rows.num_rows
                if left <= 0:
                    return

    def _scanned(self, pin: Pin, asked: Scan) -> Iterator[pa.RecordBatch]:
        """Batches with the columns that were asked for, by name; file after file, so that memory is bounded."""
        import pyarrow as pa
        from pyiceberg.io.pyarrow import ArrowScan
        from pyiceberg.table import DataScan

        if pin.snapshot_id is None:
            return
        metadata, io = self._open(pin.catalog)
        # Columns that a file lacks are completed by the current schema, which may be a later one.
        then = metadata.model_copy(update={"current_schema_id": _schema(metadata, pin).schema_id})
        row_filter = _expression(asked.filters, _schema(metadata, pin))
        scan = DataScan(then, io, row_filter=row_filter, selected_fields=asked.columns, snapshot_id=pin.snapshot_id)
        try:
            tasks: Iterator[FileScanTask] = iter(scan.plan_files())
            reader = ArrowScan(then, io, scan.projection(), row_filter)
            while some := list(islice(tasks, FILES_AT_ONCE)):
                yield from reader.to_record_batches(some)
        except (OSError, pa.ArrowInvalid) as error:
            raise unreadable(getattr(error, "filename", None) or str(pin.table), error) from error


def _schema(metadata: TableMetadata, pin: Pin) -> Schema:
    from forge.stores.lake.table_schema import snapshot_schema

    snapshot = metadata.snapshot_by_id(pin.snapshot_id) if pin.snapshot_id is not None else None
    return snapshot_schema(metadata, snapshot.schema_id if snapshot else None)


def _columns(schema: Schema) -> tuple[SourceColumn, ...]:
    from forge.stores.lake.spark_types import spark_type

    return tuple(
        SourceColumn(field.name, parse_type(text), nullable=not field.required, native=text)
        for field in schema.fields
        if (text := spark_type(field.field_type))
    )


def _refuse_what_needs_an_engine(metadata: TableMetadata, pin: Pin) -> None:
    if pin.snapshot_id is None:
        return
    snapshot = metadata.snapshot_by_id(pin.snapshot_id)
    if snapshot is None:
        raise ForgeError("E406", f"Snapshot {pin.snapshot_id} of {pin.table} is gone", fix="forge doctor")
    summary = dict(snapshot.summary.additional_properties) if snapshot.summary else {}
    if metadata.format_version > 2 or summary.get("total-equality-deletes", "0") != "0":
        raise NeedsEngine(f"{pin.table} has equality deletes or is of a newer format")


def _number(summary: Mapping[str, str | None], key: str) -> int | None:
    text = summary.get(key)
    return int(text) if text is not None and text.isdecimal() else None


def _expression(filters: tuple[ScanFilter, ...], schema: Schema) -> BooleanExpression:
    from pyiceberg.expressions import AlwaysTrue, And

    everything: BooleanExpression = AlwaysTrue()
    return reduce(And, (_test(one, schema.find_type(one.column)) for one in filters), everything)


def _test(one: ScanFilter, kind: Any) -> BooleanExpression:
    from pyiceberg import expressions

    e: Any = expressions  # its signatures are those of pydantic, which types cannot see
    column = e.Reference(one.column)
    match one.operator:
        case "is null":
            found = e.IsNull(column)
        case "is not null":
            found = e.NotNull(column)
        case "in":
            values = {fitted for value in one.values if (fitted := _exact(value, kind)) is not None}
            found = e.In(column, values) if values else e.AlwaysFalse()
        case "=":
            fitted = _exact(one.values[0], kind)
            found = e.EqualTo(column, fitted) if fitted is not None else e.AlwaysFalse()
        case "<>":
            # Iceberg keeps rows without a value where `<>` is asked for; SQL does not.
            fitted, some = _exact(one.values[0], kind), e.NotNull(column)
            found = e.And(e.NotEqualTo(column, fitted), some) if fitted is not None else some
        case "<" | "<=":
            bound = _nearest(one.values[0], kind, ROUND_FLOOR)
            strict = one.operator == "<" and bound == one.values[0]
            below = e.LessThan if strict else e.LessThanOrEqual
            found = below(column, bound) if bound is not None else e.AlwaysFalse()
        case ">" | ">=":
            bound = _nearest(one.values[0], kind, ROUND_CEILING)
            strict = one.operator == ">" and bound == one.values[0]
            above = e.GreaterThan if strict else e.GreaterThanOrEqual
            found = above(column, bound) if bound is not None else e.AlwaysFalse()
    tested: BooleanExpression = found
    return tested


def _exact(value: object, kind: Any) -> object | None:
    """The value as one of the column's type; None: no row has it."""
    nearest = _nearest(value, kind, ROUND_FLOOR)
    return nearest if nearest == value else None


def _nearest(value: Any, kind: Any, how: str) -> Any:
    """The next value below (ROUND_FLOOR) or above that the column's type has; None: there is none. Only numbers
    change."""
    from pyiceberg.types import DecimalType, IntegerType, LongType

    if isinstance(kind, DecimalType):
        scale, most = kind.scale, 10**kind.precision - 1
        least = -most
    elif isinstance(kind, IntegerType | LongType):
        scale, most = 0, 2 ** (31 if isinstance(kind, IntegerType) else 63) - 1
        least = -most - 1
    else:
        return value
    with localcontext() as exactly:
        exactly.prec = 100  # longer than any number that is compared
        units = int(Decimal(value).scaleb(scale).to_integral_value(rounding=how))
        if (units > most and how == ROUND_CEILING) or (units < least and how == ROUND_FLOOR):
            return None
        units = max(least, min(most, units))
        return Decimal(units).scaleb(-scale) if isinstance(kind, DecimalType) else units
