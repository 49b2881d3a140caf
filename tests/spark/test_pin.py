"""Pinned queries on Spark: after the tables changed, they give what the plain query gave before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from forge.model.names import TableName
from forge.transforms.sql import pin

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

ORDERS, ITEMS = TableName("pin_core", "orders"), TableName("pin_staging", "items")

QUERIES = [
    "SELECT * FROM pin_core.orders",
    "TABLE pin_core.orders;",
    "FROM pin_core.orders SELECT id",
    "SELECT pin_core.orders.id, orders.amount FROM pin_core.orders",
    "SELECT forge.pin_core.orders.id FROM forge.pin_core.orders ORDER BY pin_core.orders.id",
    "SELECT pin_core.orders.s.f, pin_core.orders.* FROM pin_core.orders",
    "SELECT o.id, i.name FROM pin_core.orders o JOIN pin_staging.items AS i ON o.id = i.id",
    "SELECT a.id FROM pin_core.orders a JOIN pin_core.orders b ON a.id = b.id",
    "SELECT * FROM pin_core.orders, pin_staging.items WHERE pin_core.orders.id = pin_staging.items.id",
    "SELECT id FROM pin_core.orders WHERE EXISTS (SELECT 1 FROM pin_staging.items WHERE items.id = pin_core.orders.id)",
    "SELECT id FROM pin_core.orders WHERE id IN (TABLE pin_core.ids)",
    "WITH orders AS (SELECT id FROM pin_core.orders) SELECT * FROM orders JOIN pin_staging.items USING (id)",
    "SELECT id, e FROM pin_core.orders LATERAL VIEW explode(xs) v AS e",
    "SELECT * FROM pin_core.orders o, LATERAL (SELECT name FROM pin_staging.items i WHERE i.id = o.id) l",
    "SELECT count(*) FROM pin_core.orders TABLESAMPLE (100 PERCENT)",
    "SELECT o.id FROM pin_core.orders TABLESAMPLE (100 PERCENT) o WHERE o.id = :wanted",
    "SELECT * FROM (SELECT id, amount FROM pin_core.orders) PIVOT (sum(amount) FOR id IN (1, 2))",
    "SELECT /*+ BROADCAST(items) */ items.name FROM pin_core.orders JOIN pin_staging.items ON orders.id = items.id",
    "FROM pin_core.orders |> WHERE pin_core.orders.id > 0 |> AGGREGATE sum(amount) AS total",
    "SELECT 'pin_core.orders 🎉' AS x, id -- pin_core.orders\nFROM pin_core.orders /* nothing */",
]


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Iterator[SparkSession]:
    for schema in ("pin_core", "pin_staging"):
        spark.sql(f"CREATE NAMESPACE IF NOT EXISTS forge.{schema}")
    spark.sql("CREATE TABLE forge.pin_core.orders (id INT, amount INT, xs ARRAY<INT>, s STRUCT<f: INT>) USING iceberg")
    spark.sql("CREATE TABLE forge.pin_core.ids (id INT) USING iceberg")
    spark.sql("CREATE TABLE forge.pin_staging.items (id INT, name STRING) USING iceberg")
    yield spark
    for table in ("pin_core.orders", "pin_core.ids", "pin_staging.items"):
        spark.sql(f"DROP TABLE forge.{table} PURGE")


def rows(spark: SparkSession, sql: str) -> list[str]:
    args = {"wanted": 1} if ":wanted" in sql else None
    return sorted(str(row) for row in spark.sql(sql, args=args).collect())


def snapshot_of(spark: SparkSession, table: str) -> int:
    latest = f"SELECT snapshot_id FROM forge.{table}.snapshots ORDER BY committed_at DESC LIMIT 1"
    return int(spark.sql(latest).collect()[0][0])


def fill(spark: SparkSession, first: int) -> None:
    ids = f"range({first}, {first + 2})"
    spark.sql(f"INSERT INTO forge.pin_core.orders SELECT id, id * 10, array(1, 2), struct(id) FROM {ids}")
    spark.sql(f"INSERT INTO forge.pin_core.ids SELECT id FROM {ids}")
    spark.sql(f"INSERT INTO forge.pin_staging.items SELECT id, 'n' || id FROM {ids}")


def test_a_pinned_query_gives_what_the_plain_one_gave_before_the_tables_changed(tables: SparkSession) -> None:
    fill(tables, 1)
    names = (ORDERS, TableName("pin_core", "ids"), ITEMS)
    places = {
        name: f"`forge`.`{name.schema}`.`{name.name}` VERSION AS OF {snapshot_of(tables, str(name))}" for name in names
    }
    before = {sql: rows(tables, sql) for sql in QUERIES}
    fill(tables, 1)
    after = {sql: rows(tables, pin(sql, places)) for sql in QUERIES}
    assert after == before
    assert rows(tables, QUERIES[0]) != before[QUERIES[0]]
