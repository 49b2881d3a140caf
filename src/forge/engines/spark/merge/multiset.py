"""Tables without a key on Spark: a row is identified by all its cells, and what changes is its multiplicity."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructType
from pyspark.sql.window import Window

from forge.engines.spark.merge.align import cell, comparable, counted, data_type, empty, named, stacked
from forge.engines.spark.merge.answers import as_utc, expression_column, find_rule
from forge.engines.spark.merge.rows import BROADCAST_ROWS, NO_ANSWERS, MergeCounts
from forge.engines.spark.merge.single_conflicts import CHUNK, TAKEN_SIDES
from forge.versioning.arrow_types import arrow_type
from forge.versioning.conflict import Answers, Conflict, ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.field import Layout
from forge.versioning.rows.conflicts import bad_answer, evaluate

INPUTS = (("base_ours", "base"), ("ours", "ours"), ("base_theirs", "base"), ("theirs", "theirs"))


class CountMerge:
    """A computed merge of multisets; its changes stay in Spark's cache until `release`."""

    def __init__(
        self, layout: Layout, changed: DataFrame, decided: DataFrame, counts: MergeCounts, limit: int, table: str | None
    ) -> None:
        self.layout, self.counts, self.table = layout, counts, table
        self._changed, self._decided, self._limit = changed, decided, limit

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        if not self.counts.conflicts or not self._limit:
            return ()
        waiting = F.col("is_open") | (F.size("lacking") > 0)
        page = self._decided.where(waiting).orderBy(*sortable(self.layout)).limit(self._limit)
        return tuple(_open_conflicts(page, self.layout, self.table))[: self._limit]

    def apply(self, rows: DataFrame | None) -> DataFrame:
        """The rows of ours after the merge, in the merged columns. Unchanged rows are not touched."""
        names = [column.field.name for column in self.layout.columns]
        cells = [F.col(f"v{place}").alias(name) for place, name in enumerate(names)]
        copies = F.explode(F.array_repeat(F.lit(True), F.col("delta").cast("int"))).alias("copy")
        brought = self._decided.where("delta > 0").select(*cells, copies).drop("copy")
        if self.counts.inserted <= BROADCAST_ROWS:
            brought = brought.coalesce(1)
        if rows is None:
            return brought
        ours = named(rows, self.layout, "ours")
        return (self._without_gone(ours) if self.counts.deleted else ours).unionAll(brought)

    def _without_gone(self, ours: DataFrame) -> DataFrame:
        """Removes as many copies as were deleted: copies are numbered, and the first ones go."""
        columns = self.layout.columns
        parts = [comparable(F.col(f"m{place}"), data_type(c.field.type)) for place, c in enumerate(columns)]
        marked = ours.select(*(ours[place].alias(f"m{place}") for place in range(len(columns))))
        order = F.row_number().over(Window.partitionBy(*parts).orderBy(F.lit(0)))
        gone = self._decided.where("delta < 0").select(*(f"v{place}" for place in range(len(columns))), "delta")
        numbered = marked.withColumn("copy", order)
        fits = [
            part.eqNullSafe(comparable(F.col(f"v{place}"), data_type(c.field.type)))
            for (place, c), part in zip(enumerate(columns), parts, strict=True)
        ]
        if self.counts.deleted <= BROADCAST_ROWS:
            gone = F.broadcast(gone)
        kept = numbered.join(gone, fits, "left").where(F.col("delta").isNull() | (F.col("copy") > -F.col("delta")))
        return kept.select(*(F.col(f"m{place}").alias(c.field.name) for place, c in enumerate(columns)))

    def release(self) -> None:
        self._changed.unpersist()


def merge_counts(
    spark: SparkSession,
    layout: Layout,
    *,
    base_ours: DataFrame | None,
    ours: DataFrame | None,
    base_theirs: DataFrame | None,
    theirs: DataFrame | None,
    answers: Answers = NO_ANSWERS,
    table: str | None = None,
    limit: int = 1000,
) -> CountMerge:
    frames = [
        cells_of(empty(spark, layout, side) if frame is None else frame, layout, side)
        for frame, (_, side) in zip((base_ours, ours, base_theirs, theirs), INPUTS, strict=True)
    ]
    names = cell_names(layout)
    grouped = stacked(frames).groupBy(*names).agg(*(counted(n).alias(f"n{n}") for n in range(4)))
    rule = _fitting(find_rule(answers, table, None))
    first = _decide(_counts(grouped, names), layout, rule)
    changed = first.where(F.col("in_theirs") | (F.size("lacking") > 0)).persist(StorageLevel.MEMORY_AND_DISK)
    try:
        decided = _decide(changed, layout, rule)
        counts = _count(decided)
        if answers.by_conflict and counts.conflicts + counts.resolved:
            single = _single(spark, changed, layout, answers, table)
            if single is not None:
                decided = _decide(_joined(changed, single, layout), layout, rule)
                counts = _count(decided)
        return CountMerge(layout, changed, decided, counts, limit, table)
    except BaseException:
        changed.unpersist()
        raise


def cell_names(layout: Layout) -> list[str]:
    return [f"v{place}" for place in range(len(layout.columns))]


def cells_of(frame: DataFrame, layout: Layout, side: str) -> DataFrame:
    return frame.select(*(cell(column, side).alias(f"v{place}") for place, column in enumerate(layout.columns)))


def sortable(layout: Layout) -> list[Column]:
    return [comparable(F.col(f"v{p}"), data_type(c.field.type)) for p, c in enumerate(layout.columns)]


def _counts(grouped: DataFrame, names: list[str]) -> DataFrame:
    """The multiplicity of the row on each side. A side whose files were not read has that of the base."""
    ours, theirs = F.col("n1") - F.col("n0"), F.col("n3") - F.col("n2")
    base = F.greatest("n0", "n2")
    return grouped.select(
        *names,
        base.alias("base"),
        (base + ours).alias("ours"),
        (base + theirs).alias("theirs"),
        (ours != 0).alias("in_ours"),
        (theirs != 0).alias("in_theirs"),
    )


def _decide(frame: DataFrame, layout: Layout, rule: ResolutionRule | None) -> DataFrame:
    """Adds `clash`, `is_open`, `delta` (copies more than in ours) and `lacking` (places of required columns that are
    NULL in rows which a side adds)."""
    clash = F.col("in_ours") & F.col("in_theirs")
    single = F.col("single") if "single" in frame.columns else F.lit(None).cast("bigint")
    answer = single if rule is None else F.coalesce(single, _rule_count(rule))
    count = F.when(clash, F.coalesce(answer, F.col("ours")))
    count = count.when(F.col("in_theirs"), F.col("theirs")).otherwise(F.col("ours"))
    is_brought = (count > 0) & ((count > F.col("ours")) | (F.col("ours") > F.col("base")))
    places = [place for place, column in enumerate(layout.columns) if column.field.required]
    lacking = [F.when(is_brought & F.col(f"v{place}").isNull(), F.lit(place)) for place in places]
    return frame.select(
        *(name for name in frame.columns if name not in ("clash", "is_open", "delta", "lacking")),
        clash.alias("clash"),
        (clash & answer.isNull()).alias("is_open"),
        (count - F.col("ours")).alias("delta"),
        (F.array_compact(F.array(*lacking)) if lacking else F.array().cast("array<int>")).alias("lacking"),
    )


def _fitting(rule: ResolutionRule | None) -> ResolutionRule | None:
    """A rule that does not fit leaves the conflict open."""
    return None if rule is not None and rule.take is ResolutionChoice.MANUAL and not _is_count(rule.value) else rule


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _rule_count(rule: ResolutionRule) -> Column:
    match rule.take:
        case ResolutionChoice.OURS | ResolutionChoice.THEIRS | ResolutionChoice.BASE:
            return F.col(TAKEN_SIDES[rule.take])
        case ResolutionChoice.MANUAL:
            return F.lit(rule.value).cast("bigint")
        case ResolutionChoice.EXPRESSION:
            paths = {side: side for side in ("base", "ours", "theirs")}
            return expression_column(str(rule.value), paths).cast("bigint")


def _count(decided: DataFrame) -> MergeCounts:
    delta = F.col("delta")
    row = decided.agg(
        F.sum(F.when(delta > 0, delta)).alias("inserted"),
        F.sum(F.when(delta < 0, -delta)).alias("deleted"),
        F.sum(F.col("is_open").cast("int") + F.size("lacking")).alias("conflicts"),
        F.count(F.when(F.col("clash") & ~F.col("is_open"), 1)).alias("resolved"),
        F.count(F.when(F.col("in_ours") & F.col("in_theirs"), 1)).alias("both"),
    ).first()
    assert row is not None, "an aggregate without groups has one row"
    found = {name: int(row[name] or 0) for name in ("inserted", "deleted", "conflicts", "resolved", "both")}
    return MergeCounts(updated=0, **found)


def _read(frame: DataFrame, layout: Layout) -> Iterator[tuple[dict[str, Any], dict[str, object]]]:
    columns = [*cell_names(layout), "base", "ours", "theirs", "is_open", "lacking"]
    for row in frame.select(*columns).toArrow().to_pylist():
        values = as_utc(row)
        yield values, {column.field.name: values[f"v{place}"] for place, column in enumerate(layout.columns)}


def _open_conflicts(frame: DataFrame, layout: Layout, table: str | None) -> Iterator[Conflict]:
    for row, key in _read(frame, layout):
        if row["is_open"]:
            yield _cardinality(row, key, table)
        names = sorted(layout.columns[place].field.name for place in row["lacking"])
        yield from (Conflict(kind=ConflictKind.CONSTRAINT, key=key, column=name, table=table) for name in names)


def _cardinality(row: dict[str, Any], key: dict[str, object], table: str | None) -> Conflict:
    return Conflict(
        kind=ConflictKind.CARDINALITY,
        key=key,
        column=None,
        base=row["base"],
        ours=row["ours"],
        theirs=row["theirs"],
        table=table,
    )


def _single(
    spark: SparkSession, changed: DataFrame, layout: Layout, answers: Answers, table: str | None
) -> DataFrame | None:
    import pyarrow as pa

    clashing = changed.where(F.col("clash") | (F.size("lacking") > 0))
    chunks = max(1, -(-clashing.count() // CHUNK))
    rows = []
    for chunk in range(chunks):
        part = clashing.where(F.pmod(F.hash(*sortable(layout)), F.lit(chunks)) == chunk)
        for row, key in _read(part, layout):
            for place in row["lacking"]:
                _refuse_answer(
                    Conflict(
                        kind=ConflictKind.CONSTRAINT, key=key, column=layout.columns[place].field.name, table=table
                    ),
                    answers,
                )
            conflict = _cardinality(row, key, table)
            given = answers.by_conflict.get(conflict.id)
            if given is not None:
                rows.append({**row, "single": _single_count(given, conflict)})
    if not rows:
        return None
    schema = StructType()
    for place, column in enumerate(layout.columns):
        schema.add(f"v{place}", data_type(column.field.type))
    schema.add("single", LongType())
    kinds = [arrow_type(field.dataType.simpleString()) for field in schema.fields]
    arrays = [pa.array([row[name] for row in rows], kind) for name, kind in zip(schema.names, kinds, strict=True)]
    return spark.createDataFrame(pa.Table.from_arrays(arrays, names=schema.names), schema)


def _refuse_answer(conflict: Conflict, answers: Answers) -> None:
    if conflict.id in answers.by_conflict:
        why = "rows without a key cannot be changed here; fill the column on the side that brings them"
        raise bad_answer(conflict, why)


def _single_count(rule: ResolutionRule, conflict: Conflict) -> int:
    if rule.take in TAKEN_SIDES:
        value: object = getattr(conflict, TAKEN_SIDES[rule.take])
    elif rule.take is ResolutionChoice.MANUAL:
        value = rule.value
    else:
        value = evaluate(rule, conflict, arrow_type("bigint"))
    if not _is_count(value):
        raise bad_answer(conflict, f"{value!r} is no count")
    assert isinstance(value, int), "counts are whole numbers"
    return value


def _joined(changed: DataFrame, single: DataFrame, layout: Layout) -> DataFrame:
    given = single.toDF(*(f"g{place}" for place in range(len(layout.columns))), "single")
    fits = [
        comparable(F.col(f"v{p}"), data_type(c.field.type)).eqNullSafe(
            comparable(F.col(f"g{p}"), data_type(c.field.type))
        )
        for p, c in enumerate(layout.columns)
    ]
    joined = changed.join(F.broadcast(given), fits, "left")
    return joined.drop(*(f"g{place}" for place in range(len(layout.columns))))
