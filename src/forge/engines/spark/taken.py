"""Keys that theirs inserts and that ours has already, in files no side changed. Ours: theirs' row is left out; theirs:
it replaces the one that is there; any other answer does not fit, and the conflict stays open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from forge.engines.spark.align import cell, data_type, key_columns, key_names
from forge.engines.spark.answers import as_utc
from forge.engines.spark.merge import BROADCAST_ROWS, FrameMerge
from forge.engines.spark.multiset import CountMerge
from forge.flows.tables import TableMerge
from forge.versioning.arrow_types import arrow_type
from forge.versioning.conflict import Conflict, ConflictKind, Take
from forge.versioning.field import Layout

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

LOCATION = "unique key"
Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class TakenKeys:
    """`still` are the conflicts without an answer, `files` the paths of those in which a row is replaced."""

    still: tuple[Conflict, ...] = ()
    left_out: tuple[Key, ...] = ()
    replaced: tuple[Key, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def resolved(self) -> int:
        return len(self.left_out) + len(self.replaced)

    def apply(self, spark: SparkSession, merge: FrameMerge | CountMerge, rows: DataFrame | None) -> DataFrame:
        if isinstance(merge, CountMerge):
            return merge.apply(rows)
        left_out = _keys_frame(spark, self.left_out, merge.layout) if self.left_out else None
        return merge.apply(rows, gone=self.gone(spark, merge), left_out=left_out)

    def gone(self, spark: SparkSession, merge: FrameMerge) -> DataFrame:
        """Keys whose rows of ours do not stay as they are."""
        if not self.replaced:
            return merge.gone
        return merge.gone.unionAll(_keys_frame(spark, self.replaced, merge.layout))


def find_taken_keys(spark: SparkSession, work: TableMerge, merge: FrameMerge, others: DataFrame) -> TakenKeys:
    """Most often there are none, and then only the key columns of the files have been read."""
    layout = work.layout
    inserted = merge.inserted_rows
    if merge.counts.inserted <= BROADCAST_ROWS:
        inserted = F.broadcast(inserted)
    keys = [cell(column, "ours") for column in key_columns(layout)]
    hits = others.join(inserted, [key == inserted[f"k{place}"] for place, key in enumerate(keys)])
    if not hits.count():
        return TakenKeys()
    ours = [cell(c, "ours").alias(f"o{place}") for place, c in enumerate(layout.columns) if c.ours is not None]
    cells = [F.col(f"m.v{place}").alias(f"v{place}") for place in range(len(layout.values))]
    found = hits.select(*key_names(layout), *cells, *ours, F.col("_file").alias("file")).orderBy(*key_names(layout))
    return _settle(work, [as_utc(row) for row in found.toArrow().to_pylist()])


def _settle(work: TableMerge, rows: Sequence[Mapping[str, Any]]) -> TakenKeys:
    still: list[Conflict] = []
    left_out: list[Key] = []
    replaced: list[Key] = []
    files: dict[str, None] = {}
    for row in rows:
        conflict = _conflict(work, row)
        answer = work.answers.find(conflict)
        key = tuple(row[name] for name in key_names(work.layout))
        if answer is not None and answer.take is Take.OURS:
            left_out.append(key)
        elif answer is not None and answer.take is Take.THEIRS:
            replaced.append(key)
            files[row["file"]] = None
        else:
            still.append(conflict)
    return TakenKeys(tuple(still), tuple(left_out), tuple(replaced), tuple(files))


def _conflict(work: TableMerge, row: Mapping[str, Any]) -> Conflict:
    layout = work.layout
    key = {name: row[f"k{place}"] for place, name in enumerate(layout.key)}
    cells = key | {column.field.name: row[f"v{place}"] for place, column in enumerate(layout.values)}
    ours = {c.field.name: row[f"o{place}"] for place, c in enumerate(layout.columns) if c.ours is not None}
    theirs = {field.name: cells[field.name] for field in layout.fields}
    return Conflict(ConflictKind.CONSTRAINT, key, ours=ours, theirs=theirs, table=str(work.table), location=LOCATION)


def _keys_frame(spark: SparkSession, keys: Sequence[Key], layout: Layout) -> DataFrame:
    import pyarrow as pa

    schema = StructType()
    arrays = []
    for place, column in enumerate(key_columns(layout)):
        schema.add(f"k{place}", data_type(column.field.type))
        arrays.append(pa.array([key[place] for key in keys], arrow_type(column.field.type)))
    return spark.createDataFrame(pa.Table.from_arrays(arrays, names=schema.names), schema)
