"""The passes over a frame. Each is one Spark job for all columns, except that more than `WIDE` aggregates are split:
the code of more does not compile.

Cheap aggregates stay apart from sketches and from least and greatest texts: one of those takes whole-stage code
generation away from all its neighbours."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pyspark.sql import Column, DataFrame, Row, SparkSession, Window
from pyspark.sql import functions as f

from forge.catalog.profile import BinPlan, ValueClass
from forge.catalog.profile.bins import BINS
from forge.catalog.profile.record import TOP
from forge.catalog.profile.value_class import LONGEST
from forge.engines.spark.measure.jobs import WIDE, collect_in_one_job
from forge.engines.spark.profile.columns import FrameColumn
from forge.quality.readings import SKETCH_SIZE

DEVIATION = 0.02  # relative standard deviation of approximate distinct counts
SAMPLE_ROWS = 20_000  # in which frequent values are looked for, where a table is too large to count all of them
_SEED = 18
_ROOM = BINS + 1  # bins of a column, and none
_TOGETHER = 3  # columns
_CHANCE, _SAMPLE = "chance", "sample"


@dataclass(frozen=True, slots=True)
class FramePasses:
    spark: SparkSession
    frame: DataFrame  # with aliases
    columns: tuple[FrameColumn, ...]

    def scan(self) -> tuple[int, dict[int, dict[str, Any]]]:
        """Counts, sums, least and greatest numbers: the number of rows, and by column."""
        found: dict[int, dict[str, Any]] = {column.place: {} for column in self.columns}
        rows = 0
        for some in _chunks(self.columns, _cheap):
            row = self._one(self.frame, f.count(f.lit(1)).alias("rows"), *_named(some, _cheap))
            rows = row["rows"]
            _read(row, some, _cheap, found)
        return rows, found

    def sketch(self, *, distinct: bool) -> dict[int, dict[str, Any]]:
        """Quantiles, least and greatest texts, and with `distinct` approximate distinct counts."""

        def parts(column: FrameColumn) -> dict[str, Column]:
            return _sketched(column, distinct=distinct)

        found: dict[int, dict[str, Any]] = {column.place: {} for column in self.columns}
        for some in _chunks([column for column in self.columns if parts(column)], parts):
            if some:
                _read(self._one(self.frame, *_named(some, parts)), some, parts, found)
        return found

    def sketch_and_sample(self, rows: int) -> tuple[dict[int, dict[str, Any]], dict[int, list[str]]]:
        """The same with distinct counts, and texts of values that are frequent in a sample of the rows: by the same
        pass, since another one would cost more than the sample."""

        def parts(column: FrameColumn) -> dict[str, Column]:
            return _sketched(column, distinct=True)

        shown = [c for c in self.columns if not c.hidden and c.kind not in (ValueClass.OTHER, ValueClass.BINARY)]
        drawn = f.col(_CHANCE) < f.lit(SAMPLE_ROWS / rows)
        sample = f.collect_list(f.when(drawn, f.array(*(column.text for column in shown)))).alias(_SAMPLE)
        frame = self.frame.select("*", f.rand(_SEED).alias(_CHANCE))
        found: dict[int, dict[str, Any]] = {column.place: {} for column in self.columns}
        likely: dict[int, list[str]] = {}
        for number, some in enumerate(_chunks([column for column in self.columns if parts(column)], parts)):
            more = [sample] if number == 0 and shown else []
            if not some:
                continue
            row = self._one(frame, *_named(some, parts), *more)
            _read(row, some, parts, found)
            likely |= _frequent(row[_SAMPLE], shown) if more else {}
        return found, likely

    def duplicates(self, rows: int) -> int:
        """By a hash of 64 bits of each row: among a hundred million rows, one too many with a chance of 1 in 4,000."""
        if not self.columns:
            return max(rows - 1, 0)
        hashes = self.frame.select(f.xxhash64(*(column.hashed for column in self.columns)).alias("h"))
        counted = collect_in_one_job(self.spark, hashes.distinct().agg(f.count(f.lit(1)).alias("n")))
        return rows - int(counted[0]["n"])

    def bins(self, plans: Mapping[int, BinPlan]) -> dict[int, dict[int, int]]:
        """Rows per bin, by column. Rows are grouped by the bins of a few columns together, which is what a small hash
        table can hold."""
        binned = [column for column in self.columns if column.place in plans]
        found: dict[int, dict[int, int]] = {column.place: defaultdict(int) for column in binned}
        groups = [binned[start : start + _TOGETHER] for start in range(0, len(binned), _TOGETHER)]
        keys = [
            _key([column.bin(plans[column.place]) for column in some], number) for number, some in enumerate(groups)
        ]
        for key, rows in (self._by_key(keys) if keys else {}).items():
            number, rest = divmod(key, _ROOM**_TOGETHER)
            for column in groups[number]:
                rest, which = divmod(rest, _ROOM)
                if which:
                    found[column.place][which - 1] += rows
        return found

    def _by_key(self, keys: Sequence[Column]) -> dict[int, int]:
        exploded = self.frame.select(f.explode(f.array(*keys)).alias("k"))
        rows = collect_in_one_job(self.spark, exploded.groupBy("k").agg(f.count(f.lit(1)).alias("n")))
        return {row["k"]: row["n"] for row in rows}

    def values(
        self, columns: Sequence[FrameColumn], asked: Mapping[int, Sequence[str]] = MappingProxyType({})
    ) -> ValueCounts:
        """Distinct values and the most frequent ones, counted one by one; of columns in `asked` these values only."""
        found = ValueCounts({column.place: 0 for column in columns})
        some = [column for column in self.columns if asked.get(column.place)]
        cells = [(column, column.text) for column in columns]
        cells += [(column, f.when(column.is_one_of(asked[column.place]), column.text)) for column in some]
        if cells:
            for row in collect_in_one_job(self.spark, _top_and_distinct(self.frame, cells)):
                found.add(row)
        return found

    def _one(self, frame: DataFrame, *aggregates: Column) -> Row:
        return collect_in_one_job(self.spark, frame.agg(*aggregates))[0]


@dataclass(frozen=True, slots=True)
class ValueCounts:
    distinct: dict[int, int] = field(default_factory=dict)
    top: dict[int, list[tuple[str, int]]] = field(default_factory=dict)  # in order

    def add(self, row: Row) -> None:
        if row["v"] is None:
            self.distinct[row["c"]] = row["n"]
        else:
            self.top.setdefault(row["c"], []).append((row["v"], row["n"]))


def _top_and_distinct(frame: DataFrame, cells: Sequence[tuple[FrameColumn, Column]]) -> DataFrame:
    """Rows (c, v, n): n of the value v of column c, or, without v, the number of its values. Both are made of one
    grouping, whose exchange Spark computes once."""
    columns = [column for column, _ in cells]
    pairs = [f.struct(f.lit(column.place).alias("c"), text.alias("v")) for column, text in cells]
    exploded = frame.select(f.inline(f.array(*pairs))).where(f.col("v").isNotNull())
    counted = exploded.groupBy("c", "v").agg(f.count(f.lit(1)).alias("n"))
    distinct = counted.groupBy("c").agg(f.count(f.lit(1)).alias("n"))
    shown = [c.place for c in columns if not c.hidden and c.kind is not ValueClass.BINARY]
    numbers = [c.place for c in columns if c.kind.is_number or c.kind.is_time]
    number = f.when(f.col("c").isin(numbers), f.col("v").try_cast("double"))
    order = Window.partitionBy("c").orderBy(f.col("n").desc(), number, f.col("v"))
    often = counted.where((f.col("n") > 1) & f.col("c").isin(shown))
    top = often.withColumn("r", f.row_number().over(order)).where(f.col("r") <= TOP)
    whole = distinct.select("c", f.lit(None).cast("string").alias("v"), "n", f.lit(0).alias("r"))
    return top.select("c", "v", "n", "r").unionAll(whole)


def _key(bins: Sequence[Column], number: int) -> Column:
    """One number of the bins, each from 1; 0 where a row has none."""
    found = f.lit(number * _ROOM**_TOGETHER)
    for place, which in enumerate(bins):
        found = found + f.coalesce(which + f.lit(1), f.lit(0)) * f.lit(_ROOM**place)
    return found


def _frequent(rows: Sequence[Sequence[str | None]], columns: Sequence[FrameColumn]) -> dict[int, list[str]]:
    """Values of at least one in a thousand rows."""
    least = max(2, len(rows) / 1000)
    found: dict[int, list[str]] = {}
    for number, column in enumerate(columns):
        counted = Counter(text for row in rows if (text := row[number]) is not None)
        found[column.place] = [text for text, times in counted.most_common(2 * TOP) if times >= least]
    return found


def _cheap(column: FrameColumn) -> dict[str, Column]:
    found = {"count": f.count(column.cell)}
    if column.kind is ValueClass.OTHER or column.kind is ValueClass.BOOLEAN:
        return found
    value = column.measured
    if column.kind.has_length or not column.hidden:
        found |= {"min": f.min(value), "max": f.max(value)}
    if column.kind.has_length:
        found |= {"mean": f.avg(value), "zeros": f.count_if(value == 0)}
    if column.kind.is_number:
        found |= {"finite": f.count(value), "zeros": f.count_if(value == 0), "negatives": f.count_if(value < 0)}
    if column.kind.is_number and not column.hidden:
        found |= {"mean": f.avg(column.number), "deviation": f.stddev_samp(column.number)}
    return found


def _sketched(column: FrameColumn, *, distinct: bool) -> dict[str, Column]:
    found: dict[str, Column] = {}
    if column.kind.is_number and not column.hidden:
        found["quantiles"] = f.kll_sketch_agg_double(column.number, SKETCH_SIZE)
    if column.kind is ValueClass.TEXT and not column.hidden:
        found["least"] = f.substring(f.min(column.cell), 1, LONGEST + 1)
        found["greatest"] = f.substring(f.max(column.cell), 1, LONGEST + 1)
    if distinct and column.kind is not ValueClass.OTHER:
        found["distinct"] = f.approx_count_distinct(column.cell, DEVIATION)
    return found


_Parts = Callable[[FrameColumn], dict[str, Column]]


def _chunks(columns: Iterable[FrameColumn], parts: _Parts) -> Iterator[list[FrameColumn]]:
    """At least one, of no column where there is none."""
    some: list[FrameColumn] = []
    size = 0
    for column in columns:
        needed = len(parts(column))
        if some and size + needed > WIDE:
            yield some
            some, size = [], 0
        some.append(column)
        size += needed
    yield some


def _named(columns: Sequence[FrameColumn], parts: _Parts) -> list[Column]:
    return [part.alias(f"{column.alias}_{name}") for column in columns for name, part in parts(column).items()]


def _read(row: Row, columns: Sequence[FrameColumn], parts: _Parts, into: dict[int, dict[str, Any]]) -> None:
    for column in columns:
        into[column.place] |= {name: row[f"{column.alias}_{name}"] for name in parts(column)}
