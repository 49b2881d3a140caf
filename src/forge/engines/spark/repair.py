"""Removal, filling and deduplication of rows on Spark. The changes are computed once, as rows identified by file and
position, and cached until they are written; then only files with such rows are rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from forge.engines.spark.collect import collected
from forge.engines.spark.errors import user_error
from forge.engines.spark.fill import fill_columns
from forge.engines.spark.frames import frame_of, quote, table_path
from forge.engines.spark.merge.row_engine import appended_files
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
from forge.flows.versioning.tables import FileSlice, Tables
from forge.model.errors import ForgeError
from forge.model.names import SnapshotId, TableName
from forge.model.time import as_utc
from forge.transforms.functions import load_function
from forge.versioning.arrow_types import arrow_type
from forge.versioning.field import Fields

if TYPE_CHECKING:
    from forge.engines.spark.engine import SparkEngine

_NEW = "forge_new"  # the struct of new values of a row that changes


class SparkRepair:
    def __init__(self, engine: SparkEngine, tables: Tables) -> None:
        self.engine, self.tables = engine, tables

    def take_out(self, target: RepairTarget, failing: RowFailures) -> SparkRepairResult:
        with self.engine.at_work(str(target.table)) as spark:
            bad = self._failing(target, failing).persist(StorageLevel.MEMORY_AND_DISK)
            counted = collected(bad.groupBy(FILE, CHECKS).count())
            counts: dict[str, int] = {}
            files: dict[str, int] = {}
            for row in counted:
                files[row[FILE]] = files.get(row[FILE], 0) + row["count"]
                for check_id in row[CHECKS]:
                    counts[check_id] = counts.get(check_id, 0) + row["count"]
            return SparkRepairResult(
                _repair=self, _spark=spark, _target=target, _rows=bad, _files=files, deletes=True, counts=counts
            )

    def fill(self, target: RepairTarget, fill: CellFill) -> SparkRepairResult:
        with self.engine.at_work(str(target.table)) as spark:
            rows = _placed(spark, target)
            if fill.failing is None:
                rows = rows.withColumn("forge_bad", F.lit(False))
            else:
                marks = self._failing(target, fill.failing).select(FILE, POSITION, F.lit(True).alias("forge_mark"))
                rows = rows.join(marks, [FILE, POSITION], "left")
                rows = rows.withColumn("forge_bad", F.coalesce("forge_mark", F.lit(False))).drop("forge_mark")
            filled, values = fill_columns(rows, target.files.fields, fill)
            changes = [F.col(quote(f"new {name}")).isNotNull() for name in fill.columns]
            new = F.struct(*(F.col(quote(f"new {name}")).alias(name) for name in fill.columns)).alias(_NEW)
            updates = filled.where(reduce(or_, changes)).select(FILE, POSITION, new)
            updates = updates.persist(StorageLevel.MEMORY_AND_DISK)
            cells = [F.count(F.col(f"{_NEW}.{quote(name)}")).alias(f"c{n}") for n, name in enumerate(fill.columns)]
            counted = collected(updates.groupBy(FILE).agg(F.count(F.lit(1)).alias("rows"), *cells))
            counts = {name: sum(row[f"c{n}"] for row in counted) for n, name in enumerate(fill.columns)}
            files = {row[FILE]: row["rows"] for row in counted}
            return SparkRepairResult(
                _repair=self,
                _spark=spark,
                _target=target,
                _rows=updates,
                _files=files,
                deletes=False,
                counts=counts,
                values=values,
            )

    def deduplicate(self, target: RepairTarget, key: tuple[str, ...], order_by: tuple[str, ...]) -> SparkRepairResult:
        with self.engine.at_work(str(target.table)) as spark:
            keys = [F.col(quote(name)) for name in key]
            newest = [F.col(quote(name)).desc_nulls_last() for name in order_by]
            window = Window.partitionBy(*keys).orderBy(*newest, F.col(FILE).desc(), F.col(POSITION).desc())
            rows = _placed(spark, target).where(reduce(and_, (one.isNotNull() for one in keys)))
            ranked = rows.select(FILE, POSITION, F.row_number().over(window).alias("forge_rank"))
            gone = ranked.where(F.col("forge_rank") > 1).drop("forge_rank").persist(StorageLevel.MEMORY_AND_DISK)
            files = {row[FILE]: row["count"] for row in collected(gone.groupBy(FILE).count())}
            return SparkRepairResult(_repair=self, _spark=spark, _target=target, _rows=gone, _files=files, deletes=True)

    def call(self, place: str, pin: Pin) -> DataFrame:
        """The result of the project's function at `file.py:name` on the table."""
        function = load_function(self.engine.root, place)
        with self.engine.at_work(place) as spark:
            try:
                found = function(frame_of(spark, pin))
            except Exception as error:
                raise user_error(error, place.rpartition(":")[0], self.engine.root, 1) from error
        if not isinstance(found, DataFrame):
            raise ForgeError(
                "E749",
                f"{place} returned {type(found).__name__}",
                why="It returns the table's new content as a Spark DataFrame.",
                fix="End the function with `return` and the DataFrame.",
            )
        return found

    def _failing(self, target: RepairTarget, failing: RowFailures) -> DataFrame:
        """Each row once, with all checks that it fails."""
        frames = [
            self.engine.failing_rows(pin, checks, failing.readings, failing.others)
            for pin, checks in failing.by_part(target.pin)
        ]
        if len(frames) == 1:
            return frames[0]
        names = [field.name for field in target.files.fields]
        row = F.struct(*(F.col(quote(name)) for name in names))
        together = reduce(DataFrame.unionByName, frames).groupBy(FILE, POSITION)
        listed = F.array_distinct(F.flatten(F.collect_list(CHECKS))).alias(CHECKS)
        whole = together.agg(F.first(row).alias("forge_row"), listed)
        return whole.select(*(F.col(f"forge_row.{quote(name)}") for name in names), FILE, POSITION, CHECKS)


def _placed(spark: SparkSession, target: RepairTarget) -> DataFrame:
    """All rows of the version with file and position."""
    path, snapshot_id = table_path(target.pin.catalog), target.files.snapshot_id
    frame = spark.sql(f"SELECT * FROM {path} VERSION AS OF {int(snapshot_id)}")  # noqa: S608  quoted names only
    return _with_places(frame)


def _with_places(frame: DataFrame) -> DataFrame:
    names = [F.col(quote(name)) for name in frame.columns]
    return frame.select(*names, F.col("_file").alias(FILE), F.col("_pos").alias(POSITION))


@dataclass(slots=True, kw_only=True)
class SparkRepairResult:
    """`rows` are those that are deleted or changed, by file and position, cached by Spark until `release`; `files`
    says how many each file has."""

    _repair: SparkRepair
    _spark: SparkSession
    _target: RepairTarget
    _rows: DataFrame
    _files: Mapping[str, int]
    deletes: bool
    counts: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def changed(self) -> int:
        return 0 if self.deletes else sum(self._files.values())

    @property
    def deleted(self) -> int:
        return sum(self._files.values()) if self.deletes else 0

    def write(self, stage: Stage) -> None:
        target, tables = self._target, self._repair.tables
        touched = tuple(file for file in sorted(target.files.files, key=lambda f: f.path) if file.path in self._files)
        assert len(touched) == len(self._files), "every file with such rows is one of the table's"
        part = FileSlice(target.files.catalog, target.files.snapshot_id, touched)
        with self._repair.engine.at_work(str(target.table)) as spark:
            name = _name(target.table, target.files.snapshot_id)
            rows = _with_places(spark.table(table_path(tables.expose(target.run_id, part, name))))
            scratch = tables.scratch(stage, target.files.fields, name)
            self._after(rows).writeTo(table_path(scratch)).append()
            added = appended_files(spark, tables, scratch)
        tables.swap(stage, touched, added, target.files.fields)

    def _after(self, frame: DataFrame) -> DataFrame:
        names = [field.name for field in self._target.files.fields]
        marks = self._rows.select(FILE, POSITION) if self.deletes else self._rows
        if self.deletes:
            return frame.join(marks, [FILE, POSITION], "left_anti").select(*(F.col(quote(name)) for name in names))
        joined = frame.join(marks, [FILE, POSITION], "left")
        new = set(self._rows.schema[_NEW].dataType.names)  # type: ignore[attr-defined]  # a struct
        cells: list[Column] = []
        for name in names:
            old = F.col(quote(name))
            cells.append(F.coalesce(F.col(f"{_NEW}.{quote(name)}"), old).alias(name) if name in new else old)
        return joined.select(*cells)

    def set_aside(self, stage: Stage, fields: Fields, names: Mapping[str, str], stamp: QuarantineStamp) -> None:
        tables = self._repair.tables
        if not stage.exists:
            empty = pa.schema([(f.name, arrow_type(f.type)) for f in fields]).empty_table()
            tables.rewrite(stage, (), empty, fields)
        with self._repair.engine.at_work(str(stage.table)) as spark:
            scratch = tables.scratch(stage, fields, _name(stage.table, self._target.files.snapshot_id))
            micros = int(as_utc(stamp.time).timestamp() * 1_000_000)
            known: dict[str, Column] = {kept: F.col(quote(name)) for name, kept in names.items()}
            known |= {
                CHECKS: F.col(CHECKS),
                SIDE_RUN: F.lit(stamp.run_id),
                SIDE_TIME: F.timestamp_micros(F.lit(micros)),
            }
            cells = [known.get(f.name, F.lit(None)).cast(f.type).alias(f.name) for f in fields]
            self._rows.select(*cells).writeTo(table_path(scratch)).append()
            added = appended_files(spark, tables, scratch)
        tables.swap(stage, (), added, fields)

    def release(self) -> None:
        self._rows.unpersist()


def _name(table: TableName, snapshot_id: SnapshotId) -> str:
    """Of hidden rows; each step of a run has its own."""
    return f"{table.schema}_{table.name}_{snapshot_id}"
