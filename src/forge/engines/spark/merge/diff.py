"""The row diff on Spark. In the layout `base` names the columns of the left, `theirs` those of the right."""

from __future__ import annotations

from typing import Any

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from forge.engines.spark.merge.align import any_of, counted, empty, key_names, keyed, same, stacked
from forge.engines.spark.merge.answers import as_utc
from forge.engines.spark.merge.multiset import cell_names, cells_of, sortable
from forge.engines.spark.merge.rows import bad_keys_error, compared, first_bad
from forge.engines.spark.merge.single_conflicts import key_of, read_versions
from forge.versioning.changes import ChangeKind, RowChange, RowDiff
from forge.versioning.field import Layout

_INPUTS = (("left", "base"), ("right", "theirs"))
_WORDS = (("left", "the left"), ("right", "the right"))


def diff_frames(
    spark: SparkSession,
    layout: Layout,
    left: DataFrame | None,
    right: DataFrame | None,
    *,
    limit: int = 100,
    offset: int = 0,
) -> RowDiff:
    left = empty(spark, layout, "base") if left is None else left
    right = empty(spark, layout, "theirs") if right is None else right
    work = _diff_keyed if layout.key else _diff_counts
    return work(layout, left, right, limit, offset)


def _diff_keyed(layout: Layout, left: DataFrame, right: DataFrame, limit: int, offset: int) -> RowDiff:
    changed = _changed(layout, left, right).persist(StorageLevel.MEMORY_AND_DISK)
    try:
        cells = compared_cells(layout)
        kinds = {kind: F.count(F.when(F.col("kind") == kind.value, 1)).alias(kind.value) for kind in ChangeKind}
        touched = [
            F.count(F.when(F.array_contains("places", place), 1)).alias(f"c{place}") for place in range(len(cells))
        ]
        bad = F.count(F.when(F.col("is_bad"), 1)).alias("bad")
        counts = changed.agg(*kinds.values(), *touched, bad).first()
        assert counts is not None, "an aggregate without groups has one row"
        keys = key_names(layout)
        if counts["bad"]:
            rows = first_bad(changed.where("is_bad").drop("b", "t", "places"), layout)
            raise bad_keys_error(rows, layout, None, _WORDS)
        total = sum(counts[kind.value] for kind in ChangeKind)
        page: tuple[RowChange, ...] = ()
        if limit and offset < total:
            wanted = changed.orderBy(*keys).offset(offset).limit(limit)
            page = tuple(_change(row, layout) for row in read_versions(wanted, layout, ("b", "t"), ("kind", "places")))
        columns = {name: counts[f"c{p}"] for p, (_, name) in enumerate(cells) if counts[f"c{p}"]}
        return RowDiff(counts["inserted"], counts["updated"], counts["deleted"], page, columns)
    finally:
        changed.unpersist()


def compared_cells(layout: Layout) -> list[tuple[str, str]]:
    return [(place, column.field.name) for place, column in compared(layout, "theirs")]


def _changed(layout: Layout, left: DataFrame, right: DataFrame) -> DataFrame:
    keys = key_names(layout)
    frames = [keyed(left, layout, "base"), keyed(right, layout, "theirs")]
    parts: list[Column] = []
    for number, ((name, _), alias) in enumerate(zip(_INPUTS, ("b", "t"), strict=True)):
        rows = F.when(F.col("side") == number, F.col("cells"))
        parts += [F.first(rows, ignorenulls=True).alias(alias), counted(number).alias(f"n_{name}")]
    grouped = stacked(frames).repartition(*keys).groupBy(*keys).agg(*parts)
    b, t = F.col("b"), F.col("t")
    cells = compared(layout, "theirs")
    places = [
        F.when(~same(b[name], t[name], column.field.type), F.lit(place)) for place, (name, column) in enumerate(cells)
    ]
    is_bad = any_of(F.col(key).isNull() for key in keys) | (F.col("n_left") > 1) | (F.col("n_right") > 1)
    kind = F.when(b.isNull(), ChangeKind.INSERTED.value).when(t.isNull(), ChangeKind.DELETED.value)
    both = b.isNotNull() & t.isNotNull()
    found = F.array_compact(F.array(*places)) if places else F.array().cast("array<int>")
    marked = grouped.select("*", F.when(both, found).alias("places"), is_bad.alias("is_bad"))
    marked = marked.withColumn("kind", kind.when(F.size("places") > 0, ChangeKind.UPDATED.value))
    return marked.where(F.col("kind").isNotNull() | F.col("is_bad"))


def _change(row: dict[str, Any], layout: Layout) -> RowChange:
    cells = compared_cells(layout)
    columns = tuple(cells[place][1] for place in row["places"] or ())
    before, after = _whole(row, "b", "base", layout), _whole(row, "t", "theirs", layout)
    return RowChange(ChangeKind(row["kind"]), key_of(row, layout), before, after, columns)


def _whole(row: dict[str, Any], cells: str, side: str, layout: Layout) -> dict[str, object] | None:
    """With the names of the right, and with columns that only the left has."""
    if row[cells] is None:
        return None
    known = {name: row[f"k{place}"] for place, name in enumerate(layout.key)}
    known |= {column.field.name: row[cells][f"v{place}"] for place, column in enumerate(layout.values)}
    found = {c.field.name: known[c.field.name] for c in layout.columns if getattr(c, side) is not None}
    dropped = enumerate(layout.dropped)
    return found | {c.field.name: row[cells][f"d{place}"] for place, c in dropped if getattr(c, side) is not None}


def _diff_counts(layout: Layout, left: DataFrame, right: DataFrame, limit: int, offset: int) -> RowDiff:
    names = cell_names(layout)
    frames = [cells_of(left, layout, "base"), cells_of(right, layout, "theirs")]
    grouped = stacked(frames).groupBy(*names).agg(counted(0).alias("n0"), counted(1).alias("n1"))
    changed = grouped.select(*names, (F.col("n1") - F.col("n0")).alias("delta")).where("delta <> 0")
    changed = changed.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        delta = F.col("delta")
        sums = F.sum(F.when(delta > 0, delta)).alias("inserted"), F.sum(F.when(delta < 0, -delta)).alias("deleted")
        counts = changed.agg(*sums, F.count("*").alias("rows")).first()
        assert counts is not None, "an aggregate without groups has one row"
        page: tuple[RowChange, ...] = ()
        if limit and offset < counts["rows"]:
            wanted = changed.orderBy(*sortable(layout)).offset(offset).limit(limit)
            page = tuple(_count_change(as_utc(row), layout) for row in wanted.toArrow().to_pylist())
        return RowDiff(int(counts["inserted"] or 0), 0, int(counts["deleted"] or 0), page, {})
    finally:
        changed.unpersist()


def _count_change(row: dict[str, Any], layout: Layout) -> RowChange:
    values = {column.field.name: row[f"v{place}"] for place, column in enumerate(layout.columns)}
    if row["delta"] > 0:
        return RowChange(ChangeKind.INSERTED, values, None, values, count=row["delta"])
    return RowChange(ChangeKind.DELETED, values, values, None, count=-row["delta"])
