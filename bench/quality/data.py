"""Makes the data, once for each size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bench.quality.task import (
    BROKEN_EMAIL,
    COUNTRIES,
    CUSTOMERS,
    FAR_COUNTRY,
    HIGH_PRICE,
    NO_EMAIL,
    SENT_EARLY,
    STATUSES,
    Places,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def write_data(spark: SparkSession, places: Places) -> None:
    if not (Path(places.customers) / "_SUCCESS").exists():
        spark.range(CUSTOMERS).selectExpr(
            "id AS customer_id",
            "concat('segment ', id % 7) AS segment",
            "concat('region ', id % 31) AS region",
        ).coalesce(1).write.mode("overwrite").parquet(places.customers)
    if not (Path(places.orders) / "_SUCCESS").exists():
        orders = spark.range(0, places.rows, 1, 8).selectExpr(*_columns())
        orders.write.mode("overwrite").parquet(places.orders)


def _is(rest: tuple[int, int]) -> str:
    every, first = rest
    return f"id % {every} = {first}"


def _columns() -> list[str]:
    statuses = ", ".join(f"'{status}'" for status in STATUSES)
    countries = ", ".join(f"'{country}'" for country in COUNTRIES)
    price = f"IF({_is(HIGH_PRICE)}, 1000.5D, ((id * 7919) % 100000) / 100.0D)"
    ordered = "timestamp'2026-01-01 00:00:00Z' + make_dt_interval(0, 0, 0, id % 10000000)"
    return [
        "id",
        "concat_ws('-', hex(id), substr(md5(string(id)), 1, 12)) AS order_key",
        f"id % {CUSTOMERS} AS customer_id",
        "int(id % 100) + 1 AS quantity",
        f"{price} AS price",
        f"CAST((id % 100 + 1) * {price} AS DECIMAL(12, 2)) AS amount",
        "(id % 100) / 100.0D AS discount",
        f"element_at(array({statuses}), int(id % {len(STATUSES)}) + 1) AS status",
        f"IF({_is(FAR_COUNTRY)}, 'XX', element_at(array({countries}), int(id % {len(COUNTRIES)}) + 1)) AS country",
        f"CASE WHEN {_is(NO_EMAIL)} THEN NULL WHEN {_is(BROKEN_EMAIL)} THEN 'nobody' "
        "ELSE concat('user', id, '@example.com') END AS email",
        "concat(chr(65 + id % 26), lpad(string(id % 10000), 4, '0')) AS code",
        "IF(id % 10 = 0, NULL, concat('note ', id % 1000)) AS note",
        f"{ordered} AS created_at",
        f"{ordered} + interval 5 hours AS updated_at",
        f"date_add(to_date({ordered}), IF({_is(SENT_EARLY)}, -1, int(id % 30))) AS ship_date",
    ]
