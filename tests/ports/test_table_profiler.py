"""What every profiler of tables does: the same numbers as plain Python, on rows of all types."""

from __future__ import annotations

import math
import random
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from orders_house import ORDERS, ROW, TWO, House
from profile_reference import reference
from spark_house import SparkHouse

from forge.catalog.profile import ProfiledColumn, ProfileMeasurement
from forge.flows.catalog.profiling.ports import ProfileRequest, TableProfiler
from forge.flows.runs.pin import Pin
from forge.flows.versioning.tables import NeedsEngine
from forge.stores.lake.arrow.profile import ArrowProfiler, measure_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Measure = Callable[..., ProfileMeasurement]


@pytest.fixture(params=["arrow", pytest.param("spark", marks=pytest.mark.spark)])
def measure(request: pytest.FixtureRequest) -> Measure:
    if request.param == "arrow":
        return lambda table, **asked: measure_arrow(table, ProfileRequest(**asked))
    spark: SparkSession = request.getfixturevalue("spark")

    def on_spark(table: pa.Table, **asked: Any) -> ProfileMeasurement:
        from forge.engines.spark.profile.profiler import measure_frame

        return measure_frame(spark, _frame(spark, table), ProfileRequest(**asked))

    return on_spark


def _frame(spark: SparkSession, table: pa.Table) -> DataFrame:
    """Spark takes a time without a zone for one with a zone."""
    from pyspark.sql import functions as f

    frame = spark.createDataFrame(table)
    for field in table.schema:
        if pa.types.is_timestamp(field.type) and field.type.tz is None:
            frame = frame.withColumn(field.name, f.col(field.name).cast("timestamp_ntz"))
    return frame


@pytest.fixture(params=["arrow", pytest.param("spark", marks=pytest.mark.spark)])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[House, TableProfiler]]:
    house = House(tmp_path) if request.param == "arrow" else SparkHouse(tmp_path, request.getfixturevalue("spark"))
    if isinstance(house, SparkHouse):
        from forge.engines.spark.profile.profiler import SparkProfiler

        yield house, SparkProfiler(house.spark_engine)
    else:
        yield house, ArrowProfiler(house.tables)
    house.close()


def column(measured: ProfileMeasurement, name: str) -> ProfiledColumn:
    return next(one for one in measured.columns if one.name == name)


def random_table(seed: int, rows: int = 300) -> pa.Table:
    """All types, each with NULLs; floats with NaN, infinities and both zeros."""
    r = random.Random(seed)
    day = datetime(2020, 1, 1)

    def cells(make: Callable[[], Any]) -> list[Any]:
        return [None if r.random() < 0.1 else make() for _ in range(rows)]

    odd = (math.nan, math.inf, -math.inf, 0.0, -0.0)
    columns = {
        "small": pa.array(cells(lambda: r.randint(-3, 3)), pa.int32()),
        "big": pa.array(cells(lambda: r.randint(-(10**12), 10**12)), pa.int64()),
        "double": pa.array(cells(lambda: r.choice(odd) if r.random() < 0.2 else r.gauss(0, 50)), pa.float64()),
        "money": pa.array(cells(lambda: Decimal(r.randint(-9999, 9999)).scaleb(-2)), pa.decimal128(12, 2)),
        "text": pa.array(cells(lambda: r.choice(["", "a", "ä€😀", "Zebra", "x" * 150, "x" * 120])), pa.string()),
        "id": pa.array([f"k{number:05d}" for number in range(rows)], pa.string()),
        "flag": pa.array(cells(lambda: r.random() < 0.3), pa.bool_()),
        "bytes": pa.array(cells(lambda: r.choice([b"", b"\x00\xff", b"abc"])), pa.binary()),
        "day": pa.array(cells(lambda: (day + timedelta(days=r.randint(0, 400))).date()), pa.date32()),
        "at": pa.array(
            cells(lambda: (day + timedelta(microseconds=r.randint(0, 10**14))).replace(tzinfo=UTC)),
            pa.timestamp("us", tz="UTC"),
        ),
        "local": pa.array(cells(lambda: day + timedelta(hours=r.randint(0, 50))), pa.timestamp("us")),
        "list": pa.array(cells(lambda: [1, 2]), pa.list_(pa.int64())),
        "struct": pa.array(cells(lambda: {"a": r.randint(0, 1)}), pa.struct([("a", pa.int64())])),
        "none": pa.array([None] * rows, pa.int64()),
    }
    return pa.table(columns)


def check(measured: ProfileMeasurement, table: pa.Table) -> None:
    expected = reference(table)
    assert measured.row_count == expected["row_count"]
    assert measured.duplicate_rows == expected["duplicate_rows"]
    assert len(measured.columns) == len(expected["columns"])
    for found, wanted in zip(measured.columns, expected["columns"], strict=True):
        bins = found.histogram.counts if found.histogram else None
        shown = {**found.to_dict(), "bins": list(bins) if bins else None}
        shown["top"] = [(top.value, top.count) for top in found.top]
        for name, value in wanted.items():
            if name in ("mean", "stddev", "avg_length") and value is not None:
                assert shown[name] == pytest.approx(value, rel=1e-9), (found.name, name)
            else:
                assert shown[name] == value, (found.name, name)
        assert found.histogram is None or len(found.histogram.edges) == len(found.histogram.counts) + 1


@pytest.mark.parametrize("seed", [1, 2])
def test_a_profile_says_what_plain_python_says(measure: Measure, seed: int) -> None:
    table = random_table(seed)
    doubled = pa.concat_tables([table, table.slice(0, 20)])
    check(measure(doubled), doubled)


def test_a_table_without_rows_has_a_profile_without_values(measure: Measure) -> None:
    table = random_table(3).slice(0, 0)
    measured = measure(table)
    check(measured, table)
    assert all(one.histogram is None and not one.top for one in measured.columns)


def test_one_row_has_no_deviation_and_one_bin(measure: Measure) -> None:
    found = column(measure(pa.table({"x": [2.5]})), "x")
    assert (found.stddev, found.mean, found.median) == (None, 2.5, 2.5)
    assert found.histogram is not None
    assert found.histogram.counts == (1,)


@pytest.mark.parametrize("name", ["a.b", "a`b", "two words", "ÄÖ", "select", "", "x" * 200, "'; DROP", "c0"])
def test_a_name_may_hold_any_character(measure: Measure, name: str) -> None:
    found = measure(pa.table([pa.array([1, 1, None])], names=[name])).columns[0]
    assert (found.name, found.nulls, found.distinct, found.zeros) == (name, 1, 1, 0)


def test_names_that_differ_in_case_are_two_columns(measure: Measure) -> None:
    measured = measure(pa.table({"a": [1, 2], "A": ["x", None]}))
    assert [(one.name, one.nulls) for one in measured.columns] == [("a", 0), ("A", 1)]


def test_the_largest_numbers_have_a_histogram(measure: Measure) -> None:
    most = 1.7e308
    table = pa.table({"wide": [-most, 0.0, most], "long": pa.array([-(2**63), 0, 2**63 - 1], pa.int64())})
    measured = measure(table)
    wide, long = measured.columns
    assert wide.histogram is not None
    assert long.histogram is not None
    assert sum(wide.histogram.counts) == sum(long.histogram.counts) == 3
    assert wide.histogram.counts[0] == wide.histogram.counts[10] == wide.histogram.counts[-1] == 1
    assert (long.minimum, long.maximum) == (-(2**63), 2**63 - 1)
    edges = wide.histogram.edges
    assert all(isinstance(edge, float) and math.isfinite(edge) for edge in edges)
    assert list(edges) == sorted(set(edges), key=float)  # type: ignore[arg-type]


def test_values_that_are_all_the_same_do_not_deviate(measure: Measure) -> None:
    tenth, most = (column(measure(pa.table({"x": [value] * 400})), "x") for value in (0.1, 1.7e308))
    assert (tenth.mean, tenth.stddev) == (0.1, 0.0)
    assert (most.mean, most.stddev) == (1.7e308, 0.0)
    assert column(measure(pa.table({"x": [0.1]})), "x").stddev is None


def test_bytes_of_one_length_are_bytes(measure: Measure) -> None:
    found = column(measure(pa.table({"x": pa.array([b"abcd", b"abcd", None, b"\x00\xff\x00\xff"], pa.binary(4))})), "x")
    assert (found.type, found.nulls, found.distinct, found.min_length, found.max_length) == ("binary", 1, 2, 4, 4)


def test_the_driver_reads_identifiers_as_the_text_that_spark_reads() -> None:
    one = uuid.UUID(int=7)
    table = pa.table({"x": pa.array([one.bytes, one.bytes], pa.uuid())})
    found = measure_arrow(table, ProfileRequest()).columns[0]
    assert (found.type, found.minimum, found.distinct) == ("string", str(one), 1)


def test_values_too_close_for_bins_share_one(measure: Measure) -> None:
    near = math.nextafter(1.0, 2.0)
    found = measure(pa.table({"x": [1.0, near]})).columns[0]
    assert found.histogram is not None
    assert found.histogram.counts == (2,)


def test_years_that_python_has_not_are_dates(measure: Measure) -> None:
    days = pa.array([-800_000, 3_000_000], pa.int32()).cast(pa.date32())
    found = measure(pa.table({"d": days})).columns[0]
    assert (found.minimum, found.maximum) == ("-0221-09-04", "+10183-09-21")


def test_decimals_keep_their_scale(measure: Measure) -> None:
    values = [Decimal("0.0000000000"), Decimal("1.1000000000"), Decimal("1.1000000000")]
    found = measure(pa.table({"x": pa.array(values, pa.decimal128(38, 10))})).columns[0]
    assert (found.minimum, found.maximum, found.zeros) == ("0.0000000000", "1.1000000000", 1)
    assert [(top.value, top.count) for top in found.top] == [("1.1000000000", 2)]


def test_values_of_hidden_columns_do_not_leave(measure: Measure) -> None:
    days = [date(1815, 12, 10)] * 3 + [None]
    table = pa.table({"Mail": ["ada@x.org", "ada@x.org", "", None], "age": [36, 36, 50, None], "born": days})
    measured = measure(table, hidden=frozenset({"mail", "age", "born"}))
    text = str(measured)
    for secret in ("ada", "36", "50", "1815"):
        assert secret not in text
    mail, age, born = measured.columns
    assert (mail.distinct, mail.empties, mail.max_length, mail.masked) == (2, 1, 9, True)
    assert (age.distinct, age.zeros, born.distinct) == (2, 0, 1)


def test_a_sample_says_how_many_rows_there_are(measure: Measure) -> None:
    table = pa.table({"x": list(range(5000))})
    measured = measure(table, sample=0.1)
    assert measured.row_count == 5000
    assert measured.sample_rows is not None
    assert 300 < measured.sample_rows < 700
    assert measured.duplicate_rows is None
    assert measured.columns[0].distinct == measured.sample_rows


def test_maps_count_among_duplicate_rows(measure: Measure) -> None:
    kind = pa.map_(pa.string(), pa.int64())
    maps = pa.array([[("a", 1), ("b", 2)], [("b", 2), ("a", 1)], [("a", 2)], None, None], kind)
    assert measure(pa.table({"m": maps})).duplicate_rows == 2
    assert measure(pa.table({"s": pa.array([{"m": m} for m in maps.to_pylist()[2:]], pa.struct([("m", kind)]))}))


@pytest.mark.slow
def test_a_snapshot_is_profiled_with_its_own_rows(lake: tuple[House, TableProfiler]) -> None:
    house, profiler = lake
    before = house.create(TWO[0])
    house.catalog.load_table("core.orders").append(house.catalog.load_table("core.orders").scan().to_arrow())
    old = profiler.profile(Pin(ORDERS, ROW, before), ProfileRequest())
    new = profiler.profile(Pin(ORDERS, ROW, house.head()), ProfileRequest())
    assert (old.row_count, old.duplicate_rows) == (2, 0)
    assert (new.row_count, new.duplicate_rows) == (4, 2)
    assert [(one.name, one.distinct) for one in new.columns] == [("id", 2), ("name", 2), ("amount", 2)]


def test_a_view_needs_an_engine(tmp_path: Path) -> None:
    house = House(tmp_path)
    with pytest.raises(NeedsEngine):
        ArrowProfiler(house.tables).profile(Pin(ORDERS, ROW, None, "SELECT 1"), ProfileRequest())
    house.close()
