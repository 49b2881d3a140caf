"""A Delta table is read by the same connector whichever executor computes, and both give the same rows."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from migrated import lay_database

from forge.flows.federation.query import ExecutorChoice, QueryRequest, ask
from forge.flows.versioning.read import QueryCaller
from forge.model.time import utc_now
from forge.wiring import Wiring

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

QUERIES = (
    "SELECT * FROM events WHERE part = 'a' AND f > 1 ORDER BY id",
    "SELECT part, count(*), sum(price), max(at), min(day) FROM events GROUP BY part ORDER BY part",
    "SELECT id FROM events WHERE day = '2026-01-05' OR price > 20 OR part IS NULL ORDER BY id LIMIT 9",
    "SELECT count(*) FROM events WHERE tiny < 3",
)


def test_both_executors_give_the_same_rows(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("delta")
    (root / "sources").mkdir()
    (root / "sources" / "d.yaml").write_text("sources:\n  - {name: events, connector: delta, path: data/events}\n")
    (root / "forge.yaml").write_text("user: {name: Ada, email: ada@example.com}\n")
    lay_database(root / ".forge" / "forge.db")
    count = range(60)
    table = pa.table(
        {
            "id": pa.array(count, pa.int64()),
            "tiny": pa.array([number % 7 for number in count], pa.int8()),
            "part": [("a", "b", None)[number % 3] for number in count],
            "price": pa.array([Decimal(number) / 2 for number in count], pa.decimal128(10, 2)),
            "f": [float("nan") if number % 5 == 0 else number / 8 for number in count],
            "day": [date(2026, 1, number % 28 + 1) for number in count],
            "at": pa.array(
                [datetime(2026, 3, 29, 1, number, 0, 1, UTC) for number in count], pa.timestamp("us", "UTC")
            ),
        }
    )
    write_deltalake(root / "data" / "events", table, partition_by=["part"])
    wiring = Wiring.of(root)
    wiring.session._session = spark.newSession()

    def rows(sql: str, executor: ExecutorChoice, *, pushdown: bool = True) -> str:
        request = QueryRequest(sql, executor=executor, pushdown=pushdown)
        found = ask(wiring.federation.query_ports(), request, QueryCaller("Ada", "test", utc_now))
        assert (found.executor, len(found.rows) > 0) == (executor, True)
        return str(([one.type for one in found.schema.columns], found.rows))  # NaN equals nothing here

    try:
        for sql in QUERIES:
            assert rows(sql, "in-process") == rows(sql, "spark") == rows(sql, "spark", pushdown=False), sql
    finally:
        wiring.database.dispose()
