"""What measuring on Spark and from manifests costs, what it survives, and samples of bad rows."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from spark_jobs import job_ids

from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.check import Check, Context
from forge.quality.checks import (
    AcceptedValuesCheck,
    ExpressionCheck,
    ForeignKeyCheck,
    FreshnessCheck,
    NotNullCheck,
    RangeCheck,
    RegexCheck,
    RowCountCheck,
    UniqueCheck,
)
from forge.quality.measure import Measure, NotMeasured, Readings
from forge.quality.plan import judge_all, plan_measures
from forge.quality.verdict import Outcome

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from forge.engines.spark.failing_rows import FailingRowFinder
    from forge.engines.spark.measure.measurer import SparkMeasurer
    from forge.stores.lake.measure import ManifestMeasurer

pytestmark = pytest.mark.spark

T = TypeVar("T")
CUSTOMERS = TableName("core", "customers")
NOW = datetime(2026, 11, 15, tzinfo=UTC)


def counting_jobs(spark: SparkSession, action: Callable[[], T]) -> tuple[T, int]:
    group = str(uuid.uuid4())
    spark.sparkContext.setJobGroup(group, "counted")
    try:
        result = action()
    finally:
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", "")
    return result, len(job_ids(spark, group))


def measurer_of(spark: SparkSession, frame: DataFrame, **others: DataFrame) -> SparkMeasurer:
    from forge.engines.spark.measure.measurer import SparkMeasurer

    return SparkMeasurer(spark, frame, lambda table: others[table.name])


def sample_of(
    spark: SparkSession,
    frame: DataFrame,
    check: Check,
    limit: int = 5,
    masked: frozenset[str] = frozenset(),
    **others: DataFrame,
) -> list[dict[str, Any]]:
    """Measured first, as the number of bad rows is known when they are looked for."""
    measures = [] if check.fault(_schema(frame)) else check.violations(_schema(frame))
    readings = measurer_of(spark, frame, **others).measure(measures)
    return [dict(row) for row in failing_of(spark, frame, readings, masked, **others).sample([check], limit)[0]]


def failing_of(
    spark: SparkSession,
    frame: DataFrame,
    readings: Readings,
    masked: frozenset[str] = frozenset(),
    **others: DataFrame,
) -> FailingRowFinder:
    from forge.engines.spark.failing_rows import FailingRowFinder
    from forge.engines.spark.measure.custom import CustomRules, no_function, no_query

    custom = CustomRules(spark, no_query, no_function, lambda table: others[table.name])
    return FailingRowFinder(
        spark=spark, frame=frame, others=custom.others, custom=custom, readings=readings, masked=masked
    )


@pytest.fixture(scope="module")
def orders(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """100 orders in 4 files. Of each ten, one has a NULL amount; amounts are 0 … 99; order 13 stands twice."""
    path = str(tmp_path_factory.mktemp("orders") / "data")
    rows = spark.range(0, 100, 1, 4).selectExpr(
        "if(id = 14, 13, id) as order_id",
        "if(id % 10 = 3, null, cast(id as decimal(12,2))) as amount",
        "if(id < 60, 'open', 'paid') as status",
        "concat('c', id, if(id = 5, '', '@example.com')) as email",
        "timestamp_seconds(1790000000 + id) as ordered_at",
        "date '2026-11-01' as day",
        "id % 7 as customer_id",
    )
    rows.write.parquet(path)
    return spark.read.parquet(path)


PLAIN_CHECKS: tuple[Check, ...] = (
    NotNullCheck(("order_id",)),
    NotNullCheck(("amount",), 10.0),
    AcceptedValuesCheck("status", ("open", "paid")),
    RangeCheck("amount", 0, 50),
    RangeCheck("order_id", 0, 99),
    RegexCheck("email", "^[^@]+@[^@]+$"),
    RowCountCheck(1, 1000),
    FreshnessCheck("ordered_at", 24 * 400),
    FreshnessCheck("day", 24 * 400),
    ExpressionCheck("amount >= 0 OR status = 'open'"),
    RangeCheck("amount", 0, 40, where="status = 'open'"),
)


def test_any_number_of_plain_checks_is_one_job(spark: SparkSession, orders: DataFrame) -> None:
    measurer = measurer_of(spark, orders)
    schema = _schema(orders)
    measures = plan_measures(PLAIN_CHECKS, schema)
    assert len(measures) > 15
    readings, jobs = counting_jobs(spark, lambda: measurer.measure(measures))
    assert jobs == 1
    verdicts = judge_all(PLAIN_CHECKS, readings, Context(TableName("core", "orders"), schema, NOW))
    assert {v.check_id: v.message for v in verdicts if v.outcome is not Outcome.PASSED} == {
        "core.orders.amount.range": "amount: 44 of 100 rows (44.00%) are outside 0 … 50; greatest is 99.00;"
        " 10 NULLs are not counted",
        "core.orders.email.regex": "email: 1 of 100 rows (1.00%) does not match ^[^@]+@[^@]+$",
        "core.orders.amount.range.status_open": "amount: 17 of 60 rows (28.33%) where status = 'open'"
        " are outside 0 … 40; greatest is 59.00; 6 NULLs are not counted",
    }


def test_text_is_measured_in_a_job_of_its_own(spark: SparkSession, orders: DataFrame) -> None:
    measures = [
        Measure(kind="max", columns=("status",)),
        Measure(kind="min", columns=("email",)),
        Measure(kind="max", columns=("amount",)),
        Measure(kind="rows"),
    ]
    readings, jobs = counting_jobs(spark, lambda: measurer_of(spark, orders).measure(measures))
    assert [readings[m] for m in measures] == ["paid", "c0@example.com", Decimal("99.00"), 100]
    assert jobs == 2


def test_adaptive_execution_is_left_as_it_was(spark: SparkSession, orders: DataFrame) -> None:
    before = spark.conf.get("spark.sql.adaptive.enabled")
    measurer_of(spark, orders).measure([Measure(kind="rows")])
    assert spark.conf.get("spark.sql.adaptive.enabled") == before == "true"


def test_a_predicate_that_does_not_analyse_costs_no_job_and_no_other_reading(
    spark: SparkSession, orders: DataFrame
) -> None:
    good = [
        Measure(kind="rows"),
        Measure(kind="false", columns=(), arguments=("amount >= 50",)),
        Measure(kind="nulls", columns=("amount",)),
    ]
    bad = [
        Measure(kind="false", columns=(), arguments=("amuont > 0",)),
        Measure(kind="false", columns=(), arguments=("sum(amount) > 0",)),
        Measure(kind="false", columns=(), arguments=("amount",)),
        Measure(kind="rows", where="status ="),
        Measure(kind="duplicates", columns=("status",), where="nope"),
    ]
    readings, jobs = counting_jobs(spark, lambda: measurer_of(spark, orders).measure([*bad, *good]))
    assert [readings[m] for m in good] == [100, 45, 10]
    assert all(isinstance(readings[m], NotMeasured) for m in bad)
    assert jobs == 1
    first = readings[bad[0]]
    assert isinstance(first, NotMeasured)
    assert "amuont" in first.reason
    assert "amount" in first.reason


def test_a_predicate_that_breaks_on_a_row_costs_only_its_own_reading(spark: SparkSession, orders: DataFrame) -> None:
    good = [
        Measure(kind="rows"),
        Measure(kind="max", columns=("amount",)),
        Measure(kind="false", columns=(), arguments=("amount >= 50",)),
    ]
    bad = Measure(
        kind="false", columns=(), arguments=("cast(concat('job cancelled ', email) as int) > 0",)
    )  # the word must not mislead
    readings = measurer_of(spark, orders).measure([*good, bad])
    assert [readings[m] for m in good] == [100, Decimal("99.00"), 45]
    reading = readings[bad]
    assert isinstance(reading, NotMeasured)
    assert "cannot be cast" in reading.reason


@pytest.mark.parametrize(
    "condition",
    [
        "raise_error(email) IS NULL",
        "assert_true(false, email) IS NULL",
        "cast(concat(email, '\\n') as int) > 0",
        "from_utc_timestamp(current_timestamp(), email) IS NULL",
        "parse_json(email) IS NULL",
        "next_day(current_date(), email) IS NULL",
    ],
)
def test_a_check_cannot_bring_a_value_out_by_an_error(spark: SparkSession, orders: DataFrame, condition: str) -> None:
    bad = Measure(kind="false", columns=(), arguments=(condition,), where="email IS NOT NULL")
    reading = measurer_of(spark, orders).measure([bad])[bad]
    assert isinstance(reading, NotMeasured)
    values = [row.email for row in orders.where("email IS NOT NULL").select("email").distinct().collect()]
    assert values
    assert not [value for value in values if value in reading.reason]


def test_a_filter_guards_what_it_stands_before(spark: SparkSession, orders: DataFrame) -> None:
    guarded = Measure(
        kind="false", columns=(), arguments=("cast(substr(email, 2) as int) = 5",), where="email not like '%@%'"
    )
    assert measurer_of(spark, orders).measure([guarded]) == {guarded: 0}


def test_a_key_that_breaks_on_a_row_costs_only_its_own_reading(spark: SparkSession, orders: DataFrame) -> None:
    customers = spark.range(3).selectExpr("id", "concat('x', id) as code")
    bad = Measure(
        kind="orphans", columns=("customer_id",), arguments=(CUSTOMERS, "code")
    )  # a number compared to text that is none
    good = [
        Measure(kind="orphans", columns=("customer_id",), arguments=(CUSTOMERS, "id")),
        Measure(kind="duplicates", columns=("order_id",)),
    ]
    readings = measurer_of(spark, orders, customers=customers).measure([bad, *good])
    assert [readings[m] for m in good] == [sum(n % 7 > 2 for n in range(100)), 1]
    assert isinstance(readings[bad], NotMeasured)


def test_a_cancelled_measurement_ends_instead_of_trying_again(spark: SparkSession) -> None:
    endless = spark.range(0, 10**12, 1, 4).selectExpr("id", "cast(id as string) as t")
    measures = [Measure(kind="false", columns=(), arguments=(f"hash(t) != {n}",)) for n in range(3)] + [
        Measure(kind="rows", where="id >= 0")
    ]
    group = str(uuid.uuid4())
    caught: list[BaseException] = []

    def measure() -> None:
        spark.sparkContext.setJobGroup(group, "to be cancelled", interruptOnCancel=True)
        try:
            measurer_of(spark, endless).measure(measures)
        except BaseException as error:
            caught.append(error)

    from pyspark import InheritableThread

    worker = InheritableThread(target=measure, session=spark)
    worker.start()
    deadline = time.monotonic() + 60
    while not job_ids(spark, group) and time.monotonic() < deadline:
        time.sleep(0.05)
    spark.sparkContext.cancelJobGroup(group)
    worker.join(60)
    assert not worker.is_alive()
    assert len(caught) == 1
    assert len(job_ids(spark, group)) == 1


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (RangeCheck("amount", max=97), [{"order_id": 98}, {"order_id": 99}]),
        (NotNullCheck(("amount",), where="order_id < 20"), [{"order_id": 3}, {"order_id": 13}]),
        (RegexCheck("email", "@"), [{"order_id": 5}]),
        (ExpressionCheck("order_id < 98"), [{"order_id": 98}, {"order_id": 99}]),
        (UniqueCheck(("order_id",)), [{"order_id": 13, "(rows)": 2}]),
        (
            ForeignKeyCheck(("order_id",), CUSTOMERS, ("id",), where="order_id > 95"),
            [{"order_id": n} for n in (98, 99)],
        ),
        (RowCountCheck(max=1), []),
        (RangeCheck("nowhere", max=1), []),
    ],
)
def test_a_sample_shows_the_rows_that_fail_in_one_job(
    spark: SparkSession, orders: DataFrame, check: Check, expected: list[dict[str, Any]]
) -> None:
    measures = [] if check.fault(_schema(orders)) else check.violations(_schema(orders))
    readings = measurer_of(spark, orders, customers=spark.range(98)).measure(measures)
    failing = failing_of(spark, orders, readings, customers=spark.range(98))
    (rows,), jobs = counting_jobs(spark, lambda: failing.sample([check], 5))
    shown = [{key: row[key] for key in ("order_id", "(rows)") if key in row} for row in rows]
    shown.sort(key=lambda row: int(str(row["order_id"])))
    assert shown == expected
    if not isinstance(check, ForeignKeyCheck):  # a join may broadcast one side by a job of its own
        assert jobs == (1 if expected else 0)


def test_a_sample_is_short_plain_and_hides_masked_columns(spark: SparkSession, orders: DataFrame) -> None:
    rows = sample_of(spark, orders, AcceptedValuesCheck("status", ("paid",)), 3, frozenset({"EMAIL"}))
    assert len(rows) == 3
    assert list(rows[0]) == orders.columns
    assert {row["email"] for row in rows} == {"***"}
    assert {row["day"] for row in rows} == {"2026-11-01"}
    for row in rows:
        moment = datetime.fromtimestamp(1790000000, UTC) + timedelta(seconds=int(str(row["order_id"])))
        assert row["ordered_at"] == moment.isoformat() or row["order_id"] == 13
    keys = sample_of(spark, orders, UniqueCheck(("order_id",)), masked=frozenset({"order_id"}))
    assert keys == [{"order_id": "***", "(rows)": 2}]


def test_of_very_many_bad_rows_a_few_are_shown_in_the_one_job_of_all_checks(spark: SparkSession) -> None:
    frame = spark.range(0, 50_000, 1, 4).selectExpr("id", "id % 2 as odd", "cast(id as double) as x")
    checks = [
        AcceptedValuesCheck("odd", (2,)),
        RangeCheck("x", 0, 49_996),
        NotNullCheck(("id",)),
        ExpressionCheck("odd = 0"),
    ]
    measures = [m for check in checks for m in check.violations(_schema(frame))]
    failing = failing_of(spark, frame, measurer_of(spark, frame).measure(measures))
    (many, few, none, half), jobs = counting_jobs(spark, lambda: failing.sample(checks, 5))
    assert jobs == 1
    assert [len(rows) for rows in (many, few, none, half)] == [5, 3, 0, 5]
    assert {row["id"] for row in few} == {49_997, 49_998, 49_999}
    assert {row["odd"] for row in half} == {1}


def test_failing_rows_are_all_of_them_with_the_checks_they_fail(spark: SparkSession, orders: DataFrame) -> None:
    customers = spark.range(6)
    checks: dict[str, Check] = {
        "dear": RangeCheck("amount", 0, 95),
        "twice": UniqueCheck(("order_id",)),
        "lost": ForeignKeyCheck(("customer_id",), CUSTOMERS, ("id",), where="order_id < 20"),
        "empty": NotNullCheck(("amount",), where="order_id > 90"),
    }
    measures = [m for check in checks.values() for m in check.violations(_schema(orders))]
    readings = measurer_of(spark, orders, customers=customers).measure(measures)
    bad = failing_of(spark, orders, readings, customers=customers).rows(tuple(checks.items())).collect()
    by_check = {name: sorted(row["order_id"] for row in bad if name in row["forge_checks"]) for name in checks}
    assert by_check == {"dear": [96, 97, 98, 99], "twice": [13], "lost": [6, 13], "empty": [93]}
    assert bad[0].asDict().keys() == {*orders.columns, "forge_checks"}


# --- manifests ---------------------------------------------------------------------------------------------------


def manifests_of(folder: Path, table: str, snapshot_id: int | None = None) -> ManifestMeasurer:
    from pyiceberg.catalog.sql import SqlCatalog

    from forge.stores.lake.measure import ManifestMeasurer

    catalog = SqlCatalog("forge", uri=f"sqlite:///{folder / 'forge.db'}", warehouse=str(folder / "warehouse"))
    loaded = catalog.load_table(table)
    current = loaded.metadata.current_snapshot_id
    catalog.close()
    wanted = snapshot_id if snapshot_id is not None else current
    assert wanted is not None
    return ManifestMeasurer(loaded.metadata, wanted, loaded.io)


@pytest.fixture
def table(spark: SparkSession) -> str:
    spark.sql("create namespace if not exists measured")
    return f"measured.t_{uuid.uuid4().hex[:8]}"


TYPES = {
    "i": "int",
    "l": "bigint",
    "f": "float",
    "d": "double",
    "n": "decimal(20,3)",
    "wide": "decimal(38,10)",
    "day": "date",
    "at": "timestamp",
    "wall": "timestamp_ntz",
    "empty": "bigint",
    "t": "string",
    "b": "boolean",
}


def random_row(chance: random.Random) -> tuple[object, ...]:
    moment = datetime(1960, 1, 1, tzinfo=UTC) + timedelta(microseconds=chance.randrange(4 * 10**15))
    values = (
        chance.randrange(-(2**31), 2**31),
        chance.randrange(-(2**63), 2**63),
        float(chance.randrange(-1000, 1000)) / 8,
        chance.uniform(-1e9, 1e9),
        Decimal(chance.randrange(-(10**19), 10**19)).scaleb(-3),
        Decimal(chance.randrange(-(10**27), 10**27)).scaleb(-10),
        date(1900, 1, 1) + timedelta(days=chance.randrange(60_000)),
        moment,
        moment.replace(tzinfo=None),
        None,
        "x" * chance.randrange(30),
        chance.random() < 0.5,
    )
    return tuple(None if chance.random() < 0.2 else value for value in values)


def all_measures() -> list[Measure]:
    kinds = ("nulls", "min", "max")
    return [Measure(kind="rows"), *(Measure(kind=kind, columns=(column,)) for column in TYPES for kind in kinds)]


@pytest.mark.parametrize("seed", [1, 2])
def test_manifests_read_what_spark_reads_without_a_job(
    spark: SparkSession, lake_folder: Path, table: str, seed: int
) -> None:
    chance = random.Random(seed)
    shape = ", ".join(f"{name} {type_}" for name, type_ in TYPES.items())
    spark.sql(f"create table {table} ({shape}) using iceberg")
    for size in (1, 20):
        rows = [random_row(chance) for _ in range(size)]
        spark.createDataFrame(rows, shape).coalesce(2).writeTo(table).append()
    measures = all_measures()
    from_spark = measurer_of(spark, spark.table(table)).measure(measures)
    readings, jobs = counting_jobs(spark, lambda: manifests_of(lake_folder, table).measure(measures))
    assert jobs == 0
    assert readings == {m: from_spark[m] for m in readings}
    left = {m for m in measures if m not in readings}
    assert left == {Measure(kind=kind, columns=(column,)) for kind in ("min", "max") for column in ("t", "b")}
    proofs = [
        Measure(kind="outside_range", columns=(c,), arguments=bounds)
        for c in ("l", "n", "at")
        for bounds in _ranges(from_spark, c)
    ]
    proven = manifests_of(lake_folder, table).measure(proofs)
    truth = measurer_of(spark, spark.table(table)).measure(proofs)
    assert proven == {m: 0 for m in proofs if truth[m] == 0}
    assert 0 < len(proven) < len(proofs)


def _ranges(readings: Readings, column: str) -> list[tuple[Any, Any]]:
    low: Any = readings[Measure(kind="min", columns=(column,))]
    high: Any = readings[Measure(kind="max", columns=(column,))]
    step = timedelta(microseconds=1) if column == "at" else 1
    return [(low, high), (low, None), (None, None), (None, high - step), (low + step, high)]


def test_manifests_answer_nothing_they_cannot_prove(spark: SparkSession, lake_folder: Path, table: str) -> None:
    spark.sql(f"create table {table} (x double, t string, s struct<x:int>) using iceberg")
    spark.sql(f"insert into {table} values (1.0, 'a', named_struct('x', 1)), (double('NaN'), 'b', null)")
    measurer = manifests_of(lake_folder, table)
    unanswered = [
        Measure(kind="rows", where="x > 0"),
        Measure(kind="min", columns=("x",)),  # NaN
        Measure(kind="max", columns=("x",)),
        Measure(kind="outside_range", columns=("x",), arguments=(0.0, 2.0)),
        Measure(kind="max", columns=("t",)),
        Measure(kind="nulls", columns=("s",)),
        Measure(kind="nulls", columns=("s.x",)),
        Measure(kind="nulls", columns=("nowhere",)),
        Measure(kind="outside_set", columns=("t",), arguments=("a",)),
        Measure(kind="duplicates", columns=("t",)),
    ]
    answered = [Measure(kind="rows"), Measure(kind="nulls", columns=("X",))]
    assert measurer.measure([*unanswered, *answered]) == {answered[0]: 2, answered[1]: 0}
    scanned = measurer_of(spark, spark.table(table)).measure(unanswered)
    assert scanned[Measure(kind="outside_range", columns=("x",), arguments=(0.0, 2.0))] == 1


def test_manifests_of_a_snapshot_with_delete_files_answer_nothing(
    spark: SparkSession, lake_folder: Path, table: str
) -> None:
    properties = "tblproperties ('write.delete.mode'='merge-on-read', 'format-version'='2')"
    spark.sql(f"create table {table} (id bigint) using iceberg {properties}")
    spark.range(0, 10, 1, 1).writeTo(table).append()
    before = spark.sql(f"select snapshot_id from {table}.snapshots").collect()[0]["snapshot_id"]
    spark.sql(f"delete from {table} where id = 9")
    measures = [Measure(kind="rows"), Measure(kind="max", columns=("id",))]
    assert manifests_of(lake_folder, table).measure(measures) == {}
    assert manifests_of(lake_folder, table, before).measure(measures) == dict(zip(measures, (10, 9), strict=True))
    assert measurer_of(spark, spark.table(table)).measure(measures) == dict(zip(measures, (9, 8), strict=True))


def test_manifests_follow_the_schema_of_their_snapshot(spark: SparkSession, lake_folder: Path, table: str) -> None:
    spark.sql(f"create table {table} (a int, `odd.name` int) using iceberg")
    spark.sql(f"insert into {table} values (1, null)")
    old = spark.sql(f"select snapshot_id from {table}.snapshots").collect()[0]["snapshot_id"]
    spark.sql(f"alter table {table} rename column a to b")
    spark.sql(f"alter table {table} alter column b type bigint")
    spark.sql(f"alter table {table} add column c int")
    spark.sql(f"insert into {table} values (5000000000, 1, 1)")
    assert manifests_of(lake_folder, table, old).measure(
        [Measure(kind="max", columns=("a",)), Measure(kind="max", columns=("b",))]
    ) == {Measure(kind="max", columns=("a",)): 1}
    wanted = [
        Measure(kind="min", columns=("b",)),
        Measure(kind="max", columns=("b",)),
        Measure(kind="nulls", columns=("odd.name",)),
    ]
    # the first file was written without c, so nothing is known of it there
    readings = manifests_of(lake_folder, table).measure(
        [*wanted, Measure(kind="nulls", columns=("c",)), Measure(kind="max", columns=("a",))]
    )
    assert readings == dict(zip(wanted, (1, 5_000_000_000, 1), strict=True))


def test_an_unknown_snapshot_and_an_emptied_table(spark: SparkSession, lake_folder: Path, table: str) -> None:
    spark.sql(f"create table {table} (id bigint) using iceberg")
    spark.range(3).writeTo(table).append()
    spark.sql(f"delete from {table}")
    measures = [
        Measure(kind="rows"),
        Measure(kind="max", columns=("id",)),
        Measure(kind="outside_range", columns=("id",), arguments=(0, 1)),
    ]
    assert manifests_of(lake_folder, table).measure(measures) == dict(zip(measures, (0, None, 0), strict=True))
    assert manifests_of(lake_folder, table, 1).measure(measures) == {}


def _schema(frame: DataFrame) -> Schema:
    from forge.engines.spark.frames import schema_of

    return schema_of(frame)
