"""Sums of decimals that a database holds: in Spark they have ten digits more than their column, and none is lost,
however the rows are dealt out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from federated_plans import columns_of, whole_plan
from pyspark.sql import SparkSession

from forge.engines.spark.engine import SparkEngine
from forge.engines.spark.federation.executor import SparkExecutor
from forge.engines.spark.session.session import LazySession, SparkSettings
from forge.federation.plan import Fragment
from forge.federation.relation import RelationName

pytestmark = [pytest.mark.spark, pytest.mark.services("postgres")]

SALES = RelationName("crm", ("public", "sales"))
SCHEMA = pa.schema([("place", pa.int32()), ("amount", pa.decimal128(10, 2))])
MOST = Decimal("99999999.99")


@pytest.fixture(scope="module")
def database(new_postgres: Callable[[], str]) -> str:
    import psycopg

    url = new_postgres().replace("+psycopg", "")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE sales (place int, amount numeric(10,2))")
        connection.execute(f"INSERT INTO sales SELECT n % 7, {MOST} FROM generate_series(1, 300000) n")
        connection.execute("INSERT INTO sales VALUES (7, NULL), (8, -0.01), (8, 0.02)")
    return url


def test_sums_are_those_of_the_database(database: str, spark: SparkSession, tmp_path: Path) -> None:
    import psycopg

    def read(fragment: Fragment, keys: Mapping[str, tuple[object, ...]] = {}) -> pa.RecordBatchReader:
        def batches() -> Iterator[pa.RecordBatch]:
            with psycopg.connect(database) as connection, connection.cursor("rows") as cursor:
                cursor.itersize = 20_000
                cursor.execute("SELECT place, amount FROM public.sales")
                while found := cursor.fetchmany(20_000):
                    yield pa.RecordBatch.from_pylist(
                        [dict(zip(SCHEMA.names, row, strict=True)) for row in found], SCHEMA
                    )

        return pa.RecordBatchReader.from_batches(SCHEMA, batches())

    session = LazySession(settings=SparkSettings("local[2]", {}, {}, tmp_path / "spark.log"))
    session._session = spark
    executor = SparkExecutor(SparkEngine(session, tmp_path), {}, tmp_path / "rows")
    asked = "SELECT place, sum(amount) AS s, avg(amount) AS m, count(*) AS n FROM {} GROUP BY place ORDER BY place"
    plan = whole_plan(asked.format("crm.public.sales"), {"crm.public.sales": (SALES, SCHEMA)})
    assert plan.fragments[0].columns == columns_of(SCHEMA)

    result = executor.run(plan, read, {}, None)

    with psycopg.connect(database) as connection:
        expected = connection.execute(asked.format("public.sales")).fetchall()
    found = list(zip(*(column.to_pylist() for column in result.table.columns), strict=True))
    assert [(place, total, number) for place, total, _, number in found] == [
        (place, total, number) for place, total, _, number in expected
    ]
    assert [each.type for each in result.schema.columns] == ["int", "decimal(20,2)", "decimal(14,6)", "bigint"]
    assert found[0][1] > MOST * 10_000
