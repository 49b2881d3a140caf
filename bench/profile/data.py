"""The table that is profiled: eight columns, as an order table has them."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

FILES = 8


def table(spark: SparkSession, folder: Path, rows: int) -> DataFrame:
    """Written once, as Parquet."""
    place = folder / f"orders_{rows}"
    if not (place / "_SUCCESS").exists():
        _made(spark, rows).write.mode("overwrite").parquet(str(place))
    return spark.read.parquet(str(place))


def _made(spark: SparkSession, rows: int) -> DataFrame:
    number = f.col("id")
    chance = f.pmod(f.xxhash64(number), f.lit(1000))
    skewed = f.pow(f.pmod(f.xxhash64(number, f.lit(1)), f.lit(1_000_000)) / 1e6, f.lit(3.0))
    words = f.array(*(f.lit(word) for word in ("new", "paid", "sent", "returned", "")))
    return spark.range(0, rows, 1, FILES).select(
        number.alias("order_id"),
        (skewed * 200_000).cast("bigint").alias("customer_id"),
        f.when(chance >= 20, f.pmod(f.xxhash64(number, f.lit(2)), f.lit(40)).cast("int") - 2).alias("quantity"),
        f.when(chance < 990, skewed * 900 - 10).alias("amount"),
        (f.pmod(f.xxhash64(number, f.lit(3)), f.lit(100_000)) / 100).cast("decimal(12,2)").alias("price"),
        f.element_at(words, (f.pmod(f.xxhash64(number, f.lit(4)), f.lit(5)) + 1).cast("int")).alias("status"),
        f.concat(f.lit("user"), (skewed * 500_000).cast("bigint").cast("string"), f.lit("@example.org")).alias("mail"),
        f.timestamp_seconds(f.lit(1_700_000_000) + f.pmod(f.xxhash64(number, f.lit(5)), f.lit(31_536_000))).alias("at"),
    )
