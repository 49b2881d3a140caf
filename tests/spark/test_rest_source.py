"""An API is read by the same connector whichever executor computes: Spark gets its rows, and neither its address nor
its secret."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from migrated import lay_database
from rest_api import Answer, Asked, RestApi, rest_api

from forge.flows.federation.query import ExecutorChoice, QueryRequest, ask
from forge.flows.versioning.read import QueryCaller
from forge.model.errors import ForgeError
from forge.model.time import utc_now
from forge.wiring import Wiring

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SOURCE = """
sources:
  - name: shop
    connector: rest
    url: {url}
    password: env:SHOP_TOKEN
    tables:
      orders:
        path: /orders
        columns: {{id: bigint, city: string, amount: "decimal(10,2)", day: date, at: timestamp, open: boolean}}
        filters: {{city: town}}
        paging: {{type: page, size: 40, size_parameter: n}}
"""
QUERIES = (
    "SELECT * FROM shop.orders WHERE city = 'Paris' ORDER BY id",
    "SELECT city, count(*) AS n, sum(amount) AS s, max(day), min(at) FROM shop.orders GROUP BY city ORDER BY n, s",
    "SELECT o.id, p.id AS other FROM shop.orders o JOIN shop.orders p ON p.id = o.id + 1 WHERE o.open ORDER BY o.id",
    "SELECT id FROM shop.orders WHERE city IS NULL OR amount > 7 ORDER BY id LIMIT 9",
)


def orders(asked: Asked) -> Answer:
    records = [
        {
            "id": number,
            "city": (None, "Paris", "London")[number % 3],
            "amount": number / 4,
            "day": f"2026-01-{number % 28 + 1:02}",
            "at": f"2026-03-29T02:30:{number % 60:02}+02:00",
            "open": number % 2 == 0,
        }
        for number in range(100)
    ]
    start = (int(asked.query["page"]) - 1) * 40
    return Answer(records[start : start + 40])


@pytest.fixture
def api() -> Iterator[RestApi]:
    with rest_api() as opened:
        opened.endpoints["/orders"] = orders
        yield opened


def test_both_executors_give_the_same_rows(
    spark: SparkSession, api: RestApi, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "s3cret")
    root = tmp_path_factory.mktemp("api")
    (root / "sources").mkdir()
    (root / "sources" / "shop.yaml").write_text(SOURCE.format(url=api.url))
    (root / "forge.yaml").write_text("user: {name: Ada, email: ada@example.com}\n")
    lay_database(root / ".forge" / "forge.db")
    wiring = Wiring.of(root)
    wiring.session._session = spark.newSession()

    def rows(sql: str, executor: ExecutorChoice, *, pushdown: bool = True) -> object:
        request = QueryRequest(sql, executor=executor, pushdown=pushdown)
        found = ask(wiring.federation.query_ports(), request, QueryCaller("Ada", "test", utc_now))
        assert found.executor == executor
        return [(one.name, one.type) for one in found.schema.columns], found.rows

    try:
        for sql in QUERIES:
            here = rows(sql, "in-process")
            assert here == rows(sql, "spark") == rows(sql, "spark", pushdown=False), sql
        api.serve("/orders", Answer([{"id": "x"}]))
        for executor in ("in-process", "spark"):
            with pytest.raises(ForgeError) as caught:
                rows("SELECT id FROM shop.orders", executor)
            assert caught.value.code == "E310"
    finally:
        wiring.database.dispose()
