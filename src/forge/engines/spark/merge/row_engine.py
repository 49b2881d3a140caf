"""Diffs and merges on Spark of parts of tables that are too large for the driver. Each part is read from a hidden
catalog row that holds exactly its files."""

from __future__ import annotations

import uuid
import weakref
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from forge.engines.spark.checksum import checksum
from forge.engines.spark.collect import collected
from forge.engines.spark.errors import SPARK_ERRORS, first_line
from forge.engines.spark.frames import quote, table_path
from forge.engines.spark.merge.align import key_columns
from forge.engines.spark.merge.diff import diff_frames
from forge.engines.spark.merge.duplicate_keys import find_twins
from forge.engines.spark.merge.multiset import CountMerge, merge_counts
from forge.engines.spark.merge.rows import BROADCAST_ROWS, FrameMerge, merge_frames
from forge.flows.ports import Stage
from forge.flows.versioning.tables import (
    DataFile,
    DuplicateKeys,
    FileSlice,
    MergedRows,
    TableMerge,
    Tables,
    open_conflicts,
)
from forge.model.errors import CellError, ForgeError
from forge.model.names import CatalogName, RunId, SnapshotId
from forge.versioning.changes import RowDiff
from forge.versioning.conflict import Conflict, ResolutionChoice
from forge.versioning.field import Fields, Layout

if TYPE_CHECKING:
    from forge.engines.spark.engine import SparkEngine


class SparkRows:
    """Jobs run under the tag of the thread: progress, cancellation and a dead JVM are handled as for runs."""

    def __init__(self, engine: SparkEngine, tables: Tables) -> None:
        self.engine, self.tables = engine, tables

    def diff(
        self, left: FileSlice | None, right: FileSlice | None, layout: Layout, *, limit: int = 100, offset: int = 0
    ) -> RowDiff:
        with self.engine.at_work("diff") as spark, _Parts(spark, self.tables) as parts:
            return diff_frames(
                spark, layout, parts.frame(left, "left"), parts.frame(right, "right"), limit=limit, offset=offset
            )

    def checksum(self, part: FileSlice, fields: Fields) -> str:
        with self.engine.at_work("checksum") as spark, _Parts(spark, self.tables) as parts:
            frame = parts.frame(part, "part")
            assert frame is not None, "a part that is given is read"
            return checksum(frame, fields)

    def merge(self, work: TableMerge, run_id: RunId) -> MergedRows:
        self.engine.begin(run_id, work.table)
        with self.engine.at_work(str(work.table)) as spark:
            parts = _Parts(spark, self.tables, run_id, str(work.table), _read_twice(work))
            try:
                return self._merge(spark, work, parts)
            except SPARK_ERRORS as error:
                parts.release()
                raise _expression_error(error, work) or error from error
            except BaseException:
                parts.release()
                raise

    def _merge(self, spark: SparkSession, work: TableMerge, parts: _Parts) -> SparkMerge:
        merge: FrameMerge | CountMerge
        make = merge_frames if work.layout.key else merge_counts
        merge = make(
            spark,
            work.layout,
            base_ours=parts.frame(work.base_ours, "base_ours"),
            ours=parts.frame(work.ours, "ours"),
            base_theirs=parts.frame(work.base_theirs, "base_theirs"),
            theirs=parts.frame(work.theirs, "theirs"),
            answers=work.answers,
            table=str(work.table),
            limit=work.limit,
        )
        return SparkMerge(self, work, merge, parts)

    def find_twins(self, new: FileSlice, old: FileSlice | None, key: Sequence[str], limit: int) -> DuplicateKeys:
        with self.engine.at_work("key") as spark, _Parts(spark, self.tables) as parts:
            fresh = parts.frame(new, "new")
            assert fresh is not None, "a part that is given is read"
            return find_twins(fresh, parts.frame(old, "old"), key, limit)


class SparkMerge:
    """The merge of one table's rows; the changes are in Spark's cache until they are written or released."""

    def __init__(self, rows: SparkRows, work: TableMerge, merge: FrameMerge | CountMerge, parts: _Parts) -> None:
        self._rows, self._work, self._merge, self._parts = rows, work, merge, parts
        self.conflicts: tuple[Conflict, ...] = merge.conflicts
        self._release = weakref.finalize(self, _forget, merge, parts)
        if self.conflict_count:
            self._release()

    @property
    def conflict_count(self) -> int:
        return self._merge.counts.conflicts

    @property
    def resolved_count(self) -> int:
        return self._merge.counts.resolved

    @property
    def inserted(self) -> int:
        return self._merge.counts.inserted

    @property
    def updated(self) -> int:
        return self._merge.counts.updated

    @property
    def deleted(self) -> int:
        return self._merge.counts.deleted

    @property
    def is_separate(self) -> bool:
        """No row was changed by both sides, and no conflict had to be resolved."""
        return not (self._merge.counts.both or self.resolved_count or self.conflict_count)

    def write(self, stage: Stage) -> SnapshotId:
        """Files without a changed row stay as they are, even if named as rewritable."""
        work, tables = self._work, self._rows.tables
        if self.conflict_count:
            raise open_conflicts(work.table, self.conflict_count)
        if not (self.inserted or self.updated or self.deleted):
            self._release()
            return tables.swap(stage, (), None, work.layout.fields)
        with self._rows.engine.at_work(str(work.table)) as spark:
            removed, rows = self._touched(self._parts)
            merged = self._merge.apply(rows)
            scratch = tables.scratch(stage, work.layout.fields, _safe(str(work.table)))
            merged.writeTo(table_path(scratch)).append()
            added = appended_files(spark, tables, scratch)
        self._release()
        return tables.swap(stage, removed, added, work.layout.fields)

    def _touched(self, parts: _Parts) -> tuple[Sequence[DataFile], DataFrame | None]:
        """The files of ours with a changed or deleted row, and their rows."""
        candidates = self._work.rewritten
        if candidates is None or not (self.updated or self.deleted):
            return (), None
        frame = parts.frame(candidates, "rewritten")
        assert frame is not None, "there are files"
        if len(candidates.files) == 1 or isinstance(self._merge, CountMerge):
            return candidates.files, frame
        gone = self._merge.gone
        if self.updated + self.deleted <= BROADCAST_ROWS:
            gone = F.broadcast(gone)
        keys = [F.col(quote(str(c.ours))).cast(c.field.type) for c in key_columns(self._work.layout)]
        fits = [key == gone[f"k{place}"] for place, key in enumerate(keys)]
        files = collected(frame.join(gone, fits, "left_semi").select("_file").distinct())
        hit = {row["_file"] for row in files}
        touched = tuple(file for file in candidates.files if file.path in hit)
        if len(touched) == len(candidates.files):
            return touched, frame
        return touched, parts.frame(replace(candidates, files=touched), "touched") if touched else None


def appended_files(spark: SparkSession, tables: Tables, scratch: CatalogName) -> FileSlice | None:
    """The files that an append added to a scratch table."""
    row = spark.sql(f"SELECT snapshot_id FROM {table_path(scratch)}.refs WHERE name = 'main'").first()  # noqa: S608
    assert row is not None, "an append makes a snapshot, even of no rows"
    snapshot_id = SnapshotId(row["snapshot_id"])
    files = tuple(sorted(tables.files(scratch, snapshot_id).files, key=lambda file: file.path))
    return FileSlice(scratch, snapshot_id, files) if files else None


def _expression_error(error: BaseException, work: TableMerge) -> ForgeError | None:
    """Translates Spark's error where a resolution expression does not fit the values."""
    texts = [str(rule.value) for rule in work.answers.rules if rule.take is ResolutionChoice.EXPRESSION]
    signs = ("DATATYPE_MISMATCH", "CAST_INVALID_INPUT", "ARITHMETIC_OVERFLOW", "DIVIDE_BY_ZERO", "NUMERIC_VALUE_OUT")
    if not texts or not any(sign in str(error) for sign in signs):
        return None
    what = f"{' or '.join(texts)} cannot be worked out for all conflicts of {work.table}"
    sign = next(sign for sign in signs if sign in str(error))
    return CellError(
        "E625",
        what,
        without=what,
        where=str(work.table),
        why=first_line(error),
        why_without=f"Spark says {sign}; the values are personal data and not shown.",
        fix="Use functions that fit the type of the column, or resolve these conflicts one by one.",
    )


def _forget(merge: FrameMerge | CountMerge, parts: _Parts) -> None:
    with suppress(Exception):  # where Spark has gone, so has its cache
        merge.release()
        parts.release()


def _read_twice(work: TableMerge) -> frozenset[FileSlice]:
    """Where both sides changed the same files, their base is both sides' base, and ours is what is rewritten."""
    parts = Counter(
        part for part in (work.base_ours, work.ours, work.base_theirs, work.theirs, work.rewritten) if part is not None
    )
    return frozenset(part for part, count in parts.items() if count > 1)


def _safe(name: str) -> str:
    return name.replace(".", "_")


class _Parts:
    """Parts of tables as frames. Without a run the hidden rows are dropped at the end; those of a run are dropped
    with its stages. Those that are `read_twice` are read once, and cached by Spark until `release`."""

    def __init__(
        self,
        spark: SparkSession,
        tables: Tables,
        run_id: RunId | None = None,
        name: str = "",
        read_twice: frozenset[FileSlice] = frozenset(),
    ) -> None:
        self.spark, self._tables, self._name, self._read_twice = spark, tables, _safe(name), read_twice
        self.run_id = run_id or RunId(f"r{uuid.uuid4().hex[:16]}")
        self._made: list[CatalogName] = []
        self._kept: dict[FileSlice, DataFrame] = {}

    def __enter__(self) -> _Parts:
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._made:
            self.spark.sql(f"DROP TABLE IF EXISTS {table_path(name)}")

    def release(self) -> None:
        for frame in self._kept.values():
            frame.unpersist()
        self._kept.clear()

    def frame(self, part: FileSlice | None, name: str) -> DataFrame | None:
        if part is None or not part.files:
            return None
        if part in self._read_twice:
            if part not in self._kept:
                self._kept[part] = self._read(part, name).persist(StorageLevel.MEMORY_AND_DISK)
            return self._kept[part]
        return self._read(part, name)

    def _read(self, part: FileSlice, name: str) -> DataFrame:
        if frozenset(part.files) == self._tables.files(part.catalog, part.snapshot_id).files:
            text = f"SELECT * FROM {table_path(part.catalog)} VERSION AS OF {int(part.snapshot_id)}"  # noqa: S608
            return self.spark.sql(text)
        made = self._tables.expose(self.run_id, part, f"{self._name}_{name}" if self._name else name)
        self._made.append(made)
        return self.spark.table(table_path(made))
