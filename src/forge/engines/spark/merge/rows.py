"""Three-way merge of rows on Spark: one shuffle brings all versions of a key together, column expressions decide its
outcome. The rules are those of `forge.versioning.rows.merge`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from forge.engines.spark.frames import quote
from forge.engines.spark.merge.align import (
    any_of,
    counted,
    empty,
    key_columns,
    key_names,
    keyed,
    named,
    same,
    stacked,
)
from forge.engines.spark.merge.decide import BASE, OURS, THEIRS, MergeDecision
from forge.engines.spark.merge.single_conflicts import find_overrides, read_conflicts
from forge.model.errors import ForgeError
from forge.versioning.conflict import Answers, Conflict
from forge.versioning.errors import duplicate_keys, null_keys
from forge.versioning.field import AlignedColumn, Layout

BROADCAST_ROWS = 200_000
NO_ANSWERS = Answers()
_INPUTS = (("base_ours", "base"), ("ours", "ours"), ("base_theirs", "base"), ("theirs", "theirs"))
_SHOWN_KEYS = 5


@dataclass(frozen=True, slots=True)
class MergeCounts:
    inserted: int
    updated: int
    deleted: int
    conflicts: int  # without an answer
    resolved: int
    both: int  # rows that both sides changed


class FrameMerge:
    """A computed merge; its changes stay in Spark's cache until `release`."""

    def __init__(self, layout: Layout, changed: DataFrame, decided: DataFrame, counts: MergeCounts, limit: int) -> None:
        self.layout, self.counts = layout, counts
        self._changed, self._decided, self._limit = changed, decided, limit
        self.table: str | None = None

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The first open conflicts by key."""
        if not self.counts.conflicts or not self._limit:
            return ()
        keys = key_names(self.layout)
        page = self._decided.where(F.size("open") > 0).orderBy(*keys).limit(self._limit)
        found = read_conflicts(page, self.layout, self.table, "open")
        return tuple(conflict for _, row in found for _, conflict in row)[: self._limit]

    @property
    def gone(self) -> DataFrame:
        """Keys whose rows of ours are changed or deleted."""
        return self._decided.where(F.col("action").isin("update", "delete")).select(*key_names(self.layout))

    def apply(self, rows: DataFrame | None) -> DataFrame:
        """The rows of ours (with its columns) after the merge, in the merged columns."""
        brought = self._brought()
        if rows is None:
            return brought
        gone = self.gone
        if self.counts.inserted + self.counts.updated + self.counts.deleted <= BROADCAST_ROWS:
            gone = F.broadcast(gone)
        ours = named(rows, self.layout, "ours")
        fits = [ours[quote(c.field.name)] == gone[f"k{place}"] for place, c in enumerate(key_columns(self.layout))]
        return ours.join(gone, fits, "left_anti").unionAll(brought)

    def _brought(self) -> DataFrame:
        places = {column.field.name: f"k{place}" for place, column in enumerate(key_columns(self.layout))}
        places |= {column.field.name: f"m.v{place}" for place, column in enumerate(self.layout.values)}
        names = [column.field.name for column in self.layout.columns]
        brought = self._decided.where(F.col("action").isin("insert", "update"))
        brought = brought.select(*(F.col(places[name]).alias(name) for name in names))
        # a few rows in as many files as there are partitions would be read slowly ever after
        return brought.coalesce(1) if self.counts.inserted + self.counts.updated <= BROADCAST_ROWS else brought

    def release(self) -> None:
        self._changed.unpersist()


def merge_frames(
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
) -> FrameMerge:
    """None: no rows there. Raises E611 and E612 for duplicate and NULL keys."""
    frames = [
        keyed(empty(spark, layout, side) if frame is None else frame, layout, side)
        for frame, (_, side) in zip((base_ours, ours, base_theirs, theirs), _INPUTS, strict=True)
    ]
    decision = MergeDecision(layout, answers, table)
    # carried-over rows go before anything is made of them: that is most of the work
    is_touched = F.col("in_ours") | F.col("in_theirs") | F.col("is_bad") | F.lit(decision.restores)
    grouped = _versions(_together(frames, layout), layout).where(is_touched)
    relevant = F.col("in_theirs") | F.col("is_bad") | (F.size("clashes") > 0) | F.lit(decision.restores)
    changed = decision.decide(grouped).where(relevant).drop("open", "m", "action")
    changed = changed.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        decided = decision.decide(changed)
        found = _count(decided, decision)
        _refuse_bad_keys(changed, found, layout, table)
        if answers.by_conflict and found["conflicts"] + found["resolved"]:
            overrides = find_overrides(spark, changed, layout, answers, table)
            if overrides is not None:
                decided = decision.decide(_with_answers(changed, overrides, layout), is_single=True)
                found = _count(decided, decision)
        _refuse_bad_rules(found, decision)
        counts = MergeCounts(**{name: found[name] for name in MergeCounts.__slots__})
        merge = FrameMerge(layout, changed, decided, counts, limit)
        merge.table = table
        return merge
    except BaseException:
        changed.unpersist()
        raise


def _with_answers(changed: DataFrame, overrides: DataFrame, layout: Layout) -> DataFrame:
    joined = changed.join(F.broadcast(overrides), key_names(layout), "left")
    flags = [f"s{place}" for place in range(len(layout.values) + len(layout.dropped))]
    return joined.fillna(0, ["s_row"]).fillna(False, flags)


def _together(frames: Sequence[DataFrame], layout: Layout) -> DataFrame:
    """One row for each key with its versions; the number of rows of each input shows duplicates."""
    keys = key_names(layout)
    parts = []
    for number, (name, _) in enumerate(_INPUTS):
        rows = F.when(F.col("side") == number, F.col("cells"))
        parts += [F.first(rows, ignorenulls=True).alias(name), counted(number).alias(f"n_{name}")]
    # shuffled before the aggregate: there is next to nothing to combine before it
    return stacked(frames).repartition(*keys).groupBy(*keys).agg(*parts)


def _versions(grouped: DataFrame, layout: Layout) -> DataFrame:
    """`b`, `o` and `t`: the row in base, ours and theirs. What a side did not change equals the base."""
    keys = [F.col(name) for name in key_names(layout)]
    ours = _changed("base_ours", "ours", layout, "ours").alias("in_ours")
    theirs = _changed("base_theirs", "theirs", layout, "theirs").alias("in_theirs")
    is_null = any_of(key.isNull() for key in keys)
    is_twice = (
        any_of(F.col(f"n_{name}") > 1 for name, _ in _INPUTS)
        | _is_hidden("ours", "theirs")
        | _is_hidden("theirs", "ours")
    )
    numbers = [f"n_{name}" for name, _ in _INPUTS]
    rows = [name for name, _ in _INPUTS]
    flagged = grouped.select(*keys, *numbers, *rows, ours, theirs, (is_null | is_twice).alias("is_bad"))
    base = F.coalesce("base_ours", "base_theirs")
    return flagged.select(
        *keys,
        *numbers,
        base.alias(BASE),
        F.when(F.col("in_ours"), _filled("ours", base, layout)).otherwise(base).alias(OURS),
        F.when(F.col("in_theirs"), _filled("theirs", base, layout)).otherwise(base).alias(THEIRS),
        "in_ours",
        "in_theirs",
        "is_bad",
    )


def _is_hidden(side: str, other: str) -> Column:
    """The key is new in the files of a side while the base has it in a file that this side kept: a duplicate."""
    return (F.col(f"n_{side}") > 0) & (F.col(f"n_base_{side}") == 0) & (F.col(f"n_base_{other}") > 0)


def _filled(side: str, base: Column, layout: Layout) -> Column:
    """A column that the side dropped but a resolution keeps has the base's values there."""
    row = F.col(side)
    for place, column in enumerate(layout.values):
        if getattr(column, side) is None and column.base is not None:
            row = row.withField(f"v{place}", base[f"v{place}"])
    return row


def _changed(before: str, after: str, layout: Layout, side: str) -> Column:
    old, new = F.col(before), F.col(after)
    differs = any_of(~same(old[name], new[name], column.field.type) for name, column in compared(layout, side))
    return F.when(old.isNull() & new.isNull(), False).when(old.isNull() | new.isNull(), True).otherwise(differs)


def compared(layout: Layout, side: str) -> list[tuple[str, AlignedColumn]]:
    """The cells in which a side may have changed a row: not those of columns it does not have."""
    values = [(f"v{place}", column) for place, column in enumerate(layout.values) if getattr(column, side)]
    kept = [(f"d{place}", column) for place, column in enumerate(layout.dropped) if getattr(column, side)]
    return values + kept


def _count(decided: DataFrame, decision: MergeDecision) -> dict[str, int]:
    """All counts that the flow needs, in one job."""
    action = F.col("action")
    parts = {
        "inserted": F.count(F.when(action == "insert", 1)),
        "updated": F.count(F.when(action == "update", 1)),
        "deleted": F.count(F.when(action == "delete", 1)),
        "conflicts": F.sum(F.size("open")),
        "resolved": F.sum(F.size("clashes") - F.size("open")),
        "both": F.count(F.when(F.col("in_ours") & F.col("in_theirs"), 1)),
        "bad": F.count(F.when(F.col("is_bad"), 1)),
    }
    for place in decision.problems:
        parts[f"problem{place}"] = F.count(F.when(F.exists("open", partial(_is_at, place)), 1))
    row = decided.agg(*(part.alias(name) for name, part in parts.items())).first()
    assert row is not None, "an aggregate without groups has one row"
    return {name: int(row[name] or 0) for name in parts}


def _is_at(place: int, one: Column) -> Column:
    return one["place"] == place


def _refuse_bad_rules(found: dict[str, int], decision: MergeDecision) -> None:
    """A rule without a value is an error only where a conflict needs it."""
    for place, error in decision.problems.items():
        if found[f"problem{place}"]:
            raise error


def _refuse_bad_keys(changed: DataFrame, found: dict[str, int], layout: Layout, table: str | None) -> None:
    if not found["bad"]:
        return
    wanted = changed.where("is_bad").drop(BASE, OURS, THEIRS, "clashes")
    hidden = F.when(_is_hidden("ours", "theirs"), "ours").when(_is_hidden("theirs", "ours"), "theirs")
    rows = first_bad(wanted.withColumn("hidden", hidden), layout)
    raise bad_keys_error(rows, layout, table, _INPUTS)


def first_bad(bad: DataFrame, layout: Layout) -> list[dict[str, Any]]:
    keys = key_names(layout)
    nulls = any_of(F.col(key).isNull() for key in keys)
    rows: list[dict[str, Any]] = bad.orderBy(nulls.desc(), *keys).limit(_SHOWN_KEYS).toArrow().to_pylist()
    return rows


def bad_keys_error(
    rows: Sequence[dict[str, Any]], layout: Layout, table: str | None, inputs: Sequence[tuple[str, str]]
) -> ForgeError:
    """E612 for NULL, else E611; rows have `k0…` and the number of rows of each input as `n_<input>`."""
    empty_ones = [name for place, name in enumerate(layout.key) if rows[0][f"k{place}"] is None]
    if empty_ones:
        side = next(side for name, side in inputs if rows[0][f"n_{name}"])
        return null_keys(f"{side}: rows have NULL in the key column {', '.join(empty_ones)}", table)
    sides = [_twice(row, inputs) for row in rows]
    shown = "; ".join(
        ", ".join(f"{name} = {row[f'k{place}']}" for place, name in enumerate(layout.key))
        for row, side in zip(rows, sides, strict=True)
        if side == sides[0]
    )
    return duplicate_keys(sides[0], shown, layout.key, table)


def _twice(row: dict[str, Any], inputs: Sequence[tuple[str, str]]) -> str:
    """The side with the duplicate key of a row."""
    return next((side for name, side in inputs if row[f"n_{name}"] > 1), None) or str(row["hidden"])
