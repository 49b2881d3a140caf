"""What every measurer of rows does: the same cases in memory and on Spark, then random tables against SQLite."""

from __future__ import annotations

import math
import random
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.model.names import TableName
from forge.quality.kinds import KINDS, MeasureKind
from forge.quality.measure import Measure, NotMeasured, Reading
from forge.quality.measurer_port import Measurer
from forge.quality.readings import DistinctSketch, Moments, Quantiles
from forge.stores.memory.measure import MEMORY_KINDS, MemoryMeasurer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Rows = Sequence[tuple[object, ...]]
Table = tuple[Mapping[str, str], Rows]  # column → Spark type, rows
Build = Callable[..., Measurer]

PARENTS = TableName("core", "parents")
POSITIVE = "n > 0"
NAN = float("nan")


def in_memory(table: Table, others: Mapping[TableName, Table] | None = None) -> Measurer:
    def rows_of(table: Table) -> list[dict[str, object]]:
        return [dict(zip(table[0], row, strict=True)) for row in table[1]]

    def positive(row: Mapping[str, object]) -> bool | None:
        n = row["n"]
        return None if n is None else isinstance(n, int) and n > 0

    return MemoryMeasurer(
        rows_of(table),
        {name: rows_of(other) for name, other in (others or {}).items()},
        columns=table[0],
        predicates={POSITIVE: positive},
    )


def on_spark(spark: SparkSession) -> Build:
    from pyspark.sql.types import StructType

    from forge.engines.spark.measure.measurer import SparkMeasurer

    def frame_of(table: Table) -> DataFrame:
        columns, rows = table
        shape = StructType()
        for name, type_ in columns.items():
            parsed = spark.createDataFrame([], f"c {type_}").schema["c"].dataType
            shape.add(name, parsed)
        return spark.createDataFrame(list(rows), shape)

    def build(table: Table, others: Mapping[TableName, Table] | None = None) -> Measurer:
        return SparkMeasurer(spark, frame_of(table), lambda name: frame_of((others or {})[name]))

    return build


@pytest.fixture(params=["memory", pytest.param("spark", marks=pytest.mark.spark)])
def build(request: pytest.FixtureRequest) -> Build:
    return in_memory if request.param == "memory" else on_spark(request.getfixturevalue("spark"))


def read(measurer: Measurer, *measures: Measure) -> list[Reading]:
    readings = measurer.measure(measures)
    return [readings[measure] for measure in measures]


def m(kind: str, *columns: str, args: tuple[object, ...] = (), where: str | None = None) -> Measure:
    return Measure(kind=kind, columns=columns, arguments=args, where=where)


def test_a_kind_of_measure_is_one_registration_for_each_engine(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import functions as f

    from forge.engines.spark.measure.columns import column_of, filtered
    from forge.engines.spark.measure.kinds import SPARK_KINDS, Aggregate, SparkKind
    from forge.engines.spark.measure.table import MeasuredTable

    def longest(table: MeasuredTable, measure: Measure) -> Aggregate:
        value = filtered(measure, f.length(column_of(measure.columns[0], table.schema)))
        return Aggregate((f.max(value),), lambda values: values[0])

    measurer = build(({"n": "bigint", "t": "string"}, [(1, "a"), (None, None), (-9, "ccc"), (50, "bb")]))
    asked = (m("longest", "t"), m("longest", "t", where=POSITIVE), m("rows"))
    assert read(measurer, *asked) == [*[NotMeasured("there is no measure 'longest'")] * 2, 4]
    monkeypatch.setitem(KINDS, "longest", MeasureKind(name="longest", about="characters of the longest value"))
    monkeypatch.setitem(MEMORY_KINDS, "longest", lambda asked: max(len(str(value)) for value in asked.filled()))
    monkeypatch.setitem(SPARK_KINDS, "longest", SparkKind(aggregate=longest))
    assert read(measurer, *asked) == [3, 2, 4]


def test_null_is_counted_as_null_and_as_nothing_else(build: Build) -> None:
    measurer = build(({"n": "bigint", "t": "string"}, [(1, "a"), (None, None), (-9, None), (50, "bb")]))
    assert read(
        measurer,
        m("rows"),
        m("nulls", "n"),
        m("nulls", "t"),
        m("min", "n"),
        m("max", "n"),
        m("outside_range", "n", args=(0, 40)),
        m("outside_range", "n", args=(None, 40)),
        m("outside_range", "n", args=(-9, None)),
        m("outside_set", "n", args=(1, 2)),
        m("outside_set", "t", args=("a",)),
        m("outside_set", "t", args=()),
        m("not_matching", "t", args=("^a$",)),
        m("not_matching", "n", args=("^[0-9]+$",)),
        m("min", "t"),
        m("max", "t"),
    ) == [4, 1, 2, -9, 50, 2, 1, 0, 2, 1, 2, 1, 1, "a", "bb"]


def test_an_empty_table_has_counts_of_zero_and_no_extremes(build: Build) -> None:
    columns = {"n": "bigint", "t": "string", "x": "double"}
    measurer = build((columns, []), {PARENTS: ({"id": "bigint"}, [])})
    counts = [
        m("rows"),
        m("nulls", "n"),
        m("outside_range", "x", args=(0.0, 1.0)),
        m("outside_set", "t", args=("a",)),
        m("not_matching", "t", args=("a",)),
        m("duplicates", "n"),
        m("orphans", "n", args=(PARENTS, "id")),
        m("false", args=(POSITIVE,)),
        m("rows", where=POSITIVE),
    ]
    assert read(measurer, *counts) == [0] * len(counts)
    assert read(measurer, m("min", "n"), m("max", "t")) == [None, None]


def test_a_column_of_nothing_but_null_has_no_extremes(build: Build) -> None:
    measurer = build(({"n": "bigint"}, [(None,), (None,)]))
    assert read(measurer, m("min", "n"), m("max", "n"), m("nulls", "n"), m("duplicates", "n")) == [None, None, 2, 0]


def test_nan_is_the_greatest_number_equals_itself_and_lies_in_no_range(build: Build) -> None:
    measurer = build(({"x": "double"}, [(1.5,), (NAN,), (NAN,), (None,), (-0.0,), (0.0,)]))
    ranges = [m("outside_range", "x", args=bounds) for bounds in ((0.0, 2.0), (None, 2.0), (0.0, None))]
    assert read(measurer, *ranges, m("min", "x")) == [2, 2, 2, 0.0]
    greatest = read(measurer, m("max", "x"))[0]
    assert isinstance(greatest, float)
    assert math.isnan(greatest)
    assert read(measurer, m("outside_set", "x", args=(1.5, 0.0)), m("duplicates", "x")) == [2, 2]


def test_nothing_but_nan_has_nan_at_both_ends(build: Build) -> None:
    readings = read(build(({"x": "double"}, [(NAN,), (None,)])), m("min", "x"), m("max", "x"))
    assert all(isinstance(r, float) and math.isnan(r) for r in readings)


def test_decimals_are_exact(build: Build) -> None:
    big = Decimal("12345678901234567890123456789012345.67")
    rows = [(Decimal("0.10"),), (big,), (None,), (Decimal("-0.01"),)]
    measurer = build(({"d": "decimal(38,2)"}, rows))
    assert read(
        measurer,
        m("min", "d"),
        m("max", "d"),
        m("outside_range", "d", args=(Decimal("0.00"), big)),
        m("outside_range", "d", args=(None, Decimal("12345678901234567890123456789012345.66"))),
        m("outside_set", "d", args=(Decimal("0.10"), big)),
        m("not_matching", "d", args=(r"^-?[0-9]+\.[0-9]{2}$",)),
    ) == [Decimal("-0.01"), big, 1, 1, 1, 0]


def test_a_whole_number_may_be_bounded_beyond_its_type(build: Build) -> None:
    measurer = build(({"n": "bigint"}, [(2**63 - 1,), (-(2**63),)]))
    assert read(
        measurer, m("outside_range", "n", args=(-(10**30), 10**30)), m("outside_range", "n", args=(10**30, None))
    ) == [0, 2]


def test_times_are_utc_to_the_microsecond_whatever_zone_they_came_from(build: Build) -> None:
    # 2026-10-25 01:30 UTC lies in the hour that clocks in Europe show twice
    noon = datetime(2026, 10, 25, 1, 30, 0, 123456, tzinfo=UTC)
    east = datetime(2026, 10, 25, 2, 0, tzinfo=timezone(timedelta(hours=2)))
    measurer = build(({"at": "timestamp"}, [(noon,), (east,), (None,)]))
    assert read(
        measurer,
        m("min", "at"),
        m("max", "at"),
        m("outside_range", "at", args=(None, noon)),
        m("outside_range", "at", args=(None, noon - timedelta(microseconds=1))),
        m("outside_range", "at", args=(datetime(2026, 10, 25, tzinfo=UTC), None)),
        m("outside_set", "at", args=(east.astimezone(UTC),)),
    ) == [east.astimezone(UTC), noon, 0, 1, 0, 1]
    assert getattr(read(measurer, m("max", "at"))[0], "tzinfo", None) is UTC


def test_times_without_a_zone_are_taken_as_utc(build: Build) -> None:
    late = datetime(2026, 3, 29, 2, 30, 0, 1)  # an hour that clocks in Europe do not show
    measurer = build(({"at": "timestamp_ntz"}, [(late,), (datetime(2026, 1, 1),)]))
    utc = late.replace(tzinfo=UTC)
    assert read(
        measurer,
        m("max", "at"),
        m("outside_range", "at", args=(None, utc)),
        m("outside_range", "at", args=(utc, None)),
        m("outside_set", "at", args=(utc,)),
    ) == [utc, 0, 1, 1]


def test_dates_and_booleans(build: Build) -> None:
    rows = [(date(2026, 1, 1), True), (date(1800, 5, 5), False), (None, None)]
    measurer = build(({"day": "date", "flag": "boolean"}, rows))
    assert read(
        measurer,
        m("min", "day"),
        m("max", "day"),
        m("outside_range", "day", args=(date(1900, 1, 1), date(2026, 1, 1))),
        m("outside_set", "flag", args=(True,)),
        m("not_matching", "flag", args=("^(true|false)$",)),
    ) == [date(1800, 5, 5), date(2026, 1, 1), 1, 1, 0]


def test_a_pattern_is_searched_for_unless_it_is_anchored(build: Build) -> None:
    measurer = build(({"t": "string"}, [("a1",), ("1a",), ("",), ("A1\n",), (None,)]))
    assert read(measurer, m("not_matching", "t", args=("1",)), m("not_matching", "t", args=("^[a-z]1$",))) == [1, 3]


ODD = ["a.b", "a`b", "with space", "ünï", "select", "a'b\"c", "n"]


def test_any_name_of_a_column_works_everywhere(build: Build) -> None:
    table = (dict.fromkeys(ODD, "bigint"), [(1,) * len(ODD), (2,) * len(ODD), (2,) * len(ODD), (None,) * len(ODD)])
    measurer = build(table, {PARENTS: (dict.fromkeys(ODD, "bigint"), [(2,) * len(ODD)])})
    asked = [
        measure
        for name in ODD
        for measure in (
            m("nulls", name),
            m("max", name),
            m("outside_range", name, args=(0, 1)),
            m("outside_set", name, args=(1,)),
        )
    ]
    assert read(measurer, *asked) == [1, 2, 2, 2] * len(ODD)
    assert read(measurer, m("duplicates", *ODD), m("orphans", *ODD, args=(PARENTS, *ODD))) == [1, 1]


def test_names_of_columns_do_not_mind_case(build: Build) -> None:
    assert read(build(({"Amount": "int"}, [(1,), (None,)])), m("nulls", "AMOUNT"), m("max", "amount")) == [1, 1]


def test_a_key_of_several_columns_with_a_null_in_it_is_no_key(build: Build) -> None:
    columns = {"a": "bigint", "b": "string"}
    rows = [(1, "x"), (1, "x"), (1, "y"), (1, None), (1, None), (None, "x"), (None, None), (1, "x")]
    parents: Table = ({"k": "string", "id": "bigint"}, [("x", 1), ("y", 2), (None, 1), ("y", None), ("x", 1)])
    measurer = build((columns, rows), {PARENTS: parents})
    assert read(
        measurer,
        m("duplicates", "a", "b"),
        m("duplicates", "a"),
        m("orphans", "a", "b", args=(PARENTS, "id", "k")),
        m("orphans", "b", args=(PARENTS, "k")),
    ) == [2, 5, 1, 0]


def test_a_table_may_refer_to_itself(build: Build) -> None:
    table: Table = ({"n": "bigint", "parent": "bigint"}, [(1, None), (2, 1), (3, 7)])
    assert read(build(table, {PARENTS: table}), m("orphans", "parent", args=(PARENTS, "n"))) == [1]


def test_a_filter_keeps_rows_where_it_is_true_and_a_rule_counts_rows_where_it_is_false(build: Build) -> None:
    rows = [(1, "a"), (-1, None), (None, "c"), (1, "a"), (2, None)]
    parents: Table = ({"id": "bigint"}, [(2,)])
    measurer = build(({"n": "bigint", "t": "string"}, rows), {PARENTS: parents})
    assert read(
        measurer,
        m("rows", where=POSITIVE),
        m("nulls", "t", where=POSITIVE),
        m("min", "n", where=POSITIVE),
        m("max", "t", where=POSITIVE),
        m("outside_range", "n", args=(None, 1), where=POSITIVE),
        m("outside_set", "t", args=("b",), where=POSITIVE),
        m("not_matching", "t", args=("b",), where=POSITIVE),
        m("duplicates", "n", where=POSITIVE),
        m("orphans", "n", args=(PARENTS, "id"), where=POSITIVE),
        m("false", args=(POSITIVE,)),
        m("false", args=(POSITIVE,), where=POSITIVE),
    ) == [3, 1, 1, "a", 1, 2, 2, 1, 2, 1, 0]


def test_what_cannot_be_measured_says_why_and_harms_no_other(build: Build) -> None:
    measurer = build(({"n": "bigint", "t": "string"}, [(1, "a")]), {PARENTS: ({"id": "bigint"}, [(1,)])})
    broken = {
        m("nulls", "tt"): "no column 'tt'",
        m("min", "m"): "no column 'm'",
        m("duplicates", "n", "missing"): "no column 'missing'",
        m("orphans", "n", args=(PARENTS, "idd")): "no column 'idd'",
        m("orphans", "n", args=(TableName("core", "nowhere"), "id")): "core.nowhere",
        m("not_matching", "t", args=("(",)): "",
        m("false", args=("this is no SQL",)): "",
        m("rows", where="nor ( is this"): "",
        m("median", "n"): "no measure 'median'",
    }
    whole = [m("rows"), m("max", "n"), m("max", "t"), m("duplicates", "n"), m("orphans", "n", args=(PARENTS, "id"))]
    readings = measurer.measure([*broken, *whole])
    for measure, said in broken.items():
        reading = readings[measure]
        assert isinstance(reading, NotMeasured), measure
        assert said in reading.reason
        assert reading.reason
        assert "\n" not in reading.reason
    assert [readings[measure] for measure in whole] == [1, 1, "a", 0, 0]


INF = float("inf")


def test_the_infinities_lie_in_no_range_and_in_no_statistic(build: Build) -> None:
    measurer = build(({"x": "double", "f": "float"}, [(v, v) for v in (1.0, 3.0, NAN, INF, -INF, None)]))
    for column in ("x", "f"):
        ends = ((0.0, 5.0), (0.0, None), (None, 5.0), (None, None))
        assert read(measurer, *(m("outside_range", column, args=pair) for pair in ends)) == [3, 3, 3, 3]
        moments, quantiles = read(measurer, m("moments", column), m("quantiles", column))
        assert moments == Moments(2, 2.0, 2.0)
        assert isinstance(quantiles, Quantiles)
        assert (quantiles.count, quantiles.at(0.5), quantiles.at(1.0)) == (2, 1.0, 3.0)


def test_statistics_of_whole_numbers_decimals_and_times(build: Build) -> None:
    day = datetime(1970, 1, 2, tzinfo=UTC)
    rows: list[tuple[object, ...]] = [
        (n, Decimal(n) / 2, day + timedelta(seconds=n), date(1970, 1, 1 + n)) for n in (1, 3)
    ]
    rows.append((None, None, None, None))
    measurer = build(({"n": "bigint", "d": "decimal(12,2)", "at": "timestamp", "day": "date"}, rows))
    asked = [m("moments", column) for column in ("n", "d", "at", "day")]
    assert read(measurer, *asked) == [
        Moments(2, 2.0, 2.0),
        Moments(2, 1.0, 0.5),
        Moments(2, 86402.0, 2.0),
        Moments(2, 2 * 86400.0, 2 * 86400.0**2),
    ]
    quantiles = read(measurer, *(m("quantiles", column) for column in ("n", "d", "at", "day")))
    assert [q.at(1.0) for q in quantiles if isinstance(q, Quantiles)] == [3.0, 1.5, 86403.0, 3 * 86400.0]


def test_statistics_of_nothing(build: Build) -> None:
    measurer = build(({"x": "double", "t": "string"}, [(None, None)]))
    asked = (m("moments", "x"), m("quantiles", "x"), m("frequencies", "t", args=(9,)))
    moments, quantiles, frequencies = read(measurer, *asked)
    assert (moments, frequencies) == (Moments(), {})
    assert isinstance(quantiles, Quantiles)
    assert (quantiles.count, quantiles.at(0.5)) == (0, None)


def test_different_values_are_estimated_and_frequent_ones_are_counted(build: Build) -> None:
    measurer = build(({"t": "string", "flag": "boolean"}, [("a", True), ("b", True), ("a", False), (None, None)]))
    distinct, often, flags, too_many = read(
        measurer,
        m("distinct", "t"),
        m("frequencies", "t", args=(2,)),
        m("frequencies", "flag", args=(2,)),
        m("frequencies", "t", args=(1,)),
    )
    assert isinstance(distinct, DistinctSketch)
    assert round(distinct.estimate) == 2
    assert (often, flags) == ({"a": 2, "b": 1}, {True: 2, False: 1})
    assert isinstance(too_many, NotMeasured)


def test_a_measure_by_a_column_is_one_reading_for_each_of_its_values(build: Build) -> None:
    rows = [("a", 1, 5.0), ("a", 1, None), (None, 7, 1.0), ("b", None, 2.0), ("b", -4, 2.0)]
    measurer = build(({"t": "string", "n": "bigint", "x": "double"}, rows), {PARENTS: ({"id": "bigint"}, [(1,)])})

    def by(kind: str, *columns: str, args: tuple[object, ...] = (), where: str | None = None) -> Reading:
        reading = read(measurer, Measure(kind=kind, columns=columns, arguments=args, where=where, by=("t",)))[0]
        assert isinstance(reading, dict), reading
        return {key: value for key, value in reading.items() if value}  # a part where nothing counts may be left out

    assert by("rows") == {("a",): 2, (None,): 1, ("b",): 2}
    assert by("nulls", "n") == {("b",): 1}
    assert by("max", "n") == {("a",): 1, (None,): 7, ("b",): -4}
    assert by("outside_range", "n", args=(0, 6)) == {(None,): 1, ("b",): 1}
    assert by("duplicates", "n") == {("a",): 1}
    assert by("orphans", "n", args=(PARENTS, "id")) == {(None,): 1, ("b",): 1}
    assert by("rows", where=POSITIVE) == {("a",): 2, (None,): 1}
    one = {("a",): Moments(1, 5.0, 0.0), (None,): Moments(1, 1.0, 0.0), ("b",): Moments(2, 2.0, 0.0)}
    assert by("moments", "x") == one
    assert by("outside_ranges", "n", args=((("b",), -1, 1), ((None,), 7, 9))) == {("b",): 1}


def test_a_field_of_a_struct_is_measured_like_a_column(build: Build) -> None:
    rows = [({"city": "Bonn", "geo": {"lat": 1.5}}, 1), ({"city": "Bonn", "geo": None}, 2), (None, 3)]
    table: Table = ({"home": "struct<city:string,geo:struct<lat:double>>", "home.city": "int"}, rows)
    measurer = build(table, {PARENTS: ({"id": "string"}, [("Köln",)])})
    assert read(
        measurer,
        m("nulls", "`home`.city"),
        m("max", "HOME.geo.Lat"),
        m("duplicates", "`home`.`city`"),
        m("orphans", "`home`.`city`", args=(PARENTS, "id")),
        m("max", "home.city"),
        Measure(kind="rows", by=("`home`.`city`",)),
    ) == [1, 1.5, 1, 2, 3, {("Bonn",): 2, (None,): 1}]


def test_nothing_asked_is_nothing_read(build: Build) -> None:
    assert build(({"n": "bigint"}, [(1,)])).measure([]) == {}


INTS = st.none() | st.integers(-3, 3)
TEXTS = st.none() | st.sampled_from(["", "a", "b", "A", "ab", "ü"])
RANDOM = st.lists(st.tuples(INTS, TEXTS, INTS), max_size=25)


def by_sqlite(rows: Rows, parents: Rows) -> dict[Measure, Reading]:
    """The same measures in another engine's SQL, each written out by hand."""
    connection = sqlite3.connect(":memory:")
    connection.create_function("regexp", 2, lambda pattern, text: re.search(pattern, text) is not None)
    connection.execute("create table r (n, t, k)")
    connection.execute("create table p (id, code)")
    connection.executemany("insert into r values (?, ?, ?)", rows)
    connection.executemany("insert into p values (?, ?)", parents)
    queries = {
        m("rows"): "select count(*) from r",
        m("nulls", "n"): "select count(*) from r where n is null",
        m("min", "k"): "select min(k) from r",
        m("max", "k"): "select max(k) from r",
        m("max", "t"): "select max(t) from r",
        m("outside_range", "n", args=(-1, 2)): "select count(*) from r where n not between -1 and 2",
        m("outside_range", "t", args=("A", "a")): "select count(*) from r where t < 'A' or t > 'a'",
        m("outside_set", "t", args=("a", "ab")): "select count(*) from r where t not in ('a', 'ab')",
        m(
            "not_matching", "t", args=("^[a-z]",)
        ): "select count(*) from r where t is not null and not t regexp '^[a-z]'",
        m("duplicates", "n"): "select count(n) - count(distinct n) from r",
        m("duplicates", "n", "t"): "select coalesce(sum(c - 1), 0) from"
        " (select count(*) c from r where n is not null and t is not null group by n, t)",
        m("orphans", "k", args=(PARENTS, "id")): "select count(*) from r where k is not null"
        " and not exists (select 1 from p where p.id = r.k)",
        m("orphans", "k", "t", args=(PARENTS, "id", "code")): "select count(*) from r where k is not null"
        " and t is not null and not exists (select 1 from p where p.id = r.k and p.code = r.t)",
        m("false", args=(POSITIVE,)): "select count(*) from r where not (n > 0)",
        m("rows", where=POSITIVE): "select count(*) from r where n > 0",
        m("max", "k", where=POSITIVE): "select max(k) from r where n > 0",
        m("duplicates", "t", where=POSITIVE): "select count(t) - count(distinct t) from r where n > 0",
    }
    return {measure: connection.execute(sql).fetchone()[0] for measure, sql in queries.items()}


RANDOM_COLUMNS = {"n": "bigint", "t": "string", "k": "bigint"}
PARENT_COLUMNS = {"id": "bigint", "code": "string"}


@given(RANDOM, st.lists(st.tuples(INTS, TEXTS), max_size=5))
def test_random_tables_read_the_same_in_memory_as_in_sqlite(rows: Rows, parents: Rows) -> None:
    expected = by_sqlite(rows, parents)
    measurer = in_memory((RANDOM_COLUMNS, rows), {PARENTS: (PARENT_COLUMNS, parents)})
    assert measurer.measure(tuple(expected)) == expected


@pytest.mark.spark
@pytest.mark.parametrize(("seed", "size"), [(1, 3), (2, 60)])
def test_random_tables_read_the_same_on_spark_as_in_sqlite(spark: SparkSession, seed: int, size: int) -> None:
    chance = random.Random(seed)
    numbers, texts = [None, *range(-3, 4)], [None, "", "a", "b", "A", "ab", "ü"]
    rows = [(chance.choice(numbers), chance.choice(texts), chance.choice(numbers)) for _ in range(size)]
    parents = [(chance.choice(numbers), chance.choice(texts)) for _ in range(5)]
    expected = by_sqlite(rows, parents)
    measurer = on_spark(spark)((RANDOM_COLUMNS, rows), {PARENTS: (PARENT_COLUMNS, parents)})
    assert measurer.measure(tuple(expected)) == expected
