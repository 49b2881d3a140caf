"""An engine in memory: Python transforms on lists of rows, for tests of the flows. It has no SQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from forge.flows.ports import Stage
from forge.flows.runs.engine import (
    ChangeFile,
    ChangeMode,
    ChangeQuery,
    JobProgress,
    MeasureBatch,
    Pin,
    PlannedResult,
    RunContext,
    StarvedJobs,
    TimeRange,
)
from forge.flows.runs.records import LoadedFile
from forge.lineage.edge import Edge, Extraction
from forge.model.errors import ForgeError
from forge.model.names import ColumnName, RunId, SnapshotId, TableName
from forge.model.schema import Column, Schema
from forge.quality.check import Check
from forge.quality.measure import Measure, Readings
from forge.stores.memory.changes import changed_rows
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.measure import MemoryMeasurer
from forge.transforms.transform import PythonFunction, Transform, TransformKind

Rows = list[dict[str, object]]
_TYPES = {bool: "boolean", int: "bigint", float: "double", str: "string"}


class MemoryEngine:
    """Rows by snapshot. `cancelled` holds the runs that were asked to cancel."""

    def __init__(self, lake: MemoryLake) -> None:
        self._lake = lake
        self._rows: dict[SnapshotId, Rows] = {}
        self._lock = threading.Lock()
        self.cancelled: list[RunId] = []

    def plan(
        self,
        transform: Transform,
        inputs: Mapping[TableName, Pin],
        params: Mapping[str, object],
        context: RunContext,
        files: Sequence[LoadedFile] = (),
    ) -> PlannedResult:
        if not isinstance(transform.body, PythonFunction):
            raise ForgeError("E211", "The memory engine runs Python transforms only", where=transform.where)
        arguments: dict[str, Any] = {n: self._read(inputs[t]) for n, t in transform.body.arguments.items()}
        if transform.body.wants_context:
            arguments["ctx"] = context
        try:
            rows: Rows = transform.body.function(**arguments)
        except Exception as error:
            raise ForgeError("E207", f"{type(error).__name__}: {error}", where=transform.where) from error
        schema = _schema(rows)
        return PlannedResult(transform, rows, schema, _same_names(transform, schema, inputs, self))

    def columns_of(self, pin: Pin) -> tuple[str, ...]:
        return _schema(self._read(pin)).names

    def stage(self, planned: PlannedResult, stage: Stage, time_range: TimeRange | None) -> None:
        before = self._rows.get(stage.base, []) if stage.base is not None else []
        rows: Rows = list(planned.frame)
        if planned.transform.kind is TransformKind.APPEND:
            added, rows = len(rows), [*before, *rows]
            deleted = 0
        else:
            added, deleted = len(rows), len(before)
        if not stage.exists:
            self._lake.create(stage, planned.schema)
        with self._lock:
            snapshot = self._lake.append(stage.catalog, added, deleted=deleted, schema=planned.schema)
            self._rows[snapshot] = rows
            self._lake.keep(snapshot, rows)

    def change(
        self,
        source: ChangeQuery | ChangeFile | object,
        stage: Stage,
        mode: ChangeMode,
        key: tuple[str, ...],
        *,
        evolve: bool = False,
    ) -> None:
        """Rows from a Parquet file or a list; there is no SQL here."""
        before = self._rows.get(stage.base, []) if stage.base is not None else []
        rows = changed_rows(before, _given(source), stage, mode, key, evolve=evolve)
        schema = _schema(rows) if rows else _schema(before)
        if not stage.exists:
            self._lake.create(stage, schema)
        with self._lock:
            added = sum(row not in before for row in rows)
            deleted = sum(row not in rows for row in before)
            snapshot = self._lake.append(stage.catalog, added, deleted=deleted, schema=schema)
            self._rows[snapshot] = rows
            self._lake.keep(snapshot, rows)

    def measure(
        self,
        target: Pin | PlannedResult,
        measures: Sequence[Measure],
        others: Mapping[TableName, Pin],
        report: Callable[[MeasureBatch], None] = lambda batch: None,
    ) -> Readings:
        readings = self._measurer(target, others).measure(measures)
        report(MeasureBatch("scan", tuple(measures), 0.0))
        return readings

    def sample(
        self,
        target: Pin | PlannedResult,
        checks: Sequence[Check],
        readings: Readings,
        masked: frozenset[str],
        others: Mapping[TableName, Pin],
        limit: int = 5,
    ) -> tuple[tuple[Mapping[str, object], ...], ...]:
        return tuple(() for _ in checks)

    def failing_rows(
        self,
        target: Pin | PlannedResult,
        checks: Sequence[tuple[str, Check]],
        readings: Readings,
        others: Mapping[TableName, Pin],
    ) -> object:
        raise ForgeError("E211", "The memory engine gives no failing rows")

    def files_of(self, transform: Transform) -> tuple[LoadedFile, ...]:
        return ()

    def with_digests(self, files: Sequence[LoadedFile]) -> tuple[LoadedFile, ...]:
        return tuple(files)

    def query(
        self, sql: str, inputs: Mapping[TableName, Pin], params: Mapping[str, object], limit: int | None
    ) -> tuple[Schema, tuple[tuple[object, ...], ...]]:
        raise ForgeError("E211", "The memory engine knows no SQL")

    def begin(self, run_id: RunId, table: TableName) -> None:
        """There are no jobs to mark."""

    def begin_read(self, run_id: RunId) -> None:
        """Likewise."""

    def end(self) -> None:
        """Likewise."""

    def find_starved(self, reads: Iterable[RunId]) -> StarvedJobs:
        return StarvedJobs()

    def progress(self, run_id: RunId, table: TableName) -> JobProgress:
        return JobProgress(0, 0, 0, 0, 0)

    def cancel(self, run_id: RunId) -> None:
        self.cancelled.append(run_id)

    def _measurer(self, target: Pin | PlannedResult, others: Mapping[TableName, Pin]) -> MemoryMeasurer:
        rows = target.frame if isinstance(target, PlannedResult) else self._read(target)
        return MemoryMeasurer(rows, {table: self._read(pin) for table, pin in others.items()})

    def _read(self, pin: Pin) -> Rows:
        """Rows that were appended are the last ones."""
        rows = self._rows[pin.snapshot_id] if pin.snapshot_id is not None else []
        return rows if pin.since is None else rows[len(self._rows[pin.since]) :]


def _given(source: ChangeQuery | ChangeFile | object) -> Rows:
    match source:
        case ChangeFile():
            import pyarrow.parquet as parquet

            rows: Rows = parquet.read_table(source.path).to_pylist()
            return rows
        case list():
            return [dict(row) for row in source]
        case _:
            raise ForgeError("E211", "The memory engine takes rows from a list or a Parquet file")


def _schema(rows: Rows) -> Schema:
    first = rows[0] if rows else {}
    return Schema(tuple(Column(name, _TYPES.get(type(value), "string")) for name, value in first.items()))


def _same_names(
    transform: Transform, schema: Schema, inputs: Mapping[TableName, Pin], engine: MemoryEngine
) -> Extraction:
    """Columns of input and output with the same name are taken for the same."""
    return Extraction(
        tuple(
            Edge(source=ColumnName(str(table), name), target=ColumnName(str(transform.output), name))
            for table, pin in inputs.items()
            for name in engine.columns_of(pin)
            if name in schema.names
        )
    )
