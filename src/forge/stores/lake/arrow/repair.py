"""Removal, filling and deduplication of rows on the driver, in Arrow: for small tables. Starts no engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from forge.flows.ports import Stage
from forge.flows.quality.row_repair import (
    CHECKS,
    FILE,
    POSITION,
    SIDE_RUN,
    SIDE_TIME,
    CellFill,
    QuarantineStamp,
    RepairTarget,
    RowFailures,
)
from forge.flows.runs.engine import Pin
from forge.flows.versioning.tables import DataFile, FileSlice, NeedsEngine
from forge.quality.remedy import ImputeMethod
from forge.stores.lake.arrow.fill import constant_of, last_before, median_of, mode_of, order_of
from forge.stores.lake.tables import IcebergTables
from forge.versioning.arrow_types import arrow_type, one_array
from forge.versioning.field import Fields
from forge.versioning.rows.codes import Flags, code_rows

FailingRows = Callable[[Pin, RowFailures], pa.Table]


class ArrowRepair:
    """`failing` finds the rows that fail checks, as a table with file and position; without it Spark has to."""

    def __init__(self, tables: IcebergTables, failing: FailingRows | None = None) -> None:
        self._tables, self._failing = tables, failing

    def take_out(self, target: RepairTarget, failing: RowFailures) -> ArrowRepairResult:
        rows = self._read(target)
        marks = self._marks(target, failing)
        listed = rows.places(marks)
        texts: list[list[str]] = [[] for _ in range(rows.table.num_rows)]
        counts: dict[str, int] = {}
        for place, ids in zip(listed, marks.column(CHECKS).to_pylist(), strict=True):
            texts[place] = ids
            for check_id in ids:
                counts[check_id] = counts.get(check_id, 0) + 1
        gone = np.zeros(rows.table.num_rows, dtype=np.bool_)
        gone[listed] = True
        return ArrowRepairResult(
            _tables=self._tables, _rows=rows, _fields=target.files.fields, gone=gone, checks=texts, counts=counts
        )

    def fill(self, target: RepairTarget, fill: CellFill) -> ArrowRepairResult:
        rows = self._read(target)
        failing: Flags | None = None
        if fill.failing is not None:
            failing = np.zeros(rows.table.num_rows, dtype=np.bool_)
            failing[rows.places(self._marks(target, fill.failing))] = True
        columns: dict[str, pa.Array] = {}
        counts: dict[str, int] = {}
        values: dict[str, object] = {}
        changed = np.zeros(rows.table.num_rows, dtype=np.bool_)
        for name in fill.columns:
            old = one_array(rows.table.column(name))
            empty = _flags(pc.is_null(old))
            wanted = empty if failing is None else failing & (empty | (name in fill.bad))
            new, value = self._filled(rows, name, old, wanted, fill)
            put = wanted & ~_flags(pc.is_null(new))
            if value is not None:
                values[name] = value
            columns[name] = pc.if_else(pa.array(put), new, old)
            counts[name] = int(put.sum())
            changed |= put
        return ArrowRepairResult(
            _tables=self._tables,
            _rows=rows,
            _fields=target.files.fields,
            columns=columns,
            touched=changed,
            counts=counts,
            values=values,
        )

    def _filled(self, rows: _Rows, name: str, old: pa.Array, wanted: Flags, fill: CellFill) -> tuple[pa.Array, object]:
        """For each row the fill value, and the single value where it is the same for all."""
        good = old.filter(pa.array(~wanted))
        match fill.method:
            case ImputeMethod.FORWARD_FILL:
                order = order_of(rows.table, fill.key, fill.order_by)
                return last_before(rows.table, old, wanted, order, fill.key, fill.order_by), None
            case ImputeMethod.CONSTANT:
                value = constant_of(fill.value, old.type, name)
            case ImputeMethod.MEDIAN:
                value = median_of(good, name)
            case ImputeMethod.MODE:
                value = mode_of(good, name)
        return pa.repeat(value, len(old)), value.as_py()

    def deduplicate(self, target: RepairTarget, key: tuple[str, ...], order_by: tuple[str, ...]) -> ArrowRepairResult:
        rows = self._read(target)
        keys = [one_array(rows.table.column(name)) for name in key]
        (codes,), _ = code_rows([keys], [rows.table.num_rows])
        order = order_of(rows.table, key, order_by)
        later = np.ones(len(order), dtype=np.bool_)
        later[:-1] = codes[order][1:] != codes[order][:-1]  # the last of its key
        whole = np.ones(len(order), dtype=np.bool_)
        for column in keys:
            whole &= _flags(pc.is_valid(column))
        gone = np.zeros(len(order), dtype=np.bool_)
        gone[order] = ~later
        return ArrowRepairResult(_tables=self._tables, _rows=rows, _fields=target.files.fields, gone=gone & whole)

    def _read(self, target: RepairTarget) -> _Rows:
        files = tuple(sorted(target.files.files, key=lambda file: file.path))
        part = FileSlice(target.files.catalog, target.files.snapshot_id, files)
        return _Rows(files, tuple(self._tables.read_each(part).values()), self._tables.read(part))

    def _marks(self, target: RepairTarget, failing: RowFailures) -> pa.Table:
        if self._failing is None:
            raise NeedsEngine("which rows fail is found by the engine")
        return self._failing(target.pin, failing)


@dataclass(frozen=True, slots=True)
class _Rows:
    """All rows of a version, file after file."""

    files: tuple[DataFile, ...]
    parts: tuple[pa.Table, ...]
    table: pa.Table

    def places(self, marks: pa.Table) -> list[int]:
        """Positions of rows identified by file and position."""
        begins, number = {}, 0
        for file, part in zip(self.files, self.parts, strict=True):
            begins[file.path], number = number, number + part.num_rows
        found = zip(marks.column(FILE).to_pylist(), marks.column(POSITION).to_pylist(), strict=True)
        return [begins[path] + place for path, place in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrowRepairResult:
    _tables: IcebergTables
    _rows: _Rows
    _fields: Fields
    gone: Flags | None = None
    touched: Flags | None = None
    columns: Mapping[str, pa.Array] = field(default_factory=dict)
    checks: Sequence[Sequence[str]] = ()  # of each row
    counts: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def changed(self) -> int:
        return int(self.touched.sum()) if self.touched is not None else 0

    @property
    def deleted(self) -> int:
        return int(self.gone.sum()) if self.gone is not None else 0

    def write(self, stage: Stage) -> None:
        whole = self._rows.table
        for name, column in self.columns.items():
            place = whole.schema.get_field_index(name)
            whole = whole.set_column(place, whole.schema.field(place), column)
        hit = self.gone if self.gone is not None else self.touched
        assert hit is not None, "it deletes or changes"
        removed: list[DataFile] = []
        kept: list[pa.Table] = [whole.slice(0, 0)]
        begin = 0
        for file, part in zip(self._rows.files, self._rows.parts, strict=True):
            end = begin + part.num_rows
            if hit[begin:end].any():
                removed.append(file)
                rows = whole.slice(begin, part.num_rows)
                kept.append(rows if self.gone is None else rows.filter(pa.array(~self.gone[begin:end])))
            begin = end
        self._tables.rewrite(stage, removed, pa.concat_tables(kept), self._fields)

    def set_aside(self, stage: Stage, fields: Fields, names: Mapping[str, str], stamp: QuarantineStamp) -> None:
        assert self.gone is not None, "only what is taken out is set aside"
        out = self._rows.table.filter(pa.array(self.gone))
        ids = [list(ids) for ids, gone in zip(self.checks, self.gone, strict=True) if gone]
        columns = {names[name]: out.column(name) for name in out.column_names}
        columns[CHECKS] = pa.chunked_array([pa.array(ids, pa.list_(pa.string()))])
        columns[SIDE_RUN] = pa.chunked_array([pa.repeat(stamp.run_id, len(ids))])
        columns[SIDE_TIME] = pa.chunked_array([pa.repeat(pa.scalar(stamp.time, pa.timestamp("us", "UTC")), len(ids))])
        rows = pa.table(
            {f.name: columns[f.name] if f.name in columns else pa.nulls(len(ids), arrow_type(f.type)) for f in fields}
        )
        self._tables.rewrite(stage, (), rows, fields)

    def release(self) -> None:
        """Nothing is cached."""


def _flags(array: pa.Array) -> Flags:
    return np.asarray(array.to_numpy(zero_copy_only=False), dtype=np.bool_)
