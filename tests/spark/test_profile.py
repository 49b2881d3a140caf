"""Profiles on Spark: few jobs for any number of columns, and what a large table is told to be approximate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as f
from spark_jobs import job_ids

from forge.catalog.profile import ProfileMeasurement
from forge.engines.spark.profile import profiler
from forge.engines.spark.profile.profiler import measure_frame
from forge.flows.catalog.profiling.ports import ProfileRequest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
JOBS = 5  # scan, sketches, values, bins, duplicates


@contextmanager
def jobs_of(spark: SparkSession, group: str) -> Iterator[list[int]]:
    found: list[int] = []
    spark.sparkContext.setJobGroup(group, group)
    try:
        yield found
        found += job_ids(spark, group)
    finally:
        spark.sparkContext._jsc.clearJobGroup()


def orders(spark: SparkSession, rows: int, columns: int = 1) -> DataFrame:
    more = [(f.col("id") % (7 + n)).alias(f"n{n}") for n in range(columns)]
    return spark.range(rows).select(
        "id",
        f.concat(f.lit("user"), f.col("id") % 300).alias("name"),
        (f.col("id") % 97 / 4).alias("amount"),
        f.when(f.col("id") % 3 == 0, f.lit(0)).otherwise(f.col("id")).alias("skewed"),
        *more,
    )


def test_the_number_of_jobs_does_not_depend_on_the_columns(spark: SparkSession) -> None:
    for columns in (1, 20):
        with jobs_of(spark, f"profile of {columns}") as jobs:
            measure_frame(spark, orders(spark, 1000, columns), ProfileRequest())
        assert len(jobs) == JOBS


def test_a_wide_table_is_split_and_profiled(spark: SparkSession) -> None:
    measured = measure_frame(spark, orders(spark, 50, 120), ProfileRequest())
    assert len(measured.columns) == 124
    assert [column.distinct for column in measured.columns[4:10]] == [7, 8, 9, 10, 11, 12]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """What counts as large begins at a thousand rows, and as many values at two hundred."""
    monkeypatch.setattr(profiler, "EXACT_ROWS", 1000)
    monkeypatch.setattr(profiler, "FEW", 200)


def columns_of(measured: ProfileMeasurement) -> dict[str, tuple[int | None, bool, bool]]:
    return {one.name: (one.distinct, one.distinct_exact, one.top_exact) for one in measured.columns}


@pytest.mark.usefixtures("large")
def test_a_large_table_says_what_is_approximate(spark: SparkSession) -> None:
    with jobs_of(spark, "a large one") as jobs:
        measured = measure_frame(spark, orders(spark, 20_000), ProfileRequest())
    assert len(jobs) == JOBS
    found = columns_of(measured)
    assert found["amount"] == (97, True, True)
    assert found["n0"] == (7, True, True)
    for name, distinct in (("id", 20_000), ("name", 300), ("skewed", 13_334)):
        estimate, exact, top_exact = found[name]
        assert (exact, top_exact) == (False, False)
        assert estimate == pytest.approx(distinct, rel=0.1)
    skewed = next(one for one in measured.columns if one.name == "skewed")
    assert [(top.value, top.count) for top in skewed.top] == [(0, 6667)]
    assert measured.quantile_error == 0.001
    whole = next(one for one in measured.columns if one.name == "id")
    assert whole.histogram is not None
    assert whole.histogram.counts == (1000,) * 20
    assert whole.median == pytest.approx(10_000, abs=200)
    assert measured.duplicate_rows == 0


@pytest.mark.usefixtures("large")
def test_exact_counts_every_value(spark: SparkSession) -> None:
    measured = measure_frame(spark, orders(spark, 20_000), ProfileRequest(exact=True))
    assert columns_of(measured)["id"] == (20_000, True, True)
    assert columns_of(measured)["skewed"] == (13_334, True, True)


@pytest.mark.usefixtures("large")
def test_hidden_values_of_a_large_table_do_not_leave(spark: SparkSession) -> None:
    measured = measure_frame(spark, orders(spark, 5000), ProfileRequest(hidden=frozenset({"name", "skewed"})))
    assert "user" not in str(measured)
    assert [one.masked for one in measured.columns] == [False, True, False, True, False]


@pytest.mark.usefixtures("large")
def test_a_large_table_of_nested_values_has_its_nulls_counted(spark: SparkSession) -> None:
    nested = f.when(f.col("id") % 2 == 0, f.create_map(f.lit("a"), f.col("id") % 10))
    measured = measure_frame(spark, spark.range(3000).select(nested.alias("m")), ProfileRequest())
    assert (measured.columns[0].nulls, measured.columns[0].distinct) == (1500, None)
    assert measured.duplicate_rows == 3000 - 6


def test_a_view_is_computed_once(spark: SparkSession) -> None:
    seen = spark.sparkContext.accumulator(0)

    def look(number: int) -> int:
        seen.add(1)
        return number

    looked = f.udf(look, "bigint")
    frame = spark.range(100).select(looked("id").alias("x")).where(f.col("x") >= 0)
    measured = measure_frame(spark, frame, ProfileRequest(), lazy=True)
    assert measured.row_count == 100
    assert seen.value <= 300  # the plan may call it for the filter and for the column, not once per pass


def test_a_frame_without_columns_has_rows(spark: SparkSession) -> None:
    measured = measure_frame(spark, spark.range(3).select(), ProfileRequest())
    assert (measured.row_count, measured.columns, measured.duplicate_rows) == (3, (), 2)
