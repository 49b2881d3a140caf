"""The rest of a federated query on Spark: rows of sources pass through files, the lake is read by Spark itself."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from federated_plans import columns_of, whole_fragment, whole_plan
from pyspark.sql import SparkSession
from sqlglot import exp, parse_one

from forge.engines.spark.engine import SparkEngine
from forge.engines.spark.federation.executor import SparkExecutor
from forge.engines.spark.session.session import LazySession, SparkSettings
from forge.engines.spark.spill import spill_folder
from forge.federation.plan import Fragment, KeyFilter, QueryPlan
from forge.federation.relation import RelationName, SourceColumn
from forge.federation.source import LAKE
from forge.flows.federation.ports import QueryResult
from forge.flows.runs.engine import Pin
from forge.model.errors import CancellationError, ForgeError
from forge.model.names import CatalogName, RunId, TableName
from forge.model.types import parse_type

pytestmark = pytest.mark.spark

PEOPLE = RelationName("crm", ("public", "people"))
SALES = RelationName("crm", ("public", "sales"))
GOODS = RelationName(LAKE, ("rest", "goods"))
PINS = {GOODS: Pin(TableName("rest", "goods"), CatalogName("rest", "goods"))}

TABLES: Mapping[RelationName, pa.Table] = {
    PEOPLE: pa.table({"id": pa.array([1, 2, 3], pa.int32()), "name": ["Ada", None, "Zoë"]}),
    SALES: pa.table(
        {
            "person": pa.array([1, 1, 2, None], pa.int32()),
            "item": pa.array([1, 2, 2, 1], pa.int32()),
            "amount": pa.array([Decimal("0.10"), Decimal("99999999.99"), None, Decimal("-0.10")], pa.decimal128(10, 2)),
        }
    ),
}
GOODS_SCHEMA = pa.schema([("id", pa.int32()), ("label", pa.string())])
RELATIONS = {str(name): (name, table.schema) for name, table in TABLES.items()} | {"rest.goods": (GOODS, GOODS_SCHEMA)}


class Reader:
    """Gives the rows of a fragment from memory, and notes what it was asked for."""

    def __init__(self, tables: Mapping[RelationName, pa.Table] = TABLES) -> None:
        self.tables = tables
        self.asked: list[tuple[str, Mapping[str, tuple[object, ...]]]] = []

    def __call__(self, fragment: Fragment, keys: Mapping[str, tuple[object, ...]] = {}) -> pa.RecordBatchReader:
        self.asked.append((fragment.name, keys))
        table = self.tables[fragment.relations[0]].select([each.name for each in fragment.columns])
        return pa.RecordBatchReader.from_batches(table.schema, iter(table.to_batches(max_chunksize=2)))


@pytest.fixture(scope="module")
def engine(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkEngine]:
    root = tmp_path_factory.mktemp("rest")
    spark.sql("CREATE NAMESPACE IF NOT EXISTS forge.rest")
    spark.sql("CREATE OR REPLACE TABLE forge.rest.goods (id INT, label STRING) USING iceberg")
    spark.sql("INSERT INTO forge.rest.goods VALUES (1, 'cup'), (2, 'pot'), (3, 'pan')")
    session = LazySession(settings=SparkSettings("local[2]", {}, {}, root / "spark.log"))
    session._session = spark
    yield SparkEngine(session, root)
    spark.sql("DROP TABLE forge.rest.goods")


@pytest.fixture
def executor(engine: SparkEngine, tmp_path: Path) -> SparkExecutor:
    return SparkExecutor(engine, PINS, tmp_path / "rows")


Run = Callable[..., QueryResult]


@pytest.fixture
def run(executor: SparkExecutor) -> Run:
    def run(sql: str, limit: int | None = None, **parameters: object) -> QueryResult:
        return executor.run(whole_plan(sql, RELATIONS), Reader(), parameters, limit)

    return run


def rows(result: QueryResult) -> list[tuple[object, ...]]:
    return list(zip(*(column.to_pylist() for column in result.table.columns), strict=True))


def test_sources_and_the_lake_are_joined(run: Run) -> None:
    result = run("""
        SELECT p.name, g.label, sum(s.amount) AS amount
        FROM crm.public.sales s LEFT JOIN crm.public.people p ON p.id = s.person JOIN rest.goods g ON g.id = s.item
        GROUP BY ALL ORDER BY p.name DESC NULLS LAST, g.label""")

    assert rows(result) == [
        ("Ada", "cup", Decimal("0.10")),
        ("Ada", "pot", Decimal("99999999.99")),
        (None, "cup", Decimal("-0.10")),
        (None, "pot", None),
    ]
    assert [(each.name, each.type) for each in result.schema.columns] == [
        ("name", "string"),
        ("label", "string"),
        ("amount", "decimal(20,2)"),
    ]
    assert sorted(result.rows_read.values()) == [3, 4]


def test_a_relation_is_joined_with_itself(run: Run) -> None:
    sql = "SELECT a.id, b.id FROM crm.public.people a JOIN crm.public.people b ON a.id = b.id + 1 ORDER BY 1"

    assert rows(run(sql)) == [(2, 1), (3, 2)]


def test_parameters_are_bound(run: Run) -> None:
    sql = "SELECT id FROM crm.public.people WHERE name = :name"

    assert rows(run(sql, name="Ada", unused=1)) == [(1,)]
    assert rows(run(sql, name="' OR 1 = 1 --")) == []


def test_a_limit_keeps_the_order(run: Run) -> None:
    assert rows(run("SELECT id FROM crm.public.people ORDER BY id DESC", limit=2)) == [(3,), (2,)]


def test_nothing_is_left_on_the_disk(run: Run, tmp_path: Path) -> None:
    run("SELECT * FROM crm.public.people")
    with pytest.raises(ForgeError, match="Division by zero"):
        run("SELECT 1 / (id - id) FROM crm.public.people")

    assert list((tmp_path / "rows").iterdir()) == []


def test_rows_left_by_a_query_that_was_killed_are_removed(run: Run, tmp_path: Path) -> None:
    left = tmp_path / "rows" / "killed"
    left.mkdir(parents=True)
    (left / "f0.parquet").write_bytes(b"rows")

    run("SELECT 1")

    assert not left.exists()


def test_queries_that_begin_together_keep_their_folders(tmp_path: Path) -> None:
    def hold() -> bool:
        with spill_folder(tmp_path / "rows") as folder:
            (folder / "f0.parquet").touch()
            return folder.exists()

    with ThreadPoolExecutor(8) as pool:
        held = [pool.submit(hold) for _ in range(400)]

    assert all(one.result() for one in held)
    assert list((tmp_path / "rows").iterdir()) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT java_method('java.lang.System', 'getProperty', 'user.dir') FROM crm.public.people",
        "SELECT * FROM text.`/etc/hostname`",
        "SELECT * FROM rest.hidden",
        "SELECT * FROM fragment.f0, crm.public.people",
    ],
)
def test_the_rest_is_judged(run: Run, sql: str) -> None:
    with pytest.raises(ForgeError) as refused:
        run(sql)

    assert refused.value.code in ("E216", "E202")


VALUES: tuple[tuple[str, list[object]], ...] = (
    ("boolean", [True, False, None]),
    ("tinyint", [-128, 127, None]),
    ("smallint", [-32768, 32767, None]),
    ("int", [-(2**31), 2**31 - 1, None]),
    ("bigint", [-(2**63), 2**63 - 1, None]),
    ("float", [0.25, float("inf"), None]),
    ("double", [0.1, float("-inf"), None]),
    ("decimal(10,2)", [Decimal("99999999.99"), Decimal("-0.01"), None]),
    ("decimal(38,0)", [Decimal(10**38 - 1), Decimal(-(10**38) + 1), None]),
    ("decimal(38,38)", [Decimal("0." + "9" * 38), Decimal(0), None]),
    ("string", ["", "😀\x00é'\"\\", None]),
    ("char(4)", ["ab  ", "", None]),
    ("binary", [b"\x00\xff", b"", None]),
    ("date", [date(1, 1, 1), date(1582, 10, 10), date(9999, 12, 31)]),
    ("timestamp", [datetime(1, 1, 1, tzinfo=UTC), datetime(1582, 10, 10, 1, 2, 3, 4, tzinfo=UTC), None]),
    ("timestamp_ntz", [datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), None]),
    ("void", [None, None]),
    ("array<int>", [[1, None], [], None]),
    ("struct<a:int,b:string>", [{"a": 1, "b": None}, {"a": None, "b": "x"}, None]),
)


@pytest.mark.parametrize(("kind", "values"), VALUES, ids=[kind for kind, _ in VALUES])
def test_every_value_comes_through_as_it_was(executor: SparkExecutor, kind: str, values: list[object]) -> None:
    from forge.versioning.arrow_types import arrow_type

    name = RelationName("crm", ("odd",))
    column = SourceColumn("Odd name; `x`", parse_type(kind))
    fragment = whole_fragment("rows", name, [column])
    reader = Reader({name: pa.table({column.name: pa.array(values, arrow_type(kind))})})

    result = executor.run(QueryPlan("", (fragment,), parse_query_of("SELECT * FROM rows")), reader, {}, None)

    assert [value for (value,) in rows(result)] == values
    assert [each.type for each in result.schema.columns] == ["string" if kind == "char(4)" else kind]


def test_odd_numbers_come_through(executor: SparkExecutor) -> None:
    name = RelationName("crm", ("odd",))
    table = pa.table({"x": [float("nan"), -0.0]})
    plan = QueryPlan(
        "", (whole_fragment("rows", name, columns_of(table.schema)),), parse_query_of("SELECT * FROM rows")
    )

    (first,), (second,) = rows(executor.run(plan, Reader({name: table}), {}, None))

    assert isinstance(first, float)
    assert isinstance(second, float)
    assert math.isnan(first)
    assert math.copysign(1, second) == -1


def test_rows_without_columns_are_counted(executor: SparkExecutor) -> None:
    fragment = Fragment("rows", "crm", parse_query_of("SELECT 1"), (), relations=(PEOPLE,))
    plan = QueryPlan("", (fragment,), parse_query_of("SELECT count(*) FROM rows"))

    assert rows(executor.run(plan, Reader(), {}, None)) == [(3,)]


def parse_query_of(sql: str) -> exp.Query:
    tree = parse_one(sql, read="spark")
    assert isinstance(tree, exp.Query)
    return tree


@pytest.mark.parametrize("small", [PEOPLE, GOODS])
def test_a_small_fragment_filters_a_later_one_by_its_keys(executor: SparkExecutor, small: RelationName) -> None:
    schema = GOODS_SCHEMA if small == GOODS else TABLES[PEOPLE].schema
    first = whole_fragment("small", small, columns_of(schema))
    by_name = "label = 'pot'" if small == GOODS else "name IS NULL"
    if small == GOODS:
        assert isinstance(first.query, exp.Select)
        first = replace(first, query=first.query.where(by_name, dialect="spark"))
    column = "item" if small == GOODS else "person"
    later = replace(
        whole_fragment("large", SALES, columns_of(TABLES[SALES].schema)), keys=(KeyFilter(column, "small", "id"),)
    )
    rest = parse_query_of(f"SELECT count(*) FROM large JOIN small ON large.{column} = small.id WHERE small.{by_name}")
    reader = Reader()

    result = executor.run(QueryPlan("", (first, later), rest), reader, {}, None)

    assert rows(result) == [(2,)] if small == GOODS else [(1,)]
    (_, keys) = next(asked for asked in reader.asked if asked[0] == "large")
    assert {name: set(values) for name, values in keys.items()} == {column: {2} if small == GOODS else {1, 2, 3}}


def test_a_source_that_fails_is_what_the_query_says(executor: SparkExecutor, tmp_path: Path) -> None:
    def read(fragment: Fragment, keys: Mapping[str, tuple[object, ...]] = {}) -> pa.RecordBatchReader:
        if fragment.relations[0] == SALES:
            raise ForgeError("E308", "The database crm cannot be reached")
        return Reader()(fragment)

    plan = whole_plan("SELECT * FROM crm.public.people, crm.public.sales, rest.goods", RELATIONS)
    with pytest.raises(ForgeError, match="crm cannot be reached"):
        executor.run(plan, read, {}, None)

    assert list((tmp_path / "rows").iterdir()) == []


@pytest.mark.parametrize("as_a_read", [False, True])
def test_a_query_is_cancelled_while_it_reads(executor: SparkExecutor, engine: SparkEngine, *, as_a_read: bool) -> None:
    begun = threading.Event()

    def batches() -> Iterator[pa.RecordBatch]:
        while True:
            yield TABLES[PEOPLE].to_batches()[0]
            begun.set()

    def read(fragment: Fragment, keys: Mapping[str, tuple[object, ...]] = {}) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(TABLES[PEOPLE].schema, batches())

    def cancel() -> None:
        begun.wait()
        engine.cancel(RunId("read")) if as_a_read else executor.cancel()

    if as_a_read:
        engine.begin_read(RunId("read"))
    threading.Thread(target=cancel).start()
    try:
        with pytest.raises(CancellationError):
            executor.run(whole_plan("SELECT count(*) FROM crm.public.people", RELATIONS), read, {}, None)
    finally:
        engine.end()


def test_a_query_is_cancelled_while_spark_computes(executor: SparkExecutor, engine: SparkEngine) -> None:
    from forge.engines.spark.session.pools import jobs_of

    endless = "SELECT count(*) FROM range(30000) a, range(30000) b, range(30000) c WHERE a.id + b.id + c.id < 0"

    def cancel() -> None:
        spark = engine.session.get()
        while not jobs_of(spark, executor._tag):
            threading.Event().wait(0.05)
        executor.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    with pytest.raises(CancellationError):
        executor.run(whole_plan(endless, RELATIONS), Reader(), {}, None)
    thread.join(60)
    assert not thread.is_alive()


def whole_query(rest: str) -> QueryPlan:
    fragment = whole_fragment("f1", SALES, columns_of(TABLES[SALES].schema))
    return QueryPlan("", (fragment,), parse_query_of(rest), whole=True)


def test_what_a_source_computes_as_a_whole_comes_in_its_order_without_spark(tmp_path: Path) -> None:
    session = LazySession(settings=SparkSettings("local[2]", {}, {}, tmp_path / "spark.log"))
    executor = SparkExecutor(SparkEngine(session, tmp_path), PINS, tmp_path / "rows")
    plan = whole_query("SELECT f1.person AS `Who`, f1.item AS `Who`, f1.amount AS x FROM f1")

    result = executor.run(plan, Reader(), {}, 3)

    assert rows(result) == [(1, 1, Decimal("0.10")), (1, 2, Decimal("99999999.99")), (2, 2, None)]
    assert [(each.name, each.type) for each in result.schema.columns] == [
        ("Who", "int"),
        ("Who", "int"),
        ("x", "decimal(10,2)"),
    ]
    assert rows(executor.run(plan, Reader(), {}, 0)) == []
    assert len(rows(executor.run(plan, Reader(), {}, None))) == 4
    assert not session.started


def test_a_source_is_not_asked_for_rows_without_a_partner(executor: SparkExecutor) -> None:
    people = whole_fragment("small", PEOPLE, columns_of(TABLES[PEOPLE].schema))
    sales = whole_fragment("large", SALES, columns_of(TABLES[SALES].schema))
    reader = Reader({**TABLES, PEOPLE: TABLES[PEOPLE].slice(0, 0)})
    rest = parse_query_of("SELECT * FROM large JOIN small ON large.person = small.id")
    keyed = replace(sales, keys=(KeyFilter("person", "small", "id"),))

    assert rows(executor.run(QueryPlan("", (people, keyed), rest), reader, {}, None)) == []
    assert [name for name, _ in reader.asked] == ["small"]


@pytest.mark.parametrize(
    ("condition", "found"),
    [("x = CAST('NaN' AS DOUBLE)", 1), ("x > 1e308", 1), ("x = 0.0", 2), ("x <= -0.0", 3), ("x IS NULL", 1)],
)
def test_no_row_is_lost_by_what_a_file_tells_of_its_numbers(
    executor: SparkExecutor, condition: str, found: int
) -> None:
    """Spark leaves out parts of a file by their least and greatest value, which NaN and -0.0 are not part of."""
    name = RelationName("crm", ("numbers",))
    table = pa.table({"x": [float("nan"), -0.0, 0.0, -1.0, 1e300, None]})
    fragment = whole_fragment("rows", name, columns_of(table.schema))
    plan = QueryPlan("", (fragment,), parse_query_of(f"SELECT count(*) FROM rows WHERE {condition}"))

    assert rows(executor.run(plan, Reader({name: table}), {}, None)) == [(found,)]
